"""Opening and closing the data folder for one process: store, session, settling, catalog. Blocking."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from quarterdeck.domain.moment import Moment
from quarterdeck.engine.catalog import Catalog
from quarterdeck.engine.errors import StoreUnusable
from quarterdeck.store.data_folder import Store, default_folder
from quarterdeck.store.durable_io import DurableIO
from quarterdeck.store.errors import StoreDown, StoreError
from quarterdeck.store.network_folder import NETWORK_VARIABLE, refused_system
from quarterdeck.store.sessions import Session, SessionIdentity

log = logging.getLogger(__name__)
OTHERS_SETTLE_MS = 10_000
BEING_SETTLED = "another process is settling it and has not done so yet"
UNSETTLED = (
    "What a crash left could not be settled, so interrupted runs are shown as their files tell by now: {why}."
)


@dataclass(slots=True)
class Opened:
    """An open data folder. `session` is None where it was opened for reading only.

    unsettled: then, why what a crash left could not be settled, in a sentence. Else empty.
    """

    store: Store
    session: Session | None
    catalog: Catalog
    unsettled: str = ""

    def close(self) -> None:
        """End the session clean and the writer thread; a disk that is down leaves the session to recovery."""
        try:
            if self.session is not None:
                self.session.end_clean()
                self.store.sessions.tidy()
        except StoreError as error:
            # The lock is free once the process ends; what is left is settled by whoever starts next.
            log.warning("the session could not be ended clean: %s", error)
        finally:
            self.store.close()


def open_store(
    folder: Path | None,
    kind: str,
    read_only: bool,
    now: Callable[[], Moment],
    io: DurableIO | None = None,
    config: Path | None = None,
) -> Opened:
    """The data folder, its dead sessions settled. Raises StoreUnusable with a sentence.

    config: the folder of settings that hold for it; None: this user's.
    """
    place = folder or default_folder()
    _refuse_network(place)
    try:
        store = Store.open(place, io, create=not read_only)
    except StoreError as error:
        raise StoreUnusable(f"The data folder {place} cannot be used: {error}") from error
    if config is not None:
        store.config = lambda: config
    try:
        return _open(store, kind, read_only or bool(store.newer), now)
    except StoreError as error:
        store.close()
        word = "written" if isinstance(error, StoreDown) and not read_only else "used"
        raise StoreUnusable(f"The data folder {place} cannot be {word}: {error}") from error
    except BaseException:
        store.close()
        raise


def _refuse_network(place: Path) -> None:
    """Locks and renames of a network file system do not keep two processes apart. Raises StoreUnusable."""
    system = refused_system(place)
    if system:
        raise StoreUnusable(
            f"The data folder {place} lies on a network file system ({system}), where runs cannot be kept safe. Name a folder "
            f"on this computer in QUARTERDECK_DATA_DIR, or allow it with {NETWORK_VARIABLE}=1."
        )


def _open(store: Store, kind: str, read_only: bool, now: Callable[[], Moment]) -> Opened:
    session = None if read_only else store.sessions.begin(SessionIdentity.of_this_process(kind))
    try:
        if session is not None:
            _sweep(store)
        catalog = Catalog(store)
        unsettled = _settle(store, catalog, read_only, now)
    except BaseException:
        if session is not None:
            session.end_clean()
        raise
    return Opened(store, session, catalog, unsettled if read_only else "")


def _sweep(store: Store) -> None:
    """Remove what dead processes left half written (STO10); what cannot be removed stays until the next start."""
    try:
        store.sweep()
    except (StoreError, OSError) as error:
        log.warning("temp files that dead processes left could not be removed: %s", error)


def _settle(store: Store, catalog: Catalog, read_only: bool, now: Callable[[], Moment]) -> str:
    """What dead sessions left; and, once the list is read, live runs that nobody has and no session answers for.

    What could not be settled, in a sentence; empty where nothing is left over.
    """
    why: list[str] = []
    with _unless_only_read(read_only, why):
        why += _settle_dead(store, now)
        if store.sessions.being_settled():
            why += _wait_for_others(store)
            why += _settle_dead(store, now)
    catalog.merge(catalog.read())
    if catalog.left:
        with _unless_only_read(read_only, why):
            from quarterdeck.engine.settling import LeftAlone
            from quarterdeck.engine.unowned import settle_unowned

            left = LeftAlone()
            if settle_unowned(store, catalog.left, now, left):
                catalog.merge(catalog.read())
            why += left.told.values()
    return UNSETTLED.format(why="; ".join(dict.fromkeys(why))) if why else ""


def _settle_dead(store: Store, now: Callable[[], Moment]) -> Iterable[str]:
    """Why something of them could not be settled, if so."""
    if not store.sessions.dead():
        return ()
    from quarterdeck.engine.settling import LeftAlone, settle_dead_sessions  # seldom needed, and large

    left = LeftAlone()
    settle_dead_sessions(store, now, left)
    return left.told.values()


def _wait_for_others(store: Store) -> Iterable[str]:
    """Another process is settling, and waits for agents that are still ending: so does this one, for their usual grace."""
    from quarterdeck.engine.deaths import wait_while

    return () if wait_while(store.sessions.being_settled, OTHERS_SETTLE_MS) else (BEING_SETTLED,)


@contextmanager
def _unless_only_read(read_only: bool, why: list[str]) -> Iterator[None]:
    """A reader on a disk that cannot be written shows what is recorded, and says so; nothing is settled by guess."""
    try:
        yield
    except StoreError as error:
        if not read_only:
            raise
        log.info("nothing was settled: %s", error)
        why.append(str(error))
