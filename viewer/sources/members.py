"""Whether the slices of a JSON object account for all of it: then no key stood twice."""

import msgspec

_HEADS = 4096
"""Most key texts remembered; beyond it memory is forgotten, not correctness."""


class KeyCheck:
    """Remembers how keys are written between two checks, since neighbours write them alike."""

    def __init__(self) -> None:
        self._heads: dict[tuple[bytes, bytes, str], bytes] = {}

    def once_each(self, raw: bytes, members: dict[str, msgspec.Raw]) -> bool:
        """Return whether no key stands twice in the object ``raw``, whose last values are given.

        A decoder that meets a key twice keeps one value and the other's text is left over. False
        also where the answer would need a closer look.
        """
        return _compact(raw, members) or self._regular(raw, members) or _counted(raw, members)

    def _regular(self, raw: bytes, members: dict[str, msgspec.Raw]) -> bool:
        """Walk key by key over an object written in one style; no byte may be left over."""
        first = raw.find(b'"')
        if first < 0 or not members:
            return not members
        lead = raw[1:first]
        comma = b"," + lead
        after = first + 2 + len(next(iter(members)).encode())
        colon = b": " if raw[after : after + 2] == b": " else b":"
        at = 1
        heads = self._heads
        begin = True
        for key, slice_ in members.items():
            head = heads.get((comma, colon, key))
            if head is None:
                if len(heads) >= _HEADS:
                    heads.clear()
                head = heads[comma, colon, key] = comma + b'"' + key.encode() + b'"' + colon
            if begin:
                head, begin = head[1:], False
            elif not lead and raw[at : at + 2] == b", ":
                head = b", " + head[1:]
            if not raw.startswith(head, at):
                return False
            at += len(head) + len(slice_)
        return raw[at : at + 64].strip(b" \t\r\n") == b"}" and at + 64 >= len(raw)


def _compact(raw: bytes, members: dict[str, msgspec.Raw]) -> bool:
    """Return whether ``raw`` is as short as any text with these keys and values can be."""
    keys = 4 * len(members) + 1 + sum(map(len, members))
    return len(raw) == keys + sum(map(len, members.values()))


def _counted(raw: bytes, members: dict[str, msgspec.Raw]) -> bool:
    """Count colons: each member has one, besides those inside its key and its value."""
    expected = len(members)
    for key, slice_ in members.items():
        if ":" in key and b"\\u003" in raw:
            return False
        expected += key.count(":") + bytes(slice_).count(b":")
    return raw.count(b":") == expected
