"""Where nodes stand that have no place of their own: columns by longest path, few crossings, short wires.

Sugiyama's way: columns, a point for every column that a long wire passes, orders by barycentre with a transpose, then
heights by least squares. The same input gives the same places, always. Nodes that have a place keep it.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise
from typing import Generic, TypeVar

COLUMN_W, ROW_H = 300.0, 176.0
"""From one column, or row, to the next."""
CARD_W, CARD_H = 224.0, 146.0
"""What a node takes at most."""
POINT_H = 24.0
"""What a wire takes that passes between nodes."""
SWEEPS, TRANSPOSES, ALIGNMENTS, TIGHTENINGS = 8, 3, 6, 4
N = TypeVar("N", bound=Hashable)
Place = tuple[float, float]


def arrange(
    nodes: Sequence[N], edges: Sequence[tuple[N, N]], pinned: Mapping[N, Place] | None = None
) -> dict[N, Place]:
    """{node: its upper left corner} for all nodes. An edge that would close a circle is passed over.

    pinned: places that stay. The others are laid out as a whole, moved to where the pinned ones stand, and no two
    nodes overlap, unless pinned ones do.
    """
    keep = {n: p for n, p in (pinned or {}).items() if n in set(nodes)}
    if len(keep) == len(nodes):
        return dict(keep)
    places = _Layers(nodes, edges).places()
    return _around(places, keep) if keep else places


def _around(places: dict[N, Place], pinned: Mapping[N, Place]) -> dict[N, Place]:
    dx = sum(pinned[n][0] - places[n][0] for n in pinned) / len(pinned)
    dy = sum(pinned[n][1] - places[n][1] for n in pinned) / len(pinned)
    done = dict(pinned)
    taken = list(pinned.values())
    for node, (x, y) in places.items():
        if node in pinned:
            continue
        at = (float(round(x + dx)), float(round(y + dy)))
        while blocking := [p for p in taken if abs(p[0] - at[0]) < CARD_W and abs(p[1] - at[1]) < CARD_H]:
            at = (at[0], max(p[1] for p in blocking) + ROW_H)
        done[node] = at
        taken.append(at)
    return {node: done[node] for node in places}


class _Layers(Generic[N]):
    """Nodes are numbers here: first the real ones in their given order, then the points of long wires."""

    def __init__(self, nodes: Sequence[N], edges: Sequence[tuple[N, N]]) -> None:
        self._names = list(nodes)
        number = {name: i for i, name in enumerate(nodes)}
        pairs = dict.fromkeys(
            (number[a], number[b]) for a, b in edges if a in number and b in number and a != b
        )
        self.count = len(nodes)
        wires = _without_circles(self.count, list(pairs))
        self.column = _columns(self.count, wires)
        self.before: list[list[int]] = [[] for _ in nodes]
        self.after: list[list[int]] = [[] for _ in nodes]
        for a, b in wires:
            self._join(a, b)
        self.layers = self._first_orders()
        self.rank = [0] * len(self.column)
        self._number_all()

    def places(self) -> dict[N, Place]:
        """The upper left corner of every real node."""
        self._order()
        heights = _Heights(self).settle()
        return {
            name: (self.column[i] * COLUMN_W, float(round(heights[i]))) for i, name in enumerate(self._names)
        }

    def _join(self, a: int, b: int) -> None:
        last = a
        for column in range(self.column[a] + 1, self.column[b]):
            point = len(self.column)
            self.column.append(column)
            self.before.append([last])
            self.after.append([])
            self.after[last].append(point)
            last = point
        self.after[last].append(b)
        self.before[b].append(last)

    # ------------------------------------------------------------------ orders

    def _first_orders(self) -> list[list[int]]:
        """Depth first from the beginnings: what hangs together begins side by side."""
        layers: list[list[int]] = [[] for _ in range(max(self.column, default=-1) + 1)]
        seen = [False] * len(self.column)
        for root in sorted(range(self.count), key=lambda i: (bool(self.before[i]), i)):
            todo = [root]
            while todo:
                node = todo.pop()
                if not seen[node]:
                    seen[node] = True
                    layers[self.column[node]].append(node)
                    todo += reversed(self.after[node])
        return layers

    def _number_all(self) -> None:
        for layer in self.layers:
            for rank, node in enumerate(layer):
                self.rank[node] = rank

    def _order(self) -> None:
        best, least = [list(layer) for layer in self.layers], self._crossings()
        for sweep in range(SWEEPS):
            self._sweep(is_forward=sweep % 2 == 0)
            for turn in range(TRANSPOSES):
                if not self._transpose(is_eager=turn % 2 == 1 and sweep < SWEEPS - 2):
                    break
            count = self._crossings()
            if count < least:
                best, least = [list(layer) for layer in self.layers], count
        self.layers = best
        self._number_all()
        while self._transpose(is_eager=False):
            pass

    def _sweep(self, *, is_forward: bool) -> None:
        beside = self.before if is_forward else self.after
        rank = self.rank
        for layer in self.layers if is_forward else reversed(self.layers):
            weight = {
                n: sum([rank[o] for o in beside[n]]) / len(beside[n]) if beside[n] else float(rank[n])
                for n in layer
            }
            layer.sort(key=weight.__getitem__)
            for at, node in enumerate(layer):
                rank[node] = at

    def _transpose(self, *, is_eager: bool) -> bool:
        """Exchange neighbours where that removes crossings (eager: or adds none); True where it removed any."""
        rank, better = self.rank, False
        for layer in self.layers:
            ups = {n: sorted([rank[o] for o in self.before[n]]) for n in layer}
            downs = {n: sorted([rank[o] for o in self.after[n]]) for n in layer}
            for at in range(len(layer) - 1):
                a, b = layer[at], layer[at + 1]
                gain = _gain(ups[a], ups[b]) + _gain(downs[a], downs[b])
                if gain > 0 or (is_eager and gain == 0):
                    layer[at], layer[at + 1] = b, a
                    rank[a], rank[b] = at + 1, at
                    better = better or gain > 0
        return better

    def _crossings(self) -> int:
        total, rank = 0, self.rank
        for layer in self.layers:
            seen: list[int] = []
            for node in layer:
                ends = sorted([rank[o] for o in self.after[node]])
                for end in ends:
                    total += len(seen) - bisect_right(seen, end)
                for end in ends:
                    insort(seen, end)
        return total


class _Heights(Generic[N]):
    """Heights in the orders that stand: every node near the middle of its neighbours, none on another."""

    def __init__(self, layers: _Layers[N]) -> None:
        self._of = layers
        tall = [ROW_H if node < layers.count else POINT_H for node in range(len(layers.column))]
        self._gap = [[0.0] + [(tall[a] + tall[b]) / 2 for a, b in pairwise(layer)] for layer in layers.layers]
        self._y = [0.0] * len(layers.column)
        for layer, gaps in zip(layers.layers, self._gap, strict=True):
            at = -sum(gaps) / 2
            for node, gap in zip(layer, gaps, strict=True):
                at += gap
                self._y[node] = at

    def settle(self) -> list[float]:
        """The height of every node's middle."""
        layers, of = list(zip(self._of.layers, self._gap, strict=True)), self._of
        for turn in range(ALIGNMENTS):
            for layer, gaps in layers if turn % 2 == 0 else reversed(layers):
                for beside in (
                    [of.before, of.after] if turn >= ALIGNMENTS - 2 else [(of.before, of.after)[turn % 2]]
                ):
                    self._align(layer, gaps, beside)
        return self._y

    def _align(self, layer: list[int], gaps: list[float], beside: list[list[int]]) -> None:
        y, wanted, offset = self._y, [], 0.0
        for node, gap in zip(layer, gaps, strict=True):
            offset += gap
            near = beside[node]
            wanted.append((sum([y[o] for o in near]) / len(near) if near else y[node]) - offset)
        offset = 0.0
        for node, gap, at in zip(layer, gaps, _rising(wanted), strict=True):
            offset += gap
            y[node] = at + offset


