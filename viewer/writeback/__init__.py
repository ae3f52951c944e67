"""Decisions: find what waits for a person. Nothing here writes yet."""
