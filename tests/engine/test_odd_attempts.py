"""Files of an attempt that are gone, or are no files: told at that agent, live and after a kill, and nothing else suffers."""

from __future__ import annotations

from pathlib import Path

from quarterdeck.domain.states import Outcome
from quarterdeck.engine.service import Engine
from tests.engine.conftest import Opener
from tests.engine.test_settling import short_life
from tests.engine.works import attempt_of, displays, python, shell, slot_of, to_end, write

OWN_FOLDER = "from pathlib import Path\nown = Path(os.environ['QUARTERDECK_CONTEXT']).parent\n"
LOSES_ITS_OUTPUT = OWN_FOLDER + (
    "say('output', value='y' * 300_000)\n"
    "while not (kept := list((own / 'artifacts').glob('*'))): time.sleep(0.01)\n"
    "while kept[0].stat().st_size < 300_000: time.sleep(0.01)\n"
    "kept[0].unlink()\n"
)
ASKS_FOR_IT = ("a", "b", "output != ''")


async def test_a_condition_over_an_output_whose_file_is_gone_is_told_at_the_node_behind_it(
    engine: Engine, tmp_path: Path
) -> None:
    path = write(tmp_path, {"a": python(LOSES_ITS_OUTPUT), "b": shell("true")}, ASKS_FOR_IT)
    view = await to_end(engine, path)
    assert (view.outcome, view.exit_code) == (Outcome.FAILED, 1)
    assert attempt_of(view, "a").status.value == "succeeded"
    assert slot_of(view, "b").attempts == ()
    assert "cannot be worked out: The file that holds the output is gone" in slot_of(view, "b").reason


async def test_a_run_is_settled_though_a_condition_asks_for_an_output_whose_file_is_gone(
    data: Path, tmp_path: Path, open_engine: Opener
) -> None:
    path = write(tmp_path, {"a": python(LOSES_ITS_OUTPUT), "b": shell("true")}, ASKS_FOR_IT)
    with short_life(data, path) as life:
        life.wait_said("nothing that is ever said: until it has ended and killed itself")
    folder = data / "runs" / life.run
    lines = (folder / "journal.jsonl").read_text().splitlines(keepends=True)
    cut = next(index for index, line in enumerate(lines) if '"attempt_ended"' in line) + 1
    (folder / "journal.jsonl").write_text("".join(lines[:cut]))
    (folder / "record.json").unlink(missing_ok=True)
    engine = await open_engine()
    view = await engine.run(life.run)
    assert view is not None
    assert view.outcome is Outcome.INTERRUPTED
    assert displays(view) == {"a": "Done", "b": "Not started"}
    assert len(list((data / "sessions").glob("*.json"))) == 1, "nothing is owed: the dead session is gone"
