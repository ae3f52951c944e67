"""Analyses turn chains into findings; each is pure: no clock, no I/O, no screen."""
