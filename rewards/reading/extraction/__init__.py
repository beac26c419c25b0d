r"""Finds the final answer in a completion, as LaTeX.

The time is linear in the length of the text, and no text raises an exception.

The following rules are tried in order. `Extraction.source` names the applied rule:

1. ``boxed``: the last complete ``\boxed``, ``\fbox``, ``\framebox`` (also ``\boxed 5``) outside any
  thinking block. If the box holds an equation, the answer is the last side of the equation. A box
  with only the constant of integration is ignored after an earlier box. An empty box, or a
  box with a placeholder (``\boxed{...}``), only repeats the instruction to write a box. It holds no
  answer, and only the text after it is searched. A box that is only mentioned ("verify with
  $\boxed{}$") does not count as empty. A box that the text denies ("not $\boxed{F}$") is skipped.
  If a check behind the last box fails and another formula is then called the answer, the box is
  taken back. Boxes with nothing but the marks of a list between them are all offered.
  The formula around a box belongs to the answer (``-\boxed{F}``). The words in a box must be in a
  closed list (`rewards.reading.extraction.words.vocabulary`); other words make the answer
  unreadable (`Extraction.refused`).

With ``strict``, no further rules apply. Otherwise every formula outside the thoughts is judged,
from the last to the first: ``$..$``, ``\(..\)``, ``$$..$$``, ``\[..\]``, environments, code, and
formulas without delimiters. Mathematics that touches the delimiters of a formula within a line
belongs to the formula, as printed (``-$x$/2``, ``$2$ ln 3``). Some statements are never an answer:
a lone constant, a definition (``u = x^2``, ``C = ..``), a differential, a condition (``x > 0``), a
derivative (a check), and an integral without a value. Any other formula is *strong* in two cases:
it ends in ``+ C``, or it has the form ``\int f dx = ..`` or ``F(x) = ..``. A formula is *announced*
if words such as "the answer is" precede it. The answer is then the first formula of the following
list:

2. the last formula that is strong or announced, unless the text recalls, uses or checks the
    formula. A later formula that is neither strong nor announced may override this formula. The
    later formula must be a display or follow words of conclusion. The source is ``final_answer`` if
    the formula is announced, else ``display``, ``inline`` or ``bare``;
3. the last expression, neither strong nor announced; the source is as in rule 2;
4. the last side of an equation of two expressions; the source is as in rule 2;
5. no answer, with the source ``none``.

If a formula has several statements, the last statement counts. In a chain ``a = b = c``, each of a,
b and c is called a link. The last link is the answer, and the other links are `Extraction.steps`.
Other answers that the formula offers are `Extraction.alternatives`. Values with conditions form one
table of cases. Text after an approximation sign, a single condition, and "where C is .." are left
out.

``truncated`` completions (cut by the token limit) have an answer only in a complete box. The box
must be outside the thoughts, and no other box may begin after it.
"""

from .answer import extract
from .result import Extraction

__all__ = ["Extraction", "extract"]
