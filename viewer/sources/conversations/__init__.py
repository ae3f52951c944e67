"""Readers of conversations: lists of messages, which say what was said and hold no position.

Each step of the chain is a run of messages by one side (user, model, tools); the state at a step is
the list so far. Nothing more is made up: status and next stay empty.
"""
