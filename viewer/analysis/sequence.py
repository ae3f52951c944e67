"""Longest common and longest increasing subsequences of lists, exact and bounded.

`Alphabet` turns JSON values into numbers, equal numbers for equal values; the rest works on those.
"""

import json
from bisect import bisect_left
from collections.abc import Sequence
from operator import lt
from typing import Any

import msgspec
from rapidfuzz.distance import LCSseq

CELLS = 400_000_000
"""Largest LCS table, in bits: 50 MB."""
_encode = msgspec.json.Encoder(order="sorted").encode


def increasing(numbers: Sequence[int]) -> list[int]:
    """Return the positions in ``numbers`` of one longest increasing subsequence."""
    if all(map(lt, numbers, numbers[1:])):
        return list(range(len(numbers)))
    tails: list[int] = []
    ends: list[int] = []
    before = [-1] * len(numbers)
    for position, number in enumerate(numbers):
        slot = bisect_left(tails, number)
        if slot == len(tails):
            tails.append(number)
            ends.append(position)
        else:
            tails[slot], ends[slot] = number, position
        before[position] = ends[slot - 1] if slot else -1
    chosen = []
    position = ends[-1] if ends else -1
    while position >= 0:
        chosen.append(position)
        position = before[position]
    return chosen[::-1]


class Alphabet:
    """Numbers equal values alike and unlike ones apart, exactly as `viewer.equality.same` judges.

    The numbers are dense: rapidfuzz compares elements by hash only, where -1 and -2 collide.
    """

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}
        self._seen: dict[int, int] = {}

    def number(self, value: Any) -> int:
        """Return the number of ``value``."""
        kind = type(value)
        if kind is str:
            return self._numbers.setdefault(value, len(self._numbers))
        if kind is dict or kind is list:
            known = self._seen.get(id(value))
            if known is None:
                known = self._seen[id(value)] = self._container(value)
            return known
        return self._numbers.setdefault(
            (kind, value if value == value else "NaN"), len(self._numbers)
        )

    def _container(self, value: Any) -> int:
        try:
            text = _encode(value)
            if b"-0.0" in text:
                value = _unsigned(value)
                text = _encode(value)
            if b"null" in text:  # msgspec writes NaN and the infinities as null
                raw = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
                return self._numbers.setdefault(("json", raw), len(self._numbers))
        except (ValueError, TypeError, OverflowError, RecursionError):
            return self._slowly(value)
        return self._numbers.setdefault(text, len(self._numbers))

    def _slowly(self, root: Any) -> int:
        """Number children before parents, by an own stack: any depth, any text, any integer."""
        done: dict[int, int] = {}
        stack = [root]
        while stack:
            value = stack[-1]
            keyed = type(value) is dict
            children = value.values() if keyed else value
            waiting = [c for c in children if type(c) in (dict, list) and id(c) not in done]
            if waiting:
                stack.extend(waiting)
                continue
            stack.pop()
            parts = tuple(
                done[id(c)] if type(c) in (dict, list) else self.number(c) for c in children
            )
            token = frozenset(zip(value, parts, strict=True)) if keyed else parts
            done[id(value)] = self._numbers.setdefault((keyed, token), len(self._numbers))
        return done[id(root)]


def _unsigned(root: Any) -> Any:
    """Return a copy of ``root`` where every -0.0 is 0.0."""
    holder: list[Any] = [root]
    waiting: list[Any] = [holder]
    while waiting:
        into = waiting.pop()
        for token, value in list(into.items() if type(into) is dict else enumerate(into)):
            if type(value) is float and value == 0.0:
                into[token] = 0.0
            elif type(value) is dict or type(value) is list:
                into[token] = value.copy()
                waiting.append(into[token])
    return holder[0]


def common(base: Sequence[int], target: Sequence[int]) -> list[tuple[int, int]]:
    """Return the pairs of positions of a longest common subsequence of two number lists.

    Above `CELLS` the lists are first cut at numbers that stand once on each side (patience), and
    pieces that are still too large in halves; the result is then common, but maybe not longest.
    """
    pairs: list[tuple[int, int]] = []
    pieces = [(0, len(base), 0, len(target))]
    while pieces:
        i, i_end, j, j_end = pieces.pop()
        if i == i_end or j == j_end:
            continue
        if (i_end - i) * (j_end - j) <= CELLS:
            for block in LCSseq.opcodes(base[i:i_end], target[j:j_end]).as_matching_blocks():
                shift = range(block.size)
                pairs.extend((i + block.a + k, j + block.b + k) for k in shift)
            continue
        anchors = _anchors(base, target, i, i_end, j, j_end)
        if not anchors:
            i_mid, j_mid = (i + i_end) // 2, (j + j_end) // 2
            pieces += [(i, i_mid, j, j_mid), (i_mid, i_end, j_mid, j_end)]
            continue
        for p, q in anchors:
            pieces.append((i, p, j, q))
            pairs.append((p, q))
            i, j = p + 1, q + 1
        pieces.append((i, i_end, j, j_end))
    return sorted(pairs)


def _anchors(
    base: Sequence[int], target: Sequence[int], i: int, i_end: int, j: int, j_end: int
) -> list[tuple[int, int]]:
    def once(numbers: Sequence[int], start: int, end: int) -> dict[int, int]:
        places: dict[int, int] = {}
        for position in range(start, end):
            places[numbers[position]] = -1 if numbers[position] in places else position
        return {number: position for number, position in places.items() if position >= 0}

    there = once(target, j, j_end)
    pairs = [(p, there[n]) for n, p in once(base, i, i_end).items() if n in there]
    return [pairs[k] for k in increasing([q for _, q in pairs])]
