"""One run as text that may be handed on: JSON, or a report in Markdown (design §8). Blocking.

Window and terminal both come here. Environments, transcripts and saved files are no part of it; secrets that can
be looked for and home folders are taken out; what was taken out, and what could not be looked for, is said.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from quarterdeck.domain.show import run_to_json
from quarterdeck.domain.states import EffectState
from quarterdeck.domain.views import RunView
from quarterdeck.engine.export_secrets import KeptSecrets, SoughtSecrets, secrets_to_seek
from quarterdeck.engine.recovery import Exported, named_secret
from quarterdeck.engine.redacting import Redactor
from quarterdeck.store.data_folder import Store

FORMAT = "quarterdeck.export/1"
OUTPUT_CHARS_MAX = 4_000
NAMED_MAX = 20
LOOKED_FOR_BY = "by the value that each has now: one that was changed since the run is not found"
_MARKS = {mark: f"\\{mark}" for mark in "\\`*_[]#|!"} | {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
_LEFT_OUT = (
    "the environments of the agents",
    "transcripts, and the content of saved files",
)


def export_run(
    store: Store, view: RunView, form: Literal["json", "markdown"], kept: KeptSecrets | None = None
) -> Exported:
    """The run as it stands; what cannot be read of its pins is left out. kept: secrets beside those of the environment."""
    known = secrets_to_seek(store, view.run_id, kept)
    redactor = Redactor(str(Path.home()), known.values)
    run: dict[str, Any] = redactor.value(run_to_json(view))
    stripped = tuple(_stripped(redactor, known))
    document = {"format": FORMAT, "secrets_check": _secrets_check(redactor, known), **run}
    if form == "json":
        text, suffix = json.dumps(document, ensure_ascii=False, indent=2) + "\n", ".json"
    else:
        text, suffix = "\n".join(_report(document)) + "\n", ".md"
    sought = tuple(redactor.text(named_secret(*pair)) for pair in known.sought)
    return Exported(text, suffix, stripped, known.unsought, sought)


def _stripped(redactor: Redactor, known: SoughtSecrets) -> Iterator[str]:
    yield from _LEFT_OUT
    secrets, homes = redactor.secrets_out, redactor.homes_out
    told = f"secrets: {secrets or 'none was found'}" + (" replaced by [secret]" if secrets else "")
    told += f", looked for {LOOKED_FOR_BY}: {_names(redactor, known)}" if known.sought else ""
    yield told + ("; not all of them could be looked for" if known.unsought else "")
    yield f"home folders: {homes or 'none was found'}" + (" written as ~" if homes else "")


def _names(redactor: Redactor, known: SoughtSecrets) -> str:
    """Of which secrets a value was looked for: by their names, and these without what looks like a secret."""
    names = [redactor.text(named_secret(*pair)) for pair in known.sought]
    more = len(names) - NAMED_MAX
    return ", ".join(names[:NAMED_MAX]) + (f" and {more} more" if more > 0 else "")


def _secrets_check(redactor: Redactor, known: SoughtSecrets) -> dict[str, Any]:
    """What the reader of the text has to know of it. Names alone, and these without what looks like a secret."""
    told = redactor.text
    return {
        "all_looked_for": not known.unsought,
        "looked_for": [{"variable": told(name), "source": told(source)} for name, source in known.sought],
        "not_looked_for": [
            {"variable": told(one.variable), "source": told(one.source), "why": one.why}
            for one in known.unsought
        ],
        "looked_for_by": LOOKED_FOR_BY,
    }


# ------------------------------------------------------------------------------------------- Markdown


def _report(run: Mapping[str, Any]) -> Iterator[str]:
    yield f"# {_inline(run['workflow_name'])}"
    yield ""
    yield f"- Run: `{run['run_id']}`"
    yield f"- Asked for: {_inline(run['outcome_asked'])}"
    ended = run["outcome"] or run["phase"]
    yield f"- Outcome: {ended}" + (f" ({_inline(run['reason'])})" if run["reason"] else "")
    yield f"- Started: {run['started_at']}; ended: {run['ended_at'] or 'not yet'}"
    yield f"- Turns: {run['turns']}; cost: {_money(run)}"
    yield f"- Pinned: workflow `{run['pins']['workflow'][:12]}`, binding `{run['pins']['binding'][:12]}`"
    yield from _check(run["secrets_check"])
    for slot in run["slots"]:
        yield from _slot(slot)


def _check(check: Mapping[str, Any]) -> Iterator[str]:
    """Nothing where no agent was given a secret."""
    if not check["all_looked_for"]:
        yield "- **Secrets that could not be looked for, so that they may stand in this text:**"
    for one in check["not_looked_for"]:
        yield f"  - {_inline(named_secret(one['variable'], one['source']))}: {one['why']}"
    if check["looked_for"]:
        names = ", ".join(
            _inline(named_secret(one["variable"], one["source"])) for one in check["looked_for"]
        )
        yield f"- Secrets that were looked for: {names}; {check['looked_for_by']}"


def _slot(slot: Mapping[str, Any]) -> Iterator[str]:
    yield ""
    yield f"## {_inline(slot['title'])} (`{slot['slot']}`): {slot['display']}"
    if slot["reason"]:
        yield ""
        yield _inline(slot["reason"])
    for number, attempt in enumerate(slot["attempts"], start=1):
        yield ""
        yield f"### Attempt {number}: {attempt['status'].replace('_', ' ')}"
        yield ""
        yield f"- Agent: {_inline(attempt['agent'])} ({_inline(attempt['agent_kind'])})"
        yield f"- Started: {attempt['started_at'] or 'never'}; ended: {attempt['ended_at'] or 'not yet'}"
        yield f"- Turns: {attempt['turns']}; cost: {_money(attempt | {'cost_is_complete': attempt['figures']['cost_is_complete']})}"
        for artifact in attempt["artifacts"]:
            yield f"- File {_inline(artifact['name'])}: {artifact['size_bytes']:,} bytes, sha256 `{artifact['sha256'][:16]}`"
        for said in attempt["messages"]:
            states = {False: "; its program did not take it", None: "; it waits for its program"}
            heard = states.get(said["delivered"], "")
            yield f"- {_inline(said['actor'])} said {said['sent_at']}: {_inline(said['text'])}{heard}"
        if attempt["has_output"] and attempt["output"] is not None:
            yield from _output(attempt["output"])
    yield from _effects(slot["attempts"])


def _effects(attempts: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """One line for each effect, however many attempts told of it: how it stands, and what each of them said."""
    told: dict[str, list[tuple[int, Mapping[str, Any]]]] = {}
    for number, attempt in enumerate(attempts, start=1):
        for effect in attempt["effects"]:
            told.setdefault(effect["id"], []).append((number, effect))
    if told:
        yield ""
        yield "### Effects"
        yield ""
    for name, lines in told.items():
        _, newest = lines[-1]
        by = ", ".join(f"attempt {number}: {_state(effect)}" for number, effect in lines)
        what = _inline(" ".join(part for part in (newest["type"], newest["target"]) if part))
        yield f"- {_inline(name)} ({what}): {_state(newest)}" + (f" ({by})" if len(attempts) > 1 else "")
        for number, effect in lines:
            if settled := effect["settled"]:
                of = f"attempt {number}: " if len(attempts) > 1 else ""
                yield f"  - {of}{_settled(effect['state'], settled)}"


def _state(effect: Mapping[str, Any]) -> str:
    return str(effect["state"]).replace("_", " ")


def _settled(state: str, settled: Mapping[str, Any]) -> str:
    if state == EffectState.ACCEPTED_BY_PERSON.value:
        return f"{settled['value']}, as {_inline(settled['actor'])} said {settled['at']}: {_inline(settled['reason'])}"
    return f"as a probe found {settled['at']}: {_inline(settled['value'])}"


def _output(output: Any) -> Iterator[str]:
    text = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False, indent=1)
    cut = (
        text
        if len(text) <= OUTPUT_CHARS_MAX
        else text[:OUTPUT_CHARS_MAX] + "\n… (cut; the JSON export has all of it)"
    )
    fence = "`" * max(3, _longest_run(cut) + 1)
    yield ""
    yield f"{fence}text"
    yield cut
    yield fence


def _longest_run(text: str) -> int:
    longest = now = 0
    for character in text:
        now = now + 1 if character == "`" else 0
        longest = max(longest, now)
    return longest


def _money(part: Mapping[str, Any]) -> str:
    if part["cost_usd"] is None:
        return "unknown"
    least = "" if part["cost_is_complete"] else "at least "
    estimate = {"estimated": " (estimate)", "mixed": " (partly an estimate)"}.get(part["cost_source"], "")
    return f"{least}${part['cost_usd']}{estimate}"


def _inline(text: object) -> str:
    """Foreign text in one line that stays text: no markup, no control or direction characters."""
    plain = "".join(c if c.isprintable() and c not in "\u200e\u200f\u061c" else " " for c in str(text))
    line = " ".join(plain.split())
    line = line if len(line) <= 500 else line[:499] + "…"
    return "".join(_MARKS.get(character, character) for character in line)
