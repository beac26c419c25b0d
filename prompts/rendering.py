"""Rendered prompts: chat messages, or one text to complete."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a chat.

    >>> Message("user", "Integrate 2x.").role
    'user'
    """

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Rendered:
    """A prompt for one problem.

    Attributes:
        messages: the messages of a chat prompt.
        text: the text of a completion prompt.

    >>> Rendered(text="The integral of 2x is").style
    'completion'

    """

    messages: tuple[Message, ...] = ()
    text: str = ""

    @property
    def style(self) -> str:
        return "chat" if self.messages else "completion"

    @property
    def turns(self) -> list[dict[str, str]]:
        """The messages as dictionaries, as in the OpenAI protocol."""
        return [{"role": turn.role, "content": turn.content} for turn in self.messages]

    def to_dict(self) -> dict[str, Any]:
        return {"messages": self.turns} if self.messages else {"text": self.text}

    def __str__(self) -> str:
        """The prompt as text for reports."""
        if not self.messages:
            return self.text
        return "\n\n".join(f"[{message.role}]\n{message.content}" for message in self.messages)
