"""A journal under random faults against a list that knows only what was acknowledged (style 31; JNL2, JNL6–JNL8)."""

from __future__ import annotations

import errno
import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreDown
from tests.store import naive
from tests.store.builders import AT, event, messages, new_run, run_id
from tests.store.faulty_io import FaultyIO


class JournalUnderFaults(RuleBasedStateMachine):
    """kept: acknowledged messages in order. refused: those refused since the last acknowledgement.

    Between a refusal and the next acknowledgement a refused line may still stand there; afterwards never.
    """

    def __init__(self) -> None:
        super().__init__()
        self.home = Path(tempfile.mkdtemp(prefix="quarterdeck-machine-"))
        self.io = FaultyIO(torn=True)
        self.store = Store.open(self.home / "data", self.io)
        self.journal = new_run(self.store)
        self.kept: list[str] = []
        self.refused: list[str] = []
        self.count = 0

    @rule(sync=st.booleans())
    def append(self, sync: bool) -> None:
        self.count += 1
        text = f"m{self.count}"
        try:
            self.journal.append(event(text), AT, sync=sync).result(20)
        except StoreDown:
            self.refused.append(text)
        else:
            self.kept.append(text)
            self.refused.clear()

    @rule(
        at=st.integers(1, 8),
        error=st.sampled_from([errno.EIO, errno.ENOSPC, errno.EROFS]),
        times=st.sampled_from([1, 2, 5, None]),
    )
    def break_disk(self, at: int, error: int, times: int | None) -> None:
        self.io.arm(at, error, times=times)

    @rule(at=st.integers(1, 4), error=st.sampled_from([errno.EIO, errno.ENOSPC]), sync=st.booleans())
    def append_through_one_fault(self, at: int, error: int, sync: bool) -> None:
        self.io.arm(at, error)
        self.append(sync)

    @rule()
    def heal_disk(self) -> None:
        self.io.heal()

    @rule(
        tail=st.sampled_from(
            [b"", b'{"seq":', b"\0" * 64, b'{"seq":9,"kind":"x","crc":"000', "ü".encode()[:1]]
        )
    )
    def restart(self, tail: bytes) -> None:
        """The process ends; the next one finds a torn tail and opens the run again."""
        self.io.heal()
        self.journal.close()
        self.store.close()
        folder = self.store.runs.folder(run_id())
        newest = max(folder.glob("journal*.jsonl"), key=lambda p: (len(p.name), p.name))
        with newest.open("ab") as file:
            file.write(tail)
        self.store = Store.open(self.home / "data", self.io)
        self.journal = self.store.runs.open(run_id())
        found = messages(self.store)
        assert found[: len(self.kept)] == self.kept
        assert set(found[len(self.kept) :]) <= set(self.refused)
        self.kept, self.refused = found, []
        assert self.store.runs.read(run_id()).is_whole

    @invariant()
    def everything_acknowledged_is_there_in_order(self) -> None:
        found = [line["message"] for line in naive.journal_of(self.store.runs.folder(run_id()))[1:]]
        assert found[: len(self.kept)] == self.kept
        assert set(found[len(self.kept) :]) <= set(self.refused)

    @precondition(lambda self: not self.refused)
    @invariant()
    def nothing_else_is_there(self) -> None:
        assert messages(self.store) == self.kept
        assert self.store.runs.read(run_id()).damage == ()

    def teardown(self) -> None:
        self.io.heal()
        self.journal.close()
        self.store.close()
        shutil.rmtree(self.home)


JournalUnderFaults.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
TestJournalUnderFaults = JournalUnderFaults.TestCase
