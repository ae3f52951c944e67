"""JSON Patch (RFC 6902): validated before it is applied, applied by copying only what it changes.

`test` compares as the rest of the program does (``viewer.equality``), so ``1`` is not ``1.0``
here, where the RFC would call them equal.
"""

from typing import Any, NamedTuple

from viewer.equality import same
from viewer.errors import PatchError, PointerError
from viewer.pointer import array_index, join, split

OPS = ("add", "remove", "replace", "move", "copy", "test")
_COPIED = 1_000_000
"""Most that the ``copy`` operations of one patch may repeat: each may double a document."""
_COPIED_IN_ALL = 4_000_000
"""Most that those of all patches of one chain may repeat."""
_WEIGHED = 32
"""Characters of a text that weigh as much as one more value."""


class Operation(NamedTuple):
    """One validated operation; ``source`` is ``from``, ``value`` stands where the op has one."""

    op: str
    path: tuple[str, ...]
    source: tuple[str, ...]
    value: Any


class Room:
    """What the ``copy`` operations of one chain's patches may still repeat."""

    def __init__(self) -> None:
        self.left = _COPIED_IN_ALL


def validated(patch: Any) -> tuple[Operation, ...]:
    """Return the operations of ``patch``.

    Raises:
        PatchError: it is no JSON Patch; the message names the operation by its index.
    """
    if not isinstance(patch, list):
        raise PatchError("a JSON Patch is an array of operations")
    return tuple(_operation(index, entry) for index, entry in enumerate(patch))


def apply(document: Any, patch: Any, depth: int = 400, room: Room | None = None) -> Any:
    """Return ``document`` changed by ``patch``; untouched subtrees are shared with it.

    Args:
        document: any JSON value; it is not mutated.
        patch: operations from `validated`, or the patch itself.
        depth: deepest nesting of the result.
        room: shared by the patches of one chain, each of which may build on copies before it.

    Raises:
        PatchError: an operation is malformed or cannot be carried out; the message names it.
    """
    operations = patch if isinstance(patch, tuple) else validated(patch)
    work = _Work(document, depth, room or Room())
    for index, operation in enumerate(operations):
        try:
            work.run(operation)
        except PatchError as error:
            raise PatchError(f"{_name(index, operation.op, operation.path)}: {error}") from error
    return work.root[0]


def _operation(index: int, entry: Any) -> Operation:
    if not isinstance(entry, dict):
        raise PatchError(f"operation {index} is not an object")
    op = entry.get("op")
    if not isinstance(op, str) or op not in OPS:
        shown = f"op {op!r}" if "op" in entry else "no op"
        raise PatchError(f"operation {index} has {shown[:40]}; there are {', '.join(OPS)}")
    path = _pointer(index, op, entry, "path")
    source = _pointer(index, op, entry, "from") if op in ("move", "copy") else ()
    if op in ("add", "replace", "test") and "value" not in entry:
        raise PatchError(f"{_name(index, op, path)}: no value")
    if op == "move" and len(source) < len(path) and path[: len(source)] == source:
        raise PatchError(f"{_name(index, op, path)}: cannot move {join(source)!r} into itself")
    if op == "remove" and not path:
        raise PatchError(f"{_name(index, op, path)}: the whole document cannot be removed")
    return Operation(op, path, source, entry.get("value"))


def _pointer(index: int, op: str, entry: dict[str, Any], member: str) -> tuple[str, ...]:
    text = entry.get(member)
    if not isinstance(text, str):
        raise PatchError(f"operation {index} ({op}): {member!r} must be a JSON Pointer")
    if text[:1] == "/" and "~" not in text:
        return tuple(text[1:].split("/"))
    try:
        return split(text)
    except PointerError as error:
        raise PatchError(f"operation {index} ({op}): {member!r}: {error}") from error


def _name(index: int, op: str, path: tuple[str, ...]) -> str:
    return f"operation {index} ({op} {join(path) or '(the whole document)'})"


