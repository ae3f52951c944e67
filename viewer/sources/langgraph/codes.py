"""The msgpack extension codes of LangGraph's serializer (``serde/jsonplus.py``)."""

CONSTRUCTORS = {
    0: "ctor1",
    1: "ctor*",
    2: "ctor**",
    3: "method1",
    4: "pydantic1",
    5: "pydantic2",
}
"""Extension code → ``$ctor``: how the class that the payload names would be given its value."""
NDARRAY, SNAPSHOT = 6, 7
KNOWN = frozenset({*CONSTRUCTORS, NDARRAY, SNAPSHOT})
