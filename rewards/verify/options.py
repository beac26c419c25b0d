"""Labels of options, in answers to questions that list options: "(A) 1 (B) 2 (C) 3"."""

from __future__ import annotations

import re
from typing import Final

from ..reading.extraction.announced import final_text
from ..reading.problem.prose import options_of
from .answers import AnswerOptions

#: Two words in a row, as in "does not exist"; a single long word, as in "diverges".
_IN_WORDS: Final = re.compile(
    r"(?<![\\A-Za-z])(?:[A-Za-z]{2,}\s+[A-Za-z]{2,}|[A-Za-z]{7,})(?![A-Za-z({])"
)
#: The label of an option as an answer, without commands for text; a longer text is no label.
_LABEL: Final = re.compile(r"[\s$*]*(?:[Oo]ption|[Cc]hoice)?\s*\(?(?P<label>[A-Ha-h])\)?[\s$.*]*")
_LONGEST_LABEL: Final = 40


def with_option(completion: str, question: object, options: AnswerOptions) -> str:
    r"""Replace the label of an option by the option, if a question lists options: (A) 1, (B) 2.

    Args:
        completion: the model's output.
        question: the question. Only a text can list options.
        options: the options of the judge.

    Returns:
        The option in a box. The completion stays as it is if the final answer is no label.

    >>> with_option("So B.", "$1+1$ is (A) 1 (B) 2 (C) 3", AnswerOptions())
    'So B.'
    >>> with_option("The answer is B.", "$1+1$ is (A) 1 (B) 2 (C) 3", AnswerOptions())
    '\\boxed{2}'

    """
    listed = options_of(question)[1] if isinstance(question, str) else {}
    if not listed or not isinstance(completion, str):
        return completion
    final = final_text(
        completion, strict=options.strict, stop=options.stop, truncated=options.truncated
    )
    text = final.text if final.answer is None else final.answer
    label = _LABEL.fullmatch(text) if len(text) <= _LONGEST_LABEL else None
    names = {name.lower(): option for name, option in listed.items()}
    option = names.get(label["label"].lower()) if label else None
    if option is None:
        return completion
    return rf"\boxed{{\text{{{option}}}}}" if _IN_WORDS.search(option) else rf"\boxed{{{option}}}"
