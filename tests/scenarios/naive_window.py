"""What every part of the window must say, worked out anew from the whole list of facts. Imports nothing of the product.

Written from the ownership rule (OWN1–OWN8, ID2–ID6), ux.md and design §9 and §11. `Window.after` takes what the files of
the folder say and all facts so far, and gives plain values: words as a person reads or hears them.
"""

from __future__ import annotations

import itertools
from decimal import Decimal
from typing import Any

from tests.scenarios.naive_canvas import Canvas, Said
from tests.scenarios.naive_listed import listed
from tests.scenarios.naive_runs import Fact, Run
from tests.scenarios.naive_signs import nearly_spent, run_badge, run_silence
from tests.scenarios.naive_states import badge, badge_of_slot
from tests.scenarios.naive_words import (
    day,
    local,
    long_time,
    paid_money,
    short,
)


class Window:
    """One look at all facts; made anew for each."""

    def __init__(self, flows: list[Fact], facts: list[Fact]) -> None:
        self.order = [flow["id"] for flow in flows]
        self.flows = {flow["id"]: flow for flow in flows}
        self.runs: dict[str, Run] = {}
        self.began: dict[str, Fact] = {}
        """The file of each run as it was when the run was launched."""
        self.open()
        for fact in facts:
            self.hear(fact)
        self.now = {**facts[-1], "ms": facts[-1]["ms"] // 1000 * 1000}
        """Shown times grow with the whole seconds of the clock, all at once."""

    def open(self) -> None:
        """A window that was just opened."""
        self.shown_flow: str = self.order[0]
        self.letters: dict[str, dict[str, str]] = {flow: {} for flow in self.order}
        self.picked: str | None = None
        self.picked_was_live = False
        self.at: tuple[str | None, str | None] = (None, None)

    def hear(self, fact: Fact) -> None:
        if fact.get("kind") == "run_launched":
            flow = self.flows[fact["workflow_id"]]
            self.began[fact["run"]] = flow
            self.runs[fact["run"]] = Run(fact, {n: a["kind"] for n, a in flow["agents"].items()})
        elif fact["what"] == "look":
            self.see()
            getattr(self, f"look_{fact['act']}")(fact)
            self.picked_was_live = self.picked is not None and self.runs[self.picked].live
        elif "run" in fact:
            self.runs[fact["run"]].take(fact)
        if not fact["quiet"]:
            self.see()

    def see(self) -> None:
        """A live run keeps its letter, a new one takes the first that is free. Who was narrowed to lives, or nobody is."""
        old, live = self.letters[self.shown_flow], [run.id for run in self.live()]
        if self.picked_was_live and self.picked not in live:
            self.picked = None
        self.picked_was_live = self.picked in live
        kept = {run: old[run] for run in live if run in old}
        alphabet = [chr(65 + n) for n in range(26)]
        names = itertools.chain(alphabet, (a + b for a in alphabet for b in alphabet))
        free = (name for name in names if name not in kept.values())
        self.letters[self.shown_flow] = {
            run: name for run in live for name in [kept[run] if run in kept else next(free)]
        }

    # -------------------------------------------------------------- where the person looks

    def look_reopen(self, fact: Fact) -> None:
        """The window was closed and opened again."""
        self.open()

    def look_flow(self, fact: Fact) -> None:
        if fact["flow"] != self.shown_flow:
            self.shown_flow, self.picked, self.at = fact["flow"], None, (None, None)

    def look_edit(self, fact: Fact) -> None:
        """A file was changed, and the folder is read again: who looks at a run goes on looking at it."""
        self.flows[fact["now"]["id"]] = fact["now"]

    def look_row(self, fact: Fact) -> None:
        """A row of the run list: a past run takes the canvas, a live one joins the others there."""
        run = self.runs[fact["run"]]
        is_inside = self.at[0] == run.id and self.at[1] in run.slots
        asking = [slot for slot, _ in run.waiting()] if run.live and not is_inside else []
        self.shown_flow, self.picked = run.flow, None if run.live else run.id
        self.at = (run.id, asking[0] if asking else None)

    def look_switch(self, fact: Fact) -> None:
        self.picked = fact["run"]
        if self.picked is not None:
            slot = self.at[1]
            self.at = (self.picked, slot if slot in self.runs[self.picked].slots else None)

    def look_next(self, fact: Fact) -> None:
        """The open question after the one looked at, oldest run first."""
        waiting = [(run, slot) for run, slot, _ in self.questions()]
        if waiting:
            here = waiting.index(self.at) if self.at in waiting else -1
            run, slot = waiting[(here + 1) % len(waiting)]
            self.shown_flow, self.picked, self.at = self.runs[run].flow, None, (run, slot)

    def look_launched(self, fact: Fact) -> None:
        """This window's own launch succeeded."""
        if self.runs[fact["run"]].flow == self.shown_flow:
            self.picked, self.at = None, (fact["run"], None)

    def questions(self) -> list[tuple[str, str, str]]:
        oldest_first = sorted(self.runs.values(), key=lambda run: run.launch_seq)
        return [(run.id, *asked) for run in oldest_first if run.live for asked in run.waiting()]

    # -------------------------------------------------------------- which runs

    def own(self, flow: str | None = None) -> list[Run]:
        wanted = flow or self.shown_flow
        return [run for run in self.runs.values() if run.flow == wanted]

    def live(self, flow: str | None = None) -> list[Run]:
        return sorted((run for run in self.own(flow) if run.live), key=lambda run: run.launch_seq)

    def projected(self, flow: str | None = None) -> Run | None:
        """OWN1: the newest live one, else the one that ended last."""
        live = self.live(flow)
        if live:
            return live[-1]
        return max(self.own(flow), key=lambda run: run.end_seq or 0, default=None)

    def on_canvas(self) -> list[Run]:
        if self.picked is not None:
            return [self.runs[self.picked]]
        last = self.projected()
        return self.live() or ([last] if last is not None else [])

    def letter(self, run: Run) -> str:
        return self.letters[self.shown_flow].get(run.id, "") if run.flow == self.shown_flow else ""

    # -------------------------------------------------------------- all that is said

    def said(self) -> Said:
        projected, live = self.projected(), self.live()
        badge_ = run_badge(projected, self.now) if projected else badge("Not started")
        is_silent = projected is not None and run_silence(projected, self.now)
        sentence, name = (
            self.sentence("Silent" if is_silent else badge_[2], projected),
            self.flows[self.shown_flow]["name"],
        )
        waiting = self.questions()
        elsewhere = sum(run.live for run in self.runs.values()) - len(live)
        title = f"Quarterdeck – {name}: {sentence}"
        tray = "needs" if waiting else "running" if live or elsewhere else None
        shown, canvas = self.on_canvas(), Canvas(self)
        faces, note = canvas.faces(), canvas.note()
        named = (
            ""
            if projected is None
            else f" · {self.letter(projected) if projected.live else short(projected.id)}"
        )
        return {
            "badge": badge_,
            "badge_text": badge_[2] + named,
            "title": title,
            "sentence": sentence,
            "live": [self.chip(run) for run in live],
            "elsewhere": elsewhere,
            "waiting": waiting,
            "shown": [run.id for run in shown],
            "showing_past": bool(shown) and not any(run.live for run in shown),
            "can_stop": bool(live),
            "runs": self.list_rows(),
            "faces": faces,
            "wires": sorted(
                {(edge["from"], edge["to"]) for flow in canvas.drawn() for edge in flow["edges"]}
            ),
            "note": note,
            "passed": canvas.passed(),
            "agents": canvas.agent_rows(shown),
            "canvas": " ".join(
                [f"{name}: {sentence}.", *filter(None, [note])] + [face["spoken"] for face in faces]
            ),
            "foot": self.foot(),
            "nearly": sorted((near for run in self.runs.values() for near in nearly_spent(run)), key=str),
            "tray": (tray, self.tray_words(title, waiting)[:120], len(waiting)),
            "progress": self.progress(),
            "totals": {run.id: run.total() for run in self.runs.values()},
            "tries": {run.id: run.all_tries() for run in self.runs.values()},
            "statuses": {flow: self.status(flow) for flow in self.flows},
            "listed": {flow: listed(flow, self.runs.values(), self.now) for flow in self.flows},
        }

    def progress(self) -> tuple[int, int]:
        """On the task bar: agents that are done or skipped, of all agents of all live runs."""
        words = [run.word(slot) for run in self.runs.values() if run.live for slot in run.slots.values()]
        return sum(word in ("Done", "Skipped") for word in words), len(words)

    def tray_words(self, title: str, waiting: list[tuple[str, str, str]]) -> str:
        """Of all live runs: how many, how many questions, and who asks first; where nobody asks, who began last."""
        live = [run for run in self.runs.values() if run.live]
        if not live:
            return title
        named = self.runs[waiting[0][0]] if waiting else max(live, key=lambda run: run.launch_seq)
        asked = "" if not waiting else f", {len(waiting)} question{'s' if len(waiting) > 1 else ''}"
        who = f"{self.letter(named)} {short(named.id)}".strip()
        return f"Quarterdeck: {len(live)} live{asked}. {named.flow_name}, run {who}: {run_badge(named, self.now)[2]}"

    def sentence(self, word: str, run: Run | None) -> str:
        if run is None:
            return f"{word}, no runs yet"
        if run.live:
            return f"{word}, run {self.letter(run)} {short(run.id)}, {len(self.live())} live"
        return f"{word}, run {short(run.id)} of {local(run.launched['wall']):%H:%M}, none live"

    def status(self, flow: str) -> tuple[Any, ...]:
        run, live = self.projected(flow), len(self.live(flow))
        if run is None:
            return ("never_run", 0, None, None, 0, None)
        turns, cost, _ = run.total()
        return ("live" if live else "ended", live, run.id, None if live else run.outcome, turns, cost)

    def age(self, run: Run) -> str:
        return long_time(run.was_live(self.now))

    def chip(self, run: Run) -> tuple[Any, ...]:
        begun = f"{local(run.launched['wall']):%H:%M}"
        return (
            run.id,
            self.letter(run),
            run_badge(run, self.now),
            self.age(run),
            begun,
            paid_money(*run.paid(list(run.slots.values()))),
            run.foreign,
        )

    # -------------------------------------------------------------- list and foot

    def list_rows(self) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = []
        newest_first = sorted(self.runs.values(), key=lambda run: -run.launch_seq)
        for heading, is_live in (("Live", True), ("Earlier", False)):
            section = [self.list_row(run) for run in newest_first if run.live is is_live]
            rows += [(heading,), *section] if section else []
        return rows

    def list_row(self, run: Run) -> tuple[Any, ...]:
        spend = paid_money(*run.paid(list(run.slots.values())))
        letter, badge_ = self.letter(run), run_badge(run, self.now)
        when = self.when(run)
        if run.flow != self.shown_flow:
            when = f"{run.flow_name} · {when}"
        dots = [badge_of_slot(run, slot)[0] for slot in run.slots.values()] if run.live else []
        name = f"Run {letter} {short(run.id)}" if letter else f"Run {short(run.id)}"
        return (
            run.id,
            letter,
            badge_,
            when,
            spend,
            dots,
            f"{name}, {badge_[2]}, {when}, {spend}",
            run.live and run.foreign,
        )

    def when(self, run: Run) -> str:
        began = f"{local(run.launched['wall']):%H:%M}"
        if run.live:
            there = " · in another process" if run.foreign else ""
            return f"Started {began} · {self.age(run)}{there}"
        began = f"{day(run.launched['wall'], self.now['wall'])} {began}"
        if run.outcome != "completed" and run.reason:
            return f"{began} · {run.reason}"
        return f"{began} · {long_time(run.was_live(self.now))}"

    def foot(self) -> tuple[str, int, int, bool | None]:
        """Today's spend, the agents of this program that have a process, those whose end nobody has proved, and whether
        all is recorded: nobody here knows it where every live run is another program's.
        """
        today = local(self.now["wall"]).date()
        of_today = [
            r.paid(list(r.slots.values()))
            for r in self.runs.values()
            if r.live or local(r.launched["wall"]).date() == today
        ]
        spent = sum((cost for cost, *_ in of_today if cost is not None), Decimal(0))
        whole = all(is_all and cost is not None for cost, is_all, _, _ in of_today)
        practice = [pretended for _, _, pretended, _ in of_today if pretended is not None]
        processes = sum(
            slot.state == "claimed"
            and slot.tries[-1].last("started") is not None
            and run.status(slot.tries[-1]) != "lost"
            for run in self.runs.values()
            if run.live and not run.foreign
            for slot in run.slots.values()
        )
        on_canvas = {run.id for run in self.on_canvas()}
        unproved = sum(
            bool(slot.tries) and slot.tries[-1].status == "lost"
            for run in self.runs.values()
            if (run.live and not run.foreign) or (not run.live and run.id in on_canvas)
            for slot in run.slots.values()
        )
        all_practice = all(is_all for *_, is_all in of_today)
        of_all = paid_money(spent, whole, sum(practice, Decimal(0)) if practice else None, all_practice)
        live = [run.foreign for run in self.runs.values() if run.live]
        return of_all, processes, unproved, None if live and all(live) else True
