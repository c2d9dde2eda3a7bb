"""Which language the window speaks: that of the settings, else of the system; installed once, before any widget is made.

Our texts come from `resources/translations/quarterdeck_<locale>.qm`, Qt's own (file dialogs, menus of text fields) from
the files that come with Qt. A language without a file is English. Dates, numbers of Qt's widgets and the direction of
reading follow the language.
"""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator
from PySide6.QtWidgets import QApplication

from quarterdeck.domain.looks import SYSTEM_LANGUAGE
from quarterdeck.ui import pseudo
from quarterdeck.ui.language import forget
from quarterdeck.ui.resources import resources_folder

VARIABLE = "QUARTERDECK_LOCALE"
"""Outranks the settings, for one start; `qps` is the pseudo-locale."""
NAME = "quarterdeck"


def folder() -> Path:
    """Where the compiled translations lie."""
    return resources_folder() / "translations"


def languages() -> tuple[str, ...]:
    """Names of the languages that there is a translation for, such as `de` or `pt_BR`, sorted; English is one."""
    found = {path.stem.removeprefix(f"{NAME}_") for path in folder().glob(f"{NAME}_*.qm")}
    return tuple(sorted(found | {"en"}))


def speaks(language: str) -> bool:
    """Whether what is asked for can be had: a language with a translation, or whatever the system or the start says."""
    is_left_open = language == SYSTEM_LANGUAGE or bool(os.environ.get(VARIABLE))
    return is_left_open or not {language, language.split("_")[0]}.isdisjoint(languages())


def own_name(language: str) -> str:
    """A language in its own words: `Deutsch`."""
    return QLocale(language).nativeLanguageName() or language


def install(app: QApplication, language: str) -> tuple[QTranslator, ...]:
    """Speak `language` (`system`: what the system says). The translators belong to the application from now on."""
    wanted = os.environ.get(VARIABLE) or language
    made = _pseudo(app) if wanted == pseudo.NAME else _loaded(app, wanted)
    for translator in made:
        QCoreApplication.installTranslator(translator)
    forget()
    return made


def remove(translators: tuple[QTranslator, ...]) -> None:
    """Take them away again, for who installed them for a while."""
    for translator in translators:
        QCoreApplication.removeTranslator(translator)
        translator.deleteLater()
    forget()


def _pseudo(app: QApplication) -> tuple[QTranslator, ...]:
    return (pseudo.PseudoTranslator(app),)


def _loaded(app: QApplication, language: str) -> tuple[QTranslator, ...]:
    locale = QLocale.system() if language == SYSTEM_LANGUAGE else QLocale(language)
    if language != SYSTEM_LANGUAGE:
        QLocale.setDefault(locale)
    ours, qts = QTranslator(app), QTranslator(app)
    made = []
    if ours.load(locale, NAME, "_", str(folder())):
        made.append(ours)
        app.setLayoutDirection(locale.textDirection())
        if qts.load(locale, "qtbase", "_", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
            made.append(qts)
    return tuple(made)
