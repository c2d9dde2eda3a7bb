"""What the door tells of one attempt beyond its view, over real attempts: printed, told, saved."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from quarterdeck.domain.ids import AttemptId, RunId, SlotId
from quarterdeck.engine.attempt_details import KeptState, Sought, Way
from quarterdeck.engine.errors import EngineError
from quarterdeck.engine.service import Engine
from tests.engine.works import python, shell, slot_of, to_end, write

SPEAKS = (
    "say('text', text='Hello')\nsay('effect', id='p', state='sent', kind='git push', target='origin')\n"
    "print('plain'); print('{\"type\": \"error\"')\nsay('usage', input_tokens='wrong')\n"
    "open('made.txt', 'w').write('kept'); say('artifact', name='made.txt', path='made.txt')\n"
    "say('artifact', name='note', text='words')\nsay('output', value=1)\n"
)


async def test_a_transcript_is_read_by_lines_with_what_the_protocol_says(
    engine: Engine, tmp_path: Path
) -> None:
    path = write(tmp_path, {"a": python(SPEAKS)})
    view = await to_end(engine, path)
    attempt = slot_of(view, "a").attempts[-1]
    page = await engine.details.page(view.run_id, attempt.attempt_id, 2**62, Way.BEFORE)
    assert page.is_protocol
    kinds = [line.item["kind"] if line.item else line.content for line in page.lines]
    assert kinds[:2] == ["text", "effect"]
    assert b"plain" in kinds
    assert b'{"type": "error"' in kinds, "what is no JSON is text"
    assert any(isinstance(k, bytes) and b"wrong" in k for k in kinds), (
        "a known type with a wrong field is text"
    )
    assert kinds[-3:] == ["artifact", "artifact", "output"]
    found = await engine.details.find(view.run_id, attempt.attempt_id, Sought("hello"), 0, 2**40)
    assert found.count == 1
    missing = await engine.details.page(view.run_id, AttemptId("a-none"), 0, Way.AFTER)
    assert missing.missing


async def test_a_text_agents_lines_are_text_whatever_they_look_like(engine: Engine, tmp_path: Path) -> None:
    """AUT6."""
    path = write(tmp_path, {"a": shell("""echo '{"type":"text","text":"x"}'""")})
    view = await to_end(engine, path)
    attempt = slot_of(view, "a").attempts[-1]
    page = await engine.details.page(view.run_id, attempt.attempt_id, 0, Way.AFTER)
    assert [line.item for line in page.lines] == [None]
    assert not page.is_protocol


async def test_what_an_attempt_was_told_is_what_was_pinned_and_no_secret_is_in_it(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIGEST_KEY", "s3cret-value")
    (tmp_path / "notes.md").write_text("first")
    agent = {**shell("true"), "secrets": {"TOKEN": "env:DIGEST_KEY"}, "env": {"PLAIN": "also not shown"}}
    path = write(
        tmp_path,
        {"a": agent},
        nodes={"a": {"prompt": "About {{ inputs.topic }}", "attach": ["notes.md"]}},
        inputs=[{"name": "topic", "type": "text", "default": "whales"}],
    )
    view = await to_end(engine, path)
    attempt = slot_of(view, "a").attempts[-1].attempt_id
    path.write_text(path.read_text().replace("About", "Later edit of"))
    told = await engine.details.launch_words(view.run_id, SlotId("a"), attempt)
    assert told.prompt == "About whales"
    assert told.is_rendered
    assert told.argv[-1] == "true"
    assert [(f.path, f.size_bytes) for f in told.attachments] == [("notes.md", 5)]
    assert told.secret_names == ("TOKEN",)
    assert told.problem == ""
    assert "s3cret-value" not in repr(told)
    assert "also not shown" not in repr(told)
    pinned = await engine.details.launch_words(view.run_id, SlotId("a"), None)
    assert (pinned.prompt, pinned.is_rendered) == ("About {{ inputs.topic }}", False)


async def test_a_missing_pin_or_launch_file_is_said_and_not_replaced(
    engine: Engine, data: Path, tmp_path: Path
) -> None:
    """PIN5."""
    path = write(tmp_path, {"a": shell("true")}, nodes={"a": {"prompt": "Do it"}})
    view = await to_end(engine, path)
    attempt = slot_of(view, "a").attempts[-1].attempt_id
    told = await engine.details.launch_words(view.run_id, SlotId("a"), attempt)
    assert told.spec is not None
    (data / "objects" / told.spec).unlink()
    without = await engine.details.launch_words(view.run_id, SlotId("a"), attempt)
    assert "E_PIN_MISSING" in without.problem
    assert without.prompt == "Do it", "the launch file still says what was told"
    folder = data / "runs" / view.run_id / "attempts" / attempt
    (folder / "launch.json").unlink()
    neither = await engine.details.launch_words(view.run_id, SlotId("a"), attempt)
    assert "launch file" in neither.problem
    assert (neither.prompt, neither.argv) == ("", ())


async def test_saved_files_are_checked_against_their_hash(engine: Engine, data: Path, tmp_path: Path) -> None:
    path = write(tmp_path, {"a": python(SPEAKS)})
    view = await to_end(engine, path)
    attempt = slot_of(view, "a").attempts[-1]
    ask = (view.run_id, attempt.attempt_id)
    kept = await engine.details.kept_files(*ask, attempt.artifacts)
    assert [file.state for file in kept] == [KeptState.KEPT, KeptState.KEPT]
    assert kept[0].path is not None
    Path(kept[0].path).write_text("kepT")
    assert kept[1].path is not None
    Path(kept[1].path).unlink()
    hash_only = replace(attempt.artifacts[0], stored=None)
    again = await engine.details.kept_files(*ask, (*attempt.artifacts, hash_only))
    assert [file.state for file in again] == [KeptState.DAMAGED, KeptState.MISSING, KeptState.NOT_KEPT]
    outside = replace(attempt.artifacts[0], stored="../../launch.json")
    assert (await engine.details.kept_files(*ask, (outside,)))[0].state is KeptState.MISSING


async def test_an_attempt_of_no_run_and_a_name_that_is_no_id_are_refused_in_words(engine: Engine) -> None:
    with pytest.raises(EngineError, match="cannot be read"):
        await engine.details.page(RunId("r-1"), AttemptId("../../../etc"), 0, Way.AFTER)
