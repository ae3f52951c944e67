"""JSON Pointers (RFC 6901) and the starred patterns that profiles use.

Inside the program a place is a tuple of tokens: ``str`` for an object's key, ``int`` for an
array's index. Text form appears only at the edges.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from viewer.errors import PointerError

Token = str | int
Tokens = tuple[Token, ...]

STAR = "*"
TAIL = "**"


def escape(token: Token) -> str:
    """Return one token as it stands between slashes: ``~`` becomes ``~0`` and ``/`` ``~1``."""
    return str(token).replace("~", "~0").replace("/", "~1")


def join(tokens: tuple[Token, ...]) -> str:
    """Return the JSON Pointer of ``tokens``; the empty tuple is the whole document (``""``)."""
    return "".join(f"/{escape(token)}" for token in tokens)


def split(pointer: str) -> tuple[str, ...]:
    """Return the unescaped tokens of ``pointer``, all as text.

    Raises:
        PointerError: the text is neither empty nor begins with a slash, or has a bad escape.
    """
    if not pointer:
        return ()
    if pointer[0] != "/":
        raise PointerError(f"JSON Pointer must be empty or begin with '/': {pointer!r}")
    return tuple(_unescape(part, pointer) for part in pointer[1:].split("/"))


def _unescape(part: str, pointer: str) -> str:
    if "~" not in part:
        return part
    out, i = [], 0
    while i < len(part):
        char = part[i]
        if char == "~":
            following = part[i + 1 : i + 2]
            if following not in ("0", "1"):
                raise PointerError(f"'~' must be followed by 0 or 1 in {pointer!r}")
            out.append("~" if following == "0" else "/")
            i += 2
        else:
            out.append(char)
            i += 1
    return "".join(out)


def step(value: Any, token: Token) -> Any:
    """Return the child of ``value`` at ``token``.

    Raises:
        PointerError: there is no such child, or ``value`` has none.
    """
    if isinstance(value, dict):
        key = str(token) if not isinstance(token, str) else token
        if key in value:
            return value[key]
    elif isinstance(value, list):
        index = array_index(token)
        if index is not None and index < len(value):
            return value[index]
    raise PointerError(f"nothing at token {token!r}")


def array_index(token: Token) -> int | None:
    """Return ``token`` as an array index, or None where RFC 6901 allows no index (``01``, ``-``)."""
    if isinstance(token, int):
        return token if token >= 0 else None
    if token.isascii() and token.isdigit() and (token == "0" or token[0] != "0"):
        return int(token) if len(token) < 19 else None
    return None


def get(value: Any, tokens: tuple[Token, ...] | str) -> Any:
    """Return what stands at ``tokens`` (a tuple or a JSON Pointer) in ``value``.

    Raises:
        PointerError: the pointer is malformed or leads nowhere.
    """
    for token in split(tokens) if isinstance(tokens, str) else tokens:
        value = step(value, token)
    return value


def find(value: Any, tokens: tuple[Token, ...] | str, default: Any = None) -> Any:
    """Return what stands at ``tokens`` in ``value``, or ``default`` where nothing does."""
    try:
        return get(value, tokens)
    except PointerError:
        return default


def exists(value: Any, tokens: tuple[Token, ...] | str) -> bool:
    """Return whether something (``null`` counts) stands at ``tokens`` in ``value``."""
    try:
        get(value, tokens)
    except PointerError:
        return False
    return True


class Prefix(str):
    """A pattern's token that covers every token beginning with it (``branch:to:*``)."""

    __slots__ = ()


class Pattern(NamedTuple):
    """A JSON Pointer whose tokens may be ``*`` (any one token) and whose last may be ``**`` (any
    tail, the empty one too). A token may also end in ``*`` (any token that begins so). A literal
    star is written ``~2``.
    """

    text: str
    tokens: tuple[str | None, ...]
    """One entry a token; None stands for ``*``, a `Prefix` for a token that ends in one."""
    tail: bool

    def matches(self, tokens: tuple[Token, ...]) -> bool:
        """Return whether this pattern covers the place ``tokens``."""
        if len(tokens) < len(self.tokens) or (len(tokens) > len(self.tokens) and not self.tail):
            return False
        return all(_covers(want, got) for want, got in zip(self.tokens, tokens, strict=False))

    def select(self, value: Any) -> Iterator[tuple[Tokens, Any]]:
        """Yield ``(tokens, value)`` of each place in ``value`` that the pattern's fixed part names.

        A ``**`` tail yields the subtree's root once.
        """
        yield from _select(value, self.tokens, ())


def _covers(want: str | None, got: Token) -> bool:
    if isinstance(want, Prefix):
        return str(got).startswith(want)
    return want is None or want == str(got)


def _select(value: Any, rest: tuple[str | None, ...], at: Tokens) -> Iterator[tuple[Tokens, Any]]:
    if not rest:
        yield at, value
        return
    want = rest[0]
    if isinstance(value, dict):
        if want is not None and not isinstance(want, Prefix):
            if want in value:
                yield from _select(value[want], rest[1:], (*at, want))
            return
        for key in list(value):
            if _covers(want, key):
                yield from _select(value[key], rest[1:], (*at, key))
    elif isinstance(value, list):
        index = None if want is None else array_index(want)
        if want is None or isinstance(want, Prefix):
            for i, child in enumerate(value):
                if _covers(want, i):
                    yield from _select(child, rest[1:], (*at, i))
        elif index is not None and index < len(value):
            yield from _select(value[index], rest[1:], (*at, index))


def pattern(text: str) -> Pattern:
    """Return the pattern written as ``text``.

    Raises:
        PointerError: ``text`` is no pointer, or ``**`` stands before the end.
    """
    if text and text[0] != "/":
        raise PointerError(f"pattern must be empty or begin with '/': {text!r}")
    tokens: list[str | None] = []
    tail = False
    parts = text[1:].split("/") if text else []
    for position, part in enumerate(parts):
        if part == TAIL:
            if position != len(parts) - 1:
                raise PointerError(f"'**' may only end a pattern: {text!r}")
            tail = True
        elif part == STAR:
            tokens.append(None)
        elif part.endswith(STAR):
            tokens.append(Prefix(_literal(part[:-1], text)))
        else:
            tokens.append(_literal(part, text))
    return Pattern(text, tuple(tokens), tail)


def _literal(part: str, text: str) -> str:
    return "*".join(_unescape(piece, text) for piece in part.split("~2"))
