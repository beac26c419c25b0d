"""The reward of each behaviour: the core shared by all trainers."""

from __future__ import annotations

import asyncio
import dataclasses
import pickle
from typing import Any

import pytest

from calculus_harness.rewards.adapters import scoring
from calculus_harness.rewards.adapters.components.format import form_of
from calculus_harness.rewards.adapters.rows import is_truncated, opens_thinking, target_of, text_of
from calculus_harness.rewards.adapters.scoring import Rollout, Rubric, rates, score
from calculus_harness.rewards.verdict import Status
from calculus_harness.rewards.workers import verdicts
from calculus_harness.rewards.workers.errors import (
    PoolError,
    WorkerCrash,
    WorkerMemory,
    WorkerTimeout,
)

RIGHT, WRONG = r"So $\boxed{x^2 + C}$.", r"So $\boxed{x^3 + C}$."


def reward(text: str, target: Any = "2x", rubric: Rubric | None = None, **item: Any) -> Any:
    return score([Rollout(text, target, **item)], rubric or Rubric())[0].reward


def status(text: str, target: Any = "2x", rubric: Rubric | None = None, **item: Any) -> str:
    return score([Rollout(text, target, **item)], rubric or Rubric())[0].status


@pytest.mark.parametrize(
    ("text", "integrand", "expected"),
    [
        (RIGHT, "2x", "correct"),
        (WRONG, "2x", "incorrect"),
        ("x^2 + C", "2x", "no_answer"),
        (r"\boxed{x^}", "2x", "unparseable"),
        (r"\boxed{\int 2x\,dx}", "2x", "not_closed_form"),
        (r"\boxed{x^2 + e^{-5000}\sin x}", "2x", "undecided"),
        ("", "2x", "no_answer"),
    ],
)
def test_statuses_and_rewards(text: str, integrand: str, expected: str) -> None:
    graded = score([Rollout(text, integrand)], Rubric())[0]
    assert graded.status == expected
    assert graded.reward == (1.0 if expected == "correct" else 0.0)


@pytest.mark.parametrize("target", ["2x+", "", "  ", None, 7, ["2x"], "uv", "f(x)"])
def test_a_bad_row_is_no_opinion(target: Any) -> None:
    assert status(RIGHT, target) == "bad_problem"
    assert reward(RIGHT, target) is None


@pytest.mark.parametrize(
    "columns",
    [
        {"variable": 3},
        {"assumptions": "positive"},
        {"assumptions": {"a": "odd-ish"}},
        {"assumptions": {"a": 1}},
    ],
)
def test_bad_columns_are_bad_rows(columns: dict[str, Any]) -> None:
    assert reward(RIGHT, "2x", **columns) is None


def test_variable_and_assumptions() -> None:
    assert reward(r"\boxed{t^2}", "2t", variable="t") == 1.0
    # Data sets fill what a row lacks with None.
    assumptions = {"a": "negative", "b": None}
    answer = r"\boxed{\frac{x^2}{2}+x|a|}"
    assert reward(answer, "x-a", assumptions=assumptions) == 1.0
    assert reward(answer, "x-a") == 0.0


@pytest.mark.parametrize(
    ("task", "target", "right", "wrong"),
    [
        ("value", r"\frac{\pi}{4}", r"\arctan 1", "0.785398"),
        ("equivalent", r"\sin(2x)", r"2\sin x\cos x", r"\sin x\cos x"),
        ("label", 1, "yes", "0"),
        ("label", "no", "0", "1"),
        ("integer", 42, "6 \\cdot 7 = 42", "41"),
        ("integer", "42", "42", "42 or 43"),
    ],
)
def test_other_tasks(task: str, target: Any, right: str, wrong: str) -> None:
    rubric = Rubric(task)
    assert reward(rf"\boxed{{{right}}}", target, rubric) == 1.0
    assert reward(rf"\boxed{{{wrong}}}", target, rubric) == 0.0
    assert reward(right, target, rubric) == 0.0  # strict


