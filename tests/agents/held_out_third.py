"""A third list of failures as programs were seen to tell them: (who, class, shape), written by one who had not seen the classifier or its tables.

Only forms of errors are taken, no code. Imports nothing of the product; repeats nothing of `held_out.py`. The sources stand in each part. A class is
what the source says is the matter, by the meaning that the design gives it:

- auth: the sign-in itself is missing, unknown, expired or revoked, or its owner is shut out; only another sign-in helps. A 401, where nothing else is named
- usage_limit: a plan, a budget or an allowance is used up, until another hour, day or payment: whatever the status is, a 401 or a 403 as well
- rate_limit: too much in a minute, or at once
- overloaded: the service has no room or has failed, or an answer was cut off after it began: 5xx, its own time-outs
- invalid: what was asked for cannot be: its size, form, contents, model or session; a 400, 404, 413, 422
- other: a sign-in that is good may not do it (a country, an address, a policy, a model, a client: 403); the service was never reached (DNS, TLS, a proxy);
  somebody else's sign-in was refused (an MCP server's, git's, a registry's); and what is none of all these
"""

from __future__ import annotations

from tests.agents.held_out import Acp, Claude, Retry
from tests.agents.held_out_third_acp import OVER_ACP
from tests.agents.held_out_third_claude import CLAUDE
from tests.agents.held_out_third_codex import CODEX, CodexExec, CodexNotice
from tests.agents.held_out_third_gemini import GEMINI
from tests.agents.held_out_third_opencode import OPENCODE, OpenCodeError

Shape = Claude | Retry | Acp | CodexExec | CodexNotice | OpenCodeError
SHAPES: tuple[tuple[str, str, Shape], ...] = (
    *(("claude", *one) for one in CLAUDE),
    *(("gemini", *one) for one in GEMINI),
    *(("codex", *one) for one in CODEX),
    *(("opencode", *one) for one in OPENCODE),
    *(("over acp", *one) for one in OVER_ACP),
)
"""(who says it, class that it is, shape) of all."""
