"""A chat model that answers from a list: the n-th answer when n answers already stand."""

from collections.abc import Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult


class ScriptedModel(BaseChatModel):
    """Answers by the number of its own answers in the prompt, so that a resume asks no new one."""

    answers: list[AIMessage]

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> "ScriptedModel":
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: Any = None,
        **kwargs: Any,
    ) -> ChatResult:
        given = sum(
            1 for message in messages if message.type == "ai" and message.id.startswith("ai-")
        )
        return ChatResult(generations=[ChatGeneration(message=self.answers[given].model_copy())])


def calling(number: int, tool: str, **arguments: Any) -> AIMessage:
    """Return the answer that asks for one tool; number is unique within the script."""
    call = {"name": tool, "args": arguments, "id": f"call-{number}"}
    return AIMessage("", id=f"ai-{number}", tool_calls=[call], usage_metadata=_usage(number))


def saying(number: int, text: str) -> AIMessage:
    """Return the answer that is only text."""
    return AIMessage(text, id=f"ai-{number}", usage_metadata=_usage(number))


def _usage(number: int) -> Any:
    read, written = 180 + 45 * number, 20 + number
    return {"input_tokens": read, "output_tokens": written, "total_tokens": read + written}
