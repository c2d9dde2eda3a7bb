"""The style sheet, written from the token table. Widgets ask for a look by a dynamic property `look`, never by colour."""

from __future__ import annotations

from quarterdeck.ui.resources import indicator_file
from quarterdeck.ui.tokens import RADIUS_CARD, RADIUS_CONTROL, Family, Tokens


def style_sheet(t: Tokens) -> str:
    """All rules of the window for one table."""
    return "\n".join(
        (
            _frame(t),
            _controls(t),
            _controls_with_looks(t),
            _tool_buttons(t),
            _after_crash(t),
            _fields(t),
            _indicators(t),
            _lists(t),
            _words(t),
            _chips(t),
            _scroll_bars(t),
        )
    )


def _frame(t: Tokens) -> str:
    return f"""
QMainWindow, QDialog {{ background: {t.window}; }}
QMainWindow::separator {{ background: {t.line}; width: 1px; height: 1px; }}
QToolBar {{ background: {t.card}; border: 0; border-bottom: 1px solid {t.line}; spacing: 0; padding: 0; }}
QToolBar#rail {{ border: 0; border-right: 1px solid {t.line}; padding: 6px 5px; spacing: 4px; }}
QToolBar#rail QToolButton {{ border-radius: 8px; padding: 0; min-width: 36px; min-height: 36px; border: 0; }}
QToolBar#rail QToolButton:hover {{ background: {t.hover}; }}
QToolBar#rail QToolButton:checked {{ background: {t.tones[Family.RUNNING].tint}; }}
QStatusBar {{ background: {t.card}; border-top: 1px solid {t.line}; min-height: 26px; }}
QStatusBar::item {{ border: 0; }}
QDockWidget {{ border: 0; }}
QWidget[look="panel"] {{ background: {t.window}; }}
QWidget[look="sheet"] {{ background: {t.card}; }}
QFrame[look="card"] {{ background: {t.card}; border: 1px solid {t.line}; border-radius: {RADIUS_CARD}px; }}
QFrame[look="inset"] {{ background: {t.window}; border: 1px solid {t.line}; border-radius: 8px; }}
QFrame[look="rule"] {{ background: {t.line}; border: 0; max-height: 1px; min-height: 1px; }}
QFrame[look="upright"] {{ background: {t.line}; border: 0; max-width: 1px; min-width: 1px; }}
QToolButton[look="fold"] {{ color: {t.muted}; font-size: 12px; padding: 3px 6px 3px 0; }}
QFrame[look="float"] {{ background: {t.card}; border: 1px solid {t.line}; border-radius: 8px; }}
QMenu {{ background: {t.card}; border: 1px solid {t.line}; padding: 4px; }}
QMenu::item {{ padding: 6px 28px 6px 12px; border-radius: 4px; }}
QMenu::icon {{ left: 6px; }}
QMenu::item:selected {{ background: {t.hover}; color: {t.text}; }}
QMenu::item:disabled {{ color: {t.faint}; }}
QMenu::separator {{ height: 1px; background: {t.line}; margin: 4px 6px; }}
QToolTip {{ background: {t.card}; color: {t.text}; border: 1px solid {t.line}; padding: 4px 6px; }}
QGraphicsView {{ border: 0; background: {t.canvas}; }}
"""


