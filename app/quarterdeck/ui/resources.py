"""Where fonts and icons are found: inside the package in a wheel, in the top folder `resources/` in a checkout.

Nothing but reading of files that ship with the program happens here; the window knows no other path.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path


class ResourceMissing(FileNotFoundError):
    """The installation is incomplete: neither a packaged nor a checked-out resources folder exists."""


@cache
def resources_folder() -> Path:
    """The folder with `fonts/` and `icons/`.

    Raises ResourceMissing where the installation lacks it.
    """
    packaged = Path(__file__).resolve().parents[1] / "_resources"
    if packaged.is_dir():
        return packaged
    checkout = Path(__file__).resolve().parents[3] / "resources"
    if (checkout / "icons").is_dir():
        return checkout
    raise ResourceMissing("Quarterdeck's fonts and icons are missing; install it again.")


@cache
def icon_source(name: str) -> str:
    """The SVG text of one Lucide icon; its strokes are `currentColor`."""
    return (resources_folder() / "icons" / f"{name}.svg").read_text(encoding="utf-8")


def indicator_file(theme: str, name: str) -> str:
    """Path of a small picture that a style sheet names: `check`, `down`, `up`, tinted for `light`, `dark` or `contrast`."""
    return (resources_folder() / "icons" / "indicators" / f"{theme}-{name}.svg").as_posix()


def font_files() -> tuple[Path, ...]:
    """Every bundled font file, sorted by path."""
    folder = resources_folder() / "fonts"
    return tuple(sorted(p for p in folder.rglob("*") if p.suffix in {".otf", ".ttf"}))
