"""Reports: what the world said about one attempt, written by its shim to `reports.jsonl`.

A report is a plain dict, because the shim runs in a bare interpreter and floods must stay cheap. Every line has
`seq` (from 1, no gap), `kind`, `epoch`, `boot_ms`, `wall_ms`, then the fields below, and as last key `crc`.

| kind | fields |
|---|---|
| starting | run, slot, attempt, boot, shim_pid, shim_start_ticks, shim_pid_ns |
| started | pid, start_ticks, pid_ns, containment (`pid_namespace`, `user_namespace` or `tree`), program, program_version (as its place told, or empty), cwd |
| session | id, resumable, messages (whether the agent takes messages of a person while it works); version of the program where it tells it |
| turn | – |
| usage | input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_usd (decimal text or null), source (`reported`, `estimated`, `unknown`), model, message_id (or null), cumulative; `of`: `attempt` where a cumulative line counts from the attempt's beginning |
| effect | id, state (`intended`, `sent`, `confirmed`, `refused`), type, target, detail |
| artifact | name, sha256, size_bytes, path (as said by the agent, or null), stored (file name below `artifacts/`, or null where not kept) |
| checkpoint | step, data or stored |
| note | note (`decision`, `source`, `other`), text |
| progress | done, total, label |
| approval | id, question, options; where the agent's wire has it: tool, action (the exact JSON text of what it asks to do), where, network, writes, effect (the id of the effect that waits for leave, which is not begun before); whole_sha256 and whole_chars where the question was cut |
| approval_answered | id, answer, delivered, asked_seq (the report that asked; absent with an engine of an earlier version) |
| said | id, text, delivered (a person's message), at_byte: how much the agent had printed before it |
| error | class (`auth`, `rate_limit`, `usage_limit`, `overloaded`, `invalid`, `other`, `spawn`), message, retry_after_s, resets_at; strength (`strong`, `medium`; what has none is not strong), status (a number of HTTP, or null); passing (true: it tries again by itself) |
| output | value (JSON), or stored and size_bytes where over 200 KB; truncated where the agent's text was over 16 MB |
| paused, continued | – (what was done to the tree) |
| over_long | stream, size_bytes (ruling 22) |
| ending | reason (`lost_app`, `stop`, `cap`, `timeout`, `signal`, `run_budget`), grace_s, deadline_boot_ms, deadline_awake_ms (on CLOCK_MONOTONIC, which all processes of a boot share: sleep does not count) |
| exit | code or signal (raw wait status judged), after_ending (true where `ending` was written first), figures (FiguresTotals as JSON), over (true where the work was over before the program ended), tree_empty, killed (processes that needed KILL), left (pids that outlived KILL) |
"""

from __future__ import annotations

from typing import Any, Final

Report = dict[str, Any]

STARTING: Final = "starting"
STARTED: Final = "started"
SESSION: Final = "session"
TURN: Final = "turn"
USAGE: Final = "usage"
EFFECT: Final = "effect"
ARTIFACT: Final = "artifact"
CHECKPOINT: Final = "checkpoint"
NOTE: Final = "note"
PROGRESS: Final = "progress"
APPROVAL: Final = "approval"
APPROVAL_ANSWERED: Final = "approval_answered"
SAID: Final = "said"
ERROR: Final = "error"
OUTPUT: Final = "output"
PAUSED: Final = "paused"
CONTINUED: Final = "continued"
OVER_LONG: Final = "over_long"
ENDING: Final = "ending"
EXIT: Final = "exit"

STRONG: Final = "strong"
"""How sure an error is: told in a field that is meant for machines."""
MEDIUM: Final = "medium"
"""Told in a place where only the program writes, but it may be about something else."""

SYNCED_BEFORE_ACTING = frozenset({STARTING, SESSION, EFFECT, APPROVAL, OUTPUT, ENDING, EXIT})
"""Kinds that are synced to disk before anything acts on them (design §5)."""

SENT_ONE_BY_ONE = frozenset(
    {
        STARTING,
        STARTED,
        SESSION,
        EFFECT,
        APPROVAL,
        APPROVAL_ANSWERED,
        SAID,
        ARTIFACT,
        CHECKPOINT,
        ERROR,
        OUTPUT,
        PAUSED,
        CONTINUED,
        ENDING,
        EXIT,
    }
)
"""Kinds that reach the app one by one; all else is conflated into running totals ten times a second (design §4)."""

FACT_BYTES_MAX = 256 * 1024
"""A fact beyond this is announced as `{"kind", "seq", "in_file": true}`; the app reads it from the file."""
