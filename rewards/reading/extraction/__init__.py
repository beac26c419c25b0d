r"""Completion text to the LaTeX of the final answer. Pure, linear in the text, never raises.

The rules, in order; `Extraction.source` names the one that applied:

1. ``boxed``: the last complete ``\boxed``, ``\fbox``, ``\framebox`` (also ``\boxed 5``) outside any
   thinking block. A box that holds an equation gives its last link. A box with only the constant of
   integration yields to an earlier box, if there is one. An empty box, or one with a placeholder
   (``\boxed{...}``), repeats the instruction: it holds no answer and hides the boxes before it;
   only the text after it is searched. Unless it is only spoken of: "verify with $\boxed{}$". A box
   that the text denies ("not $\boxed{F}$") is passed over. What stands in a formula beside a box
   belongs to the answer (``-\boxed{F}``), and words in a box come from a closed list
   (`rewards.reading.extraction.words.vocabulary`); others make it unreadable
   (`Extraction.refused`).

With ``strict`` that is all. Otherwise every formula outside the thoughts is judged, from the last
to the first: ``$..$``, ``\(..\)``, ``$$..$$``, ``\[..\]``, environments, code, and formulas without
delimiters. A statement is never an answer if it is a lone constant, a definition (``u = x^2``,
``C = ..``), a differential, a condition (``x > 0``), a derivative (a check), or an integral without
a value. What remains is *strong* if it ends in ``+ C`` or has the form ``\int f dx = ..`` or
``F(x) = ..``, and *announced* if words such as "the answer is" precede it. Then

2. the last formula that is strong or announced, unless the text recalls, uses or checks it; a later
   plain formula overrides it only if it is a display or follows words of conclusion:
   ``final_answer`` if announced, else ``display``, ``inline`` or ``bare``;
3. the last plain expression; 4. the last side of an identity; with the same names;
5. ``none``.

A formula's last statement counts, and of a chain ``a = b = c`` the last link (the others are
`Extraction.steps`). Other answers that it offers are `Extraction.alternatives`.
Values with conditions are one table of cases. Text after an approximation sign, a single condition,
or "where C is .." is left out.

``truncated`` completions (cut by the token limit) have an answer only in a complete box that is
outside the thoughts and is not followed by the beginning of another.
"""

from .answer import extract
from .result import Extraction

__all__ = ["Extraction", "extract"]
