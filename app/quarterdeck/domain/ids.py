"""Identifiers as distinct types. They are minted elsewhere, from the OS random source (ID1)."""

from __future__ import annotations

from typing import NewType

TenantId = NewType("TenantId", str)
"""Minted once in a data directory."""
SessionId = NewType("SessionId", str)
"""One app or terminal process."""
RunId = NewType("RunId", str)
"""One launch of a workflow: `r-` and 32 hex digits."""
AttemptId = NewType("AttemptId", str)
"""One worker instance on a slot: `a-` and 32 hex digits."""
NodeId = NewType("NodeId", str)
"""A node of a workflow file."""
SlotId = NewType("SlotId", str)
"""One obligation of a run: `node`, `node[i]`, `node@round`, `node/child` (ruling 5)."""
WorkflowId = NewType("WorkflowId", str)
Revision = NewType("Revision", str)
"""SHA-256 (64 hex digits) of canonical JSON, or of a file's bytes."""
CommandId = NewType("CommandId", str)
RequestId = NewType("RequestId", str)
"""An approval request as journaled and shown: `<attempt id>:<agent's own id>`, and `@<report>` where that id was used before."""
MessageId = NewType("MessageId", str)
"""What a person said to an agent: `m-` and 32 hex digits."""
TokenId = NewType("TokenId", str)
"""The re-open token of SLT13; single use."""
