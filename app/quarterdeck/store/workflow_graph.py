"""The shape of a workflow as a graph: what comes before what, and cycles in words. Pure; knows ids only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def first_cycle(successors: Mapping[str, list[str]]) -> list[str] | None:
    """The nodes of one cycle in its order, or None. Never recursive."""
    done: set[str] = set()
    for start in successors:
        if start in done:
            continue
        trail: list[str] = [start]
        on_trail = {start}
        waiting = [iter(successors[start])]
        while trail:
            following = next(waiting[-1], None)
            if following is None:
                waiting.pop()
                on_trail.discard(trail[-1])
                done.add(trail.pop())
            elif following in on_trail:
                return trail[trail.index(following) :]
            elif following not in done and following in successors:
                trail.append(following)
                on_trail.add(following)
                waiting.append(iter(successors[following]))
    return None


class Upstream:
    """Answers whether one node comes before another, by bit sets, so that 5,000 nodes stay cheap.

    Loops count: what a loop leads back to comes after its source.
    """

    def __init__(self, ids: list[str], edges: Iterable[tuple[str, str]]) -> None:
        self._bit = {node_id: 1 << index for index, node_id in enumerate(ids)}
        self._before: dict[str, list[str]] = {node_id: [] for node_id in ids}
        for source, target in edges:
            if source in self._bit and target in self._bit:
                self._before[target].append(source)
        self._known: dict[str, int] = {}

    def is_before(self, node_id: str, later: str) -> bool:
        """Whether there is a way along the edges from `node_id` to `later`."""
        if later not in self._known:
            self._known[later] = self._reach(later)
        return bool(self._known[later] & self._bit.get(node_id, 0))

    def _reach(self, start: str) -> int:
        seen, stack = 0, list(self._before[start])
        while stack:
            node_id = stack.pop()
            bit = self._bit[node_id]
            if not seen & bit:
                seen |= bit
                if node_id in self._known:
                    seen |= self._known[node_id]
                else:
                    stack.extend(self._before[node_id])
        return seen
