"""The guard of reassignment as SLT3–SLT12 say it, in the plainest words, and its matrix (FIM2). Imports nothing of the product."""

from __future__ import annotations

TENANTS = ("same", "foreign")
RUNS = ("same", "other")
SLOTS = ("pending", "claimed", "active", "held", "retry_wait", "done", "failed", "cancelled")
WORKERS = (
    "none", "starting", "running", "paused", "stopping", "lost",
    "succeeded", "failed", "stopped", "interrupted", "never_started",
)  # fmt: skip
LEASES = ("none", "granted", "suspect", "released", "revoked", "expired_proved")
OWNERS = ("none", "equal", "other")
REASONS = (None, "", " \t\u200b\u2060\x07\ufeff", "the tests were red")
CLASSES = ("compatible", "other", "unknown")


def expected_code(tenant: str, run: str, slot: str, worker: str, lease: str, owner: str, reason: str | None, klass: str) -> str:  # fmt: skip
    """In the order of the requirements; empty where the reassignment is admitted."""
    if tenant != "same":
        return "E_TENANT"
    if run != "same":
        return "E_RUN"
    if slot != "retry_wait":
        return "E_SLOT_STATE"
    if worker == "none":
        return "E_NO_PRIOR"
    if worker not in ("succeeded", "failed", "stopped", "interrupted", "never_started"):
        return "E_WORKER_NOT_TERMINAL"
    if lease not in ("released", "revoked", "expired_proved"):
        return "E_LEASE_NOT_TERMINAL"
    if reason != "the tests were red":
        return "E_REASON"
    if owner == "other":
        return "E_ACTOR"
    return "" if klass == "compatible" else "E_NO_COMPATIBLE_SPEC"