def _controls(t: Tokens) -> str:
    failed = t.tones[Family.FAILED]
    return f"""
QPushButton {{ background: {t.card}; color: {t.text}; border: 1px solid {t.tones[Family.NEUTRAL].border};
  border-radius: {RADIUS_CONTROL}px; padding: 0 14px; min-height: 30px; font-weight: 500; outline: 0; }}
QPushButton:hover {{ background: {t.hover}; }}
QPushButton:focus {{ border: 2px solid {t.text}; padding: 0 13px; min-height: 28px; }}
QPushButton:disabled {{ color: {t.faint}; border-color: {t.line}; background: {t.window}; }}
QPushButton[look="primary"] {{ background: {t.accent}; color: {t.on_accent}; border-color: {t.accent}; font-weight: 600; }}
QPushButton[look="primary"]:hover {{ background: {t.accent_hover}; }}
QPushButton[look="primary"]:focus {{ border: 2px solid {t.text}; }}
QPushButton[look="primary"]:disabled {{ background: {t.hover}; color: {t.faint}; border-color: {t.line}; }}
QPushButton[look="danger"] {{ color: {failed.text}; }}
QPushButton[look="quiet"], QToolButton[look="quiet"] {{ border: 1px solid transparent; background: transparent; }}
QPushButton[look="quiet"]:hover, QToolButton[look="quiet"]:hover {{ background: {t.hover}; }}
QPushButton[look="quiet"]:focus {{ border: 2px solid {t.text}; }}
QPushButton[look="danger"][quiet="true"] {{ border: 1px solid transparent; background: transparent; }}
QPushButton[look="danger"]:disabled {{ color: {t.faint}; }}
"""


def _controls_with_looks(t: Tokens) -> str:
    running = t.tones[Family.RUNNING]
    return f"""
QPushButton[look="waiting"] {{ background: {t.tones[Family.NEEDS].tint}; color: {t.tones[Family.NEEDS].text};
  border: 1px solid {t.tones[Family.NEEDS].border}; border-radius: 11px; min-height: 20px; max-height: 20px;
  padding: 0 10px; font-size: 12px; font-weight: 600; }}
QPushButton[look="waiting"]:focus {{ border: 2px solid {t.text}; min-height: 18px; max-height: 18px; }}
QPushButton[look="search"] {{ background: {t.window}; color: {t.muted}; border: 1px solid {t.line}; text-align: left;
  padding: 0 10px; font-weight: 400; }}
QPushButton[look="search"]:hover {{ background: {t.hover}; }}
QPushButton[look="search"]:focus {{ border: 2px solid {t.text}; padding: 0 9px; }}
QPushButton[look="segment"] {{ border: 0; background: transparent; padding: 0 10px; min-height: 26px; }}
QPushButton[look="segment"]:hover {{ background: {t.hover}; }}
QPushButton[look="segment"]:checked {{ background: {running.tint}; color: {running.text}; font-weight: 600; }}
QPushButton[look="segment"]:focus {{ border: 2px solid {t.text}; padding: 0 8px; min-height: 22px; }}
"""


def _tool_buttons(t: Tokens) -> str:
    running = t.tones[Family.RUNNING]
    return f"""
QToolButton {{ border: 1px solid transparent; border-radius: {RADIUS_CONTROL}px; padding: 4px; background: transparent; }}
QToolButton:hover {{ background: {t.hover}; }}
QToolButton[current="true"] {{ background: {running.tint}; border-color: {running.border}; }}
QToolButton:focus {{ border: 2px solid {t.text}; padding: 3px; }}
QToolButton::menu-indicator {{ image: none; width: 0; }}
"""


def _after_crash(t: Tokens) -> str:
    gone = t.tones[Family.INTERRUPTED]
    return f"""
QPushButton[look="link"] {{ color: {t.tones[Family.RUNNING].text}; border: 1px solid transparent; background: transparent;
  padding: 0 2px; min-height: 18px; font-size: 12px; font-weight: 600; }}
QPushButton[look="link"]:hover {{ background: {t.hover}; }}
QPushButton[look="link"]:focus {{ border: 2px solid {t.text}; padding: 0 1px; min-height: 16px; }}
QPushButton[look="owed"] {{ background: {gone.tint}; color: {gone.text};
  border: 1px solid {gone.border}; text-align: left; padding: 0 10px; font-size: 12px;
  font-weight: 600; }}
QPushButton[look="owed"]:focus {{ border: 2px solid {t.text}; padding: 0 9px; min-height: 28px; }}
"""


