"""Records that yield no state: what they are reported as, and the gaps that they leave."""

from dataclasses import replace

from viewer.model import MISSING, Checkpoint, Problem, Record

CUT = "cut"
"""Keyword of the problem by which a reader says that it read an excerpt of a chain."""


class Faults:
    """Records that yield no state, and how many of them precede each listed record."""

    def __init__(self) -> None:
        self.gaps: dict[int, int] = {}
        self.lost: list[tuple[int, Record]] = []

    def problems(
        self,
        checkpoints: list[Checkpoint],
        position: dict[int, int],
        records: list[Record],
        *,
        cut: bool = False,
    ) -> list[Problem]:
        """Return one problem a fault, a gap, a duplicate key and a missing parent.

        With ``cut`` the source is an excerpt, which is said once: a parent outside is no fault.
        """
        found: list[tuple[int, Problem]] = []
        for before, record in self.lost:
            last = before - 1
            known = checkpoints[position[last]] if last >= 0 else None
            found.append(
                (
                    before,
                    Problem(
                        place=record.place,
                        reason=record.fault or "",
                        keyword=record.fault_keyword,
                        index=known.index if known else None,
                        no_state=True,
                    ),
                )
            )
        ids = {own.checkpoint_id for own in checkpoints}
        for old, record in enumerate(records):
            own = checkpoints[position[old]]
            circle = own.parent is None and own.parent_id in ids
            for problem in _own_problems(record, own, self.gaps.get(old, 0), circle=circle):
                if cut and problem.keyword == "missing_parent":
                    continue
                placed = replace(problem, checkpoint_id=own.checkpoint_id, index=own.index)
                found.append((old, placed))
        found.sort(key=lambda pair: pair[0])
        return [problem for _, problem in found]


def _own_problems(record: Record, own: Checkpoint, gap: int, *, circle: bool) -> list[Problem]:
    found = []
    if gap:
        what = "1 record is" if gap == 1 else f"{gap} records are"
        before = f"step {own.step}" if own.step is not None else f"checkpoint {own.checkpoint_id}"
        reason = f"{what} missing before {before}: the change from its parent may be several steps"
        found.append(Problem(place=record.place, reason=reason, keyword="gap"))
    if record.fault is not None:
        found.append(
            Problem(
                place=record.place,
                reason=record.fault,
                keyword=record.fault_keyword,
                no_state=record.state is MISSING,
            )
        )
    for pointer in record.duplicate_keys:
        reason = "key stands twice in one object; the last value is used"
        place = f"{record.place}{'' if record.pointer else '#'}{pointer}"
        found.append(Problem(place=place, reason=reason, keyword="duplicate_key"))
    if circle:
        reason = f"its parent {own.parent_id} descends from it: the circle is opened here"
        found.append(Problem(place=record.place, reason=reason, keyword="circle"))
    elif own.parent_id is not None and own.parent is None:
        reason = f"parent {own.parent_id} is not in the source"
        found.append(Problem(place=record.place, reason=reason, keyword="missing_parent"))
    return found


def sift(records: tuple[Record, ...]) -> tuple[list[Record], Faults]:
    """Part the records that are checkpoints from those that are only faults."""
    listed: list[Record] = []
    faults = Faults()
    gap = 0
    for record in records:
        if record.listed:
            if gap and listed:
                faults.gaps[len(listed)] = gap
            gap = 0
            listed.append(record)
        else:
            faults.lost.append((len(listed), record))
            gap += 1
    return listed, faults
