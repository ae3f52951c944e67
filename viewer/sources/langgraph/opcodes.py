"""Pickles as inert nodes: the one place that knows the opcodes, protocols 0 to 5.

Reading a pickle the usual way runs what it names. Here each byte only moves parts on a
`stack_machine.Machine`, within limits and without recursion. Source of the opcodes: CPython's
``Lib/pickletools.py``, PEP 3154 and PEP 574.
"""

import codecs
import struct
from collections.abc import Callable
from typing import Any

from viewer.errors import ParseFault
from viewer.sources.langgraph.inert import Entries, Stub
from viewer.sources.langgraph.stack_machine import Machine

MOST_OPCODES = 10_000_000
MOST_HELD = 2_000_000
"""Most parts on the stack, and most in the memo."""
_BETWEEN = 1_000
"""Opcodes between two looks at what is held; each adds one part at most."""
_DIGITS = 4_000
"""Longer decimal numbers stay text: Python refuses to read them."""
_STOP = ord(".")

Step = Callable[[Machine], Any]


def inert(raw: bytes) -> Any:
    """Return what a pickle describes: scalars, bytes, lists, tuples, `Entries` and `Stub`.

    Nodes may contain themselves and may nest without bound: `inert.tagged_nodes` deals with that.
    What stands behind the end of the pickle is not looked at.

    Raises:
        ParseFault: it is no pickle, is cut short, or passes a limit.
    """
    machine = Machine(raw)
    try:
        return _run(machine)
    except (ValueError, struct.error) as error:
        raise ParseFault(f"no pickle: {_short(error)} at byte {machine.at}") from error


def salvaged(raw: bytes) -> tuple[Any, str | None]:
    """Return what a pickle describes, or as much as stands before its fault, and the fault.

    What is not finished is left out, or is the last part of what holds it. The value is None where
    nothing can be told.
    """
    machine = Machine(raw)
    try:
        return _run(machine), None
    except ParseFault as fault:
        return machine.folded(), fault.reason
    except (ValueError, struct.error) as error:
        return machine.folded(), f"no pickle: {_short(error)} at byte {machine.at}"


def _run(machine: Machine) -> Any:
    raw, steps = machine.raw, _STEPS
    left = MOST_OPCODES
    while left > 0:
        for _ in range(min(_BETWEEN, left)):
            if machine.at >= len(raw):
                raise ValueError("cut short")
            code = raw[machine.at]
            machine.at += 1
            step = steps.get(code)
            if step is not None:
                step(machine)
            elif code == _STOP:
                return _stopped(machine)
            else:
                raise ValueError(f"unknown opcode {code:#04x}")
        left -= _BETWEEN
        if len(machine.stack) > MOST_HELD or len(machine.memo) > MOST_HELD:
            raise ParseFault(f"a pickle that holds more than {MOST_HELD} parts at once")
    raise ParseFault(f"a pickle of more than {MOST_OPCODES} opcodes")


def _stopped(machine: Machine) -> Any:
    if machine.frame_end > len(machine.raw):
        raise ValueError(f"a frame that ends at byte {machine.frame_end} of {len(machine.raw)}")
    return machine.pop()


def _integer_line(machine: Machine) -> Any:
    text = machine.word()
    if text in ("00", "01"):
        return text == "01"
    return _integer(text.removesuffix("L"))


def _integer(text: str) -> Any:
    """Return an integer written in decimal; one too long for Python keeps its digits."""
    if len(text) > _DIGITS and text.lstrip("-").isdecimal():
        return Stub("builtins.int", (text,))
    return int(text)


def _string_line(machine: Machine) -> Any:
    found = machine.line()
    if len(found) < 2 or found[:1] not in b"'\"" or found[-1:] != found[:1]:
        raise ValueError("a string without quotes")
    return _old_text(codecs.escape_decode(found[1:-1])[0])


def _old_text(raw: bytes) -> Any:
    """Return a string of Python 2: text where it is ASCII, else bytes."""
    return raw.decode("ascii") if raw.isascii() else raw


def _signed(raw: bytes) -> int:
    return int.from_bytes(raw, "little", signed=True)


