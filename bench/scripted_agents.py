"""Agents of the real library with a scripted model: what middleware does to a model's input.

Each app takes a checkpointer and returns a graph and the inputs to give it, one a turn. The model
answers by a rule and never by chance: it calls a tool until it has enough results, then says so.
"""

import itertools
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any

from langchain.agents import AgentState, create_agent
from langchain.agents.middleware import (
    AgentMiddleware,
    ClearToolUsesEdit,
    ContextEditingMiddleware,
    LLMToolSelectorMiddleware,
    ModelFallbackMiddleware,
    ModelRetryMiddleware,
    PIIMiddleware,
    SummarizationMiddleware,
    TodoListMiddleware,
    before_model,
    dynamic_prompt,
    wrap_model_call,
)
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import (
    AIMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
    trim_messages,
)
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from pydantic import BaseModel

App = tuple[Any, tuple[Any, ...]]
PROMPT = "You are the assistant of the invoice desk."


class Scripted(BaseChatModel):
    """A chat model that calls a tool `wanted` times a turn and then answers."""

    wanted: int = 3
    failing: frozenset[int] = frozenset()
    """Numbers of the calls that raise."""
    made: list[int]

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **more: Any) -> Any:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **more)

    def _generate(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **more: Any
    ) -> ChatResult:
        number = len(self.made)
        self.made.append(number)
        if number in self.failing:
            raise ConnectionError(f"call {number} was cut off")
        return ChatResult(
            generations=[ChatGeneration(message=self._answer(messages, number, more))]
        )

    def _answer(self, messages: Any, number: int, more: Mapping[str, Any]) -> AIMessage:
        usage: Any = {"input_tokens": 10, "output_tokens": 2, "total_tokens": 12}
        asked = [i for i, m in enumerate(messages) if isinstance(m, HumanMessage)]
        done = sum(isinstance(m, ToolMessage) for m in messages[asked[-1] if asked else 0 :])
        tools = [tool["function"] for tool in more.get("tools") or ()]
        forced = more.get("tool_choice") in ("any", "required")
        names = [tool["name"] for tool in tools]
        if forced and "lookup" not in names:
            call = {"name": names[0], "args": _arguments(tools[0]), "id": f"call-{number}"}
        elif "lookup" in names and done < self.wanted:
            call = {"name": "lookup", "args": {"number": number}, "id": f"call-{number}"}
        elif "Verdict" in names:
            call = {"name": "Verdict", "args": {"paid": True}, "id": f"call-{number}"}
        else:
            return AIMessage(f"answer {number}: all is paid", usage_metadata=usage)
        return AIMessage("", tool_calls=[call], usage_metadata=usage)