def _fields(t: Tokens) -> str:
    failed = t.tones[Family.FAILED]
    return f"""
QLineEdit, QComboBox, QSpinBox {{ background: {t.field}; color: {t.text}; border: 1px solid {t.tones[Family.NEUTRAL].border};
  border-radius: {RADIUS_CONTROL}px; padding: 0 9px; min-height: 30px; selection-background-color: {t.accent};
  selection-color: {t.on_accent}; }}
QLineEdit:focus, QComboBox:focus, QSpinBox:focus {{ border: 2px solid {t.accent}; padding: 0 8px; min-height: 28px; }}
QLineEdit {{ placeholder-text-color: {t.faint}; }}
QLineEdit[wrong="true"] {{ border-color: {failed.border}; }}
QSpinBox {{ padding: 0 22px 0 0; }}
QSpinBox:focus {{ padding: 0 21px 0 0; }}
QComboBox::drop-down {{ border: 0; width: 24px; }}
QComboBox[look="title"] {{ font-size: 15px; font-weight: 600; border: 0; background: transparent; padding: 0 4px; }}
QComboBox[look="title"]:hover {{ background: {t.hover}; }}
QComboBox[look="title"]:focus {{ border: 2px solid {t.text}; }}
QPlainTextEdit, QTextEdit {{ background: {t.field}; color: {t.text}; border: 1px solid {t.line}; border-radius: 8px; padding: 4px;
  selection-background-color: {t.accent}; selection-color: {t.on_accent}; }}
QPlainTextEdit:focus, QTextEdit:focus {{ border: 1px solid {t.accent}; }}
QTabBar {{ qproperty-drawBase: 0; background: transparent; }}
QTabBar::tab {{ background: transparent; color: {t.muted}; padding: 7px 2px; margin-right: 16px; border: 0;
  border-bottom: 2px solid transparent; font-weight: 500; }}
QTabBar::tab:selected {{ color: {t.text}; border-bottom-color: {t.accent}; font-weight: 600; }}
QTabBar::tab:hover {{ color: {t.text}; }}
QTabBar::tab:focus {{ color: {t.text}; border-bottom-color: {t.text}; }}
QTabBar[look="docks"]::tab {{ margin-left: 12px; margin-right: 4px; }}
QTabWidget::pane {{ border: 0; border-top: 1px solid {t.line}; }}
QRadioButton, QCheckBox {{ spacing: 8px; min-height: 24px; }}
"""


def _indicators(t: Tokens) -> str:
    border = t.tones[Family.NEUTRAL].text
    return f"""
QComboBox::down-arrow {{ image: url("{indicator_file(t.name, "down")}"); width: 14px; height: 14px; }}
QSpinBox::up-button, QSpinBox::down-button {{ border: 0; width: 20px; background: transparent; }}
QSpinBox::up-arrow {{ image: url("{indicator_file(t.name, "up")}"); width: 11px; height: 11px; }}
QSpinBox::down-arrow {{ image: url("{indicator_file(t.name, "down")}"); width: 11px; height: 11px; }}
QCheckBox::indicator, QRadioButton::indicator {{ width: 14px; height: 14px; border: 1px solid {border};
  background: {t.field}; }}
QCheckBox::indicator {{ border-radius: 4px; }}
QRadioButton::indicator {{ border-radius: 8px; }}
QCheckBox::indicator:checked {{ background: {t.accent}; border-color: {t.accent};
  image: url("{indicator_file(t.name, "check")}"); }}
QRadioButton::indicator:checked {{ border: 5px solid {t.accent}; width: 6px; height: 6px; background: {t.on_accent}; }}
QCheckBox:focus, QRadioButton:focus {{ border: 1px solid {t.text}; border-radius: 4px; }}
QProgressBar {{ background: {t.line}; border: 0; border-radius: 3px; }}
QProgressBar::chunk {{ background: {t.accent}; border-radius: 3px; }}
"""


