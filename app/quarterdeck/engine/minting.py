"""Fresh identifiers from the OS random source (ID1): nothing reuses or derives one, whatever the clock says."""

from __future__ import annotations

import os

from quarterdeck.domain.ids import AttemptId, CommandId, MessageId, RunId, TokenId


def _hex() -> str:
    return os.urandom(16).hex()


def mint_run_id() -> RunId:
    """`r-` and 128 random bits."""
    return RunId(f"r-{_hex()}")


def mint_attempt_id() -> AttemptId:
    """`a-` and 128 random bits."""
    return AttemptId(f"a-{_hex()}")


def mint_command_id() -> CommandId:
    """`c-` and 128 random bits."""
    return CommandId(f"c-{_hex()}")


def mint_message_id() -> MessageId:
    """`m-` and 128 random bits."""
    return MessageId(f"m-{_hex()}")


def mint_token() -> TokenId:
    """`t-` and 128 random bits (SLT18)."""
    return TokenId(f"t-{_hex()}")
