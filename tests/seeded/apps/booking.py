"""A trip: two requests in one thread, and changes made by update_state, one on an old branch."""

import operator
import threading
from decimal import Decimal
from typing import Annotated, Any, TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph

BUGS = ("old_parent", "ahead_of_time", "legs_replaced")
THREAD = "trip-6120"
FLIGHTS = {
    "Vienna-Lisbon": [
        {"flight": "OS 121", "from": "VIE", "to": "FRA", "price": Decimal("129.00")},
        {"flight": "LH 1166", "from": "FRA", "to": "LIS", "price": Decimal("188.50")},
    ],
    "Lisbon-Vienna": [
        {"flight": "TP 1272", "from": "LIS", "to": "VIE", "price": Decimal("210.00")}
    ],
}


class Trip(TypedDict, total=False):
    """The state of one trip."""

    request: str
    seat: str
    offers: list[dict[str, Any]]
    legs: Annotated[list[dict[str, Any]], operator.add]
    hotel: dict[str, Any]
    total: Decimal
    letters: list[str]


class TripWithoutReducer(TypedDict, total=False):
    """The same without a reducer on legs."""

    request: str
    seat: str
    offers: list[dict[str, Any]]
    legs: list[dict[str, Any]]
    hotel: dict[str, Any]
    total: Decimal
    letters: list[str]


class LateSaver(SqliteSaver):
    """Writes the checkpoint before `confirm` while `confirm` runs, as a slow disk may."""

    def __init__(self, connection: Any) -> None:
        super().__init__(connection)
        self.begun = threading.Event()
        self.confirmed = threading.Event()

    def put(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        if "branch:to:confirm" in checkpoint["channel_values"]:
            self.begun.set()
            if not self.confirmed.wait(timeout=20):
                raise TimeoutError("confirm never ran")
            self.confirmed.clear()
        return super().put(config, checkpoint, metadata, new_versions)


def build(saver: Any, bug: str | None) -> Any:
    def search(state: Any) -> dict[str, Any]:
        return {"offers": FLIGHTS[state["request"]]}

    def hold_flights(state: Any) -> dict[str, Any]:
        return {"legs": [{**offer, "seat": state["seat"]} for offer in state["offers"]]}

    def hold_hotel(state: Any) -> dict[str, Any]:
        if state.get("hotel"):
            return {}
        return {"hotel": {"name": "Casa do Rio", "nights": 4, "price": Decimal("96.00")}}

    def price(state: Any) -> dict[str, Any]:
        flights = sum((leg["price"] for leg in state["legs"]), Decimal("0.00"))
        return {"total": flights + state["hotel"]["nights"] * state["hotel"]["price"]}

    def confirm(state: Any) -> dict[str, Any]:
        letter = f"{len(state['legs'])} flights, {state['hotel']['name']}: {state['total']} EUR"
        if bug == "ahead_of_time":
            if not saver.begun.wait(timeout=20):
                raise TimeoutError("the checkpoint before was never written")
            saver.begun.clear()
            letters = state["letters"]
            letters.append(letter)
            saver.confirmed.set()
            return {"letters": letters}
        return {"letters": [*state["letters"], letter]}

    graph = StateGraph(TripWithoutReducer if bug == "legs_replaced" else Trip)
    for node in (search, hold_flights, hold_hotel, price, confirm):
        graph.add_node(node.__name__, node)
    graph.add_edge(START, "search")
    graph.add_edge("search", "hold_flights")
    graph.add_edge("hold_flights", "hold_hotel")
    graph.add_edge("hold_hotel", "price")
    graph.add_edge("price", "confirm")
    graph.add_edge("confirm", END)
    return graph.compile(checkpointer=saver)


def run(saver: SqliteSaver, bug: str | None) -> None:
    """Book a trip, change the seat in time, add the way back, change the hotel."""
    graph = build(LateSaver(saver.conn) if bug == "ahead_of_time" else saver, bug)
    config: dict[str, Any] = {"configurable": {"thread_id": THREAD}}
    durability = "async" if bug == "ahead_of_time" else "sync"
    first = {"request": "Vienna-Lisbon", "seat": "middle", "letters": []}
    given = first if bug == "legs_replaced" else first | {"legs": []}
    graph.invoke(given, config, durability=durability)
    searched = next(
        found.config for found in graph.get_state_history(config) if found.next == ("hold_flights",)
    )
    # The customer goes back to the choice of a flight: a branch on purpose.
    seated = graph.update_state(searched, {"seat": "window"}, as_node="search")
    graph.invoke(None, seated, durability=durability)
    booked = graph.get_state(config).config
    graph.invoke({"request": "Lisbon-Vienna"}, config, durability=durability)
    hotel = {"name": "Hotel Baixa", "nights": 5, "price": Decimal("88.00")}
    # The page that the customer changes the hotel on was opened before the way back was booked.
    opened = booked if bug == "old_parent" else graph.get_state(config).config
    changed = graph.update_state(opened, {"hotel": hotel}, as_node="hold_hotel")
    graph.invoke(None, changed, durability=durability)
