"""Commands: the same analyses as the pages, printed. The only place where errors become exit codes.

Exit codes: 0 printed (and nothing differs or is violated), 1 different or violated, 2 bad input,
bad usage or could not tell (design: "Gates and exit codes").
"""

from collections.abc import Sequence
from importlib import import_module

from viewer.cli.arguments import Served, parse, without_addresses
from viewer.cli.output import fail
from viewer.errors import ViewerError


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; an error is one line on standard error."""
    try:
        chosen = parse(arguments)
        # One module a command, imported when it is asked for: `identify` needs no diff engine.
        code: int = import_module(f"viewer.cli.{chosen.command}").run(chosen)
    except Served as served:
        return served.code
    except ViewerError as error:
        return fail(without_addresses(str(error), arguments))
    except OSError as error:  # a name that the system refuses to look up, a disk that fails
        return fail(f"{error.filename or ''}: {error.strerror or error}".removeprefix(": "))
    except RecursionError:
        return fail("the document is nested too deeply to be printed")
    except KeyboardInterrupt:
        return 130
    return code
