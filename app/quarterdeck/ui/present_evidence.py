"""What was found when a person looked: the old process, the last lines, files, commits, in words. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, tzinfo

from quarterdeck.engine.attempt_details import KeptState
from quarterdeck.engine.recovery import AgentEvidence, ChangedFile, FolderEvidence
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.words import one_line, shown_plainly

tr = Texts("PresentEvidence")

LINES_MAX, FILES_MAX, LINE_CHARS_MAX = 12, 8, 160


@dataclass(frozen=True, slots=True)
class Part:
    """A heading and what was found below it; `mono` for what agents, git or the system wrote."""

    heading: str
    lines: tuple[str, ...]
    mono: bool = False


def evidence_parts(found: AgentEvidence, zone: tzinfo | None = None) -> tuple[Part, ...]:
    """Everything that the look gave, the process first."""
    parts = [
        Part(tr("The old process"), (one_line(in_words(found.process), LINE_CHARS_MAX),)),
        Part(
            tr("Last lines"),
            tuple(_cut(line) for line in found.last_lines[-LINES_MAX:])
            or (tr("It printed nothing that is kept."),),
            mono=bool(found.last_lines),
        ),
        *_lost(found),
        Part(
            tr("In flight"),
            tuple(_cut(in_words(line)) for line in found.in_flight) or (tr("Nothing that it told of."),),
        ),
        *folder_parts(found.folder, zone),
    ]
    if found.saved:
        parts.append(
            Part(tr("Files it saved"), tuple(_saved(file.artifact.name, file.state) for file in found.saved))
        )
    return tuple(parts)


def _lost(found: AgentEvidence) -> tuple[Part, ...]:
    """That its transcript ends before the agent did; nothing where it is whole."""
    words = in_words(found.transcript_lost)
    return (Part(tr("Missing after these lines"), (one_line(words, LINE_CHARS_MAX),)),) if words else ()


def folder_parts(folder: FolderEvidence, zone: tzinfo | None = None) -> tuple[Part, ...]:
    """The working folder: files and commits since the attempt began."""
    heading = tr("Changed in {folder} since it began", folder=one_line(folder.folder, 80) or tr("its folder"))
    if folder.could_not and not folder.changed and not folder.commits:
        return (Part(heading, (tr("Not looked at: {why}", why=_cut(in_words(folder.could_not))),)),)
    files = [f for f in folder.changed if f.since_start]
    lines = [_changed(f) for f in files[:FILES_MAX]]
    if len(files) > FILES_MAX or folder.cut:
        count = f"{max(0, len(files) - FILES_MAX):,}"
        lines.append(
            tr("and more than {count} others", count=count)
            if folder.cut
            else tr("and {count} more", count=count)
        )
    older = len(folder.changed) - len(files)
    parts = [Part(heading, tuple(lines) or (tr("No file changed."),), mono=bool(lines))]
    if older:
        words = tr.count(
            "{n} files were changed before it began.", "{n} file was changed before it began.", older
        )
        parts.append(Part(tr("Before"), (words,)))
    if folder.commits:
        commits = tuple(
            _cut(f"{c.revision[:10]} {_clock(c.at_ms, zone)} {c.subject}") for c in folder.commits[:FILES_MAX]
        )
        parts.append(Part(tr("Commits since it began"), commits, mono=True))
    if folder.could_not:
        parts.append(Part(tr("Not wholly looked at"), (_cut(in_words(folder.could_not)),)))
    return tuple(parts)


def _changed(file: ChangedFile) -> str:
    return _cut(f"{in_words(file.how)}  {file.path}")


def _saved(name: str, state: KeptState) -> str:
    words = {
        KeptState.KEPT: tr("whole"),
        KeptState.NOT_KEPT: tr("only its hash is kept"),
        KeptState.MISSING: tr("its copy is missing"),
        KeptState.DAMAGED: tr("its copy is damaged"),
    }
    return tr("{file}: {state}", file=one_line(name, 100), state=words[state])


def _cut(text: str) -> str:
    return one_line(shown_plainly(text), LINE_CHARS_MAX)


def _clock(at_ms: int, zone: tzinfo | None) -> str:
    return datetime.fromtimestamp(at_ms / 1000, tz=zone).astimezone(zone).strftime("%H:%M")
