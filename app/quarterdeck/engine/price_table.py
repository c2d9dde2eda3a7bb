"""What tokens cost by public price lists, for agents that tell tokens and no cost. Offline; blocking at its first use (0.3 s).

The table (`genai-prices`) comes with Quarterdeck and is loaded when an agent is launched that may need it, never in the
shim: prices go into `launch.json` as decimal text per model, and the shim multiplies (ruling 23). What comes of it is an
estimate and is told as one. Prices of a workflow file outrank the table, and what an earlier attempt of the slot was launched
with outranks both: a running total of a session is told apart by one price only.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from quarterdeck.agents.sign_ins import PROGRAMS as SIGN_INS
from quarterdeck.domain.ids import AttemptId, RunId
from quarterdeck.domain.money import usd_text
from quarterdeck.domain.workflow import AgentSpec
from quarterdeck.store.attempts import Attempts

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, ModelPrice, Provider

Prices = Mapping[str, Mapping[str, Any]]

DEFAULT_MODEL = ""
"""Under this name stands the price of usage whose model the agent does not name: that of the model in the workflow file."""

_MAKERS = ("anthropic", "openai", "google", "mistral", "x-ai", "deepseek", "moonshotai")
"""Of equal names the first maker's price counts. Resellers are left out: their prices for the same names differ."""
_FIELDS = {
    "input": "input_mtok",
    "output": "output_mtok",
    "cache_read": "cache_read_mtok",
    "cache_write": "cache_write_mtok",
}


def prices_for(agent: AgentSpec, earlier: Iterable[Prices], today: dt.date) -> dict[str, dict[str, Any]]:
    """{model: price} for `launch.json`. earlier: prices of the same agent's attempts on the slot before, oldest first.

    A `command` agent gets the price of the model that its file names, and no list: it may be any program, and a long list
    with each of thousands of attempts is no small thing.
    """
    found: dict[str, dict[str, Any]] = {}
    if agent.kind not in ("command", "practice"):
        found.update(_listed(_makers_of(agent.kind), today))
    if agent.model is not None and agent.kind != "practice":
        own = _price_of(agent.model, agent.kind, today)
        if own is not None:
            found[DEFAULT_MODEL] = found[agent.model] = own
    found.update({model: dict(price) for model, price in agent.prices.items()})
    if agent.model is not None and agent.model in agent.prices:
        found[DEFAULT_MODEL] = dict(agent.prices[agent.model])
    for prices in earlier:
        found.update({model: dict(price) for model, price in prices.items()})
    return found


def earlier_prices(
    attempts: Attempts, run: RunId, agent: str, before: Iterable[AttemptId]
) -> Iterator[Prices]:
    """The prices that this agent's attempts were launched with. Blocking. Raises StoreDown."""
    for attempt in before:
        launch = attempts.launch(run, attempt) or {}
        prices = launch.get("prices")
        if launch.get("agent") == agent and isinstance(prices, dict):
            yield prices


def _makers_of(kind: str) -> tuple[str, ...]:
    """Of a program that asks one service, that one's."""
    known = SIGN_INS.get(kind)
    return (known.provider,) if known is not None and known.provider in _MAKERS else _MAKERS


def _price_of(model: str, kind: str, today: dt.date) -> dict[str, Any] | None:
    """Of the model that the workflow names, by every rule of the table; `maker/model` names the maker."""
    maker, slash, rest = model.partition("/")
    makers = (maker,) if slash and maker in _MAKERS else _makers_of(kind)
    for provider in _providers(makers):
        info = provider.find_model(rest if slash else model)
        if info is not None and (price := _price(info, today)) is not None:
            return price
    return None


@lru_cache(maxsize=16)
def _listed(makers: tuple[str, ...], today: dt.date) -> dict[str, dict[str, Any]]:
    """Every name that these makers' models are known by, each priced as the table itself resolves it."""
    found: dict[str, dict[str, Any]] = {}
    for provider in _providers(makers):
        for info in provider.models:
            for name in {info.id, *_names(info.match)}:
                resolved = provider.find_model(name)
                if name in found or resolved is None:
                    continue
                price = _price(resolved, today)
                if price is not None:
                    found[name.lower()] = price
    return found


def _providers(makers: tuple[str, ...]) -> list[Provider]:
    from genai_prices.data_snapshot import get_snapshot

    known = {provider.id: provider for provider in get_snapshot().providers}
    return [known[maker] for maker in makers if maker in known]


def _names(match: Any) -> Iterator[str]:
    """The whole names and the beginnings of names in a rule of the table."""
    for part in getattr(match, "or_", None) or (match,):
        name = getattr(part, "equals", None) or getattr(part, "starts_with", None)
        if isinstance(name, str) and not name.endswith(("-", "@", ".")):
            yield name


def _price(info: ModelInfo, today: dt.date) -> dict[str, Any] | None:
    """US dollars for a million tokens, as decimal text; None where text tokens have no price (images, speech).

    Cache tokens without a price of their own cost what input costs, as in the table. `above`: prices that hold for all
    tokens of a call whose input is larger than `tokens`.
    """
    noon = dt.datetime.combine(today, dt.time(12), dt.UTC)
    listed = info.get_prices(noon)
    base = _at(listed, 0)
    if "input" not in base or "output" not in base:
        return None
    sizes = sorted({size for name in _FIELDS.values() for size in _tier_sizes(getattr(listed, name))})
    above = [{"tokens": size, **_at(listed, size + 1)} for size in sizes]
    return {**base, "above": above} if above else base


def _tier_sizes(price: Any) -> list[int]:
    return [tier.start for tier in getattr(price, "tiers", ())]


def _at(listed: ModelPrice, input_tokens: int) -> dict[str, str]:
    found = {}
    for key, name in _FIELDS.items():
        price = getattr(listed, name)
        for tier in getattr(price, "tiers", ()):
            if input_tokens > tier.start:
                found[key] = _text(tier.price)
        if price is not None and key not in found:
            found[key] = _text(getattr(price, "base", price))
    if "input" in found:
        found.setdefault("cache_read", found["input"])
        found.setdefault("cache_write", found["input"])
    return found


def _text(price: Decimal) -> str:
    return usd_text(price) or "0"