class _Work:
    """A document while its patch is applied: containers on a changed path are copied once."""

    def __init__(self, document: Any, depth: int, room: Room) -> None:
        self.root = [document]
        self._depth = depth
        # Containers made here, kept alive so that their ids stay theirs.
        self._own: dict[int, Any] = {}
        self._left = _COPIED
        self._room = room

    def run(self, operation: Operation) -> None:
        """Carry out one operation."""
        op, path, source, value = operation
        if op == "test":
            if not same(self._at(path), value):
                raise PatchError("the value there is another")
        elif op == "remove":
            self._take(path)
        elif op == "replace":
            self._fits(path, value)
            if not path:
                self.root[0] = value
                return
            parent = self._parent(path)
            parent[self._existing(parent, path[-1])] = value
        elif op == "add":
            self._put(path, value)
        elif op == "move":
            if source != path:
                self._put(path, self._take(source))
            else:
                self._at(source)
        else:
            found = self._at(source)
            self._share(found)
            self._put(path, found)

    def _at(self, path: tuple[str, ...]) -> Any:
        value = self.root[0]
        for token in path:
            value = value[self._existing(value, token)]
        return value

    def _parent(self, path: tuple[str, ...]) -> Any:
        """Return the container that holds ``path``, ready to be written to."""
        holder: Any = self.root
        key: Any = 0
        for token in path[:-1]:
            holder = self._writable(holder, key)
            key = self._existing(holder, token)
        return self._writable(holder, key)

    def _writable(self, holder: Any, key: Any) -> Any:
        value = holder[key]
        if id(value) not in self._own:
            if type(value) is not dict and type(value) is not list:
                raise PatchError("a value on the way there is neither object nor array")
            value = holder[key] = value.copy()
            self._own[id(value)] = value
        return value

    def _existing(self, container: Any, token: str) -> Any:
        kind = type(container)
        if kind is dict:
            if token in container:
                return token
            raise PatchError(f"there is no key {token[:80]!r}")
        if kind is list:
            index = array_index(token)
            if index is not None and index < len(container):
                return index
            raise PatchError(f"there is no element {token[:80]!r} in an array of {len(container)}")
        raise PatchError("a value on the way there is neither object nor array")

    def _put(self, path: tuple[str, ...], value: Any) -> None:
        self._fits(path, value)
        if not path:
            self.root[0] = value
            return
        parent = self._parent(path)
        token = path[-1]
        if type(parent) is dict:
            parent[token] = value
            return
        index = len(parent) if token == "-" else array_index(token)
        if index is None or index > len(parent):
            raise PatchError(f"{token[:80]!r} is no place in an array of {len(parent)}")
        parent.insert(index, value)

    def _share(self, value: Any) -> None:
        """Make ``value`` fit to stand in two places: in neither is it written to without a copy."""
        most = min(self._left, self._room.left)
        level, weight = [value], 0
        while level:
            weight += len(level)
            below: list[Any] = []
            for here in level:
                if type(here) is str:
                    weight += len(here) // _WEIGHED
                elif type(here) is dict:
                    self._own.pop(id(here), None)
                    weight += sum(map(len, here)) // _WEIGHED
                    below += here.values()
                elif type(here) is list:
                    self._own.pop(id(here), None)
                    below += here
            if weight > most:
                raise PatchError(self._too_much())
            level = below
        self._left -= weight
        self._room.left -= weight

    def _too_much(self) -> str:
        if self._left <= self._room.left:
            return f"the patch copies more than {_COPIED} values"
        return f"the patches of this chain copy more than {_COPIED_IN_ALL} values"

    def _take(self, path: tuple[str, ...]) -> Any:
        if not path:
            return self.root[0]
        parent = self._parent(path)
        return parent.pop(self._existing(parent, path[-1]))

    def _fits(self, path: tuple[str, ...], value: Any) -> None:
        """Refuse a value that would stand deeper than the limit."""
        if type(value) is not dict and type(value) is not list:
            return
        room, level = self._depth - len(path), [value]
        while level:
            if room <= 0:
                raise PatchError(f"the result would be nested more than {self._depth} deep")
            room -= 1
            level = [
                child
                for here in level
                for child in (here.values() if type(here) is dict else here)
                if type(child) is dict or type(child) is list
            ]
