"""Findings as text and as JSON."""
