"""A shop's refund agent: create_agent, three tools' worth of state, a policy, four turns."""

import operator
from decimal import Decimal
from typing import Annotated, Any, NotRequired

from langchain.agents import AgentState, create_agent
from langchain.agents.middleware import AgentMiddleware, hook_config
from langchain.tools import ToolRuntime
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.types import Command

from tests.seeded.scripted_model import ScriptedModel, calling, saying

BUGS = ("unanswered_call", "jump_left", "cached_result")
THREAD = "chat-3107"
LIMIT = Decimal("250.00")
PRICES = {
    "KET-17": Decimal("39.90"),
    "TOA-03": Decimal("64.50"),
    "ESP-99": Decimal("899.00"),
    "MUG-08": Decimal("12.00"),
}
SCRIPT = [
    calling(1, "look_up_order", order_id="A-1042"),
    calling(2, "refund_line", sku="KET-17"),
    saying(3, "Your kettle is refunded: 39.90 EUR."),
    calling(4, "look_up_order", order_id="A-1042"),
    calling(5, "refund_line", sku="TOA-03"),
    saying(6, "The toaster is refunded as well: 64.50 EUR."),
    calling(7, "refund_line", sku="ESP-99"),
    calling(8, "refund_line", sku="MUG-08"),
    saying(9, "The mug is refunded: 12.00 EUR."),
]
TURNS = [
    "My kettle from order A-1042 leaks. Can I have my money back?",
    "The toaster in the same order is broken too.",
    "And I do not want the espresso machine any more.",
    "All right. The mug arrived in pieces, though.",
]


class RefundState(AgentState[Any]):
    """The agent's state and what it paid back."""

    refunds: Annotated[list[dict[str, Any]], operator.add]
    refund_total: Decimal


class StickyRefundState(RefundState):
    """The same with the agent's jump declared once more, as an ordinary field."""

    jump_to: NotRequired[str]


@tool
def look_up_order(order_id: str) -> str:
    """Say what an order holds."""
    return f"{order_id}: KET-17 kettle, TOA-03 toaster, ESP-99 espresso machine, MUG-08 mug"


@tool
def refund_line(sku: str, runtime: ToolRuntime) -> Command[Any]:
    """Refund one line of the order."""
    amount = PRICES[sku]
    return Command(
        update={
            "refunds": [{"sku": sku, "amount": amount}],
            "refund_total": runtime.state["refund_total"] + amount,
            "messages": [
                ToolMessage(
                    f"refunded {amount} EUR for {sku}",
                    id=f"tool-{runtime.tool_call_id}",
                    tool_call_id=runtime.tool_call_id,
                )
            ],
        }
    )


class RefundPolicy(AgentMiddleware[Any, Any, Any]):
    """Sends large refunds to a colleague, and the agent to the end of its turn."""

    def __init__(self, *, answers_call: bool) -> None:
        super().__init__()
        self.answers_call = answers_call

    @property
    def name(self) -> str:
        return "refund_policy"

    @hook_config(can_jump_to=["end"])
    def after_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        last = state["messages"][-1]
        for call in getattr(last, "tool_calls", []):
            if PRICES.get(call["args"].get("sku"), Decimal(0)) > LIMIT:
                refusal = ToolMessage(
                    f"refused: above {LIMIT} EUR", id=f"tool-{call['id']}", tool_call_id=call["id"]
                )
                handover = AIMessage(
                    "A colleague decides on refunds above 250 EUR and will call you.",
                    id="handover-1",
                )
                spoken = [refusal, handover] if self.answers_call else [handover]
                return {"messages": spoken, "jump_to": "end"}
        return None


class ToolResults(AgentMiddleware[Any, Any, Any]):
    """Keeps what a reading tool answered, so that the same question costs once."""

    def __init__(self, *, readdresses: bool) -> None:
        super().__init__()
        self.readdresses = readdresses
        self.kept: dict[str, ToolMessage] = {}

    @property
    def name(self) -> str:
        return "tool_results"

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        call = request.tool_call
        if call["name"] != "look_up_order":
            return handler(request)
        key = repr(sorted(call["args"].items()))
        if key not in self.kept:
            answer = handler(request)
            self.kept[key] = answer.model_copy(update={"id": f"tool-{call['id']}"})
            return self.kept[key]
        kept = self.kept[key].model_copy(update={"id": f"tool-{call['id']}"})
        return kept.model_copy(update={"tool_call_id": call["id"]}) if self.readdresses else kept


def run(saver: BaseCheckpointSaver[str], bug: str | None) -> None:
    """Lead the four turns of one customer."""
    agent = create_agent(
        ScriptedModel(answers=SCRIPT),
        [look_up_order, refund_line],
        state_schema=StickyRefundState if bug == "jump_left" else RefundState,
        middleware=[
            RefundPolicy(answers_call=bug != "unanswered_call"),
            ToolResults(readdresses=bug != "cached_result"),
        ],
        checkpointer=saver,
        name="refunds",
    )
    config = {"configurable": {"thread_id": THREAD}}
    for number, text in enumerate(TURNS, start=1):
        given: dict[str, Any] = {"messages": [HumanMessage(text, id=f"human-{number}")]}
        if number == 1:
            given |= {"refunds": [], "refund_total": Decimal("0.00")}
        agent.invoke(given, config, durability="sync")
