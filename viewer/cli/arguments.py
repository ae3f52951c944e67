"""The command line: which commands there are and what each takes. Options may stand anywhere."""

import argparse
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from viewer.cli.output import PROGRAM, write
from viewer.errors import ViewerError

if TYPE_CHECKING:
    from viewer.sources.dsn import Dsn


class Served(Exception):
    """The command line is served already (help, version); ``code`` is its exit code."""

    def __init__(self, code: int) -> None:
        self.code = code
        super().__init__(str(code))


class _Parser(argparse.ArgumentParser):
    """Raises ViewerError where argparse would print its usage and exit."""

    def error(self, message: str) -> NoReturn:
        raise ViewerError(f"{message} (see {self.prog} --help)")

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        raise Served(status)

    def print_help(self, file: object = None) -> None:
        write(self.format_help())


class Command(NamedTuple):
    """One command: what it does in a line, and the options that it alone takes."""

    summary: str
    add: Callable[[argparse.ArgumentParser], None]
    needs_source: bool = True


def _none(parser: argparse.ArgumentParser) -> None:
    """Leave ``parser`` with the common options."""


def _open(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=_port, help="port to listen on (default: a free one)")
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")


def _runs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--check", action="store_true", help="run the gates and count violations")


def _show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--checkpoint", metavar="C", help="print the state of one checkpoint")
    parser.add_argument("--field", metavar="POINTER", help="print only what stands at a pointer")
    parser.add_argument(
        "--tasks", action="store_true", help="list what ran after each checkpoint, and its writes"
    )
    parser.add_argument(
        "--markdown",
        action="store_true",
        help="with --checkpoint: a table to pass on; secrets masked",
    )
    parser.add_argument(
        "--csv", action="store_true", help="with --checkpoint: pointer, type, value; secrets masked"
    )
    steps = parser.add_argument_group("over all steps")
    steps.add_argument("--search", metavar="TEXT", help="say where a text stands, and since when")
    steps.add_argument("--regex", action="store_true", help="--search for a regular expression")
    steps.add_argument("--match-case", action="store_true", help="--search for these very letters")
    steps.add_argument(
        "--biography",
        metavar="POINTER",
        help="say what a field was and who wrote it (--checkpoint C: the field that stands there in C)",
    )


