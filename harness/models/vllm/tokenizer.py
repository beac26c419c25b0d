"""A vLLM model's tokenizer, with chat template and reasoning parser."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from ....prompts.rendering import Rendered
from ...core.errors import ModelError, reason_of
from .options import VllmModel


class VllmTokenizer:
    """Turns prompts into tokens, and tokens into a completion's text and reasoning."""

    def __init__(self, model: VllmModel, arguments: Any) -> None:
        try:
            from vllm.tokenizers import cached_tokenizer_from_config

            self.model, self.config = model, arguments.create_model_config()
            self.tokenizer = cached_tokenizer_from_config(self.config)
        except (OSError, ValueError) as error:
            raise ModelError(f"model {model.spec}: {reason_of(error)}") from error
        template = model.chat_template
        self.template = Path(template).read_text(encoding="utf-8") if template else None
        self.parser = self._reasoning_parser() if model.reasoning_parser else None

    @property
    def length(self) -> int:
        """The context length: the largest number of tokens of prompt and completion together."""
        return int(self.config.max_model_len)

    @property
    def end(self) -> int | None:
        """The end-of-text token."""
        token: int | None = self.tokenizer.eos_token_id
        return token

    def ends(self) -> frozenset[int]:
        """All tokens that end a text; chat models may have several."""
        tokens = self.config.try_get_generation_config().get("eos_token_id")
        tokens = [tokens] if isinstance(tokens, int) else tokens or []
        return frozenset(tokens) | ({self.end} if self.end is not None else set())

    def encode(self, prompt: Rendered, text: str = "") -> list[int]:
        """Return the tokens of a prompt and of a continuing text."""
        if not prompt.messages:
            return list(self.tokenizer.encode(prompt.text + text))
        # The template adds the beginning-of-text token; the tokenizer would add another.
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
        except Exception as error:  # a template can raise anything
            raise ModelError(
                f"model {self.model.spec}: its chat template failed: "
                f"{reason_of(error)} (-M chat-template=FILE gives another)"
            ) from error
        return rendered

    def continuation(self, prompt: Rendered, text: str) -> tuple[list[int], list[int]]:
        """Return the tokens of a prompt, and the tokens of a text after the prompt.

        The prompt's tokens are the same as for a completion. If the tokenizer would merge the
        prompt's end with the text's beginning, the text is tokenized alone.
        """
        prompt_tokens, all_tokens = self.encode(prompt), self.encode(prompt, text)
        if all_tokens[: len(prompt_tokens)] == prompt_tokens:
            return prompt_tokens, all_tokens[len(prompt_tokens) :]
        text_tokens = list(self.tokenizer.encode(text, add_special_tokens=False))
        # Some tokenizers add a space before a text: leave its token out.
        expected = self.tokenizer.decode(all_tokens)
        if (
            self.tokenizer.decode(prompt_tokens + text_tokens)
            != expected
            == self.tokenizer.decode(prompt_tokens + text_tokens[1:])
        ):
            text_tokens = text_tokens[1:]
        return prompt_tokens, text_tokens

    def decode(self, prompt: Rendered, tokens: Sequence[int]) -> str:
        """Return a completion's text."""
        skip = self.skips_special(prompt)
        text: str = self.tokenizer.decode(tokens, skip_special_tokens=skip)
        return text

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
        """A request in the form of vLLM's reasoning parsers."""
        from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest

        return ChatCompletionRequest(
            messages=[{"role": "user", "content": ""}],
            chat_template_kwargs=self.model.template_arguments,
        )

    @cached_property
    def _keeps_special(self) -> bool:
        """Whether a chat's completion keeps special tokens, as marks of the reasoning."""
        if self.parser is None:
            return False
        return not self.parser.adjust_request(self._chat_request).skip_special_tokens

    def skips_special(self, prompt: Rendered) -> bool:
        """Whether special tokens are removed from a completion."""
        return not (prompt.messages and self._keeps_special)

    def split(self, prompt: Rendered, text: str, tokens: Sequence[int]) -> dict[str, Any]:
        """Return a completion's ``text``, ``reasoning`` and ``reasoning_tokens`` (chats only)."""
        if self.parser is None or not prompt.messages:
            return {"text": text}
        reasoning, answer = self.parser.extract_reasoning(text, self._chat_request)
        count = self.parser.count_reasoning_tokens(tokens) if reasoning else 0
        # Parsers that cannot count return 0.
        counted = count or None if reasoning else 0
        return {
            "text": answer or "",
            "reasoning": reasoning or "",
            "reasoning_tokens": counted,
        }
