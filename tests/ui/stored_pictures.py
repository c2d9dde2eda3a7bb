"""The stored pictures of the window: which there are, how all are taken anew, and how far one is from another.

Each part runs in a process of its own, in an environment that is the same on every machine: no screen, the fonts of the
product and no others, one smoothing, one time zone, one language, a clock that stands still.
"""

from __future__ import annotations

import fnmatch
import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter

FOLDER = Path(__file__).parents[1] / "pictures"
DIFFERENT = FOLDER / "different"
"""Where a test leaves what it found; not kept."""
PARTS = {
    "100": (
        "take_pictures",
        "shell_pictures",
        "inspector_pictures",
        "past_pictures",
        "recovery_pictures",
        "asking_pictures",
    ),
    "200": ("take_pictures", "inspector_pictures", "past_pictures"),
}
"""By scale in percent; at 200 % each part takes one screen only."""
LEFT_OUT = ("shell-main-light", "shell-main-dark", "crowded-near-*", "inspector-transcript-coloured-*")
"""What the parts take for people to look at and what is as well seen in another picture."""
COLOUR_DISTANCE = 24
"""Of 255: a channel of a pixel that is further off than this counts as different."""
EXACT_COLOURS = 24
SHARE_MAX = 0.0005
"""This share of all channels of all pixels may be different: about 700 pixels of the whole window, less than a word."""
FONTS = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><cachedir>{cache}</cachedir>
<match target="font"><edit name="antialias" mode="assign"><bool>true</bool></edit>
<edit name="hinting" mode="assign"><bool>true</bool></edit>
<edit name="hintstyle" mode="assign"><const>hintslight</const></edit><edit name="autohint" mode="assign"><bool>false</bool></edit>
<edit name="rgba" mode="assign"><const>none</const></edit></match>
</fontconfig>"""


SCREEN = {"name": "screen", "x": 0, "y": 0, "width": 3840, "height": 2400, "logicalDpi": 96, "dpr": 1}
"""In device pixels: room for every dialog at 200 % as well."""


def take_all(folder: Path) -> None:
    """Take every picture into `folder`, one subfolder for each scale; those that are not kept are removed."""
    folder.mkdir(parents=True, exist_ok=True)
    fonts = folder / "fonts.conf"
    fonts.write_text(FONTS.format(cache=folder / "fonts"))
    screen = folder / "screen.json"
    screen.write_text(json.dumps({"screens": [SCREEN]}))
    running = [
        subprocess.Popen(
            [sys.executable, "-m", f"tests.ui.{part}", str(folder / scale)],
            env=_environment(scale, folder, fonts, screen),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for scale, parts in PARTS.items()
        for part in parts
    ]
    failed = [process.args for process in running if _failed(process)]
    assert not failed, f"no pictures were taken by {failed}"
    for picture in folder.glob("*/*.png"):
        if any(fnmatch.fnmatch(picture.stem, pattern) for pattern in LEFT_OUT):
            picture.unlink()


def _failed(process: subprocess.Popen[bytes]) -> bool:
    _, told = process.communicate()
    if process.returncode:
        sys.stderr.write(told.decode(errors="replace"))
    return process.returncode != 0


def _environment(scale: str, home: Path, fonts: Path, screen: Path) -> dict[str, str]:
    kept = {
        name: os.environ[name] for name in ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH") if name in os.environ
    }
    return kept | {
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "QT_QPA_PLATFORM": f"offscreen:configfile={screen}",
        "QT_SCALE_FACTOR": str(int(scale) // 100),
        "FONTCONFIG_FILE": str(fonts),
    }


def names(folder: Path) -> list[str]:
    """`100/main-dark`, …, in order."""
    return sorted(str(picture.relative_to(folder).with_suffix("")) for picture in folder.glob("*00/*.png"))


@dataclass(frozen=True)
class Distance:
    """How far two pictures are apart. share: of the channels of all pixels, 0 to 1; picture: bright where they differ."""

    share: float
    picture: QImage


def distance(one: QImage, other: QImage) -> Distance:
    """Pictures of different sizes are wholly different."""
    if one.size() != other.size():
        return Distance(1.0, other)
    apart = one.convertToFormat(QImage.Format.Format_RGB32)
    painter = QPainter(apart)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Difference)
    painter.drawImage(0, 0, other.convertToFormat(QImage.Format.Format_RGB32))
    painter.end()
    flat = apart.convertToFormat(QImage.Format.Format_RGB888)
    is_off = bytes(1 if value > COLOUR_DISTANCE else 0 for value in range(256))
    row, stride, pixels = flat.width() * 3, flat.bytesPerLine(), bytes(flat.constBits())
    off = sum(pixels[y * stride : y * stride + row].translate(is_off).count(1) for y in range(flat.height()))
    return Distance(off / max(1, row * flat.height()), apart)


def keep(folder: Path, name: str) -> None:
    """Store one picture: in 256 colours of its own, which is a third of the size and far within the tolerance."""
    there = FOLDER / f"{name}.png"
    there.parent.mkdir(parents=True, exist_ok=True)
    whole = QImage(str(folder / f"{name}.png")).convertToFormat(QImage.Format.Format_RGB32)
    plainly = Qt.ImageConversionFlag.ThresholdDither | Qt.ImageConversionFlag.AvoidDither
    whole.convertToFormat(QImage.Format.Format_Indexed8, _colours(whole), plainly).save(str(there), "PNG", 0)


def _colours(image: QImage) -> list[int]:
    """The most frequent colours as they are, then one for each neighbourhood of the others, most frequent first."""
    counted = Counter(memoryview(image.constBits()).cast("I")).most_common()
    exact = [colour for colour, _ in counted[:EXACT_COLOURS]]
    near: Counter[int] = Counter()
    found: dict[int, int] = {}
    for colour, count in counted[EXACT_COLOURS:]:
        near[colour & 0xF0F0F0] += count
        found.setdefault(colour & 0xF0F0F0, colour)
    return exact + [found[place] for place, _ in near.most_common(256 - len(exact))]