def _unicode(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogatepass")


def _float(raw: bytes) -> float:
    return float(struct.unpack(">d", raw)[0])


def _short(error: Exception) -> str:
    return str(error)[:200] or type(error).__name__


def _pushes(read: Step) -> Step:
    return lambda machine: machine.push(read(machine))


def _sized(size: int, made: Callable[[bytes], Any]) -> Step:
    """Return the step that pushes what stands in bytes whose count stands before them."""
    return lambda machine: machine.push(made(machine.take(machine.number(size))))


def _decimal(machine: Machine) -> Any:
    return float(machine.line())


def _escaped(machine: Machine) -> str:
    return machine.line().decode("raw-unicode-escape")


def _extension(size: int) -> Step:
    """Return the step for a class named by its number in ``copyreg``'s registry."""
    return lambda machine: machine.push(Stub("copyreg.extension", (machine.number(size),)))


_STEPS: dict[int, Step] = {
    ord(code): step
    for code, step in {
        "(": Machine.mark,
        "0": Machine.drop,
        "1": Machine.since_mark,
        "2": Machine.duplicate,
        "N": lambda m: m.push(None),
        "\x88": lambda m: m.push(True),
        "\x89": lambda m: m.push(False),
        "I": _pushes(_integer_line),
        "L": _pushes(_integer_line),
        "J": lambda m: m.push(_signed(m.take(4))),
        "K": lambda m: m.push(m.number(1)),
        "M": lambda m: m.push(m.number(2)),
        "\x8a": _sized(1, _signed),
        "\x8b": _sized(4, _signed),
        "F": _pushes(_decimal),
        "G": lambda m: m.push(_float(m.take(8))),
        "S": _pushes(_string_line),
        "T": _sized(4, _old_text),
        "U": _sized(1, _old_text),
        "V": _pushes(_escaped),
        "X": _sized(4, _unicode),
        "\x8c": _sized(1, _unicode),
        "\x8d": _sized(8, _unicode),
        "B": _sized(4, bytes),
        "C": _sized(1, bytes),
        "\x8e": _sized(8, bytes),
        "\x96": _sized(8, lambda raw: Stub("builtins.bytearray", (raw,))),
        "]": lambda m: m.push([]),
        "l": lambda m: m.push(m.since_mark()),
        "a": lambda m: m.extend([m.pop()]),
        "e": lambda m: m.extend(m.since_mark()),
        ")": lambda m: m.push(()),
        "t": lambda m: m.push(tuple(m.since_mark())),
        "\x85": lambda m: m.tuple_of(1),
        "\x86": lambda m: m.tuple_of(2),
        "\x87": lambda m: m.tuple_of(3),
        "}": lambda m: m.push(Entries()),
        "d": Machine.made_entries,
        "s": Machine.set_item,
        "u": lambda m: m.set_items(m.since_mark()),
        "\x8f": lambda m: m.push(Stub("builtins.set", ())),
        "\x90": lambda m: m.extend(m.since_mark()),
        "\x91": lambda m: m.push(Stub("builtins.frozenset", (m.since_mark(),))),
        "p": lambda m: m.keep(int(m.line())),
        "q": lambda m: m.keep(m.number(1)),
        "r": lambda m: m.keep(m.number(4)),
        "\x94": lambda m: m.keep(len(m.memo)),
        "g": lambda m: m.kept(int(m.line())),
        "h": lambda m: m.kept(m.number(1)),
        "j": lambda m: m.kept(m.number(4)),
        "c": lambda m: m.push(m.named(m.word(), m.word())),
        "\x93": Machine.stacked_name,
        "R": Machine.call,
        "\x81": Machine.make,
        "\x92": Machine.make_named,
        "i": Machine.instance,
        "o": Machine.marked_instance,
        "b": Machine.build,
        "\x82": _extension(1),
        "\x83": _extension(2),
        "\x84": _extension(4),
        "P": lambda m: m.push(Stub("pickle.persistent_id", (m.word(),))),
        "Q": lambda m: m.push(Stub("pickle.persistent_id", (m.pop(),))),
        "\x80": Machine.protocol,
        "\x95": Machine.frame,
        "\x97": lambda m: m.push(Stub("pickle.out_of_band_buffer", ())),
        "\x98": lambda m: m.push(m.pop()),
    }.items()
}
