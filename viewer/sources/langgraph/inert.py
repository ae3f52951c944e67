"""What a pickle describes, as inert nodes, and those as tagged JSON.

A stub stands for an object that a pickle would have made: the class's name and what it would have
been given, nothing more. As JSON it is ``{"$type": "module.Name", "$ctor": "pickle", …}`` with
``value`` where it was given one thing (a state, one argument, members or entries), otherwise
``args``, ``kwargs``, ``state``, ``items`` and ``entries`` as far as there are any. A class or
function that is only named has ``"$ctor": "global"``. Tuples become lists, as they do in msgpack.
"""

import base64
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from viewer.errors import ParseFault
from viewer.sources.langgraph.masks import is_secret, masked
from viewer.sources.langgraph.pickled_times import pickled_time
from viewer.sources.langgraph.sets import SETS, sorted_members

LONG_INTEGER_BITS = 13_000
"""Longer integers become hexadecimal text: Python refuses to print 4300 digits and more."""
UNFOLDED = 16 * 1024 * 1024
"""What one value may weigh as text; in a pickle a part can stand any number of times at no cost."""
UNFOLDED_TIMES = 4
"""Larger pickles may weigh so many times their own size."""
_SCALAR = 8
_PYDANTIC = ("__pydantic_fields_set__", "__fields_set__")
"""Beside ``__dict__`` in the state of a model of pydantic 2 and 1."""


class Stub:
    """An object; with ``args`` None a class or function that is only named."""

    __slots__ = ("args", "entries", "items", "kwargs", "state", "type_name")

    def __init__(self, type_name: str, args: Sequence[Any] | None = None) -> None:
        self.type_name = type_name
        """``module.Name``"""
        self.args = args
        self.kwargs: Any = None
        self.state: Any = None
        self.items: list[Any] = []
        self.entries = Entries()


class Entries:
    """A dict: keys and values as they come, for a key may be anything here."""

    __slots__ = ("pairs",)

    def __init__(self) -> None:
        self.pairs: list[tuple[Any, Any]] = []


_States = dict[int, tuple[Any, "Entries | None"]]
"""What `_state` returned, by the state's identity."""


class _Plan(NamedTuple):
    """How the JSON of a node is made from the JSON of its parts."""

    parts: Sequence[Any]
    build: Callable[[list[Any]], Any]
    weight: int = _SCALAR
    """Of what is no part: names and keys."""
    levels: int = 1
    """How much deeper the deepest part stands than the node."""


class _Made(NamedTuple):
    """The JSON of a node."""

    value: Any
    weight: int
    height: int
    node: Any = None
    """Kept, so that no other node gets its identity."""


class _Frame:
    """A node whose parts are being turned into JSON."""

    __slots__ = ("height", "made", "node", "plan", "weight")

    def __init__(self, node: Any, plan: _Plan) -> None:
        self.node = node
        self.plan = plan
        self.made: list[Any] = []
        self.weight = plan.weight
        self.height = 0


def tagged_nodes(root: Any, *, depth: int, size: int, exact: bool = False) -> Any:
    """Return nodes as tagged JSON; what stands twice in the pickle is one object.

    Args:
        root: what ``opcodes.inert`` returned.
        depth: deepest nesting allowed.
        size: bytes of the pickle, from which follows how much text it may unfold to.
        exact: secrets are not masked and members of sets stay in their order.

    Raises:
        ParseFault: it nests too deep.
    """
    return _Unfolding(depth, size, exact=exact).made(root)


