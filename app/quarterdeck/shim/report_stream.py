"""The one place where a report gets its sequence, is folded, framed, queued for the disk and offered to the app."""

from __future__ import annotations

import json
import os
from collections import deque
from decimal import Decimal
from typing import Any

from quarterdeck.domain import reports
from quarterdeck.domain.figures import FiguresTotals
from quarterdeck.domain.figures_json import figures_to_json
from quarterdeck.domain.reports import Report
from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.shim.artifacts import ArtifactStore
from quarterdeck.shim.jobs import Job
from quarterdeck.shim.launch import LaunchSpec
from quarterdeck.shim.pricing import with_cost
from quarterdeck.shim.relay import Relay
from quarterdeck.shim.writer import Writer
from quarterdeck.store.lines import frame
from quarterdeck.store.machine import awake_ms, boot_ms, now

OUTPUT_IN_LINE_BYTES_MAX = 200 * 1024


class ReportStream:
    """Reports of one attempt, in one sequence. Used on the main thread only; `finished` is filled by the writer's."""

    def __init__(self, spec: LaunchSpec, writer: Writer, relay: Relay, store: ArtifactStore) -> None:
        self._spec, self._writer, self._relay, self._store = spec, writer, relay, store
        writer.jobs.after_round = store.name_all
        self._fold = AttemptFold(spec.baseline, reports_cost=spec.reports_cost)
        self._finished: deque[Report] = deque()
        self._open_jobs = 0
        self.seq = 0
        self.progress: list[Any] | None = None
        """[done, total, label] as last reported."""
        self.changed = False
        """Whether totals have changed since the app was told."""

    @property
    def unkept(self) -> int:
        """Reports that wait for what they name to be kept, and have no sequence yet."""
        return self._open_jobs

    def totals(self) -> FiguresTotals:
        """The folded figures so far."""
        return self._fold.totals()

    @property
    def is_asking(self) -> bool:
        """Whether a question of the agent waits for a person."""
        return bool(self._fold.open_questions)

    def asked_seq(self, own: str) -> int | None:
        """The report that asked the open question of that id; None where none is open."""
        asked = self._fold.open_questions.get(own)
        return None if asked is None else int(asked["seq"])

    def cost_usd(self) -> Decimal | None:
        """What is known to be spent."""
        return self._fold.totals().cost_usd

    @property
    def turns(self) -> int:
        """Turns so far."""
        return self._fold.turns

    def figures(self) -> dict[str, Any]:
        """The folded figures as they stand in files."""
        return figures_to_json(self._fold.totals())

    def add_first(self, report: Report) -> int:
        """Write and sync on this thread, before the agent and the writer thread exist. OSError where it fails."""
        stamped = self._stamp(report)
        self._writer.write_now(stamped["seq"], frame(stamped))
        self._offer(stamped)
        self._relay.durable(stamped["seq"])
        return self.seq

    def add(self, report: Report) -> int:
        """Queue one complete report; returns its sequence."""
        stamped = self._stamp(report)
        sync = stamped["kind"] in reports.SYNCED_BEFORE_ACTING
        self._writer.put_report(stamped["seq"], frame(stamped), sync=sync)
        self._offer(stamped)
        return self.seq

    def add_exit(self, told: Report) -> Report:
        """Queue `exit`, last of all; returns it with the figures that a fold of all reports gives, `exit` included: an agent
        that ended well has no call in flight (ruling 11).
        """
        self._fold.apply({"kind": reports.EXIT, **told, "seq": self.seq + 1})
        whole = {**told, "figures": self.figures()}
        self.add({"kind": reports.EXIT, **whole})
        return whole

    def note(self, report: Report) -> None:
        """Queue one complete report whose sequence nobody waits for."""
        self.add(report)

    def take(self, report: Report) -> None:
        """A report as an adapter gave it: priced, and with what it names kept, before it is added."""
        source = report.pop("source", None) if report["kind"] != reports.USAGE else None
        if report["kind"] == reports.USAGE:
            self.add(with_cost(report, self._spec.prices))
        elif isinstance(source, dict) and "path" in source:
            job = self._store.keep_file(report, source["path"], self._finished.append)
            self._start(job, report, len(source["path"]))
        elif isinstance(source, dict):
            content = source["text"].encode("utf-8", "replace")
            suffix = (
                os.path.splitext(str(report.get("name", "")))[1] or ".txt"
            )  # so that it opens as what it is
            job = self._store.keep_bytes(report, content, suffix, self._finished.append)
            self._start(job, report, len(content))
        elif report["kind"] in (reports.OUTPUT, reports.CHECKPOINT):
            self._take_value(report)
        else:
            self.add(report)

    def _take_value(self, report: Report) -> None:
        field = "value" if report["kind"] == reports.OUTPUT else "data"
        value = report.get(field)
        is_text = isinstance(value, str)
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        content = text.encode("utf-8", "replace")
        if len(content) <= OUTPUT_IN_LINE_BYTES_MAX and not self._open_jobs:
            self.add(report)
        elif len(content) <= OUTPUT_IN_LINE_BYTES_MAX:
            self._start(self._store.pass_on(report, self._finished.append), report, len(content))
        else:
            rest = {name: item for name, item in report.items() if name != field}
            suffix = ".txt" if is_text else ".json"
            self._start(
                self._store.keep_bytes(rest, content, suffix, self._finished.append), rest, len(content)
            )

    def _start(self, job: Job, report: Report, content_bytes: int) -> None:
        """Queue a job with what it keeps in memory: its report's texts, and its content."""
        texts = (value for value in report.values() if isinstance(value, str))
        self._open_jobs += 1
        self._writer.jobs.put(job, content_bytes + sum(map(len, texts)))

    def collect(self) -> None:
        """Add the reports whose files are kept by now."""
        while self._finished:
            self._open_jobs -= 1
            self.add(self._finished.popleft())

    def _stamp(self, report: Report) -> Report:
        self.seq += 1
        moment = now()
        head = {"seq": self.seq, "kind": report["kind"], "epoch": self._spec.epoch}
        times = {"boot_ms": moment.boot_ms, "wall_ms": moment.wall_ms}
        if report["kind"] == reports.SAID:
            report = {**report, "at_byte": self._writer.transcript_taken}
        return {**head, **times, **{name: item for name, item in report.items() if name != "kind"}}

    def _offer(self, stamped: Report) -> None:
        self._fold.apply(stamped)
        self.changed = True
        if stamped["kind"] == reports.PROGRESS:
            self.progress = [stamped[name] for name in ("done", "total", "label")]
        if stamped["kind"] in reports.SENT_ONE_BY_ONE:
            self._relay.fact(stamped)


def deadline_after(grace_s: float) -> dict[str, int]:
    """When a grace that starts now is over, as `ending` says it: by the boot-time clock, and in time awake."""
    grace_ms = round(grace_s * 1000)
    return {"deadline_boot_ms": boot_ms() + grace_ms, "deadline_awake_ms": awake_ms() + grace_ms}