@pytest.mark.parametrize(
    ("task", "target"),
    [
        ("value", "x"),
        ("value", None),
        ("equivalent", "x+"),
        ("label", "perhaps"),
        ("label", 2),
        ("integer", "many"),
        ("integer", None),
        ("integer", 1.5),
    ],
)
def test_bad_rows_of_other_tasks(task: str, target: Any) -> None:
    assert reward(r"\boxed{1}", target, Rubric(task)) is None


def test_options_reach_the_verifier() -> None:
    answer = r"\boxed{\frac{x^2}{2}}"
    assert reward(answer, r"\sqrt{x^2}") == 1.0
    assert reward(answer, r"\sqrt{x^2}", Rubric(options={"strict_domain": True})) == 0.0
    assert reward(answer, r"\sqrt{x^2}", Rubric(min_coverage=0.75)) == 0.0
    close = Rubric("value", options={"relative_tolerance": 1e-3})
    assert reward(r"\boxed{0.7854}", r"\frac{\pi}{4}", close) == 1.0
    assert reward("x^2 + C", "2x", Rubric(strict=False)) == 1.0
    assert reward(RIGHT + "\nNext question: " + WRONG, "2x", Rubric(stop=("\nNext",))) == 1.0


# --- components -----------------------------------------------------------------------------

FORM = Rubric(components=("correctness", "format"), weights=(1.0, 0.5))


def test_format_earns_only_beside_a_right_answer() -> None:
    assert reward(RIGHT, rubric=FORM) == 1.5
    assert reward(WRONG, rubric=FORM) == 0.0
    assert reward(WRONG, rubric=dataclasses.replace(FORM, gate=False)) == 0.5


@pytest.mark.parametrize(
    ("text", "missed"),
    [
        (RIGHT, 0),
        ("<think>let me see</think>" + RIGHT, 0),
        (WRONG + " No: " + RIGHT, 1),  # two boxes
        ("thought</think>" + RIGHT, 1),
        ("Well. <think>a</think>" + RIGHT, 1),
        ("<think>a</think><think>b</think>" + RIGHT, 1),
    ],
)
def test_share_of_the_format(text: str, missed: int) -> None:
    assert reward(text, rubric=FORM) == pytest.approx(1 + 0.5 * (5 - missed) / 5)


def test_a_thought_may_be_asked_for() -> None:
    form = form_of(RIGHT, Status.CORRECT, must_think=True)
    assert not form.thinking
    assert not form_of("<think> </think>" + RIGHT, Status.CORRECT, must_think=True).thinking
    assert form_of("<think>u=x</think>" + RIGHT, Status.CORRECT, must_think=True).share == 1
    assert form_of(r"\boxed{}", Status.NO_ANSWER).box is False


def test_length_falls_from_full_credit_to_none() -> None:
    rubric = Rubric(components=("correctness", "length"), weights=(1.0, 0.4), length=(100, 300))
    rewards = [reward(RIGHT, rubric=rubric, tokens=n) for n in (0, 100, 200, 300, 9000)]
    assert rewards == pytest.approx([1.4, 1.4, 1.2, 1.0, 1.0])
    assert reward(WRONG, rubric=rubric, tokens=1) == 0.0
    assert reward(RIGHT, rubric=rubric) == 1.0  # length not known


def test_truncation() -> None:
    assert reward(RIGHT + r" Let me check: \boxed{x", truncated=True) == 0.0
    assert reward("<think>hm " + RIGHT, truncated=True) == 0.0
    assert reward(RIGHT + " Furthermore, the", truncated=True) == 1.0
    assert reward(RIGHT, rubric=FORM, truncated=True) == pytest.approx(1.4)


def test_a_thought_that_the_prompt_opened() -> None:
    guess = r"Perhaps \boxed{x^2}, but let me"
    assert reward(guess, truncated=True) == 1.0
    assert reward(guess, truncated=True, thinking=True) == 0.0
    assert reward(f"{guess}</think>{RIGHT}", thinking=True) == 1.0
    assert reward(f"{guess}</think>{RIGHT}", thinking=True, rubric=FORM) == 1.5


