"""The one table of colours and sizes: surfaces and the six state families, light, dark and high contrast (ux palette).

Every other file of the window takes its colours from here by name. A state is never told by colour alone: each word
has an icon as well (`ICON_OF`, in `present`).
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Family(StrEnum):
    """The six families of states; every shown state belongs to exactly one."""

    NEUTRAL = "neutral"
    RUNNING = "running"
    NEEDS = "needs"
    DONE = "done"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


class Tone(NamedTuple):
    """One family's colours as `#rrggbb`: text and icon, background of a chip, border."""

    text: str
    tint: str
    border: str


class Tokens(NamedTuple):
    """Everything that differs between light and dark."""

    name: str
    window: str
    canvas: str
    card: str
    line: str
    text: str
    muted: str
    faint: str
    dot: str
    wire: str
    hover: str
    field: str
    accent: str
    accent_hover: str
    on_accent: str
    tones: dict[Family, Tone]


LIGHT = Tokens(
    name="light",
    window="#F5F6F8",
    canvas="#EEF0F4",
    card="#FFFFFF",
    line="#DCE0E6",
    text="#171B21",
    muted="#55606D",
    faint="#66717F",
    dot="#D3D8DF",
    wire="#B8C0CA",
    hover="#EDF0F3",
    field="#FFFFFF",
    accent="#0664D3",
    accent_hover="#0557B8",
    on_accent="#FFFFFF",
    tones={
        Family.NEUTRAL: Tone("#5E6975", "#EDEFF2", "#B8C0CA"),
        Family.RUNNING: Tone("#0664D3", "#E9F2FE", "#0664D3"),
        Family.NEEDS: Tone("#663B01", "#FFF1CC", "#D99A00"),
        Family.DONE: Tone("#0D5A4C", "#DDF3EC", "#1B9A80"),
        Family.FAILED: Tone("#BC4520", "#FDF0EB", "#BC4520"),
        Family.INTERRUPTED: Tone("#78288D", "#F4E6F8", "#A24DBB"),
    },
)
DARK = Tokens(
    name="dark",
    window="#13161B",
    canvas="#0F1216",
    card="#1D222A",
    line="#2C333E",
    text="#EAEEF3",
    muted="#A3AEBB",
    faint="#8490A0",
    dot="#232932",
    wire="#4A5361",
    hover="#272D36",
    field="#13161B",
    accent="#5791F8",
    accent_hover="#6EA1FA",
    on_accent="#0B1220",
    tones={
        Family.NEUTRAL: Tone("#92979F", "#272D36", "#4A5361"),
        Family.RUNNING: Tone("#5791F8", "#172743", "#5791F8"),
        Family.NEEDS: Tone("#FEE171", "#3A3215", "#E8C53F"),
        Family.DONE: Tone("#2FE4B5", "#123830", "#1FA886"),
        Family.FAILED: Tone("#FB7267", "#3F2020", "#FB7267"),
        Family.INTERRUPTED: Tone("#F8A6E3", "#3B2537", "#C77DB5"),
    },
)
CONTRAST = Tokens(
    name="contrast",
    window="#000000",
    canvas="#000000",
    card="#000000",
    line="#C8C8C8",
    text="#FFFFFF",
    muted="#F0F0F0",
    faint="#DCDCDC",
    dot="#3A3A3A",
    wire="#C8C8C8",
    hover="#2B2B2B",
    field="#000000",
    accent="#43A7FF",
    accent_hover="#86C6FF",
    on_accent="#000000",
    tones={
        Family.NEUTRAL: Tone("#E4E4E4", "#1C1C1C", "#E4E4E4"),
        Family.RUNNING: Tone("#43A7FF", "#00182B", "#43A7FF"),
        Family.NEEDS: Tone("#FFE62E", "#332C00", "#FFE62E"),
        Family.DONE: Tone("#76FFAF", "#00331F", "#76FFAF"),
        Family.FAILED: Tone("#FF7B64", "#2B0A04", "#FF7B64"),
        Family.INTERRUPTED: Tone("#D098B9", "#260A1C", "#D098B9"),
    },
)

UI_FONT = "Inter"
MONO_FONT = "JetBrains Mono"
RADIUS_CONTROL = 6
RADIUS_CARD = 10
NODE_WIDTH = 224
