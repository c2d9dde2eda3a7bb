"""The judges of the sweeps see the faults that they are there for."""

from __future__ import annotations

import json
import random
import re
import zlib
from pathlib import Path
from typing import Any

from tests.crash import verdicts
from tests.crash.images import FAMILIES, read_naively, whole_before

RUN = "r-1"


def framed(**fields: Any) -> bytes:
    head = json.dumps(fields, separators=(",", ":")).encode()[:-1]
    return b'%b,"crc":"%08x"}\n' % (head, zlib.crc32(head))


def home_with(tmp_path: Path, *entries: dict[str, Any], ran: str = "") -> Path:
    run = tmp_path / "store" / "runs" / RUN
    run.mkdir(parents=True)
    (tmp_path / "work").mkdir()
    (tmp_path / "store" / "objects").mkdir()
    header = {"kind": "run_launched", "run_id": RUN}
    lines = [framed(seq=seq, **entry) for seq, entry in enumerate((header, *entries), 1)]
    (run / "journal.jsonl").write_bytes(b"".join(lines))
    if ran:
        (tmp_path / "work" / f"said.a.{ran}.log").write_text("begun\n")
    return tmp_path


def claim(attempt: str, epoch: int = 1) -> dict[str, Any]:
    return {"kind": "attempt_claimed", "slot_id": "a", "attempt_id": attempt, "epoch": epoch}


def test_a_checksum_is_eight_small_digits_and_nothing_that_only_reads_like_them() -> None:
    """A flipped bit makes a leading nought a space, and a letter a capital; a number is read from both all the same."""
    line = next(
        x for n in range(10_000) if re.search(rb'"0[0-9]*[a-f][0-9a-f]*"}\n$', x := framed(seq=1, n=n))
    )
    head, crc = line[:-11], line[-11:]
    assert len(read_naively(line, numbered=True).good) == 1
    for changed in (b" " + crc[1:], crc.upper()):
        assert read_naively(head + changed, numbered=True).good == []


def test_a_sound_folder_has_no_faults(tmp_path: Path) -> None:
    assert verdicts.look(home_with(tmp_path, claim("a-1"), ran="a-1"), [["launched", RUN]]) == []


def test_a_lost_launch_a_lost_decision_and_a_lost_claim_are_seen(tmp_path: Path) -> None:
    home = home_with(tmp_path)
    said = [["launched", "r-2"], ["event", "run_ended", RUN, None, None, None], ["claimed", RUN, "a-9"]]
    faults = " ".join(verdicts.look(home, said))
    assert all(
        word in faults for word in ("launch of r-2 is lost", "acknowledged and lost", "claim of a-9 is lost")
    )


def test_two_living_attempts_of_a_slot_are_seen(tmp_path: Path) -> None:
    faults = " ".join(verdicts.look(home_with(tmp_path, claim("a-1"), claim("a-2")), []))
    assert "was claimed while a-1 lived" in faults
    assert "did not rise" in faults


def test_whoever_ran_without_a_claim_or_twice_is_seen(tmp_path: Path) -> None:
    home = home_with(tmp_path, claim("a-1"), ran="a-2")
    (home / "work" / "said.a.a-1.log").write_text("begun\nbegun\n")
    faults = " ".join(verdicts.look(home, []))
    assert "a-2 ran without a durable claim" in faults
    assert "a-1 was started twice" in faults


def test_a_half_file_and_a_line_behind_a_torn_tail_are_seen(tmp_path: Path) -> None:
    home = home_with(tmp_path)
    (home / "store" / "runs" / RUN / "record.json").write_bytes(framed(run_id=RUN)[:-5])
    (home / "store" / "ledger.jsonl").write_bytes(framed(a=1) + b'{"half' + framed(b=2) + framed(c=3))
    assert verdicts.half_visible(home / "store") == [f"half visible: runs/{RUN}/record.json"]
    assert verdicts.middle_damage(home / "store") == ["appended behind a torn tail: ledger.jsonl"]


def test_what_nobody_was_told_of_is_seen(tmp_path: Path) -> None:
    home = home_with(tmp_path)
    assert verdicts.phantoms(home, [], set()) == [f"{RUN} was refused, and is there"]
    assert verdicts.said_of_faults([["opened"], ["closed"]], ["write"], "once") == [
        "a silent fault: ['write']"
    ]
    said = [["recording", False], ["event", "attempt_claimed", RUN, "a-1", "a", None]]
    assert "a claim while recording was down" in verdicts.said_of_faults(said, ["write"], "for good")
    said = [["seen", RUN, "live", "None", "None", [], 0], ["seen", "r-2", "ended", "completed", "1", [], 0]]
    assert {f"{RUN} came back as live", "a phantom is listed: r-2"} <= set(verdicts.look_settled(home, said))


def test_images_differ_from_what_was_written_where_they_say_so() -> None:
    """And the naive reader takes nothing that was not written."""
    lines = [framed(seq=seq, text="x" * 200) for seq in range(1, 20)]
    whole, chance = b"".join(lines), random.Random(1)
    for number in range(2_000):
        image = FAMILIES[number % len(FAMILIES)](whole, chance)
        assert image.content[: image.untouched] == whole[: image.untouched]
        assert image.content[image.untouched : image.untouched + 1] != whole[
            image.untouched : image.untouched + 1
        ] or (image.content == whole)
        read = read_naively(image.content, numbered=True)
        assert [line["seq"] for line in read.prefix] == list(range(1, len(read.prefix) + 1))
        assert len(read.prefix) >= whole_before(lines, image.untouched) - 1
