r"""Messages to a model about its answer or its steps.

A message is the reply of a tool, or the request for another attempt.

No message reveals an answer. A witness is a point with two numbers: the expected number and the
model's number. A witness is shown only if the model could compute both numbers itself, from the
problem and from the model's own formula. In other tasks the expected number is the answer, or a
value of the answer. The message is then only "incorrect".

>>> from calculus_harness.rewards import verify_antiderivative
>>> verdict = verify_antiderivative(r"\boxed{x^3}", "2x")
>>> finding(verdict)
'incorrect: at x = 0.587494, integrand 1.174988, derivative 1.035448, difference -0.1395404'
>>> retry("verdict", verdict)
'Your answer is incorrect. Solve the problem again, and end with the answer in \\boxed{}.'
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

from ..questions import COURSE, QUESTIONS
from ..verdict import Status, Verdict, Witness

#: The kind of message before another attempt. ``none`` is the control: only the request.
Feedback = Literal["none", "verdict", "witness", "steps"]
FEEDBACK: tuple[Feedback, ...] = get_args(Feedback)

AGAIN = r"Solve the problem again, and end with the answer in \boxed{}."
#: The limits of an observation, as a model's context is expensive: characters of the text and of an
#: equation, and the number of equations.
LONGEST, LONGEST_EQUATION, EQUATIONS = 300, 200, 8

#: Tasks whose witness consists of data that the problem states.
_STATED = frozenset(name for name, question in QUESTIONS.items() if question.shows_witness)
#: Tasks whose solutions have steps that are judged.
WITH_STEPS = frozenset({"antiderivative", "steps", "definite", *COURSE})
_UNREADABLE = frozenset({Status.UNPARSEABLE, Status.NO_ANSWER, Status.NOT_CLOSED_FORM})
_SENTENCES = {
    Status.CORRECT: "Your answer is correct.",
    Status.INCORRECT: "Your answer is incorrect.",
    Status.NO_ANSWER: "No answer was found.",
    Status.UNPARSEABLE: "Your answer cannot be read.",
    Status.NOT_CLOSED_FORM: "Your answer is not in closed form.",
}
_UNDECIDED = "It could not be decided whether your answer is correct."
#: A number of a witness's ``described``, as 1.1749880000000: seven digits suffice for the message.
_NUMBER = re.compile(r"-?[0-9]+\.[0-9]{7,}(?:e[-+]?[0-9]{1,4})?")


def finding(verdict: Verdict, task: str = "antiderivative") -> str:
    """Describe a verdict in a line of text.

    Args:
        verdict: the verdict.
        task: the verdict's task, a name in `adapters.scoring.TASKS`.

    Returns:
        ``correct``, ``incorrect``, ``unreadable`` or ``undecided``. A reason may follow
        ``incorrect`` and ``unreadable``.

    """
    if verdict.status is Status.CORRECT:
        return "correct"
    if verdict.status is Status.INCORRECT:
        return _with_reason("incorrect", _shown(verdict, task))
    if verdict.status in _UNREADABLE:
        return _with_reason("unreadable", verdict.evidence.detail)
    return "undecided"


def steps(claims: Sequence[Mapping[str, Any]]) -> str:
    """Describe the judgements on a solution's equations as text, with a line for each equation.

    Args:
        claims: the solution's claims, which are its judged equations, as JSON
            (`rewards.verify.solution_steps.result.Solution`).

    Returns:
        The first `EQUATIONS` lines, or ``unreadable`` if the solution has no equation.

    """
    lines = [
        f"{_JUDGEMENTS[claim['judgement']]}: {_equation(claim)}"[:LONGEST]
        for claim in claims
        if claim["left"] and claim["judgement"] in _JUDGEMENTS
    ]
    return "\n".join(lines[:EQUATIONS]) or "unreadable: there is no equation in it"


_JUDGEMENTS = {"correct": "correct", "incorrect": "incorrect", "unchecked": "undecided"}


def retry(
    kind: Feedback,
    verdict: Verdict,
    task: str = "antiderivative",
    claims: Sequence[Mapping[str, Any]] = (),
) -> str:
    """Write the message that asks a model for another attempt.

    Args:
        kind: what the message states. The choices are nothing, the verdict, a point at which the
            answer is wrong, and the first wrong step. If the point or step is not known, the
            message states the verdict.
        verdict: the verdict on the last attempt.
        task: the verdict's task.
        claims: the judged claims in the last attempt, for ``steps``.

    Returns:
        The message.

    Raises:
        ValueError: the kind is unknown.

    """
    if kind not in FEEDBACK:
        raise ValueError(f"feedback is one of {', '.join(FEEDBACK)}, not {kind!r}")
    if kind == "none":
        return AGAIN
    sentence = _SENTENCES.get(verdict.status, _UNDECIDED)
    reason = ""
    if kind == "witness":
        reason = _shown(verdict, task) if verdict.status is Status.INCORRECT else ""
    elif kind == "steps":
        wrong = next(
            (claim for claim in claims if claim["left"] and claim["judgement"] == "incorrect"), None
        )
        if wrong is not None:
            sentence += f" The first wrong step is {_equation(wrong)}."
    return f"{sentence[:-1]}: {reason}. {AGAIN}" if reason else f"{sentence} {AGAIN}"


def _shown(verdict: Verdict, task: str) -> str:
    """Describe as text why an answer is incorrect.

    The text is empty if the reason would reveal the right answer.
    """
    if task not in _STATED:
        return ""
    witness, detail = verdict.evidence.witness, verdict.evidence.detail
    return _numbers(witness) if witness is not None else detail


def _numbers(witness: Witness) -> str:
    return _NUMBER.sub(lambda number: f"{float(number[0]):.7g}", str(witness))


def _equation(claim: Mapping[str, Any]) -> str:
    return f"{claim['left']} = {claim['right']}"[:LONGEST_EQUATION]


def _with_reason(name: str, reason: str) -> str:
    return (f"{name}: {reason}" if reason else name)[:LONGEST]
