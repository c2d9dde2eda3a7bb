"""Where nodes stand that have no place of their own: columns by longest path, few crossings, short wires.

Sugiyama's way: columns, a point for every column that a long wire passes, orders by barycentre with a transpose, then
heights by least squares. The same input gives the same places, always. Nodes that have a place keep it.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise
from typing import Generic, TypeVar

from quarterdeck.domain.layout_columns import columns, without_circles

COLUMN_W, ROW_H = 300.0, 176.0
"""From one column, or row, to the next."""
CARD_W, CARD_H = 224.0, 146.0
"""What a node takes at most."""
POINT_H = 24.0
"""What a wire takes that passes between nodes."""
SWEEPS, SHAKES, ALIGNMENTS = 3, 4, 6
"""Sweeps over all columns; in each, exchanges that add no crossing and open a way to fewer; turns of aligning heights."""
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
        wires = without_circles(self.count, list(pairs))
        self.column = columns(self.count, wires)
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
            self._settle()
            for _ in range(SHAKES):
                self._transpose(is_eager=True)
                self._settle()
            count = self._crossings()
            if count < least:
                best, least = [list(layer) for layer in self.layers], count
        self.layers = best
        self._number_all()
        self._settle()

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

    def _settle(self) -> None:
        """Exchange neighbours for as long as that removes crossings; after the first look only where something moved."""
        moved: bytearray | None = bytearray(b"\1") * len(self.column)
        while moved is not None:
            moved = self._transpose(moved)

    def _transpose(self, near: bytearray | None = None, *, is_eager: bool = False) -> bytearray | None:
        """Exchange neighbours where that removes crossings (eager: or adds none), once along every column.

        near: nodes that are worth a look (None: all). Returns those of the next look; None where no crossing went away.
        """
        rank, sides = self.rank, (self.before, self.after)
        moved, better = bytearray(len(self.column)), False
        for layer in self.layers:
            for at in range(len(layer) - 1):
                a, b = layer[at], layer[at + 1]
                if near is not None and not (near[a] or near[b]):
                    continue
                gain = 0  # crossings that go away when b comes before a; the innermost loop, so no function
                for beside in sides:
                    if beside[a] and (ends := [rank[o] for o in beside[b]]):
                        for other in beside[a]:
                            x = rank[other]
                            for y in ends:
                                gain += (x > y) - (x < y)
                if gain > 0 or (is_eager and gain == 0):
                    layer[at], layer[at + 1] = b, a
                    rank[a], rank[b] = at + 1, at
                    if gain > 0:
                        better = True
                        self._mark(moved, layer, at)
        return moved if better else None

    def _mark(self, moved: bytearray, layer: list[int], at: int) -> None:
        """Whose next look may find something after the exchange of this place and the next."""
        for node in layer[max(0, at - 1) : at + 3]:
            moved[node] = 1
        for beside in (self.before, self.after):
            for node in (*beside[layer[at]], *beside[layer[at + 1]]):
                moved[node] = 1

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