def _lists(t: Tokens) -> str:
    return f"""
QTableView {{ background: {t.window}; border: 0; gridline-color: transparent; outline: 0;
  selection-background-color: {t.tones[Family.RUNNING].tint}; selection-color: {t.text}; }}
QListView[look="plain"], QTableView[look="plain"] {{ background: transparent; border: 0; outline: 0; }}
QListView[look="plain"]::item:selected {{ background: transparent; }}
QTableView[look="sheet"] {{ background: {t.card}; border: 1px solid {t.line}; border-radius: 8px; }}
QTableView::item {{ padding: 0 8px; border: 0; }}
QTableView::item:selected {{ background: {t.tones[Family.RUNNING].tint}; color: {t.text}; }}
QHeaderView {{ background: transparent; border: 0; }}
QHeaderView::section {{ background: transparent; color: {t.faint}; border: 0; border-bottom: 1px solid {t.line};
  padding: 5px 8px; font-size: 11px; font-weight: 600; }}
QTableCornerButton::section {{ background: transparent; border: 0; }}
QListView[look="plain"] {{ background: transparent; border: 0; outline: 0; }}
QScrollArea {{ border: 0; background: transparent; }}
QWidget[look="page"] {{ background: transparent; }}
QTableView#Runs {{ selection-background-color: transparent; }}
QTableView#Runs::item:selected {{ background: transparent; }}
"""


def _words(t: Tokens) -> str:
    return f"""
QLabel {{ background: transparent; }}
QLabel[look="muted"] {{ color: {t.muted}; font-size: 12px; }}
QLabel[look="faint"] {{ color: {t.faint}; font-size: 11px; font-weight: 600; }}
QLabel[look="foot"] {{ color: {t.muted}; font-size: 12px; }}
QLabel[look="title"] {{ font-size: 15px; font-weight: 600; }}
QLabel[look="heading"] {{ font-size: 13px; font-weight: 600; }}
QLabel[look="big"] {{ font-size: 18px; font-weight: 600; }}
QLabel[look="value"] {{ font-size: 12px; font-weight: 500; }}
QLabel[look="problem"] {{ color: {t.tones[Family.FAILED].text}; }}
QLabel[look="count"] {{ background: {t.tones[Family.NEEDS].border}; color: {t.card if t.name == "contrast" else "#171B21"};
  border-radius: 8px; font-size: 10px; font-weight: 700; }}
QLabel[look="told"] {{ color: {t.muted}; }}
QLabel[look="total"] {{ font-size: 17px; font-weight: 600; }}
QLabel[look="letter"] {{ background: {t.hover}; color: {t.muted}; border: 1px solid {t.wire}; border-radius: 4px;
  font-size: 11px; font-weight: 700; }}
QLabel[look="mono"] {{ font-family: "JetBrains Mono"; font-size: 12px; }}
"""


def _chips(t: Tokens) -> str:
    rules = []
    for family, tone in t.tones.items():
        rules.append(
            f'QFrame[chip="{family}"] {{ background: {tone.tint}; border: 1px solid {tone.border};'
            f" border-radius: 11px; min-height: 20px; max-height: 20px; }}\n"
            f'QFrame[chip="{family}"] QLabel {{ color: {tone.text}; font-size: 12px; font-weight: 600; }}\n'
            f'QFrame[notice="{family}"] {{ background: {tone.tint}; border: 1px solid {tone.border};'
            f" border-radius: 8px; }}\n"
            f'QLabel[tone="{family}"] {{ color: {tone.text}; font-weight: 600; }}'
        )
    return "\n".join(rules)


def _scroll_bars(t: Tokens) -> str:
    handle = t.tones[Family.NEUTRAL].border
    return f"""
QScrollBar:vertical {{ background: transparent; width: 10px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 0; }}
QScrollBar::handle {{ background: {handle}; border-radius: 3px; margin: 2px; min-height: 28px; min-width: 28px; }}
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page {{
  background: transparent; border: 0; width: 0; height: 0; }}
QAbstractScrollArea::corner {{ background: transparent; }}
"""
