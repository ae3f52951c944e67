"""Checkpoint Viewer: open the checkpoint chains that agent runtimes store."""

__version__ = "0.1.0"
