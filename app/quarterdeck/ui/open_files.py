"""The workflow files of the open folder, and which workflow is shown: one of theirs, or that of a run from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from quarterdeck.domain.ids import WorkflowId
from quarterdeck.domain.views import RunSummary
from quarterdeck.domain.workflow import Workflow
from quarterdeck.engine.planned import BrokenWorkflow, LoadedWorkflow
from quarterdeck.ui.asked import WorkspaceLoaded
from quarterdeck.ui.present import FileState

File = LoadedWorkflow | BrokenWorkflow


class OpenFiles:
    """One for each window. What a file said is kept while it cannot be read."""

    def __init__(self) -> None:
        self.files: tuple[File, ...] = ()
        self.path: Path | None = None
        """The chosen file."""
        self._read: dict[Path, Workflow] = {}
        self._elsewhere: Workflow | None = None
        """No more than id and name of a workflow whose file is not in the open folder."""

    @property
    def chosen(self) -> File | None:
        """The chosen file, also while a run from elsewhere is shown."""
        return next((f for f in self.files if f.path == self.path), None)

    @property
    def shown(self) -> File | None:
        """The file of the shown workflow; None where it is not in the open folder."""
        return self.chosen if self._elsewhere is None else None

    @property
    def workflow(self) -> Workflow | None:
        """The shown workflow: what its file says, or said when it could be read last."""
        if self._elsewhere is not None:
            return self._elsewhere
        return self._read.get(self.path) if self.path is not None else None

    @property
    def state(self) -> FileState:
        """How the file of the shown workflow stands."""
        if self._elsewhere is not None:
            return FileState.ABSENT
        return FileState.BROKEN if isinstance(self.chosen, BrokenWorkflow) else FileState.OPEN

    @property
    def ids(self) -> Mapping[Path, WorkflowId]:
        """Which workflow each file is, or was when it could be read last; a file that never could be is left out."""
        return {path: workflow.id for path, workflow in self._read.items()}

    def choose(self, path: Path) -> bool:
        """Show this file; whether it was not shown already."""
        if path == self.path and self._elsewhere is None:
            return False
        self.path, self._elsewhere = path, None
        return True

    def take(self, news: WorkspaceLoaded) -> bool:
        """The folder as it was read now; whether another workflow is shown than before, as the file or the run from
        elsewhere went.
        """
        elsewhere = self._elsewhere
        was_elsewhere = elsewhere is not None and not news.unasked
        self.files, self._elsewhere = news.files, elsewhere if news.unasked else None
        read = {f.path: f.workflow for f in news.files if isinstance(f, LoadedWorkflow)}
        self._read = {f.path: w for f in news.files if (w := read.get(f.path) or self._read.get(f.path))}
        if self._elsewhere is not None:
            self._show_file_of(self._elsewhere.id)
        paths = [f.path for f in news.files]
        if news.chosen in paths and not (news.unasked and self.path in paths):
            self.path = news.chosen
        elif self.path not in paths:
            self.path = paths[0] if paths else None
            return True
        return was_elsewhere

    def show_workflow_of(self, run: RunSummary) -> None:
        """Change to the run's workflow: its file of the open folder, else what the run itself tells of it."""
        current = self.workflow
        if current is not None and current.id == run.workflow_id:
            return
        if not self._show_file_of(run.workflow_id):
            self._elsewhere = Workflow(run.workflow_id, run.workflow_name, "", (), {}, (), ())

    def _show_file_of(self, workflow_id: WorkflowId) -> bool:
        """Whether the open folder has one."""
        for path, workflow in self._read.items():
            if workflow.id == workflow_id:
                self.path, self._elsewhere = path, None
                return True
        return False
