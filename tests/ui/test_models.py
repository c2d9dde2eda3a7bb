"""The table models keep Qt's rules and tell exactly what changed (style 16)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from quarterdeck.domain.views import ArtifactView
from quarterdeck.ui.agents_dock import AgentsModel
from quarterdeck.ui.attempts_list import AttemptsModel
from quarterdeck.ui.files_page import FilesModel
from quarterdeck.ui.pages import ProblemsModel
from quarterdeck.ui.present_agent import agent_facts
from quarterdeck.ui.present_details import file_rows
from quarterdeck.ui.rows_model import RowsModel
from quarterdeck.ui.runs_dock import RunsModel
from quarterdeck.ui.theme import Scheme, Theme
from tests.ui import made
from tests.ui.test_present import facts_of


@dataclass(frozen=True)
class Row:
    key: int
    value: int


class PlainModel(RowsModel[Row]):
    headings = ("Value",)

    def cell(self, row: Row, column: int, role: int) -> Any:
        return str(row.value) if role == Qt.ItemDataRole.DisplayRole else None


def test_runs_model_passes_the_model_tester(qtmodeltester: Any) -> None:
    model = RunsModel()
    views = [made.run_view(1, {"web": "Running"}), made.ended(made.run_view(2))]
    model.set_rows(facts_of(*views).run_rows)
    qtmodeltester.check(model)
    assert model.index(0, 0).data() == "Live"
    assert model.index(1, 0).data() == "A · r-17f3"
    assert model.index(1, 1).data() == "Running"


def test_agents_model_passes_the_model_tester(qtmodeltester: Any, qapp: Any, qtbot: QtBot) -> None:
    theme, parent = Theme(qapp, Scheme.LIGHT), QWidget()
    qtbot.addWidget(parent)
    model = AgentsModel(theme, parent)
    model.set_rows(facts_of(made.run_view(1, {"web": "Running"}), made.run_view(2)).agent_rows)
    qtmodeltester.check(model)
    assert model.rowCount() == 10
    assert [model.index(2, c).data() for c in (0, 1, 2)] == ["Web researcher", "A · r-17f3", "Running"]
    theme.deleteLater()


def test_a_small_model_passes_the_model_tester(qtmodeltester: Any) -> None:
    qtmodeltester.check(ProblemsModel())


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 2)), unique_by=lambda r: r[0]), max_size=8)
)
def test_a_mirror_fed_by_the_models_signals_equals_the_rows(steps: list[list[tuple[int, int]]]) -> None:
    """Removals, insertions and changes as told give the same table as asking for it."""
    model = PlainModel()
    mirror: list[str] = []

    def removed(_parent: object, first: int, last: int) -> None:
        del mirror[first : last + 1]

    def inserted(_parent: object, first: int, last: int) -> None:
        mirror[first:first] = [model.index(i, 0).data() for i in range(first, last + 1)]

    def changed(top: Any, bottom: Any) -> None:
        for i in range(top.row(), bottom.row() + 1):
            mirror[i] = model.index(i, 0).data()

    model.rowsRemoved.connect(removed)
    model.rowsInserted.connect(inserted)
    model.dataChanged.connect(changed)
    for step in steps:
        model.set_rows([Row(*r) for r in step])
        assert mirror == [str(v) for _, v in step]


def test_the_models_of_the_inspector_pass_the_model_tester(
    qtmodeltester: Any, qapp: Any, qtbot: QtBot
) -> None:
    theme, parent = Theme(qapp, Scheme.LIGHT), QWidget()
    qtbot.addWidget(parent)
    files = FilesModel(theme, parent)
    files.set_rows(file_rows((ArtifactView("a", "0" * 64, 1, None, "0001"),), ()))
    qtmodeltester.check(files)
    assert [files.index(0, column).data() for column in range(4)] == ["a", "1 B", "00000000", "Checking…"]
    attempts = AttemptsModel(parent)
    view = made.run_view(1, {"repo": "Running"})
    attempts.set_rows(agent_facts(view, view.slots[2], "A", made.at(9)).attempts)
    qtmodeltester.check(attempts)
    theme.deleteLater()
