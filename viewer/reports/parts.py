"""What the text of several commands is made of: tables of rows, problems, blocks."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from viewer.reports.terminal import one_line, safe, table

Row = Mapping[str, Any]
Rows = Sequence[Row]
Document = Mapping[str, Any]


def columns_of(rows: Rows, *columns: tuple[str, str | Callable[[Mapping[str, Any]], Any]]) -> str:
    """Return a table of ``rows``: a column is a head and a key, or a function of the row."""
    return table(
        [head for head, _ in columns],
        [[row[get] if isinstance(get, str) else get(row) for _, get in columns] for row in rows],
    )


def counted(number: int, what: str, many: str | None = None) -> str:
    """Return ``number`` with its noun (``1 change``, ``2 changes``)."""
    return f"{number:,} {what if number == 1 else many or what + 's'}"


def blocks(*parts: str) -> str:
    """Return the non-empty ``parts`` with a blank line between them."""
    return "\n\n".join(part for part in parts if part)


def problems(document: Document) -> str:
    """Return what could not be read, one a line; empty where all could."""
    rows = document["problems"]
    if not rows:
        return ""
    lines = [f"  {safe(row['place'])}: {one_line(row['reason'])}" for row in rows]
    return "\n".join([f"{counted(len(rows), 'problem')}:", *lines])


def thread_of(row: Mapping[str, Any]) -> str:
    """Return a row's thread, with its namespace where it is no root."""
    space = row["namespace"]
    return f"{row['thread_id']} / {space}" if space else str(row["thread_id"])


def moment(time: str | None) -> str | None:
    """Return a time of a document to the second, for people."""
    return None if time is None else time[:19].replace("T", " ")


def safe_lines(text: str) -> str:
    """Return ``text`` made safe line by line, its line breaks kept."""
    return "\n".join(safe(line) for line in text.split("\n"))


def indented(text: str) -> str:
    """Return ``text`` with each line set in by two spaces."""
    return "\n".join(f"  {line}" for line in text.split("\n"))
