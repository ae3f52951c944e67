"""The stack machine that pickles are written for, moving inert nodes only.

Nothing is looked up, called, hashed or compared: what would import a class or call it leaves a
stub with its name and what it would have been given. ``opcodes`` says which byte means which move.
"""

from collections.abc import Sequence
from typing import Any

from viewer.errors import ParseFault
from viewer.sources.langgraph.inert import Entries, Stub

MOST_MARKS = 100_000
LONGEST_NAME = 4_096
"""Most characters of a module and a name together."""
_PROTOCOLS = range(6)
_OLD_MODULES = {"__builtin__": "builtins", "exceptions": "builtins", "copy_reg": "copyreg"}
_SPELT = {
    "builtins.bytes": 0,
    "_codecs.encode": 2,
    "copyreg.__newobj__": 1,
    "copyreg._reconstructor": 3,
}
"""Calls that only spell a value, and the fewest arguments that they take."""
_OLD_NAMES = {"unicode": "str", "long": "int", "xrange": "range", "unichr": "chr"}


class Machine:
    """A stack, a memo and a place in the bytes."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.at = 0
        self.old = True
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: dict[int, Any] = {}
        self.copied = 0
        self.frame_end = 0

    def take(self, count: int) -> bytes:
        """Return the next bytes."""
        if count < 0 or count > len(self.raw) - self.at:
            raise ValueError(f"{count} bytes wanted, {len(self.raw) - self.at} left")
        self.at += count
        return self.raw[self.at - count : self.at]

    def number(self, size: int) -> int:
        """Return the unsigned number in the next ``size`` bytes."""
        at = self.at
        if size == 1 and at < len(self.raw):
            self.at = at + 1
            return self.raw[at]
        return int.from_bytes(self.take(size), "little")

    def line(self) -> bytes:
        """Return what stands before the next line end."""
        end = self.raw.find(b"\n", self.at)
        if end < 0:
            raise ValueError("a line without end")
        found = self.raw[self.at : end]
        self.at = end + 1
        return found

    def word(self) -> str:
        """Return the next line as text."""
        return self.line().decode("utf-8", "backslashreplace")

    def push(self, node: Any) -> None:
        """Put a part on the stack."""
        self.stack.append(node)

    def pop(self) -> Any:
        """Return the top part; those below the last mark stay out of reach."""
        if len(self.stack) <= (self.marks[-1] if self.marks else 0):
            raise ValueError("nothing on the stack")
        return self.stack.pop()

    def top(self) -> Any:
        """Return the top part and leave it there."""
        if len(self.stack) <= (self.marks[-1] if self.marks else 0):
            raise ValueError("nothing on the stack")
        return self.stack[-1]

    def mark(self) -> None:
        """Remember how high the stack is."""
        if len(self.marks) >= MOST_MARKS:
            raise ParseFault(f"a pickle with more than {MOST_MARKS} open marks")
        self.marks.append(len(self.stack))

    def since_mark(self) -> list[Any]:
        """Return the parts above the last mark and take them off."""
        if not self.marks:
            raise ValueError("no mark")
        start = self.marks.pop()
        found = self.stack[start:]
        del self.stack[start:]
        return found

    def keep(self, key: int) -> None:
        """Remember the top part under a number."""
        self.memo[key] = self.top()

    def kept(self, key: int) -> None:
        """Put the part on the stack that stands under a number."""
        if key not in self.memo:
            raise ValueError(f"memo {key} is empty")
        self.push(self.memo[key])

    def named(self, module: Any, name: Any) -> Stub:
        """Return the stub of a class or function, by its name in Python 3."""
        if self.old:
            if module == "__builtin__":
                name = _OLD_NAMES.get(name, name) if isinstance(name, str) else name
            module = _OLD_MODULES.get(module, module) if isinstance(module, str) else module
        named = _text(module), _text(name)
        if sum(map(len, named)) > LONGEST_NAME:
            raise ValueError(f"a name of more than {LONGEST_NAME} characters")
        return Stub(".".join(named))

    def stacked_name(self) -> None:
        """Replace module and name by the stub of what they name."""
        name, module = self.pop(), self.pop()
        self.push(self.named(module, name))

    def protocol(self) -> None:
        """Take the protocol; up to the second, names are those of Python 2."""
        found = self.number(1)
        if found not in _PROTOCOLS:
            raise ParseFault(f"a pickle of protocol {found}, which is unknown")
        self.old = found < 3

    def frame(self) -> None:
        """Take the length of a frame, which only tells a pickle that is cut short."""
        size = self.number(8)
        self.frame_end = self.at + size

    def call(self) -> None:
        """Replace function and arguments by the stub of what a call would have made."""
        args, function = self.pop(), self.pop()
        name = function.type_name if isinstance(function, Stub) and function.args is None else ""
        if isinstance(args, tuple) and name in _SPELT and len(args) >= _SPELT[name]:
            self.push(self.spelt(name, args))
        else:
            self.push(_object(function, args))

    def spelt(self, name: str, args: tuple[Any, ...]) -> Any:
        """Return the bytes or the plain object that older protocols can only spell as a call."""
        if name == "builtins.bytes" and not args:
            return b""
        if name == "_codecs.encode" and isinstance(args[0], str) and args[1:] == ("latin1",):
            self.copies(len(args[0]))
            return args[0].encode("latin1")
        if name == "copyreg._reconstructor" and args[2] is None:
            return _object(args[0], ())
        if name == "copyreg.__newobj__":
            self.copies(len(args))
            return _object(args[0], args[1:])
        return Stub(name, args)

    def folded(self) -> Any:
        """Return the lowest part with what stands above it put into it; the stack is used up."""
        while self.marks:
            nodes = self.since_mark()
            if self.stack:
                self.put(nodes)
        while len(self.stack) > 1:
            nodes = [self.stack.pop()]
            if not isinstance(self.stack[-1], Entries | Stub | list):
                nodes.insert(0, self.stack.pop())
            if self.stack:
                self.put(nodes)
        return self.stack[0] if self.stack else None

    def put(self, nodes: list[Any]) -> None:
        """Put unfinished parts into the top part, if it is one that takes any."""
        into = self.stack[-1]
        if isinstance(into, list):
            into.extend(nodes)
        elif isinstance(into, Entries | Stub):
            pairs = into.entries.pairs if isinstance(into, Stub) else into.pairs
            pairs.extend(zip(nodes[::2], nodes[1::2], strict=False))

    def copies(self, count: int) -> None:
        """Count what is copied: a part that is kept can be copied any number of times."""
        self.copied += count
        if self.copied > 4 * len(self.raw) + 1_000:
            raise ParseFault("a pickle that copies its parts over and over")

    def make(self) -> None:
        """Replace class and arguments by the object that ``__new__`` would have made of them."""
        args, function = self.pop(), self.pop()
        self.push(_object(function, args))

    def make_named(self) -> None:
        """Like `make`, with named arguments too."""
        kwargs, args, function = self.pop(), self.pop(), self.pop()
        made = _object(function, args)
        if not (isinstance(kwargs, Entries) and not kwargs.pairs):
            made.kwargs = kwargs
        self.push(made)

    def instance(self) -> None:
        """Push the object of a named class, made of what stands above the mark."""
        module, name = self.word(), self.word()
        self.push(_object(self.named(module, name), tuple(self.since_mark())))

    def marked_instance(self) -> None:
        """Push the object of the class above the mark, made of what follows."""
        function, *args = self.since_mark() or [None]
        self.push(_object(function, tuple(args)))

    def build(self) -> None:
        """Give the top object the state that stands above it."""
        state, made = self.pop(), self.top()
        if not isinstance(made, Stub) or made.state is not None:
            raise ValueError("a state for what takes none")
        made.state = state

    def extend(self, nodes: list[Any]) -> None:
        """Append to the top list, set or object."""
        into = self.top()
        if isinstance(into, list):
            into.extend(nodes)
        elif isinstance(into, Stub):
            into.items.extend(nodes)
        else:
            raise ValueError("elements for what takes none")

    def set_items(self, nodes: list[Any]) -> None:
        """Put keys and values in turn into the top dict or object."""
        into = self.top()
        into = into.entries if isinstance(into, Stub) else into
        if not isinstance(into, Entries) or len(nodes) % 2:
            raise ValueError("entries for what takes none")
        into.pairs.extend(zip(nodes[::2], nodes[1::2], strict=True))

    def set_item(self) -> None:
        """Put one key and value into what stands below them."""
        value, key = self.pop(), self.pop()
        self.set_items([key, value])

    def made_entries(self) -> None:
        """Push a dict of the keys and values above the mark."""
        nodes = self.since_mark()
        self.push(Entries())
        self.set_items(nodes)

    def duplicate(self) -> None:
        """Push the top part once more."""
        self.push(self.top())

    def drop(self) -> None:
        """Take the top part off, or the last mark where nothing stands above it."""
        if self.marks and len(self.stack) == self.marks[-1]:
            self.marks.pop()
        else:
            self.pop()

    def tuple_of(self, count: int) -> None:
        """Replace the top parts by a tuple of them."""
        nodes = [self.pop() for _ in range(count)]
        self.push(tuple(reversed(nodes)))


def _object(function: Any, args: Any) -> Stub:
    """Return the stub of an object; what makes it may itself be the result of a call."""
    given: Sequence[Any] = args if isinstance(args, tuple) else (args,)
    if isinstance(function, Stub) and function.args is None and function.state is None:
        return Stub(function.type_name, given)
    return Stub("pickle.call", (function, given))


def _text(node: Any) -> str:
    return node if isinstance(node, str) else "?"
