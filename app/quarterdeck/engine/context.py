"""What every part of one engine shares: the store, the fork server, the session, the clocks and the actor's name."""

from __future__ import annotations

import getpass
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from quarterdeck.domain.ids import SessionId, TenantId
from quarterdeck.domain.moment import Moment
from quarterdeck.engine.feed import Publisher
from quarterdeck.engine.keep_awake import KeepAwake
from quarterdeck.engine.secret_vault import SecretVault
from quarterdeck.engine.shared_budgets import SharedBudgets
from quarterdeck.engine.sign_in_looks import SignInLooks
from quarterdeck.engine.sign_in_memory import SignInMemory
from quarterdeck.engine.sign_in_reading import SignInReading, reading_of
from quarterdeck.engine.systemd_inhibit import wanted_inhibitor
from quarterdeck.shim.client import ForkServer
from quarterdeck.store.data_folder import Store
from quarterdeck.store.machine import slept_ms
from quarterdeck.store.sessions import Session


def default_actor() -> str:
    """Name of the OS user on whose behalf commands are given (C7)."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


@dataclass(slots=True)
class EngineContext:
    """Made once by the service; parts keep it and change nothing in it."""

    store: Store
    session: Session
    fork_server: ForkServer | None
    now: Callable[[], Moment]
    actor: str = field(default_factory=default_actor)
    publisher: Publisher = field(default_factory=Publisher)
    awake: KeepAwake = field(default_factory=lambda: KeepAwake(wanted_inhibitor))
    slept_ms: Callable[[], int] = slept_ms
    """How long the machine has slept since its boot."""
    chance: Callable[[], float] = random.random
    """A number in [0, 1) for the jitter of retries."""
    vault: SecretVault = field(default_factory=SecretVault)
    sign_ins: SignInMemory = field(default_factory=SignInMemory)
    """What this process remembers of sign-ins; one for all of its runs."""
    sign_in_reading: SignInReading = field(init=False)
    sign_in_looks: SignInLooks = field(init=False)
    budgets: SharedBudgets = field(init=False)
    """What runs may spend together."""

    def __post_init__(self) -> None:
        self.sign_in_reading = reading_of(self.vault, self.store)
        self.sign_in_looks = SignInLooks(self.sign_in_reading)
        self.budgets = SharedBudgets(self.store, self.now)

    @property
    def session_id(self) -> SessionId:
        """Of this process."""
        return self.session.session_id

    @property
    def tenant(self) -> TenantId:
        """Of the data folder."""
        return self.store.tenant