def _rising(wanted: list[float]) -> list[float]:
    """The values nearest to the wanted ones, by least squares, that never fall (pool adjacent violators)."""
    pools: list[tuple[float, int]] = []
    for value in wanted:
        total, count = value, 1
        while pools and pools[-1][0] / pools[-1][1] > total / count:
            before, more = pools.pop()
            total, count = total + before, count + more
        pools.append((total, count))
    return [total / count for total, count in pools for _ in range(count)]


def _gain(a: list[int], b: list[int]) -> int:
    """Crossings that go away when b comes before a; a, b: sorted ranks of their neighbours."""
    if not a or not b:
        return 0
    gain = 0
    for x in a:
        for y in b:
            gain += (x > y) - (x < y)
    return gain


def _without_circles(count: int, pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The edges less those that close a circle, found in the given order."""
    after: list[list[int]] = [[] for _ in range(count)]
    for a, b in pairs:
        after[a].append(b)
    state, back = [0] * count, set()
    for root in range(count):
        todo = [(root, 0)] if state[root] == 0 else []
        while todo:
            node, at = todo.pop()
            state[node] = 1
            if at == len(after[node]):
                state[node] = 2
                continue
            todo.append((node, at + 1))
            other = after[node][at]
            if state[other] == 1:
                back.add((node, other))
            elif state[other] == 0:
                todo.append((other, 0))
    return [pair for pair in pairs if pair not in back]


def _columns(count: int, wires: list[tuple[int, int]]) -> list[int]:
    """The longest path from a beginning; then each node moves to where its wires are shorter in all."""
    before: list[list[int]] = [[] for _ in range(count)]
    after: list[list[int]] = [[] for _ in range(count)]
    missing, column = [0] * count, [0] * count
    for a, b in wires:
        after[a].append(b)
        before[b].append(a)
        missing[b] += 1
    ready = [n for n in range(count) if not missing[n]]
    for node in ready:
        for other in after[node]:
            column[other] = max(column[other], column[node] + 1)
            missing[other] -= 1
            if not missing[other]:
                ready.append(other)
    for _ in range(TIGHTENINGS):
        for node in reversed(ready):
            if len(after[node]) > len(before[node]):
                column[node] = min([column[o] for o in after[node]]) - 1
        for node in ready:
            if before[node] and len(before[node]) > len(after[node]):
                column[node] = max([column[o] for o in before[node]]) + 1
    return column
