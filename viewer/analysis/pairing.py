"""Which items of two lists are the same item: by an identity key, else by what they hold.

Nothing here looks at positions first. Items without usable ids are aligned by a longest common
subsequence of equal ones; what is left between two anchors is paired by likeness.
"""

from collections import defaultdict, deque
from collections.abc import Iterator
from typing import Any, NamedTuple

from rapidfuzz.distance import LCSseq

from viewer.analysis.sequence import Alphabet, common, increasing
from viewer.equality import same
from viewer.errors import PointerError
from viewer.model import MISSING
from viewer.pointer import find, get

LIKENESS_CELLS = 1_024
"""Most pairs of leftover items whose likeness is measured; beyond, they pair in order."""
_TEXT = 200
"""Characters of a string that likeness looks at."""
STRONG = ("id", "seq")
"""Names that are an item's own wherever they stand."""
_WEAK = ("_id", "uuid", "key", "name")


class Identity(NamedTuple):
    """The key that tells the items of two lists apart, with its value for each item."""

    key: str
    base: list[Any]
    target: list[Any]
    strong: bool
    """An item with another id is another item, however alike; else likeness may still pair them."""


def identity(
    base: list[Any], target: list[Any], declared: str | None = None
) -> tuple[Identity | None, str]:
    """Return the identity of two non-empty lists, or None; and why a wanted key was refused.

    The ``declared`` key comes first, then ``id`` and ``seq``. Other id-like names (``*_id``,
    ``key``, ``name`` …) count only where both sides share a value, because they may be references
    to something else. Ids are text or integers, on every item, and unique on each side.
    """
    first = base[0]
    if type(first) is not dict:
        return None, ""
    refused = ""
    for key in (declared, *STRONG):
        if key is None or value_at(first, key) is MISSING:
            continue
        values, why = _ids(base, target, key)
        if values is not None:
            return Identity(key, *values, True), refused
        refused = refused or why
    for key in _weak_keys(first):
        values, _ = _ids(base, target, key)
        if values is not None and not set(values[0]).isdisjoint(values[1]):
            return Identity(key, *values, False), refused
    return None, refused


def _weak_keys(first: dict[str, Any]) -> list[str]:
    names = [k for k in first if k.endswith(("_id", "Id", "ID")) and k not in _WEAK]
    return [*(k for k in _WEAK[:-1] if k in first), *names, *(k for k in _WEAK[-1:] if k in first)]


def value_at(entry: Any, key: str) -> Any:
    """Return what identifies ``entry``: its member ``key``, or with a slash in front what stands
    at that JSON Pointer inside it (an item wrapped in its class name); `MISSING` where nothing is.
    """
    if type(entry) is not dict:
        return MISSING
    return find(entry, key, MISSING) if key[:1] == "/" else entry.get(key, MISSING)


def _ids(
    base: list[Any], target: list[Any], key: str
) -> tuple[tuple[list[Any], list[Any]] | None, str]:
    try:
        # Most keys are plain members, and reading those in place is most of the speed here.
        read = key[:1] == "/"
        a = [get(entry, key) for entry in base] if read else [entry[key] for entry in base]
        b = [get(entry, key) for entry in target] if read else [entry[key] for entry in target]
    except (KeyError, TypeError, IndexError, PointerError):
        return None, f"{key} is missing on an item"
    if not {*map(type, a), *map(type, b)} <= {str, int}:
        return None, f"{key} is neither text nor an integer on an item"
    if len(set(a)) != len(a) or len(set(b)) != len(b):
        return None, f"{key} repeats"
    return (a, b), ""


class Alignment(NamedTuple):
    """How the items of a target list came from a base list."""

    source: list[int]
    """For each target item the position of the same item in the base; -1 where there is none."""
    moved: set[int]
    """Target positions of the items that changed places."""
    strong: bool
    """Leftovers are other items for certain; else likeness may still pair them."""
    refused: str
    """Why a key that looked like an id was not used; empty when none was refused."""
    key: str | None = None
    """The identity that paired the items; None where what they hold did."""


