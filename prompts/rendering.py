"""Rendered prompts: chat messages, or a text to complete."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a chat.

    Attributes:
        role: ``system``, ``user`` or ``assistant``.
        content: the text of the message.
        pictures: PNG files in base64, which precede the text.

    >>> Message("user", "Integrate 2x.").role
    'user'

    """

    role: str
    content: str
    pictures: tuple[str, ...] = ()

    @property
    def parts(self) -> str | list[dict[str, Any]]:
        """The content in the OpenAI protocol: text, or with pictures a list of parts."""
        if not self.pictures:
            return self.content
        urls = ({"url": f"data:image/png;base64,{picture}"} for picture in self.pictures)
        images: list[dict[str, Any]] = [{"type": "image_url", "image_url": url} for url in urls]
        return [*images, {"type": "text", "text": self.content}]


@dataclass(frozen=True, slots=True)
class Rendered:
    """A rendered prompt for a problem.

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
    def pictures(self) -> tuple[str, ...]:
        """The pictures of all messages."""
        return tuple(picture for message in self.messages for picture in message.pictures)

    @property
    def turns(self) -> list[dict[str, Any]]:
        """The messages as dictionaries, as in the OpenAI protocol."""
        return [{"role": turn.role, "content": turn.parts} for turn in self.messages]

    def to_dict(self) -> dict[str, Any]:
        """The prompt for JSON.

        Returns:
            ``messages`` or ``text``.

        """
        return {"messages": self.turns} if self.messages else {"text": self.text}

    def __str__(self) -> str:
        """The prompt as text for reports."""
        if not self.messages:
            return self.text
        return "\n\n".join(
            f"[{message.role}]\n{'[picture]' * len(message.pictures)}{message.content}"
            for message in self.messages
        )
