"""Bounds on what a source may ask of us; each stands in the error that it raises."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Safe defaults; ``viewer.settings`` lets the environment change them."""

    file_bytes: int = 512 * 1024 * 1024
    """Largest single file read, in bytes."""
    upload_bytes: int = 64 * 1024 * 1024
    """Largest JSON file that a browser may upload to compare with, in bytes."""
    depth: int = 400
    """Deepest nesting of one state; deeper documents are a problem with its place."""
    checkpoints: int = 100_000
    """Most checkpoints of one thread."""
    folder_files: int = 100_000
    """Most entries of one folder looked at."""
    problems: int = 1_000
    """Most problems kept for one source; the rest are counted."""
    violations: int = 10_000
    """Most violations kept for one chain; the rest are counted."""
    memories: int = 10_000
    """Most items of a long-term store taken up."""
    connect_seconds: int = 5
    """Longest wait for a database to take a connection."""
    statement_seconds: int = 30
    """Longest time one statement may take a database."""


DEFAULT_LIMITS = Limits()
