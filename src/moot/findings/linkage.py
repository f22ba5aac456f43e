"""Average linkage: groups grow by the closest pair until no two groups are close enough on average.

A single bridge between two topics does not join them, because every member has a say (UPGMA: Sokal and Michener,
1958). Pairs that must stay apart keep their groups apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

Matrix = Sequence[Sequence[float]]
APART = -math.inf


@dataclass(frozen=True, slots=True)
class Merge:
    """Two groups became one: their members as they were, and how close the groups were on average."""

    left: tuple[int, ...]
    right: tuple[int, ...]
    score: float


def merges(affinity: Matrix, groups: Sequence[Sequence[int]], floor: float = -math.inf) -> list[Merge]:
    """Return the merges in the order they are made, closest first, the earlier groups winning ties.

    Args:
        affinity: how close two members are, symmetric; `APART` for two that must never share a group. The diagonal
            does not matter.
        groups: what each group holds at the start: indices into `affinity`, each once.
        floor: groups less close than this are left alone.
    """
    members = [list(g) for g in groups]
    total = [
        [affinity[a[0]][b[0]] if len(a) == len(b) == 1 else _sum(affinity, a, b) for b in members] for a in members
    ]
    alive = list(range(len(members)))
    best = {i: _nearest(i, alive, total, members) for i in alive}
    made: list[Merge] = []
    while len(alive) > 1:
        left = max(alive, key=lambda i: (best[i][0], -i))
        score, right = best[left]
        if score == APART or score < floor:
            break
        left, right = min(left, right), max(left, right)
        made.append(Merge(tuple(members[left]), tuple(members[right]), score))
        alive.remove(right)
        del best[right]
        for other in alive:
            total[left][other] = total[other][left] = total[left][other] + total[right][other]
        members[left] += members[right]
        for i in alive:
            if i == left or best[i][1] in (left, right):
                best[i] = _nearest(i, alive, total, members)
            else:
                best[i] = max(best[i], (_mean(i, left, total, members), left), key=lambda b: (b[0], -b[1]))
    return made


def _sum(affinity: Matrix, a: Sequence[int], b: Sequence[int]) -> float:
    return sum(affinity[i][j] for i in a for j in b)


def _mean(i: int, j: int, total: Matrix, members: Sequence[Sequence[int]]) -> float:
    return total[i][j] / (len(members[i]) * len(members[j]))


def _nearest(i: int, alive: Sequence[int], total: Matrix, members: Sequence[Sequence[int]]) -> tuple[float, int]:
    nearest, score = -1, APART
    for j in alive:
        if j != i and (mean := _mean(i, j, total, members)) > score:
            nearest, score = j, mean
    return score, nearest
