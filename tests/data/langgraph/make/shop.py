"""The classes of a pretend application; whoever reads its stores has no such module."""

from dataclasses import dataclass
from decimal import Decimal

from pydantic import BaseModel


@dataclass
class Item:
    """What stands in a cart: stored by its class name and its fields."""

    sku: str
    price: Decimal


class Order(BaseModel):
    """An order as a model of pydantic."""

    order_id: str
    items: int
    note: str = ""


class Ticket:
    """A class that MessagePack has no way to store, so that the saver falls back to pickle."""

    PICKLED = True

    def __init__(self, number: int) -> None:
        """Number the ticket."""
        self.number = number