@pytest.mark.parametrize(
    "wrong",
    [
        {"task": "poetry"},
        {"components": ()},
        {"components": ("style",)},
        {"components": ("format", "format")},
        {"weights": (1.0, 2.0)},
        {"components": ("correctness", "length")},
        {"length": (1, 2)},
        {"components": ("length",), "length": (5, 5)},
        {"options": {"strict_domian": True}},
        {"options": {"method": "published"}},
        {"options": {"undecided_reward": 1.0}},
        {"stop": "###"},
    ],
)
def test_a_rubric_is_checked_when_it_is_made(wrong: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError)):
        Rubric(**wrong)


def test_a_rubric_travels() -> None:
    rubric = Rubric(components=["correctness", "format"], options={"strict_domain": True})  # type: ignore[arg-type]  # as from YAML
    assert pickle.loads(pickle.dumps(rubric)) == rubric
    assert rubric.components == ("correctness", "format")
    assert rubric.highest == pytest.approx(1.1)


# --- faults ---------------------------------------------------------------------------------


def test_without_workers_there_is_no_opinion(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise PoolError("workers do not start")

    monkeypatch.setattr(scoring, "map_verdicts", fail)
    scores = score([Rollout(RIGHT, "2x"), Rollout(WRONG, "2x")], Rubric())
    assert [item.reward for item in scores] == [None, None]
    assert rates(scores)["fault"] == 1.0


def test_what_a_completion_does_to_its_worker_is_its_own_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    late = WorkerTimeout("7 s")
    late.seconds = 7.0

    class Pool:
        def map(self, *_: object, **__: object) -> list[object]:
            return [late, WorkerMemory("1 GiB"), WorkerCrash("signal 11")]

    monkeypatch.setattr(verdicts, "shared_pool", lambda *_: Pool())
    scores = score([Rollout(RIGHT, "2x")] * 3, Rubric(deadline=7.0))
    assert [item.reward for item in scores] == [0.0] * 3
    assert [item.status for item in scores] == ["timeout", "error", "error"]
    assert scores[0].seconds == 7.0


def test_rates_name_every_status() -> None:
    scores = score([Rollout(RIGHT, "2x"), Rollout(WRONG, "2x")], Rubric())
    assert rates(scores)["correct"] == rates(scores)["incorrect"] == 0.5
    assert set(rates([])) == set(rates(scores)) == {*Status, "bad_problem", "fault", "cut_off"}
    assert sum(rates(scores).values()) == 1.0


# --- rows -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("completion", "text"),
    [
        ("plain", "plain"),
        ([{"role": "assistant", "content": "hello"}], "hello"),
        ({"role": "assistant", "content": "hello"}, "hello"),
        ([{"content": "hello"}], "hello"),
        ([{"role": "assistant", "content": "1"}, {"role": "assistant", "content": "2"}], "2"),
        ([{"role": "assistant", "content": RIGHT}, {"role": "tool", "content": RIGHT}], ""),
        ([{"role": "assistant", "content": None, "tool_calls": []}], ""),
        ([{"role": "assistant", "reasoning_content": RIGHT, "content": ""}], ""),
        ([{"content": [{"type": "text", "text": "a"}, {"type": "image"}]}], "a"),
        ([], ""),
        (None, ""),
        (7, ""),
        ([RIGHT], ""),
        ([{"role": "assistant", "content": 5}], ""),
    ],
)
def test_text_of_a_completion(completion: Any, text: str) -> None:
    assert text_of(completion) == text


def test_a_prompt_that_opens_a_thought() -> None:
    assert opens_thinking("Integrate.<|im_start|>assistant\n<think>\n", "<think>")
    assert not opens_thinking("Use <think> tags.", "<think>")
    assert opens_thinking([{"role": "assistant", "content": "<think>"}], "<think>")
    assert not opens_thinking([{"role": "user", "content": "<think>"}], "<think>")
    assert not opens_thinking(None, "<think>")


@pytest.mark.parametrize(
    ("ids", "ends", "limit", "cut"),
    [
        (None, (2,), 8, False),
        ([5, 2], (2,), None, False),
        ([5, 7], (2,), None, True),
        ([5, 7], (2, 7), None, False),
        ([5, 7], (), None, False),
        ([5, 7], (), 2, True),
        ([5, 7], (2,), 8, False),  # a stop string
        ([5, 2], (2,), 2, False),
        ([], (2,), None, True),
    ],
)
def test_truncated_ids(ids: list[int] | None, ends: Any, limit: int | None, cut: bool) -> None:
    assert is_truncated(ids, ends, limit) is cut


