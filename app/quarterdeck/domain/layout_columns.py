"""In which column each node of a layered layout stands: as early as its wires allow, and where they are short.

Short wires pass few columns, so they also cross few others, and leave few points to be ordered.
"""

from __future__ import annotations

Beside = list[list[int]]
"""For each node the nodes at the other ends of its wires, on one side."""
TIGHTENINGS, GROUP_MAX = 4, 40


def columns(count: int, wires: list[tuple[int, int]]) -> list[int]:
    """The column of each node, from 0: every wire goes to a later one. `wires` close no circle."""
    before: Beside = [[] for _ in range(count)]
    after: Beside = [[] for _ in range(count)]
    for a, b in wires:
        after[a].append(b)
        before[b].append(a)
    column = _by_longest_path(count, before, after)
    order = sorted(range(count), key=column.__getitem__)
    for _ in range(TIGHTENINGS):
        later = _moved(column, order[::-1], after, before, 1)
        sooner = _moved(column, order, before, after, -1)
        if not later and not sooner:
            break
    first = min(column, default=0)
    return [at - first for at in column]


def _moved(column: list[int], order: list[int], ahead: Beside, behind: Beside, step: int) -> bool:
    """Move each node towards `ahead`, with what it would push, where more wires get shorter than longer. True if any moved."""
    has_moved = False
    for node in order:
        group = _pushed(column, node, ahead, step)
        room = [
            (column[other] - column[one]) * step - 1
            for one in group
            for other in ahead[one]
            if other not in group
        ]
        longer = sum(other not in group for one in group for other in behind[one])
        if len(room) > longer:
            for one in group:
                column[one] += step * min(room)
            has_moved = True
    return has_moved


def _pushed(column: list[int], node: int, ahead: Beside, step: int) -> set[int]:
    """The node and all that have to move when it does; empty where these are too many."""
    group, todo = {node}, [node]
    while todo:
        one = todo.pop()
        for other in ahead[one]:
            if other not in group and (column[other] - column[one]) * step == 1:
                group.add(other)
                todo.append(other)
        if len(group) > GROUP_MAX:
            return set()
    return group


def _by_longest_path(count: int, before: Beside, after: Beside) -> list[int]:
    """The longest path from a beginning; then each node moves to where its wires are shorter in all."""
    missing, column = [0] * count, [0] * count
    for node in range(count):
        missing[node] = len(before[node])
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


def without_circles(count: int, pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
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
