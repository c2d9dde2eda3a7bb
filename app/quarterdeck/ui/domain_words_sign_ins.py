"""Words about sign-ins that come from below the window: why an agent waits or was not started, and what a save or a test came to.

Part of the table in `domain_words`.
"""

from __future__ import annotations

from quarterdeck.ui.language import Texts

tr = Texts("Reasons")

SIGN_INS = (
    tr.later("its variable is not set here"),
    tr.later("its entry or the secret of it is not there now"),
    tr.later("it is too short to be told from other text"),
    tr.later("the pinned workflow cannot be read, so it is not known which secrets its agents were given"),
    tr.later(
        "{agent} was not started: its sign-in failed before, for {other} at {time}, and that is remembered. "
        "Save or test the credential first."
    ),
    tr.later("waits for the rate limit that {agent} met, until {time}"),
    tr.later("waits for the usage limit that {agent} met to reset at {time}"),
    tr.later("waits for the usage limit that {agent} met; its reset is not known, one agent tries at {time}"),
    tr.later("waits until {agent} shows that their sign-in works"),
)