def _diff(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--base", metavar="C", help="compare from here (default: target's parent)")
    parser.add_argument("--target", metavar="C", help="compare to here (default: the live head)")
    parser.add_argument("--patch", action="store_true", help="print a JSON Patch (RFC 6902)")
    parser.add_argument(
        "--markdown", action="store_true", help="print Markdown to pass on; secrets masked"
    )
    parser.add_argument("--csv", action="store_true", help="print a row a change; secrets masked")
    loose = parser.add_argument_group("loose comparison")
    loose.add_argument("--ignore-order", action="store_true", help="lists are bags")
    loose.add_argument(
        "--ignore",
        metavar="PATTERN",
        action="append",
        default=[],
        help="leave out places, or keys by re:EXPRESSION",
    )
    loose.add_argument(
        "--significant", metavar="N", type=_digits, help="digits after the point that count"
    )
    loose.add_argument("--ignore-number-type", action="store_true", help="1 and 1.0 are the same")


def _check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--schema", metavar="FILE", help="judge states by this JSON Schema")


def _why(parser: argparse.ArgumentParser) -> None:
    from viewer.analysis.finding_words import KEYWORDS

    width = max(map(len, KEYWORDS))
    lines = [f"  {word:<{width}}  {said}" for word, said in KEYWORDS.items()]
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = "\n".join(["findings, without configuration:", *lines])


def _report(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--to", metavar="FILE.html", type=Path, required=True, help="the file to write"
    )
    parser.add_argument(
        "--checkpoint",
        metavar="C",
        action="append",
        default=[],
        help="show the change at this checkpoint (may be repeated; default: all that fit)",
    )


COMMANDS: dict[str, Command] = {
    "open": Command("start the app in a browser (default: the sample runs)", _open, False),
    "identify": Command("say which reader claims a source, and why", _none),
    "runs": Command("list threads with status, head and what waits", _runs),
    "why": Command("say why each thread stopped, what a resume would do, what looks wrong", _why),
    "show": Command("list the checkpoints of one thread, or print a state", _show),
    "diff": Command("compare two checkpoints, or two JSON files", _diff),
    "check": Command("run the gates: exit 1 violated, 2 could not tell, 0 clean", _check),
    "usage": Command("list tokens, cost and seconds per step", _none),
    "transcript": Command("count identifiers by who wrote them; test beliefs", _none),
    "report": Command("write one self-contained HTML file about one thread", _report),
}

_ONE_THREAD = ("show", "diff", "transcript", "report")


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the parsed command line, its command in ``command``.

    Raises:
        ViewerError: the command line is not one of ours.
        Served: help or version was asked for and written.
    """
    parsers = {name: _parser(name) for name in COMMANDS}
    position = _command_position(arguments, parsers.values())
    if position is None:
        return _without_command(arguments)
    name = arguments[position]
    if name not in parsers:
        raise ViewerError(f"no command {name!r}: there are {', '.join(COMMANDS)}")
    rest = [*arguments[:position], *arguments[position + 1 :]]
    return parsers[name].parse_intermixed_args(rest, argparse.Namespace(command=name))


def _parser(name: str) -> _Parser:
    command = COMMANDS[name]
    parser = _Parser(prog=f"{PROGRAM} {name}", description=command.summary, allow_abbrev=False)
    parser.add_argument(
        "sources",
        metavar="SOURCE",
        nargs="+" if command.needs_source else "*",
        type=_place,
        help="file, folder or PostgreSQL address that holds checkpoints",
    )
    schema = f"schemas/cli/{name}.schema.json"
    parser.add_argument("--json", action="store_true", help=f"print a JSON document ({schema})")
    parser.add_argument("--thread", metavar="T", help="only this thread")
    root = " (default: the root, '')" if name in _ONE_THREAD else ""
    parser.add_argument("--namespace", metavar="N", help=f"only this namespace{root}")
    parser.add_argument("--profile", metavar="NAME|DIR", help="what the states mean")
    parser.add_argument("--format", metavar="READER", help="read with this reader")
    command.add(parser)
    return parser


def _command_position(arguments: Sequence[str], parsers: Iterable[_Parser]) -> int | None:
    """Return where the command stands: the first word that is no option and no option's value."""
    takes_value = {
        option
        for parser in parsers
        for action in parser._actions
        if action.nargs is None
        for option in action.option_strings
    }
    skip = False
    for position, word in enumerate(arguments):
        if skip:
            skip = False
        elif word in takes_value:
            skip = True
        elif not word.startswith("-"):
            return position
    return None


def _without_command(arguments: Sequence[str]) -> NoReturn:
    if "--version" in arguments:
        write(f"{PROGRAM} {_version()}")
        raise Served(0)
    if {"-h", "--help"} & set(arguments):
        write(overview())
        raise Served(0)
    raise ViewerError(f"name a command: {', '.join(COMMANDS)} (see {PROGRAM} --help)")


def overview() -> str:
    """Return the help of the whole program: its commands, one a line."""
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {command.summary}" for name, command in COMMANDS.items()]
    return "\n".join(
        [
            f"usage: {PROGRAM} COMMAND SOURCE... [options]",
            "",
            "Open the checkpoint chains that agent runtimes store.",
            "",
            *lines,
            "",
            "Every command has --help and --json. A checkpoint is named by its id, @INDEX or head.",
            "Exit codes: 0 printed; 1 different (diff) or violated (check); 2 could not tell.",
        ]
    )


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(PROGRAM)
    except PackageNotFoundError:
        return "(not installed)"


def _place(text: str) -> "str | Dsn":
    """Return a path as it was given; an address as something that prints without its secrets."""
    from viewer.sources.dsn import Dsn, locate

    found = locate(text)
    return found if isinstance(found, Dsn) else text


def without_addresses(message: str, arguments: Sequence[str]) -> str:
    """Return ``message`` with each address among ``arguments`` as it may be shown."""
    for word in sorted(arguments, key=len, reverse=True):
        if word in message or repr(word)[1:-1] in message:
            shown = str(_place(word))
            message = message.replace(word, shown).replace(repr(word)[1:-1], shown)
    return message


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 6 and 0 < int(text) < 65536):
        raise argparse.ArgumentTypeError(f"{text!r} is no port")
    return int(text)


def _digits(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 3):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of digits")
    return int(text)
