"""Lists compared as bags: order means nothing at any depth, how often an item stands does.

Equal items cancel first. What is left is paired by identity, else by DeepDiff's distance with
``ignore_order``; each pair is then compared inside by the same rule. DeepDiff only proposes pairs:
it joins several equal items with one, and reads True as 1 in lists, so its counts are not used.
"""

from collections import Counter, defaultdict
from typing import Any

from viewer.analysis.pairing import identity
from viewer.analysis.sequence import Alphabet
from viewer.model import MISSING, Change
from viewer.pointer import Tokens

PROPOSALS = 2_500
"""Most pairs of leftovers among which DeepDiff is asked; beyond, they are removed and added."""
_CLOSE = 0.5
"""DeepDiff's distance (0 equal, 1 nothing shared) up to which two items belong together."""

_Job = Change | tuple[Any, Any, Tokens, Tokens]


def bag_changes(base: Any, target: Any) -> list[Change]:
    """Return the changes from ``base`` to ``target``, each list taken as a bag.

    They tell all that was lost, gained or changed, but not where a list's items now stand.
    """
    bags = Bags()
    out: list[Change] = []
    jobs: list[_Job] = [(base, target, (), ())]
    while jobs:
        job = jobs.pop()
        if isinstance(job, Change):
            out.append(job)
            continue
        a, b, at, to = job
        if bags.number(a) == bags.number(b):
            continue
        if type(a) is dict and type(b) is dict:
            jobs.extend(reversed(_members(a, b, at, to)))
        elif type(a) is list and type(b) is list:
            jobs.extend(reversed(_items(a, b, at, to, bags)))
        else:
            out.append(Change("replace", to, at, a, b))
    return out


class Bags:
    """Numbers values alike exactly when they are equal but for the order of lists."""

    def __init__(self) -> None:
        self._alphabet = Alphabet()
        self._numbers: dict[Any, int] = {}
        self._seen: dict[int, int] = {}

    def number(self, root: Any) -> int:
        """Return the number of ``root``, which must outlive this object."""
        waiting = [root]
        while waiting:
            value = waiting[-1]
            if type(value) not in (dict, list) or id(value) in self._seen:
                waiting.pop()
                continue
            children = value.values() if type(value) is dict else value
            below = [c for c in children if type(c) in (dict, list) and id(c) not in self._seen]
            if below:
                waiting.extend(below)
                continue
            waiting.pop()
            numbers = [self._known(child) for child in children]
            pairs = zip(value, numbers, strict=True) if type(value) is dict else Counter(numbers)
            entries = pairs.items() if isinstance(pairs, Counter) else pairs
            token = (type(value), frozenset(entries))
            self._seen[id(value)] = self._numbers.setdefault(token, -1 - len(self._numbers))
        return self._known(root)

    def _known(self, value: Any) -> int:
        if type(value) in (dict, list):
            return self._seen[id(value)]
        return self._alphabet.number(value)

    def worded(self, value: Any) -> Any:
        """Return ``value`` with every scalar replaced by a word that stands for exactly it."""
        if type(value) is dict:
            return {key: self.worded(child) for key, child in value.items()}
        if type(value) is list:
            return [self.worded(child) for child in value]
        return f"w{self._alphabet.number(value)}"


def _members(a: dict[str, Any], b: dict[str, Any], at: Tokens, to: Tokens) -> list[_Job]:
    jobs: list[_Job] = []
    for key, x in a.items():
        if key in b:
            jobs.append((x, b[key], (*at, key), (*to, key)))
        else:
            jobs.append(Change("remove", (*at, key), (*at, key), x, MISSING))
    jobs.extend(Change("add", (*to, key), at, MISSING, y) for key, y in b.items() if key not in a)
    return jobs


def _items(a: list[Any], b: list[Any], at: Tokens, to: Tokens, bags: Bags) -> list[_Job]:
    """Cancel equal items, pair the rest; of several equal items the first ones cancel."""
    spare: dict[int, list[int]] = defaultdict(list)
    for j in range(len(b) - 1, -1, -1):
        spare[bags.number(b[j])].append(j)
    gone = []
    for i, x in enumerate(a):
        places = spare[bags.number(x)]
        if places:
            places.pop()
        else:
            gone.append(i)
    fresh = sorted(j for places in spare.values() for j in places)
    pairs = _pairs([a[i] for i in gone], [b[j] for j in fresh], bags)
    partner = {gone[p]: fresh[q] for p, q in pairs}
    jobs: list[_Job] = []
    for i in gone:
        here = (*at, i)
        if i in partner:
            jobs.append((a[i], b[partner[i]], here, (*to, partner[i])))
        else:
            jobs.append(Change("remove", here, here, a[i], MISSING))
    taken = set(partner.values())
    jobs.extend(Change("add", (*to, j), at, MISSING, b[j]) for j in fresh if j not in taken)
    return jobs


def _pairs(a: list[Any], b: list[Any], bags: Bags) -> list[tuple[int, int]]:
    if not a or not b:
        return []
    found, _ = identity(a, b)
    if found is not None:
        places = {value: j for j, value in enumerate(found.target)}
        return [(i, places[value]) for i, value in enumerate(found.base) if value in places]
    if len(a) * len(b) > PROPOSALS:
        return []
    return _proposed(_once(a, bags), _once(b, bags), bags)


def _once(values: list[Any], bags: Bags) -> dict[int, Any]:
    """Return position → value of the containers among ``values``, the first of equal ones."""
    first: dict[int, int] = {}
    for position, value in enumerate(values):
        if type(value) in (dict, list):
            first.setdefault(bags.number(value), position)
    return {position: values[position] for position in first.values()}


def _proposed(a: dict[int, Any], b: dict[int, Any], bags: Bags) -> list[tuple[int, int]]:
    if not a or not b:
        return []
    from deepdiff import DeepDiff  # pulls pandas: only when it is needed

    try:
        tree = DeepDiff(
            [bags.worded(value) for value in a.values()],
            [bags.worded(value) for value in b.values()],
            ignore_order=True,
            report_repetition=True,
            ignore_private_variables=False,
            threshold_to_diff_deeper=0,
            cutoff_intersection_for_pairs=1,
            cutoff_distance_for_pairs=_CLOSE,
            view="tree",
        )
    except RecursionError:
        return []
    olds, news = list(a), list(b)
    partner: dict[int, int] = {}
    for kind, levels in tree.items():
        for level in levels:
            old = level.path(output_format="list")
            new = level.path(output_format="list", use_t2=True)
            whole = len(old) == 1 and kind.startswith("iterable_item")
            if not whole and type(a[olds[old[0]]]) is type(b[news[new[0]]]):
                partner.setdefault(olds[old[0]], news[new[0]])
    once = {j: i for i, j in reversed(partner.items())}  # of two claims the first one holds
    return [(i, j) for j, i in once.items()]
