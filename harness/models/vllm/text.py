"""Between texts and tokens: a model's tokenizer, chat template and way to mark its reasoning."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from ....prompts.rendering import Rendered
from ...core.errors import ModelError
from .options import VllmModel


class Text:
    """A model's tokenizer, chat template and way to mark its reasoning."""

    def __init__(self, model: VllmModel, arguments: Any) -> None:
        try:
            from vllm.tokenizers import cached_tokenizer_from_config

            self.model, self.config = model, arguments.create_model_config()
            self.tokenizer = cached_tokenizer_from_config(self.config)
        except (OSError, ValueError) as error:
            reason = str(error).strip().partition("\n")[0]
            raise ModelError(f"model {model.spec}: {reason}") from error
        template = model.chat_template
        self.template = Path(template).read_text(encoding="utf-8") if template else None
        self.parser = self._reasoning_parser() if model.reasoning_parser else None

    @property
    def length(self) -> int:
        """The most tokens of a prompt and its answer together."""
        return int(self.config.max_model_len)

    @property
    def end(self) -> int | None:
        """The token that ends a text."""
        found: int | None = self.tokenizer.eos_token_id
        return found

    def ends(self) -> frozenset[int]:
        """All the tokens that end a text; of chat models there may be several."""
        found = self.config.try_get_generation_config().get("eos_token_id")
        more = [found] if isinstance(found, int) else found or []
        return frozenset(more) | ({self.end} if self.end is not None else set())

    def encode(self, prompt: Rendered, text: str = "") -> list[int]:
        """The tokens of a prompt, and of a text that goes on from it."""
        if not prompt.messages:
            return list(self.tokenizer.encode(prompt.text + text))
        # The template writes what begins a text; the tokenizer would write it again.
        return list(self.tokenizer.encode(self._chat(prompt) + text, add_special_tokens=False))

    def _chat(self, prompt: Rendered) -> str:
        try:
            rendered: str = self.tokenizer.apply_chat_template(
                prompt.turns,
                chat_template=self.template,
                tokenize=False,
                add_generation_prompt=True,
                **self.model.template_arguments,
            )
        except Exception as error:  # templates raise what they like
            raise ModelError(
                f"model {self.model.spec}: its chat template failed: "
                f"{str(error).strip().partition(chr(10))[0]} (-M chat-template=FILE gives another)"
            ) from error
        return rendered

    def continuation(self, prompt: Rendered, text: str) -> tuple[list[int], list[int]]:
        """The tokens of a prompt, and those of a text after it.

        The prompt's are those that an answer would be sampled after. Where the tokenizer would
        merge its end with the beginning of the text, the text is encoded by itself.
        """
        before, whole = self.encode(prompt), self.encode(prompt, text)
        if whole[: len(before)] == before:
            return before, whole[len(before) :]
        after = list(self.tokenizer.encode(text, add_special_tokens=False))
        # Some tokenizers put a space before a text; then its token is not part of this one.
        wanted = self.tokenizer.decode(whole)
        if (
            self.tokenizer.decode(before + after)
            != wanted
            == self.tokenizer.decode(before + after[1:])
        ):
            after = after[1:]
        return before, after

    def decode(self, prompt: Rendered, tokens: Sequence[int]) -> str:
        """An answer's text."""
        skip = self.skips_special(prompt)
        found: str = self.tokenizer.decode(tokens, skip_special_tokens=skip)
        return found

    def _reasoning_parser(self) -> Any:
        from vllm.reasoning import ReasoningParserManager

        make = ReasoningParserManager.get_reasoning_parser(self.model.reasoning_parser)
        try:
            return make(self.tokenizer, chat_template_kwargs=self.model.template_arguments)
        except (RuntimeError, ValueError) as error:
            name = self.model.reasoning_parser
            raise ModelError(f"reasoning parser {name!r} is not for this model: {error}") from error

    @cached_property
    def _chat_request(self) -> Any:
        """What vLLM's reasoning parsers want to see of a request."""
        from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest

        return ChatCompletionRequest(
            messages=[{"role": "user", "content": ""}],
            chat_template_kwargs=self.model.template_arguments,
        )

    @cached_property
    def _keeps_special(self) -> bool:
        """Whether special tokens stay in what a chat says, as they mark the reasoning."""
        if self.parser is None:
            return False
        return not self.parser.adjust_request(self._chat_request).skip_special_tokens

    def skips_special(self, prompt: Rendered) -> bool:
        """Whether special tokens are left out of an answer."""
        return not (prompt.messages and self._keeps_special)

    def split(self, prompt: Rendered, text: str, tokens: Sequence[int]) -> dict[str, Any]:
        """An answer's ``text``, ``reasoning`` and ``reasoning_tokens``. Only chats have any."""
        if self.parser is None or not prompt.messages:
            return {"text": text}
        reasoning, answer = self.parser.extract_reasoning(text, self._chat_request)
        count = self.parser.count_reasoning_tokens(tokens) if reasoning else 0
        # Parsers that cannot count say 0.
        counted = count or None if reasoning else 0
        return {
            "text": answer or "",
            "reasoning": reasoning or "",
            "reasoning_tokens": counted,
        }
