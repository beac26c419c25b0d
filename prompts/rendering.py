"""What a model is shown: a list of chat messages, or one text to complete."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Rendered:
    """A prompt with its problem filled in: ``messages`` of a chat, or else ``text``."""

    messages: tuple[Message, ...] = ()
    text: str = ""

    @property
    def style(self) -> str:
        return "chat" if self.messages else "completion"

    @property
    def turns(self) -> list[dict[str, str]]:
        """The messages as chat templates and servers take them."""
        return [{"role": turn.role, "content": turn.content} for turn in self.messages]

    def to_dict(self) -> dict[str, Any]:
        return {"messages": self.turns} if self.messages else {"text": self.text}

    def __str__(self) -> str:
        """As a person would read it, for a dry run and for reports."""
        if not self.messages:
            return self.text
        return "\n\n".join(f"[{message.role}]\n{message.content}" for message in self.messages)
