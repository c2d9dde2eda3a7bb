"""A fourth list of failures as programs were seen to tell them: (who, class, shape), written by one who had not seen the classifier or its tables.

What users meet most often, as they report it in the issues of the programs; other threads than those of the first and of the third list. Only forms of
errors are taken, no code. Imports nothing of the product; repeats nothing of those two. The sources stand in each part. The classes are those of
`held_out_third.py`. Left out, because their class can be argued:

- a token that was made without a scope that it needs (a 401), a workspace that is the wrong one, a 403 that calls the key invalid
- one request that is larger than what a minute allows (Groq's 413, OpenAI's 429)
- an account that asks for a project of Google Cloud, a free tier whose limit is 0, a model that asks for a subscription
- Claude Code's "Rate limit reached" and "would exceed your account's rate limit", which it says of a spent plan as well
- Nvidia's 403 "Authorization failed", Cursor's bare `resource_exhausted`
"""

from __future__ import annotations

from tests.agents.held_out import Acp, Claude, Retry
from tests.agents.held_out_fourth_acp import OVER_ACP
from tests.agents.held_out_fourth_claude import CLAUDE
from tests.agents.held_out_fourth_codex import CODEX
from tests.agents.held_out_fourth_gemini import GEMINI
from tests.agents.held_out_fourth_opencode import OPENCODE
from tests.agents.held_out_third_codex import CodexExec, CodexNotice
from tests.agents.held_out_third_opencode import OpenCodeError

Shape = Claude | Retry | Acp | CodexExec | CodexNotice | OpenCodeError
SHAPES: tuple[tuple[str, str, Shape], ...] = (
    *(("claude", *one) for one in CLAUDE),
    *(("gemini", *one) for one in GEMINI),
    *(("codex", *one) for one in CODEX),
    *(("opencode", *one) for one in OPENCODE),
    *(("over acp", *one) for one in OVER_ACP),
)
"""(who says it, class that it is, shape) of all."""
