"""Cut a JSON array that is not regular into its elements, as far as it goes."""

import json
import re
from collections.abc import Iterator

from viewer.errors import ParseFault
from viewer.sources.json_bytes import fault

_SPACE = re.compile(r"[ \t\n\r]*")


def cut(raw: bytes, at: int) -> Iterator[bytes]:
    """Yield the text of each element of the array in ``raw`` whose ``[`` stands before ``at``.

    Bytes that are not UTF-8 are left to whoever reads the element.

    Raises:
        ParseFault: at the place where the array breaks off, after what stands before it.
    """
    text = raw.decode(errors="surrogateescape")
    here = len(raw[:at].decode(errors="surrogateescape"))
    scan = json.JSONDecoder(parse_int=float).raw_decode
    here = _skip(text, here)
    if text[here : here + 1] == "]":
        return
    while True:
        try:
            end = scan(text, here)[1]
        except json.JSONDecodeError as error:
            raise fault(error) from error
        except RecursionError as error:
            raise _at(text, here, "an element is nested too deep") from error
        yield text[here:end].encode(errors="surrogateescape")
        here = _skip(text, end)
        if text[here : here + 1] == "]":
            return
        if text[here : here + 1] != ",":
            raise fault(json.JSONDecodeError("Expecting ',' delimiter", text, here))
        here = _skip(text, here + 1)


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _at(text: str, at: int, reason: str) -> ParseFault:
    return ParseFault(reason, text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at))
