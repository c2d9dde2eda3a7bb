"""What is said of sign-ins that fail or have reached a limit: one sentence for each of the two, whatever it concerns (AUT7). Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo

from quarterdeck.domain.moment import Moment
from quarterdeck.domain.sign_ins import LOGIN_PREFIX, Limited, Remembered, refused_in_all
from quarterdeck.domain.states import ErrorClass
from quarterdeck.engine.sign_ins import Listed
from quarterdeck.ui.language import Texts
from quarterdeck.ui.words import day_text, one_line, time_text

tr = Texts("PresentSignIns")
NAME_MAX = 60


def source_words(source: str) -> str:
    """The name of a sign-in as a person knows it."""
    if source.startswith(LOGIN_PREFIX):
        return tr("{program}'s own login", program=one_line(source.removeprefix(LOGIN_PREFIX), NAME_MAX))
    return one_line(source, NAME_MAX)


def failure_words(
    remembered: Sequence[Remembered], now: Moment, zone: tzinfo | None = None, *, on_page: bool = False
) -> str:
    """The one sentence of the banner, or of the page *Sign-ins* itself; empty where nothing is remembered."""
    if not remembered:
        return ""
    first, refused = remembered[0], refused_in_all(remembered)
    count = tr.count(
        "{n} agents were not started because of it.", "{n} agent was not started because of it.", refused
    )
    after = f" {count}" if refused else ""
    what_to_do = _what_to_do([one.use.source for one in remembered], on_page=on_page)
    if len(remembered) > 1:
        words = tr.count(
            "{n} sign-ins fail, the first of them for {agent} at {time}.",
            "{n} sign-in fails, for {agent} at {time}.",
            len(remembered),
            agent=one_line(first.use.title, NAME_MAX),
            time=_time(first.wall_ms, now, zone),
        )
        return f"{words}{after} {what_to_do}"
    words = tr(
        "The sign-in {name} failed for {agent} at {time}.",
        name=source_words(first.use.source),
        agent=one_line(first.use.title, NAME_MAX),
        time=_time(first.wall_ms, now, zone),
    )
    return f"{words}{after} {what_to_do}"


def _what_to_do(sources: Sequence[str], *, on_page: bool) -> str:
    """Of a program's own login nothing can be saved or tested here: it is signed in where it always was."""
    if len(sources) == 1 and sources[0].startswith(LOGIN_PREFIX):
        if on_page:
            return tr("Sign in again in the program, then press below; nothing starts by itself.")
        return tr("Sign in again in the program, then say so under Sign-ins; nothing starts by itself.")
    if on_page:
        return tr("Save or test it below; nothing starts by itself.")
    return tr("Save or test it under Sign-ins; nothing starts by itself.")


def limit_words(limits: Sequence[Limited], now: Moment, zone: tzinfo | None = None) -> str:
    """The one row about limits; empty where none holds."""
    if not limits:
        return ""
    last = max(limits, key=lambda one: one.until_wall_ms)
    waiting = sum(one.waiting for one in limits)
    agents = tr.count("{n} agents wait.", "{n} agent waits.", waiting)
    way_out = tr("Wait, resume with another of its agents, or stop the run.")
    said = _limit(last, now, zone)
    if len(limits) > 1:
        said = tr(
            "{count} sign-ins have reached a limit, the last until {time}.",
            count=f"{len(limits):,}",
            time=_time(last.until_wall_ms, now, zone),
        )
    return f"{said} {agents} {way_out}" if waiting else f"{said} {way_out}"


def _limit(limit: Limited, now: Moment, zone: tzinfo | None) -> str:
    parts = {
        "name": source_words(limit.use.source),
        "agent": one_line(limit.use.title, NAME_MAX),
        "time": _time(limit.until_wall_ms, now, zone),
    }
    if limit.error_class == ErrorClass.RATE_LIMIT.value:
        return tr("{name} has reached its rate limit, as {agent} was told; until {time}.", **parts)
    if limit.is_known:
        return tr("{name} has reached its usage limit, as {agent} was told; it resets at {time}.", **parts)
    return tr(
        "{name} has reached its usage limit, as {agent} was told; when it resets is not known, one agent tries at {time}.",
        **parts,
    )


def entry_words(one: Listed) -> str:
    """What is said of an entry below its name."""
    entry = one.credential
    has = {True: tr("its key is there"), False: tr("its key is missing"), None: one.words}[one.has_secret]
    parts = (entry.program, entry.endpoint, entry.variable, entry.account, has)
    return " · ".join(one_line(part, 200) for part in parts if part)


def _time(wall_ms: int, now: Moment, zone: tzinfo | None) -> str:
    moment = Moment("", 0, wall_ms)
    day = day_text(moment, now, zone)
    time = time_text(moment, zone)
    return time if day == day_text(now, now, zone) else f"{day} {time}"