def _arguments(tool: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments for the tool selector's own schema: it asks for a list of names."""
    return {name: ["lookup"] for name in tool["parameters"]["properties"]}


def scripted(**more: Any) -> Scripted:
    return Scripted(made=[], **more)


def lookup(number: int) -> str:
    """Look up an invoice."""
    return f"invoice {number} of a customer is paid in full, says the ledger"


def spare(number: int) -> str:
    """Do something that nobody needs."""
    return str(number)


def ask(text: str) -> dict[str, Any]:
    return {"messages": [HumanMessage(text)]}


TURNS = tuple(ask(f"Which invoices of month {month} are paid?") for month in range(1, 4))


def _agent(checkpointer: Any, *middleware: Any, turns: int = 2, **more: Any) -> App:
    given = {"model": scripted(), "tools": [lookup], "system_prompt": PROMPT, **more}
    return create_agent(**given, middleware=middleware, checkpointer=checkpointer), TURNS[:turns]


def plain(checkpointer: Any) -> App:
    return _agent(checkpointer, turns=3)


def no_system_prompt(checkpointer: Any) -> App:
    return _agent(checkpointer, system_prompt=None)


def system_prompt_from_state(checkpointer: Any) -> App:
    class Named(AgentState):
        customer: str

    @dynamic_prompt
    def greet(request: Any) -> str:
        return f"You serve {request.state['customer']}, a customer of long standing."

    graph, turns = _agent(checkpointer, greet, state_schema=Named)
    return graph, tuple({**turn, "customer": "Ada Example"} for turn in turns)


def system_message_in_the_state(checkpointer: Any) -> App:
    graph, turns = _agent(checkpointer, system_prompt=None)
    first = {"messages": [SystemMessage(PROMPT), *turns[0]["messages"]]}
    return graph, (first, *turns[1:])


def summarised_in_the_state(checkpointer: Any) -> App:
    short = SummarizationMiddleware(
        scripted(wanted=0), trigger=("messages", 7), keep=("messages", 3)
    )
    return _agent(checkpointer, short, model=scripted(wanted=2), turns=3)


def trimmed_in_the_state(checkpointer: Any) -> App:
    @before_model
    def trim(state: Any, runtime: Any) -> dict[str, Any] | None:
        if len(state["messages"]) < 6:
            return None
        kept = _last(state["messages"])
        return {"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), *kept]}

    return _agent(checkpointer, trim, model=scripted(wanted=2), turns=3)


def trimmed_on_the_way(checkpointer: Any) -> App:
    @wrap_model_call
    def trim(request: Any, handler: Any) -> Any:
        return handler(request.override(messages=_last(request.messages)))

    return _agent(checkpointer, trim, model=scripted(wanted=2), turns=3)


def _last(messages: Any) -> Any:
    return trim_messages(
        messages, max_tokens=4, token_counter=len, strategy="last", include_system=False
    )


def tool_results_cleared_on_the_way(checkpointer: Any) -> App:
    edit = ClearToolUsesEdit(trigger=60, keep=1)
    return _agent(checkpointer, ContextEditingMiddleware(edits=[edit]), turns=3)


def reminder_added_on_the_way(checkpointer: Any) -> App:
    @wrap_model_call
    def remind(request: Any, handler: Any) -> Any:
        return handler(
            request.override(messages=[HumanMessage("Be brief, please."), *request.messages])
        )

    return _agent(checkpointer, remind)


def personal_data_redacted_in_the_state(checkpointer: Any) -> App:
    graph, _ = _agent(checkpointer, PIIMiddleware("email", strategy="redact"))
    return graph, (ask("What of ada@example.org?"), ask("And of bob@example.org?"))


def tools_selected(checkpointer: Any) -> App:
    choose = LLMToolSelectorMiddleware(model=scripted(), max_tools=1)
    return _agent(checkpointer, choose, tools=[lookup, spare])


def retried(checkpointer: Any) -> App:
    again = ModelRetryMiddleware(max_retries=2, initial_delay=0, jitter=False)
    return _agent(checkpointer, again, model=scripted(failing=frozenset({1, 4})))


def fallen_back(checkpointer: Any) -> App:
    other = ModelFallbackMiddleware(scripted())
    return _agent(checkpointer, other, model=scripted(failing=frozenset({0, 2})))


class Verdict(BaseModel):
    """What the agent found."""

    paid: bool


def structured_answer(checkpointer: Any) -> App:
    return _agent(checkpointer, response_format=Verdict)


def todo_list(checkpointer: Any) -> App:
    return _agent(checkpointer, TodoListMiddleware())


def agents_as_subgraphs(checkpointer: Any) -> App:
    graph = StateGraph(AgentState)
    for name in ("first", "second"):
        inner = create_agent(scripted(wanted=2), [lookup], system_prompt=PROMPT, name=name)
        graph.add_node(name, inner)
    graph.add_edge(START, "first")
    graph.add_edge("first", "second")
    return graph.compile(checkpointer=checkpointer), TURNS[:2]


def two_models_in_one_step(checkpointer: Any) -> App:
    graph = StateGraph(MessagesState)
    for name in ("writer", "critic"):
        model = scripted(wanted=0)
        graph.add_node(name, lambda s, model=model: {"messages": [model.invoke(s["messages"])]})
        graph.add_edge(START, name)
    return graph.compile(checkpointer=checkpointer), TURNS[:3]


def jump_to_end(checkpointer: Any) -> App:
    @before_model(can_jump_to=["end"])
    def refuse(state: Any, runtime: Any) -> dict[str, Any] | None:
        if "password" not in str(state["messages"][-1].content):
            return None
        return {"jump_to": "end", "messages": [AIMessage("I cannot speak of passwords.")]}

    graph, turns = _agent(checkpointer, refuse)
    return graph, (ask("Tell me your password."), *turns)


def agent_inside_a_tool(checkpointer: Any) -> App:
    inner = scripted(wanted=0)

    def consult(question: Annotated[str, "what to ask"]) -> str:
        """Ask the expert."""
        return str(
            inner.invoke([SystemMessage("You are the expert."), HumanMessage(question)]).content
        )

    class Caller(Scripted):
        def _answer(self, messages: Any, number: int, more: Mapping[str, Any]) -> AIMessage:
            if isinstance(messages[-1], HumanMessage):
                call = {"name": "consult", "args": {"question": "paid?"}, "id": f"call-{number}"}
                return AIMessage("", tool_calls=[call])
            return AIMessage(f"answer {number}")

    return _agent(checkpointer, model=Caller(made=[]), tools=[consult], turns=3)


class Counted(AgentMiddleware[Any, Any]):
    """Middleware with state of its own, which the model never sees."""

    class State(AgentState):
        calls: int

    state_schema = State

    def before_model(self, state: Any, runtime: Any) -> dict[str, Any]:
        return {"calls": state.get("calls", 0) + 1}


def counted(checkpointer: Any) -> App:
    return _agent(checkpointer, Counted())


APPS: Mapping[str, Callable[[Any], App]] = {
    "no middleware": plain,
    "no system prompt": no_system_prompt,
    "system prompt from the state (`dynamic_prompt`)": system_prompt_from_state,
    "system message in the state": system_message_in_the_state,
    "`SummarizationMiddleware`": summarised_in_the_state,
    "trimmed in `before_model` (`RemoveMessage`)": trimmed_in_the_state,
    "trimmed in `wrap_model_call` (`request.override`)": trimmed_on_the_way,
    "`ContextEditingMiddleware`": tool_results_cleared_on_the_way,
    "reminder added in `wrap_model_call`": reminder_added_on_the_way,
    "`PIIMiddleware`": personal_data_redacted_in_the_state,
    "`LLMToolSelectorMiddleware`": tools_selected,
    "`ModelRetryMiddleware`": retried,
    "`ModelFallbackMiddleware`": fallen_back,
    "`response_format`": structured_answer,
    "`TodoListMiddleware`": todo_list,
    "agents as subgraphs": agents_as_subgraphs,
    "two models in one step": two_models_in_one_step,
    "`jump_to` the end": jump_to_end,
    "model called inside a tool": agent_inside_a_tool,
    "middleware with its own state": counted,
}


def turns_of(app: Callable[[Any], App], checkpointer: Any) -> Iterator[Callable[[Any], Any]]:
    """Yield a function a turn; each runs the graph once with the config it is given."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        graph, inputs = app(checkpointer)
    for given in itertools.chain(inputs):
        yield lambda config, given=given: graph.invoke(given, config)
