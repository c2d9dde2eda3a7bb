"""What the Prompt and Files pages show: what an attempt was told, and its saved files, in words. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from quarterdeck.domain.views import ArtifactView
from quarterdeck.engine.attempt_details import KeptFile, KeptState, LaunchWords
from quarterdeck.ui.badges import Badge
from quarterdeck.ui.language import Texts
from quarterdeck.ui.present_process import Fact
from quarterdeck.ui.tokens import Family
from quarterdeck.ui.words import one_line, shown_plainly, size_text

tr = Texts("PresentDetails")

HASH_DIGITS = 8
CHECKING = Badge(Family.NEUTRAL, "clock", tr.later("Checking…"))
_STATES = {
    KeptState.KEPT: Badge(Family.DONE, "check", tr.later("Kept")),
    KeptState.NOT_KEPT: Badge(Family.NEUTRAL, "circle-slash", tr.later("Hash only")),
    KeptState.MISSING: Badge(Family.FAILED, "x", tr.later("Missing")),
    KeptState.DAMAGED: Badge(Family.FAILED, "triangle-alert", tr.later("Damaged")),
}
_STATE_WORDS = {
    KeptState.KEPT: tr.later("The copy is whole: its hash is the one that was recorded."),
    KeptState.NOT_KEPT: tr.later("Too large to be kept, or it could not be copied; its hash is recorded."),
    KeptState.MISSING: tr.later("The kept copy is gone."),
    KeptState.DAMAGED: tr.later(
        "The kept copy is not what was saved: its hash differs or it cannot be read."
    ),
}


@dataclass(frozen=True, slots=True)
class FileRow:
    """One saved file. `path`: where its copy lies; empty where there is none or it is not known yet."""

    key: int
    name: str
    size: str
    digest: str
    badge: Badge
    path: str
    tip: str


def file_rows(artifacts: Sequence[ArtifactView], checked: Sequence[KeptFile]) -> tuple[FileRow, ...]:
    """Rows in the order of saving; those that were not looked at yet say so."""
    known = {file.artifact: file for file in checked}
    return tuple(_file_row(place, a, known.get(a)) for place, a in enumerate(artifacts))


def _file_row(place: int, artifact: ArtifactView, file: KeptFile | None) -> FileRow:
    name = one_line(artifact.name, 160)
    said = [
        name,
        tr("SHA-256 {sha256}", sha256=artifact.sha256) if artifact.sha256 else tr("No hash is known."),
    ]
    if artifact.path:
        said.append(tr("Named by the agent as {path}", path=one_line(artifact.path, 400)))
    if file is not None:
        said.append(_STATE_WORDS[file.state].now)
    return FileRow(
        key=place,
        name=name,
        size=size_text(artifact.size_bytes),
        digest=artifact.sha256[:HASH_DIGITS],
        badge=_STATES[file.state] if file is not None else CHECKING,
        path=file.path or "" if file is not None else "",
        tip="\n".join(said),
    )


@dataclass(frozen=True, slots=True)
class PromptFacts:
    """The Prompt page. `heading` says whose words these are."""

    heading: str
    prompt: str
    problem: str
    facts: tuple[Fact, ...]


def prompt_facts(words: LaunchWords, title: str) -> PromptFacts:
    """What was told; `title` names the attempt, empty where there is none yet."""
    if words.is_rendered:
        heading = tr("As told to {title}", title=title)
    elif title:
        heading = tr("What {title} was told is not known", title=title)
    else:
        heading = tr("As pinned; values are filled in when it starts")
    facts = [Fact(tr("Agent"), one_line(words.agent, 80)), Fact(tr("Kind"), one_line(words.kind, 80))]
    if words.model:
        facts.append(Fact(tr("Model"), one_line(words.model, 80)))
    if words.argv:
        facts.append(Fact(tr("Command"), shown_plainly(shlex.join(words.argv))[:2_000], mono=True))
    if words.cwd:
        facts.append(Fact(tr("Folder"), shown_plainly(words.cwd), mono=True))
    if words.secret_names:
        names = ", ".join(one_line(name, 80) for name in words.secret_names)
        facts.append(Fact(tr("Secrets, by name"), names, mono=True))
    for file in words.attachments:
        said = f"{one_line(file.path, 160)} · {size_text(file.size_bytes)} · {file.sha256[:HASH_DIGITS]}"
        facts.append(Fact(_role(file.role), said, mono=True))
    facts += [
        Fact(tr("MCP server {name}", name=one_line(name, 80)), shown_plainly(line)[:2_000], mono=True)
        for name, line in words.servers
    ]
    facts += [Fact(tr("Instructions found"), shown_plainly(path), mono=True) for path in words.instructions]
    if words.spec:
        facts.append(Fact(tr("Pinned as"), words.spec[:12], mono=True))
    return PromptFacts(heading, shown_plainly(words.prompt), shown_plainly(words.problem), tuple(facts))


def pinned_facts(words: LaunchWords | None) -> tuple[Fact, ...]:
    """What the Overview adds once the pins are read: model and revision, or what is missing (PIN5)."""
    if words is None:
        return ()
    facts = []
    if words.model:
        facts.append(Fact(tr("Model, as pinned"), one_line(words.model, 80)))
    if words.spec:
        facts.append(Fact(tr("Agent pinned as"), words.spec[:12], mono=True))
    if words.problem:
        facts.append(Fact(tr("Pins"), shown_plainly(words.problem)[:400]))
    return tuple(facts)


def _role(role: str) -> str:
    return {"skills": tr("Skill"), "library": tr("Library"), "attachments": tr("Attachment")}.get(
        role, role.capitalize()
    )


def files_title(count: int) -> str:
    """The tab's text."""
    return tr("Files  {count}", count=count) if count else tr("Files")


def files_said(count: int) -> str:
    """The tab, as it is heard."""
    return tr.count("Files page, {n} files", "Files page, {n} file", count)
