"""Framed lines: torn tails are cut, damage is named, nothing is skipped silently (JNL6)."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from quarterdeck.store.lines import (
    Damage,
    DamagedLine,
    find_line,
    frame,
    iter_lines,
    parse_lines,
    read_lines,
    unframe,
)
from tests.store.naive import good_prefix, is_good

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.text(max_size=12)
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(st.text(max_size=8).filter(lambda k: k != "crc"), JSON, min_size=1, max_size=4)


def numbered(count: int) -> list[dict[str, object]]:
    return [
        {"seq": n, "kind": "note", "text": 'größe {} "crc" \\u0000 \U0001f6a2' + "x" * (n % 5)}
        for n in range(1, count + 1)
    ]


@given(OBJECTS)
def test_a_framed_object_comes_back_and_is_plain_json_with_crc_last(obj: dict[str, object]) -> None:
    line = frame(obj)
    assert unframe(line) == obj
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert is_good(line[:-1])
    plain = json.loads(line)
    assert list(plain)[-1] == "crc"
    assert int(plain["crc"], 16) == zlib.crc32(line[: line.rindex(b',"crc":')])


def test_half_a_surrogate_pair_survives_as_an_escape() -> None:
    assert unframe(frame({"text": "a\udc80b"})) == {"text": "a\udc80b"}


@pytest.mark.parametrize("obj", [{}, {"crc": 1, "a": 2}])
def test_an_object_that_could_not_be_told_from_its_frame_is_refused(obj: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="framed object"):
        frame(obj)


@pytest.mark.parametrize(
    "line", [b"", b"\n", b"{}\n", b"not json\n", frame({"a": 1})[:-2], b"[1" + frame({"a": 1})[2:]]
)
def test_a_line_that_is_not_what_was_written_is_refused(line: bytes) -> None:
    with pytest.raises(DamagedLine):
        unframe(line)


def test_a_missing_file_is_an_empty_one(tmp_path: Path) -> None:
    assert read_lines(tmp_path / "none") == ((), 0, 0, (), ())


def whole(objects: list[dict[str, object]]) -> bytes:
    return b"".join(map(frame, objects))


@given(st.integers(1, 6), st.data())
@settings(max_examples=600)
def test_a_cut_anywhere_gives_a_prefix_and_no_damage(count: int, data: st.DataObject) -> None:
    """JNL6: also inside a UTF-8 character, and with a valid record whose newline alone is missing."""
    objects = numbered(count)
    content = whole(objects)
    cut = data.draw(st.integers(0, len(content)))
    nul = data.draw(st.sampled_from([0, 0, 1, 7, 8, 4096]))
    image = content[:cut] + b"\0" * nul
    read = parse_lines(image, numbered=True)
    kept = len(read.objects)
    assert list(read.objects) == objects[:kept]
    assert kept >= image[:cut].count(b"\n")
    assert read.damage == ()
    assert read.good_bytes + read.torn_bytes == len(image)
    assert len(whole(objects[:kept])) - read.good_bytes in (0, 1)


@given(st.integers(2, 6), st.data())
@settings(max_examples=1500)
def test_a_flipped_bit_is_never_silent(count: int, data: st.DataObject) -> None:
    objects = numbered(count)
    content = bytearray(whole(objects))
    at = data.draw(st.integers(0, len(content) - 1))
    content[at] ^= 1 << data.draw(st.integers(0, 7))
    read = parse_lines(bytes(content), numbered=True)
    kept = len(read.objects)
    assert list(read.objects) == objects[:kept]
    assert read.damage or read.torn_bytes
    assert kept >= bytes(content[:at]).count(b"\n")
    if at < len(whole(objects[:-1])):  # before the last line: damage, named where it begins
        assert read.damage
        assert read.damage[0].offset <= at < len(content)
        assert read.damage[0].offset == read.good_bytes


@given(st.integers(3, 8), st.data())
@settings(max_examples=600)
def test_a_block_of_nuls_or_a_lost_line_in_the_middle_is_damage(count: int, data: st.DataObject) -> None:
    objects = numbered(count)
    lines = [frame(obj) for obj in objects]
    hit = data.draw(st.integers(0, count - 2))
    fault = data.draw(
        st.sampled_from(["nuls", "lost", "twice", "fused", "torn and fused", "noise", "swapped"])
    )
    image = {
        "nuls": [*lines[:hit], b"\0" * len(lines[hit]), *lines[hit + 1 :]],
        "lost": [*lines[:hit], *lines[hit + 1 :]],
        "twice": [*lines[: hit + 1], *lines[hit:]],
        "fused": [*lines[:hit], lines[hit][:-1], *lines[hit + 1 :]],
        "torn and fused": [*lines[:hit], lines[hit][: len(lines[hit]) // 2], *lines[hit + 1 :]],
        "noise": [*lines[:hit], b"\x93noise\n", *lines[hit:]],
        "swapped": [*lines[:hit], lines[hit + 1], lines[hit], *lines[hit + 2 :]],
    }[fault]
    read = parse_lines(b"".join(image), numbered=True)
    kept = len(read.objects)
    assert list(read.objects) == objects[:kept]
    assert kept in (hit, hit + 1)
    assert read.damage
    assert read.damage[0].reason
    assert read.damage[0].offset == read.good_bytes


@given(st.binary(max_size=200), st.integers(0, 3), st.integers(0, 3))
@example(b"\n", 1, 1)
@example(b"\0" * 9 + b"\n", 1, 0)
@settings(max_examples=600)
def test_any_bytes_between_good_lines_agree_with_the_naive_reader(
    noise: bytes, before: int, after: int
) -> None:
    objects = numbered(before + after)
    image = whole(objects[:before]) + noise + whole(objects[before:])
    read = parse_lines(image)
    naive = good_prefix(image)
    assert list(read.objects)[: len(naive)] == naive
    assert len(read.objects) - len(naive) in (0, 1)  # the naive reader does not look for a missing newline
    accounted = read.good_bytes + read.torn_bytes + sum(place.length for place in read.damage)
    assert read.good_bytes == len(image) or read.damage or read.torn_bytes
    assert accounted <= len(image)


@given(st.binary(max_size=60), st.integers(0, 3), st.integers(0, 3), st.integers(0, 30), st.booleans())
@example(b"\n", 1, 1, 0, True)
@example(b"", 2, 1, 1, True)
@settings(max_examples=400)
def test_lines_read_one_at_a_time_are_those_of_the_whole_file(
    noise: bytes, before: int, after: int, cut: int, is_numbered: bool
) -> None:
    objects = numbered(before + after)
    image = whole(objects[:before])[: -cut or None] + noise + whole(objects[before:])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "lines")
        path.write_bytes(image)
        whole_file, damage = read_lines(path, numbered=is_numbered), list[Damage]()
        given = tuple(iter_lines(path, numbered=is_numbered, on_damage=damage.append))
        assert given == whole_file.objects
        assert [one[::2] for one in damage] == [one[::2] for one in whole_file.damage[:1]]


def test_a_kind_is_found_from_where_the_last_look_ended_and_never_inside_another_line(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    assert find_line(path, "ending") == (None, 0)
    inside: dict[str, object] = {"seq": 1, "kind": "output", "value": {"kind": "ending"}}
    begun = whole([inside, {"seq": 2, "kind": "note", "text": '"kind":"ending"'}])
    ending: dict[str, object] = {"seq": 3, "kind": "ending", "reason": "stop"}
    path.write_bytes(begun + frame(ending)[:20] + b"\0" * 50)
    assert find_line(path, "ending") == (None, len(begun))
    path.write_bytes(begun + frame(ending) + frame({"seq": 4, "kind": "ending", "reason": "later"}))
    assert find_line(path, "ending", len(begun)) == (ending, len(begun))


def test_lines_after_damage_are_told_apart_and_not_lost() -> None:
    content = whole(numbered(2)) + b"bad\n" + whole([{"x": 1}]) + b"worse\n" + whole([{"x": 2}]) + b'{"half'
    read = parse_lines(content)
    assert len(read.objects) == 2
    assert read.after_damage == ({"x": 1}, {"x": 2})
    assert [content[d.offset : d.offset + d.length] for d in read.damage] == [b"bad\n", b"worse\n"]
    assert read.torn_bytes == len(b'{"half')


def test_the_shims_part_of_the_store_loads_in_a_bare_interpreter() -> None:
    app = Path(__file__).parents[2] / "app"
    program = (
        f"import sys; sys.path.insert(0, {str(app)!r})\n"
        "import quarterdeck.store.lines, quarterdeck.store.durable_io, quarterdeck.store.machine\n"
        "bad = {'pydantic', 'orjson', 'asyncio', 'platformdirs', 'threading', 'logging'} & set(sys.modules)\n"
        "assert not bad, bad"
    )
    subprocess.run([sys.executable, "-I", "-S", "-c", program], check=True, timeout=30)
