"""A tooltip is plain text, wrapped and bounded, whatever an agent or a file says."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtWidgets import QApplication, QLabel, QToolTip, QWidget

from quarterdeck.ui.rows_model import RowsModel
from quarterdeck.ui.tips import LINE_MAX, LINES_MAX, tip

HOSTILE = (
    "<h1>BIG</h1><a href='x'>l</a>",
    "  <b>bold</b>",
    "&lt;h1&gt;",
    "<?xml version='1.0'?><i>x</i>",
    "<!-- x --><b>y</b>",
    "a\n<b>second line</b>",
    "<img src='file:///etc/passwd'>",
)


def is_laid_out_as_html(text: str) -> bool:
    """What Qt decides for a label like the one that it shows tips with."""
    by_qt, plain = QLabel(text), QLabel()
    plain.setTextFormat(Qt.TextFormat.PlainText)
    plain.setText(text)
    return by_qt.sizeHint() != plain.sizeHint()


def test_nothing_in_a_tooltip_is_taken_for_html(qapp: QApplication) -> None:
    for said in HOSTILE:
        shown = tip(said)
        assert shown.replace("\u2060", "") in {said, said.strip()}
        assert not is_laid_out_as_html(shown), said
        host = QWidget()
        QToolTip.showText(QPoint(5, 5), shown, host)
        label = next(w for w in QApplication.topLevelWidgets() if w.inherits("QTipLabel"))
        assert isinstance(label, QLabel)
        assert not label.wordWrap(), "Qt wraps a tip only where it takes it for HTML"
        QToolTip.hideText()
        host.deleteLater()
    assert sum(map(is_laid_out_as_html, HOSTILE)) >= 3, "the look would see it"


def test_a_tooltip_is_wrapped_and_bounded() -> None:
    lines = tip("x" * 500).split("\n")
    assert "".join(lines) == "x" * 500
    assert max(map(len, lines)) <= LINE_MAX
    assert tip("word " * 100_000).count("\n") < LINES_MAX
    assert tip("word " * 100_000).endswith("…")
    assert tip("") == ""
    assert tip("a\u202eb") == "a\\u202eb"


class Row:
    key = 1


class Told(RowsModel[Row]):
    headings = ("What",)

    def cell(self, row: Row, column: int, role: int) -> str | None:
        return HOSTILE[0] if role == Qt.ItemDataRole.ToolTipRole else None


def test_tips_of_tables_are_plain_without_their_doing(qapp: QApplication) -> None:
    model = Told()
    model.set_rows([Row()])
    assert not is_laid_out_as_html(model.data(model.index(0, 0, QModelIndex()), Qt.ItemDataRole.ToolTipRole))
