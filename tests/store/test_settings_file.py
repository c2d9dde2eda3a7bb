"""settings.toml: what is kept, what is refused, and that a file which is wrong stays as it is."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarterdeck.domain.keeping import MB, Limits
from quarterdeck.domain.looks import Looks, Scheme
from quarterdeck.domain.preferences import Preferences
from quarterdeck.store.durable_io import DurableIO
from quarterdeck.store.limits_file import (
    BudgetsUnreadable,
    keeps_awake,
    read_limits,
    read_shared_limits,
    telemetry_allowed,
)
from quarterdeck.store.settings_file import (
    SettingsNotKept,
    config_folder,
    read_preferences,
    to_toml,
    write_preferences,
)
from quarterdeck.store.settings_glance import glance

CHOSEN = Preferences(
    scheme=Scheme.CONTRAST,
    scale_percent=150,
    reduce_motion=True,
    notices=False,
    notice_command=("say", 'it "is"\n{title}'),
    quit_minutes=3,
    editor=("code", "--goto", "{path}:{line}"),
    keep_awake=True,
    telemetry=("gemini",),
    limits=Limits(7, 12 * MB, 3 * MB, 5 * MB),
    shortcuts={"run": ("Ctrl+R",), "stop": ()},
)


def test_without_a_file_the_defaults_hold_and_nothing_is_written(tmp_path: Path) -> None:
    read = read_preferences(tmp_path / "none")
    assert (read.preferences, read.fault) == (Preferences(), "")
    assert not (tmp_path / "none").exists()


def test_what_is_kept_is_read_again_and_the_file_is_the_users_alone(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "config"
    write_preferences(folder, CHOSEN)
    assert read_preferences(folder).preferences == CHOSEN
    assert (folder / "settings.toml").stat().st_mode & 0o777 == 0o600


def test_what_the_page_keeps_of_sleep_and_caps_is_what_the_engine_reads(tmp_path: Path) -> None:
    """STO6, case 128: one file, read by both."""
    write_preferences(tmp_path, CHOSEN)
    assert read_limits(tmp_path / "settings.toml") == CHOSEN.limits
    assert keeps_awake(tmp_path / "settings.toml")
    assert telemetry_allowed(tmp_path / "settings.toml") == {"gemini"}


def test_keys_that_are_not_ours_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(
        'of_tomorrow = 1979-05-27\n[looks]\nfont = {name = "x", sizes = [1, 2.5]}\n[newer]\na = [{b = 1}]\n'
    )
    write_preferences(tmp_path, CHOSEN)
    kept = tomllib.loads(file.read_text())
    assert str(kept["of_tomorrow"]) == "1979-05-27"
    assert kept["looks"]["font"] == {"name": "x", "sizes": [1, 2.5]}
    assert kept["looks"]["theme"] == "high-contrast"
    assert kept["newer"] == {"a": [{"b": 1}]}


def test_keys_that_do_nothing_are_named(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text(
        "tomorrow = 1\n[looks]\nfont = 2\n[keping]\nruns = 3\n[keeping]\nrun = 3\n[shortcuts]\nreload = []\n"
    )
    read = read_preferences(tmp_path)
    assert not read.fault
    assert read.unknown == ("tomorrow", "keping", "looks.font", "keeping.run")
    (tmp_path / "settings.toml").unlink()
    write_preferences(tmp_path, CHOSEN)
    assert read_preferences(tmp_path).unknown == ()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('[budgets]\nnight_us = "20.00"\n', "budgets.night_us is not known"),
        ('[budget]\nnight_usd = "20.00"\n', r"\[budget\] is not known; limits stand in \[budgets\]"),
        ('[Budgets]\nnight_usd = "20.00"\n', "is not known"),
    ],
)
def test_a_limit_that_is_written_wrong_is_told_and_not_silently_none(
    tmp_path: Path, content: str, words: str
) -> None:
    """What is wrong in the budgets starts nothing until it is corrected."""
    (tmp_path / "settings.toml").write_text(content)
    with pytest.raises(BudgetsUnreadable, match=words):
        read_shared_limits(tmp_path / "settings.toml")


@pytest.mark.parametrize(
    "content",
    [
        b"[looks\n",
        b"\xff\xfe",
        b'[looks]\ntheme = "pink"\n',
        b"[looks]\nscale_percent = 900\n",
        b'[notices]\ncommand = "rm -rf"\n',
        b"looks = 3\n",
        b'[shortcuts]\nrun = "Ctrl+R"\n',
        b'[budgets]\nnight_us = "20.00"\n',
        b'[budget]\nnight_usd = "20.00"\n',
    ],
)
def test_a_file_that_is_wrong_is_told_and_left_untouched(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "settings.toml"
    file.write_bytes(content)
    read = read_preferences(tmp_path)
    assert read.preferences == Preferences()
    assert str(file) in read.fault
    with pytest.raises(SettingsNotKept):
        write_preferences(tmp_path, CHOSEN)
    assert file.read_bytes() == content
    assert [p.name for p in tmp_path.iterdir()] == ["settings.toml"]


class FullDisk(DurableIO):
    def before(self, operation: str, target: str) -> None:
        if operation == "write":
            raise OSError(28, "No space left on device")


def test_a_disk_that_refuses_leaves_the_old_settings(tmp_path: Path) -> None:
    write_preferences(tmp_path, CHOSEN)
    with pytest.raises(SettingsNotKept, match="No space left"):
        write_preferences(tmp_path, Preferences(), FullDisk())
    assert read_preferences(tmp_path).preferences == CHOSEN


def test_the_glance_before_the_first_paint_agrees_and_forgives(tmp_path: Path) -> None:
    write_preferences(tmp_path, CHOSEN)
    file = tmp_path / "settings.toml"
    seen = glance(file)
    assert (seen.scheme, seen.scale_percent, seen.reduce_motion) == (Scheme.CONTRAST, 150, True)
    for content in (
        "[looks\n",
        "looks = 1\n",
        '[looks]\ntheme = 7\nscale_percent = true\nreduce_motion = "no"\n',
    ):
        file.write_text(content)
        assert glance(file) == Looks()
    assert glance(tmp_path / "none") == Looks()


def test_the_folder_is_the_one_that_the_environment_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUARTERDECK_CONFIG_DIR", str(tmp_path / "here"))
    assert config_folder() == tmp_path / "here"


TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)
PLAIN = st.one_of(TEXTS, st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False))
VALUES = st.recursive(
    PLAIN, lambda v: st.one_of(st.lists(v, max_size=4), st.dictionaries(TEXTS, v, max_size=4)), max_leaves=8
)


@given(st.dictionaries(TEXTS, VALUES, max_size=5))
def test_every_document_is_read_as_it_was_written(whole: dict[str, object]) -> None:
    assert tomllib.loads(to_toml(whole)) == whole
