"""Every screen looks as it is stored: `tests/pictures/`, light, dark and high contrast, at 100 % and some at 200 %.

What differs by more than the tolerance (`stored_pictures.py`) fails by its name; the picture as it is now, the difference
and the stored one lie side by side in `tests/pictures/different/`. A change that is meant: `python -m tests.ui.take_pictures`.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QImage

from tests.ui import stored_pictures as stored

# In one process, as each would take all of them for itself.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.xdist_group("pictures")]


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """All pictures as the window shows them now."""
    shutil.rmtree(stored.DIFFERENT, ignore_errors=True)
    folder = tmp_path_factory.mktemp("pictures")
    stored.take_all(folder)
    yield folder
    shutil.rmtree(folder)


def test_there_is_a_stored_picture_of_every_screen_and_no_other(taken: Path) -> None:
    assert stored.names(taken) == stored.names(stored.FOLDER)


@pytest.mark.parametrize("name", stored.names(stored.FOLDER))
def test_a_screen_looks_as_it_is_stored(name: str, taken: Path) -> None:
    now, known = (QImage(str(folder / f"{name}.png")) for folder in (taken, stored.FOLDER))
    found = stored.distance(now, known)
    if found.share <= stored.SHARE_MAX:
        return
    left = stored.DIFFERENT / name.replace("/", "-")
    stored.DIFFERENT.mkdir(exist_ok=True)
    for picture, what in ((now, "now"), (found.picture, "difference"), (known, "stored")):
        picture.save(f"{left}-{what}.png")
    pytest.fail(
        f"{name}: {found.share:.3%} of it differ (allowed: {stored.SHARE_MAX:.3%}); see {left}-difference.png"
    )


def test_the_comparison_sees_a_word_and_passes_over_a_shade() -> None:
    """The oracle: one missing word of a whole window is seen, a slightly other shade everywhere is not."""
    known = QImage(1600, 960, QImage.Format.Format_RGB888)
    known.fill(QColor("#1d222a"))
    shade, word = known.copy(), known.copy()
    shade.fill(QColor("#232830"))
    for x in range(60):
        for y in range(14):
            word.setPixelColor(100 + x, 100 + y, QColor("#eaeef3"))
    assert stored.distance(shade, known).share == 0
    assert stored.distance(word, known).share > stored.SHARE_MAX
    assert stored.distance(QImage(800, 480, QImage.Format.Format_RGB888), known).share == 1
