"""Layered places: no two nodes on each other, wires to the right, pinned places kept, the same every time."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest

from quarterdeck.domain.layout import CARD_H, CARD_W, arrange


def graph(count: int, seed: int, *, reach: int = 12) -> tuple[list[str], list[tuple[str, str]]]:
    """A random graph without circles, like a workflow: most nodes follow one or two of those shortly before."""
    random = Random(seed)
    edges = {
        (f"n{random.randrange(max(0, i - reach), i)}", f"n{i}")
        for i in range(1, count)
        for _ in range(random.choice((0, 1, 1, 2)))
    }
    return [f"n{i}" for i in range(count)], sorted(edges)


def overlaps(places: dict[str, tuple[float, float]]) -> list[tuple[str, str]]:
    return [
        (a, b)
        for (a, (ax, ay)), (b, (bx, by)) in combinations(places.items(), 2)
        if abs(ax - bx) < CARD_W and abs(ay - by) < CARD_H
    ]


@pytest.mark.parametrize("seed", range(30))
def test_no_two_nodes_overlap_and_every_wire_leads_to_the_right(seed: int) -> None:
    nodes, edges = graph(Random(seed).randrange(1, 120), seed)
    places = arrange(nodes, edges)
    assert set(places) == set(nodes)
    assert overlaps(places) == []
    assert all(places[a][0] + CARD_W < places[b][0] for a, b in edges)


@pytest.mark.parametrize("seed", range(10))
def test_pinned_nodes_stay_and_the_others_keep_off_them(seed: int) -> None:
    nodes, edges = graph(40, seed)
    random = Random(seed)
    pinned = {n: (random.randrange(8) * 300.0, random.randrange(8) * 180.0) for n in random.sample(nodes, 8)}
    places = arrange(nodes, edges, pinned)
    assert all(places[n] == at for n, at in pinned.items())
    assert not [pair for pair in overlaps(places) if not set(pair) <= pinned.keys()]
    assert arrange(nodes, edges, dict.fromkeys(nodes, (5.0, 5.0))) == dict.fromkeys(nodes, (5.0, 5.0))


def test_the_same_graph_has_the_same_places_always() -> None:
    nodes, edges = graph(200, 7)
    assert arrange(nodes, edges) == arrange(list(nodes), list(edges))


def test_circles_doubles_loops_and_strangers_do_no_harm() -> None:
    nodes = ["a", "b", "c"]
    edges = [("a", "b"), ("b", "c"), ("c", "a"), ("a", "b"), ("b", "b"), ("x", "a")]
    places = arrange(nodes, edges)
    assert places["a"][0] < places["b"][0] < places["c"][0]
    assert arrange([], []) == {}


def test_a_diamond_is_drawn_without_crossings_and_level() -> None:
    places = arrange(["s", "l", "r", "t"], [("s", "l"), ("s", "r"), ("l", "t"), ("r", "t")])
    assert places["l"][1] < places["r"][1]
    assert places["s"][1] == places["t"][1] == (places["l"][1] + places["r"][1]) / 2
