"""Figures as JSON and back: in `exit` reports, `exit.json`, records and `show --json`. Money is decimal text or null."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quarterdeck.domain.figures import FiguresTotals, ModelSpend, TokenCounts
from quarterdeck.domain.money import parse_usd_exact, usd_text

TOKEN_KINDS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")


def tokens_to_json(tokens: TokenCounts) -> dict[str, int]:
    """All four kinds by name."""
    return {
        "input_tokens": tokens.input_tokens,
        "output_tokens": tokens.output_tokens,
        "cache_read_tokens": tokens.cache_read_tokens,
        "cache_write_tokens": tokens.cache_write_tokens,
    }


def tokens_from_json(value: Mapping[str, Any]) -> TokenCounts:
    """Inverse of tokens_to_json; what is absent counts 0."""
    return TokenCounts(*(int(value.get(kind) or 0) for kind in TOKEN_KINDS))


def figures_to_json(figures: FiguresTotals) -> dict[str, Any]:
    """Plain dict; `figures_from_json` gives the equal value back."""
    return {
        "turns": figures.turns,
        "tokens": tokens_to_json(figures.tokens),
        "cost_usd": usd_text(figures.cost_usd),
        "cost_is_complete": figures.cost_is_complete,
        "cost_source": figures.cost_source,
        "by_model": [
            {"model": m.model, "cost_usd": usd_text(m.cost_usd), "tokens": tokens_to_json(m.tokens)}
            for m in figures.by_model
        ],
        "late": figures.late,
        "beyond": list(figures.beyond),
    }


def figures_from_json(value: Mapping[str, Any]) -> FiguresTotals:
    """Inverse of figures_to_json. Raises KeyError or ValueError where it is none."""
    return FiguresTotals(
        turns=int(value["turns"]),
        tokens=tokens_from_json(value["tokens"]),
        cost_usd=parse_usd_exact(value["cost_usd"]),
        cost_is_complete=bool(value["cost_is_complete"]),
        cost_source=str(value["cost_source"]),
        by_model=tuple(
            ModelSpend(str(m["model"]), parse_usd_exact(m["cost_usd"]), tokens_from_json(m["tokens"]))
            for m in value["by_model"]
        ),
        late=bool(value.get("late", False)),
        beyond=tuple(map(str, value.get("beyond", ()))),
    )