class _Unfolding:
    """Turns nodes into JSON without recursion."""

    def __init__(self, depth: int, size: int, *, exact: bool) -> None:
        self._depth = depth
        self._budget = max(UNFOLDED, UNFOLDED_TIMES * size)
        self._parts = 0
        self._most_parts = 4 * size + 1_000
        self._exact = exact
        self._done: dict[int, _Made] = {}
        self._open: set[int] = set()
        self._frames: list[_Frame] = []
        self._states: _States = {}

    def made(self, root: Any) -> Any:
        found = self._known(root)
        while self._frames:
            frame = self._frames[-1]
            if found is not None:
                frame.made.append(found.value)
                frame.weight += found.weight
                frame.height = max(frame.height, found.height)
            if len(frame.made) < len(frame.plan.parts):
                found = self._known(frame.plan.parts[len(frame.made)])
            else:
                found = self._closed(frame)
        assert found is not None  # noqa: S101 (the last frame closed, or there was none)
        return found.value

    def _closed(self, frame: _Frame) -> _Made:
        self._frames.pop()
        self._open.discard(id(frame.node))
        height = frame.height + frame.plan.levels
        if height > self._depth:
            raise _too_deep(self._depth)
        if frame.weight > self._budget:
            reason = f"its parts repeat each other so often that it passes {self._budget} bytes"
            value: Any = {"$type": "not_unfolded", "reason": reason}
            done = _Made(value, len(reason), 1, frame.node)
        else:
            done = _Made(frame.plan.build(frame.made), frame.weight, height, frame.node)
        self._done[id(frame.node)] = done
        return done

    def _known(self, node: Any) -> _Made | None:
        """Return the JSON of a node that has it; otherwise open its frame and return None."""
        kind = type(node)
        if node is None or kind is bool or kind is float:
            return _Made(node, _SCALAR, 0)
        if kind is str:
            return _Made(node, _SCALAR + len(node), 0)
        if kind is int and node.bit_length() <= LONG_INTEGER_BITS:
            return _Made(node, _SCALAR + node.bit_length() // 3, 0)
        if id(node) in self._open:
            return _Made({"$type": "cycle"}, _SCALAR, 1)
        done = self._done.get(id(node))
        if done is None and (kind is int or kind is bytes):
            done = self._done[id(node)] = _long(node)
        elif done is None:
            self._opened(node)
        return done

    def _opened(self, node: Any) -> None:
        plan = self._plan(node)
        self._parts += len(plan.parts)
        if self._parts > self._most_parts:
            raise ParseFault("a pickle that takes its parts up over and over")
        if len(self._frames) >= self._depth:
            raise _too_deep(self._depth)
        self._open.add(id(node))
        self._frames.append(_Frame(node, plan))

    def _plan(self, node: Any) -> _Plan:
        if isinstance(node, Entries):
            return _entries_plan(node)
        if isinstance(node, Stub):
            given = _given(node, self._states)
            if self._hides(node):
                return _secret_plan(node, given)
            return _stub_plan(node, given, self._exact)
        return _Plan(node, list)

    def _hides(self, stub: Stub) -> bool:
        return not self._exact and stub.args is not None and is_secret(stub.type_name)


def _too_deep(depth: int) -> ParseFault:
    return ParseFault(f"nested deeper than {depth} levels")


def _long(node: int | bytes) -> _Made:
    if isinstance(node, int):
        text = hex(node)
        return _Made({"$type": "int", "hex": text}, _SCALAR + len(text), 1, node)
    text = base64.b64encode(node).decode("ascii")
    return _Made({"$type": "bytes", "b64": text}, _SCALAR + len(text), 1, node)


def _entries_plan(entries: Entries) -> _Plan:
    keys = [key for key, _ in entries.pairs]
    if all(type(key) is str for key in keys) and "$type" not in keys:
        words = dict.fromkeys(keys)
        if len(words) == len(keys):
            weight = _SCALAR + sum(map(len, keys)) + len(keys)
            parts = [value for _, value in entries.pairs]
            return _Plan(parts, lambda made: dict(zip(keys, made, strict=True)), weight)
    flat = [part for pair in entries.pairs for part in pair]
    return _Plan(flat, _map, levels=3)


def _map(made: list[Any]) -> Any:
    return {"$type": "map", "items": [[made[i], made[i + 1]] for i in range(0, len(made), 2)]}


def _head(stub: Stub) -> dict[str, Any]:
    return {"$type": stub.type_name, "$ctor": "global" if stub.args is None else "pickle"}


def _stub_plan(stub: Stub, given: dict[str, Any], exact: bool) -> _Plan:
    moment = None if exact else pickled_time(stub.type_name, stub.args)
    if moment is not None:
        return _Plan([], lambda _: {**_head(stub), "value": moment}, _SCALAR + len(moment))
    weight = _SCALAR + len(stub.type_name)
    if "value" in given and stub.type_name in SETS and not exact:
        return _Plan([given["value"]], lambda made: _set(stub, made[0]), weight)
    return _Plan(
        list(given.values()), lambda made: _head(stub) | dict(zip(given, made, strict=True)), weight
    )


def _set(stub: Stub, members: Any) -> Any:
    return _head(stub) | {
        "value": sorted_members(members) if isinstance(members, list) else members
    }


def _secret_plan(stub: Stub, given: dict[str, Any]) -> _Plan:
    """Return a plan whose parts are made only to be numbered."""
    return _Plan(
        list(given.values()),
        lambda made: masked(_head(stub), made),
        _SCALAR + len(stub.type_name),
    )


def _given(stub: Stub, states: _States) -> dict[str, Any]:
    """Return what an object was given, by kind, and as ``value`` where it is one thing.

    In ``states`` a state that many objects share is looked through once.
    """
    state, beside = states.get(id(stub.state)) or _state(stub.state)
    if stub.state is not None:
        states[id(stub.state)] = state, beside
    parts = {
        "args": stub.args or None,
        "kwargs": stub.kwargs,
        "state": state,
        "items": stub.items or None,
        "entries": stub.entries if stub.entries.pairs else None,
    }
    given = {kind: part for kind, part in parts.items() if part is not None}
    if len(given) == 1:
        ((kind, part),) = given.items()
        if kind != "args":
            given = {"value": part}
        elif len(part) == 1:
            given = {"value": part[0]}
    if beside is not None:
        given["$pydantic"] = beside
    return given


def _state(state: Any) -> tuple[Any, Entries | None]:
    """Return the fields that a state holds, and what pydantic keeps beside them.

    ``(dict, slots)`` is what ``object.__reduce_ex__`` gives for a class with slots; pydantic gives a
    dict with ``__dict__`` in it.
    """
    if type(state) is tuple and len(state) == 2 and isinstance(state[1], Entries):
        merged = Entries()
        if isinstance(state[0], Entries):
            merged.pairs = [*state[0].pairs, *state[1].pairs]
        elif state[0] is None:
            merged.pairs = state[1].pairs
        else:
            return state, None
        return merged, None
    if isinstance(state, Entries):
        named = {key: value for key, value in state.pairs if type(key) is str}
        if "__dict__" in named and any(own in named for own in _PYDANTIC):
            beside = Entries()
            beside.pairs = [(k, v) for k, v in state.pairs if k != "__dict__" and v is not None]
            return named["__dict__"], beside
    return state, None