def align(base: list[Any], target: list[Any], declared: str | None = None) -> Alignment:
    """Return the alignment of two non-empty lists; ``declared`` is the profile's identity key.

    Equal items at both fronts or both backs are cut off before (`list_changes.ends`).
    """
    found, refused = identity(base, target, declared)
    if found is not None:
        places = {value: i for i, value in enumerate(found.base)}
        source = [places.get(value, -1) for value in found.target]
        return Alignment(source, _moved(source), found.strong, refused, found.key)
    if len(base) == len(target) == 1:
        return Alignment([-1], set(), False, refused)
    alphabet = Alphabet()
    a, b = list(map(alphabet.number, base)), list(map(alphabet.number, target))
    source = [-1] * len(b)
    for i, j in common(a, b):
        source[j] = i
    kept = set(source)
    spare: dict[int, deque[int]] = defaultdict(deque)
    for i, number in enumerate(a):
        if i not in kept:
            spare[number].append(i)
    moved = set()
    for j, number in enumerate(b):
        if source[j] < 0 and spare.get(number):
            source[j] = spare[number].popleft()
            moved.add(j)
    return Alignment(source, moved, False, refused)


def _moved(source: list[int]) -> set[int]:
    kept = [j for j, i in enumerate(source) if i >= 0]
    order = [source[j] for j in kept]
    stay = increasing(order)
    if len(stay) == len(kept):
        return set()
    return set(kept) - {kept[position] for position in stay}


def gaps(alignment: Alignment, size: int) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the leftover base and target positions between two anchors, where both sides have some.

    Args:
        alignment: of a base list with ``size`` items.
        size: number of base items.
    """
    used = set(alignment.source)
    i = 0
    fresh: list[int] = []
    for j, source in enumerate([*alignment.source, size]):
        if source < 0:
            fresh.append(j)
        elif j not in alignment.moved:
            gone = [k for k in range(i, source) if k not in used]
            if gone and fresh:
                yield gone, fresh
            i, fresh = source + 1, []


def likeness(a: Any, b: Any, depth: int = 3) -> float:
    """Return how much of ``a`` and ``b`` is the same, 0 to 1, looking ``depth`` levels down."""
    if same(a, b):
        return 1.0
    kind = type(a)
    if kind is not type(b):
        return 0.0
    if kind is str:
        shared = LCSseq.normalized_similarity(a[:_TEXT], b[:_TEXT])
        return max(0.0, 2 * float(shared) - 1)  # any two texts of a language share half
    if not depth or not a or not b:
        return 0.0
    if kind is dict:
        shared = sum(likeness(a[k], b[k], depth - 1) for k in a if k in b)
        return shared / len(a.keys() | b.keys())
    if kind is list:
        shared = sum(likeness(x, y, depth - 1) for x, y in zip(a[:50], b[:50], strict=False))
        return shared / min(50, max(len(a), len(b)))
    return 0.0


def alike(base: list[Any], target: list[Any]) -> list[tuple[int, int]]:
    """Return pairs, in order on both sides, that make the leftovers of one gap most alike."""
    m, n = len(base), len(target)
    if m == n == 1 or m * n > LIKENESS_CELLS:
        return [(k, k) for k in range(min(m, n))]
    # A little for any pair, so that as many as possible are tried.
    score = [[likeness(x, y) + 0.01 for y in target] for x in base]
    best = [[0.0] * (n + 1) for _ in range(m + 1)]
    for i in range(m - 1, -1, -1):
        for j in range(n - 1, -1, -1):
            best[i][j] = max(best[i + 1][j + 1] + score[i][j], best[i + 1][j], best[i][j + 1])
    pairs, i, j = [], 0, 0
    while i < m and j < n:
        if best[i][j] == best[i + 1][j + 1] + score[i][j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs
