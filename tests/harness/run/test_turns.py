"""Further turns: feedback, storage, resuming, and repaired@t."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from calculus_harness.benchmarks.registry import resolve
from calculus_harness.harness import Policy, Run, compare, summarise, sweep
from calculus_harness.harness.core.errors import UserError
from calculus_harness.harness.core.requests import Completion, Request
from calculus_harness.harness.models.python_function import LocalFunction
from calculus_harness.harness.report import export_summary
from calculus_harness.harness.report.comparison import export_comparison
from calculus_harness.harness.run.phases import run_turns
from calculus_harness.harness.run.turns.feedback import reply_to
from calculus_harness.rewards import verify_limit
from tests.harness.faulty_server import Body, FaultyServer, payload_for
from tests.harness.jobs import job_of

WRONG = r"\boxed{1}"
Messages = list[dict[str, str]]


def reference(messages: Messages) -> str:
    """The right answer to a monomial drill, from the prompt's first message."""
    prompt = next(message["content"] for message in messages if message["role"] == "user")
    text = prompt.split("\\,d")[0].removeprefix("\\int ").strip()
    coefficient, _, power = text.partition("x")
    k = int(coefficient.strip() or 1)
    n = int(power.strip("^{} ") or 1)
    return rf"\boxed{{\frac{{{k}}}{{{n + 1}}} x^{{{n + 1}}}}}"


class Student:
    """Answers ``wrong`` until the feedback contains a word, and then right."""

    def __init__(self, word: str, wrong: str = WRONG) -> None:
        self.word, self.wrong, self.asked = word, wrong, Counter[int]()
        self.seen: list[Messages] = []

    def __call__(self, messages: Messages, seed: int) -> str:
        self.asked[len(messages)] += 1
        self.seen.append(messages)
        feedback = [message["content"] for message in messages if message["role"] == "user"][1:]
        return reference(messages) if any(self.word in text for text in feedback) else self.wrong

    @property
    def feedback_texts(self) -> list[str]:
        """The last message of every conversation, in the order of asking."""
        return [messages[-1]["content"] for messages in self.seen]


def swept(student: Callable[[Messages, int], str], out: Path, **settings: Any) -> Run:
    def answer(messages: Messages, seed: int) -> str:
        return student(messages, seed)

    defaults = {"limit": 4, "samples": 2, "prompt": "terse", "turns": 3}
    return sweep([answer], ["drills/monomials"], out=out, **(defaults | settings))


def rows(run: Run) -> dict[tuple[str, int], Any]:
    return {(row.feedback, row.turn): row for row in summarise(run).repaired}


def test_told_where_it_is_wrong_a_model_repairs_what_the_control_does_not(tmp_path: Path) -> None:
    student = Student("derivative")
    run = swept(student, tmp_path / "run", feedback="witness")
    stored = rows(run)
    assert list(stored) == [("control", 2), ("control", 3), ("witness", 2), ("witness", 3)]
    assert [stored["witness", turn].value for turn in (2, 3)] == [1, 1]
    assert [stored["control", turn].value for turn in (2, 3)] == [0, 0]
    assert {row.asked for row in stored.values()} == {8}
    assert stored["witness", 2].gain == 1
    low, high = stored["witness", 2].gain_interval
    assert low < 1 == high
    assert stored["control", 2].gain is None
    # Two messages at first, then reply and feedback; a repaired answer is not asked again.
    assert student.asked == {2: 8, 4: 16, 6: 8}
    # pass@1 is that of the first answers.
    assert summarise(run).rows[0].passes[0].value == 0
    turns = student.seen[-1]
    assert [m["role"] for m in turns] == ["system", "user"] + 2 * ["assistant", "user"]
    assert turns[2]["content"] == WRONG


@pytest.mark.parametrize(
    ("feedback", "text"),
    [
        ("verdict", "Your answer is incorrect. Solve"),
        ("witness", "Your answer is incorrect: at x = "),
        ("steps", "Your answer is incorrect. The first wrong step is 1 + 1 = 3. Solve"),
    ],
)
def test_what_is_told(tmp_path: Path, feedback: str, text: str) -> None:
    student = Student("never", rf"First $1 + 1 = 3$, hence {WRONG}.")
    swept(student, tmp_path / "run", feedback=feedback, limit=1, samples=1, turns=2)
    _, message, control = student.feedback_texts
    assert message.startswith(text)
    for word in ("incorrect", "wrong", "="):
        assert word not in control


def test_an_unreadable_answer_and_one_without_a_wrong_step(tmp_path: Path) -> None:
    for number, (answer, feedback) in enumerate(
        [
            ("I do not know.", "No answer was found. Solve"),
            (WRONG, "Your answer is incorrect."),
        ]
    ):
        student = Student("never", answer)
        swept(student, tmp_path / str(number), feedback="steps", limit=1, samples=1, turns=2)
        assert student.feedback_texts[1].startswith(feedback)


def test_the_same_command_asks_nothing_again_and_more_turns_extend(tmp_path: Path) -> None:
    student = Student("never")
    run = swept(student, tmp_path / "run", turns=2)
    stored = {path: path.read_bytes() for path in (run.path / "turns").glob("*.jsonl")}
    assert student.asked == {2: 8, 4: 16}
    swept(student, tmp_path / "run", turns=2)
    assert student.asked == {2: 8, 4: 16}
    run = swept(student, tmp_path / "run", turns=3)
    assert student.asked == {2: 8, 4: 16, 6: 16}
    swept(student, tmp_path / "run", turns=3, samples=3)
    assert student.asked == {2: 12, 4: 24, 6: 24}
    for path, content in stored.items():  # what was told stays, and more comes behind it
        assert path.read_bytes().startswith(content)
    verdicts = [json.loads(line) for line in (run.path / "turns/verdict-2.jsonl").open()]
    assert len(verdicts) == 12


def test_turns_are_judged_by_the_policy_of_the_call_or_by_default(tmp_path: Path) -> None:
    model = LocalFunction.of(lambda messages, seed: WRONG)
    settings: dict[str, Any] = {"limit": 1, "prompt": "terse", "turns": 2, "out": tmp_path / "run"}
    job = job_of([model], ["drills/monomials"], **settings)
    strict = Policy(strict=True)
    assert run_turns(job).policies == (Policy().name,)
    assert run_turns(job, policy=strict).policies == (Policy().name, strict.name)


def test_a_sweep_that_is_stopped_goes_on(tmp_path: Path) -> None:
    student, calls = Student("incorrect"), 0

    def stopping(messages: Messages, seed: int) -> str:
        nonlocal calls
        calls += 1
        if calls == 11:
            raise KeyboardInterrupt
        return student(messages, seed)

    with pytest.raises(KeyboardInterrupt):
        swept(stopping, tmp_path / "run", model_option={"concurrency": 1}, turns=2)
    run = swept(student, tmp_path / "run", turns=2)
    assert rows(run)["verdict", 2].value == 1
    undisturbed = swept(Student("incorrect"), tmp_path / "whole", turns=2)
    assert [row.to_dict() | {"model": ""} for row in rows(run).values()] == [
        row.to_dict() | {"model": ""} for row in rows(undisturbed).values()
    ]


def test_report_and_compare(tmp_path: Path) -> None:
    bad = swept(Student("never"), tmp_path / "bad", turns=2)
    good = swept(Student("incorrect"), tmp_path / "good", turns=2)
    text = export_summary(summarise(good), "markdown")
    assert "| verdict | 2 | 8 of 4 | 100.0 [" in text
    assert export_summary(summarise(good), "json").count('"feedback"') == 2
    compared = compare(bad, good)
    difference = {arm.feedback: arm for arm in compared.repaired}
    assert (difference["verdict"].value, difference["control"].value) == (1, 0)
    assert difference["verdict"].problems == 4
    assert "repaired@t, second minus first" in export_comparison(compared, "markdown")


class Counted(LocalFunction):
    """A function whose answers count 100 tokens each."""

    async def complete(self, requests: AsyncIterator[Request]) -> AsyncGenerator[Completion, None]:
        async for completion in super().complete(requests):
            yield replace(completion, prompt_tokens=60, completion_tokens=40)


def test_limits_hold_for_all_turns_together(tmp_path: Path) -> None:
    student = Student("never")

    def answer(messages: Messages, seed: int) -> str:
        return student(messages, seed)

    def total(limit: int) -> int:
        model = Counted.of(answer)
        sweep([model], ["drills/monomials"], limit=4, samples=2, prompt="terse", turns=2,
              max_tokens_total=limit, out=tmp_path / "run")  # fmt: skip
        return sum(student.asked.values())

    assert total(1200) == 12  # of 8 first answers and 16 more
    assert total(1200) == 12
    assert total(10_000) == 24


def test_a_turn_that_was_stopped_is_not_counted(tmp_path: Path) -> None:
    run = swept(Student("never"), tmp_path / "run")
    assert ("control", 3) in rows(run)
    (log,) = (run.path / "turns/control-3/verdicts").glob("*/00000.jsonl")
    lines = log.read_text().splitlines(keepends=True)
    log.write_text("".join(lines[:-1]))
    assert ("control", 3) not in rows(run)
    assert rows(run)["verdict", 3].gain is None


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"prompt": "bare"}, "the prompt is a text to complete"),
        ({"prompt": "two-stage"}, "the prompt has stages"),
        ({"turns": 0}, "turns"),
        ({"feedback": "hint"}, "feedback"),
    ],
)
def test_what_cannot_be_tried_again_is_refused(
    tmp_path: Path, settings: dict[str, Any], message: str
) -> None:
    student = Student("never")
    with pytest.raises(UserError, match=message):
        swept(student, tmp_path / "run", **settings)
    assert not student.asked


def test_a_solver_gives_the_same_answer_again(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="solver/sympy gives the same answer again"):
        sweep(["solver/sympy"], ["drills/monomials"], limit=1, turns=2, out=tmp_path / "run")


@pytest.mark.openai
def test_turns_of_a_server(tmp_path: Path) -> None:
    """A server gets the whole chat with the feedback; all tokens are counted."""

    def respond(body: Body) -> Any:
        payload = payload_for(body)
        corrected = len(body["messages"]) > 2 and "incorrect" in body["messages"][-1]["content"]
        text = reference(body["messages"]) if corrected else WRONG
        payload["choices"][0]["message"]["content"] = text
        return payload

    with FaultyServer() as server:
        server.respond = respond
        run = sweep(
            ["openai/m"],
            ["drills/monomials"],
            limit=3,
            prompt="terse",
            turns=2,
            model_option={"base-url": server.url, "probe": "0"},
            out=tmp_path / "run",
        )
    assert [rows(run)[arm, 2].value for arm in ("control", "verdict")] == [0, 1]
    turn = Run(run.path / "turns/verdict-2")
    assert all(row["completion_tokens"] for row in turn.completions.rows())


def test_the_first_wrong_step_of_a_question_of_the_course_is_told() -> None:
    problem = next(p for subset in resolve("course/limits") for p in subset.problems(1, 0))
    text = r"$1 + 1 = 2$ and $1 + 2 = 4$, so \boxed{17}"
    verdict = verify_limit(text, problem.target.judged)
    message = asyncio.run(reply_to("steps", problem, text, verdict))
    assert "The first wrong step is 1 + 2 = 4." in message