def test_targets() -> None:
    assert target_of(r"{\rm e}^x") == (r"{\rm e}^x", None, None, None)
    assert target_of('{"integrand": "at", "variable": "t", "assumptions": {"a": "real"}}') == (
        "at",
        "t",
        {"a": "real"},
        "antiderivative",
    )
    assert target_of({"target": 5}).target == 5
    assert target_of("2t", {"variable": "t", "index": 3}).variable == "t"
    assert target_of('{"no json').target == '{"no json'
    assert target_of("2x", "not a mapping") == ("2x", None, None, None)


# --- mixed data: each row has its own task ---

INTEGRAL, VALUE = r"\int_0^1 x^2\,dx", r"$\boxed{\frac13}$"
MIXED = [
    (RIGHT, "2x", "antiderivative", 1.0),
    (RIGHT, "2x", "integration", 1.0),
    (WRONG, "2x", "integration", 0.0),
    (VALUE, INTEGRAL, "definite", 1.0),
    (VALUE, INTEGRAL, "definite_integral", 1.0),
    (r"$\boxed{\frac12}$", INTEGRAL, "definite_integral", 0.0),
    (r"$\boxed{0.333333333333333333333333333333}$", INTEGRAL, "definite", 0.0),
    (r"$\boxed{0.5}$", r"\frac12", "value", 1.0),
    (r"$\boxed{7}$", 7, "arithmetic", 1.0),
    (VALUE, "2x", "definite", None),
    (VALUE, r"\int x^2\,dx", "definite", None),
    (RIGHT, "2x", "sums", None),
    (RIGHT, "2x", None, None),
    (RIGHT, "2x", 3, None),
]


def test_each_row_is_judged_by_its_task() -> None:
    rollouts = [Rollout(text, target, task=task) for text, target, task, _ in MIXED]
    scores = score(rollouts, Rubric("mixed"))
    assert [item.reward for item in scores] == [expected for *_, expected in MIXED]
    again = asyncio.run(scoring.ascore(rollouts, Rubric("mixed")))
    assert [item.reward for item in again] == [item.reward for item in scores]
    reasons = [item.verdict.evidence.detail for item in scores if item.reward is None]
    assert "no integral sign" in reasons[0]
    assert "no task 'sums'; there are antiderivative, definite" in reasons[2]


def test_a_rubric_of_one_task_judges_every_row_by_it() -> None:
    assert reward(RIGHT, "2x", task="whatever a data set calls it") == 1.0


def test_options_of_a_verifier_need_its_task() -> None:
    with pytest.raises(TypeError, match="no such option: strict_domain; mixed knows none"):
        Rubric("mixed", options={"strict_domain": True})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("strict", "no"),
        ("workers", 0),
        ("deadline", -1),
        ("min_coverage", 7),
        ("weights", (float("nan"),)),
        ("options", {"accept": "prof"}),
        ("options", {"strict_domain": "maybe"}),
    ],
)
def test_a_wrong_value_is_an_error_instead_of_a_reward_of_0(field: str, value: Any) -> None:
    with pytest.raises(
        (TypeError, ValueError), match=next(iter(value)) if field == "options" else field
    ):
        Rubric(**{field: value})


def test_options_of_every_task_have_types() -> None:
    with pytest.raises(TypeError, match="relative_tolerance must be a number"):
        Rubric("value", options={"relative_tolerance": "1e-6"})
    assert Rubric("limit", options={"reference": "3"}).options == {"reference": "3"}


def test_the_name_of_a_target_tells_its_task() -> None:
    assert target_of({"integral": INTEGRAL}).task == "definite"
    assert target_of({"integrand": "2x"}).task == "antiderivative"
    assert target_of({"target": "7", "task": "arithmetic"}).task == "arithmetic"
    assert target_of({"integral": INTEGRAL, "task": "value"}).task == "value"
    assert target_of("7", {"task": "integer"}).task == "integer"
