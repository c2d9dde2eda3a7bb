"""What a person chose for the program on this computer. Values only; where they are kept is the store's (`settings_file`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from quarterdeck.domain.keeping import Limits
from quarterdeck.domain.looks import SCALE_PERCENT_MIN, SYSTEM_LANGUAGE, Scheme

QUIT_MINUTES_MAX = 240


@dataclass(frozen=True, slots=True)
class Preferences:
    """One state of the settings; the defaults are those of a new computer."""

    scheme: Scheme = Scheme.SYSTEM
    scale_percent: int = SCALE_PERCENT_MIN
    """100–300, on top of what the system scales by; in force from the next start."""
    reduce_motion: bool = False
    language: str = SYSTEM_LANGUAGE
    """`system`, or the name of a language such as `de` or `pt_BR`; in force from the next start."""
    notices: bool = True
    notice_command: tuple[str, ...] = ()
    """Program and arguments, started without a shell when a run needs somebody; empty: none."""
    quit_minutes: int = 10
    """How long runs may finish where that is asked for at quitting."""
    editor: tuple[str, ...] = ()
    """Program and arguments that open a file; `{path}` and `{line}` are filled in. Empty: the system's choice."""
    program_folders: tuple[str, ...] = ()
    """Absolute folders in which the programs of agents are looked for before those of PATH."""
    telemetry: tuple[str, ...] = ()
    """Kinds of agents whose programs may send telemetry and update themselves; off for all others."""
    keep_awake: bool = False
    """The computer does not sleep while an agent lives, where it has a way for that."""
    limits: Limits = field(default_factory=Limits)
    """The caps of the store; the window gives sizes in whole MB."""
    shortcuts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """{action id: keys}, only of those actions whose keys differ from the ones they came with."""


@dataclass(frozen=True, slots=True)
class QuietProgram:
    """A kind of agent whose program sends telemetry or updates itself, and what switches that off (`NAME=value`, a setting)."""

    kind: str
    switches: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PreferencesRead:
    """What the settings file gave. `fault` says in words why it was not used; it is then left as it is.

    unknown: keys of the file that are not known, each with its table; they do nothing, and are kept.
    no_inhibitor: why this computer cannot be kept awake from here, in words; empty where it can, as far as is seen. quiet: programs
    that are started with switches of ours.
    """

    preferences: Preferences
    place: str
    fault: str = ""
    no_inhibitor: str = ""
    quiet: tuple[QuietProgram, ...] = ()
    unknown: tuple[str, ...] = ()
