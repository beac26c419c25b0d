"""A trainer's reward for a verdict cut off by the wall clock: never 0 for a right answer."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from calculus_harness.rewards.adapters import for_openrlhf, for_trl, for_verl, scoring
from calculus_harness.rewards.adapters.environments.episode import Episode, Turns
from calculus_harness.rewards.adapters.environments.for_openrlhf import agent_executor
from calculus_harness.rewards.adapters.environments.tools import check_antiderivative
from calculus_harness.rewards.adapters.scoring import NoOpinionError, Rollout, Rubric, rates, score
from calculus_harness.rewards.adapters.server.shapes import understood
from calculus_harness.rewards.workers import verdicts
from calculus_harness.rewards.workers.errors import WorkerCutOff, WorkerTimeout
from calculus_harness.rewards.workers.pool import Pool, shared_pool

RIGHT, WRONG = r"So $\boxed{x^2 + C}$.", r"So $\boxed{x^3 + C}$."
LATE = r"So $\boxed{x^2 + 7}$."


class Busy:
    """A pool on a machine that stands still for items with the text `LATE`."""

    def __init__(self, pool: Pool, error: Callable[[str], Exception]) -> None:
        self.pool, self.error = pool, error

    def map(self, task: str, items: Sequence[Sequence[Any]], **options: Any) -> list[Any]:
        results = self.pool.map(task, items, **options)
        late = [item[0].endswith(LATE) for item in items]
        return [
            self.error("no result within 80 s") if cut else result
            for cut, result in zip(late, results, strict=True)
        ]

    async def amap(self, task: str, items: Sequence[Sequence[Any]], **options: Any) -> list[Any]:
        return self.map(task, items, **options)


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "shared_pool", lambda *_: Busy(shared_pool(), WorkerCutOff))


@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize(
    "rubric",
    [
        Rubric(),
        Rubric(components=("correctness", "format"), gate=False),
        Rubric("steps", components=("correctness", "steps", "format"), gate=False),
        Rubric("mixed"),
    ],
)
def test_there_is_no_opinion_whatever_the_components(rubric: Rubric) -> None:
    rollouts = [Rollout(text, "2x", task="integration") for text in (RIGHT, LATE, WRONG)]
    for scores in (score(rollouts, rubric), asyncio.run(scoring.ascore(rollouts, rubric))):
        assert [item.status for item in scores] == ["correct", "cut_off", "incorrect"]
        assert [item.reward is None for item in scores] == [False, True, False]
        assert rates(scores)["cut_off"] == pytest.approx(1 / 3)


def test_what_works_too_long_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "shared_pool", lambda *_: Busy(shared_pool(), WorkerTimeout))
    (late,) = score([Rollout(LATE, "2x")], Rubric())
    assert (late.reward, late.status) == (0.0, "timeout")
    assert late.verdict.evidence.flags == ("processor_time",)


def test_a_completion_that_works_too_long_gets_0() -> None:
    """In a real worker the kernel counts: a hundredth of a second is too little for the item."""
    many = "+".join(rf"\operatorname{{Li}}_{{{n}}}(x^{{{n}}})" for n in range(2, 40))
    (late,) = score([Rollout(rf"$\boxed{{x^2 + {many} - ({many})}}$", "2x")], Rubric(deadline=0.01))
    assert (late.reward, late.status) == (0.0, "timeout")


@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize("asynchronous", [False, True])
def test_trl_gets_none(asynchronous: bool) -> None:
    reward = for_trl.make_reward(
        components=["correctness", "format"], gate=False, asynchronous=asynchronous
    )
    logged: dict[str, float] = {}
    got = reward(completions=[RIGHT, LATE], integrand=["2x", "2x"], log_metric=logged.__setitem__)
    if asynchronous:
        got = asyncio.run(got)  # type: ignore[arg-type]
    assert got == [1.1, None]
    assert logged["antiderivative_reward/cut_off"] == 0.5


@pytest.mark.usefixtures("busy")
def test_verl_gets_an_error() -> None:
    assert for_verl.compute_score("mine", RIGHT, "2x")["score"] == 1.0
    with pytest.raises(NoOpinionError, match="no result within 80 s"):
        for_verl.compute_score("mine", LATE, "2x")
    with pytest.raises(NoOpinionError, match="no result within 80 s"):
        asyncio.run(for_verl.acompute_score("mine", LATE, "2x"))


@pytest.mark.usefixtures("busy")
def test_openrlhf_gets_the_mean_of_the_group(caplog: pytest.LogCaptureFixture) -> None:
    texts = [(RIGHT, "2x"), (LATE, "2x"), (WRONG, "2x"), (LATE, "2t"), (r"\boxed{t^2}", "2t")]
    queries, labels = (list(column) for column in zip(*texts, strict=True))
    result = for_openrlhf.reward_func(queries, [""] * 5, labels)
    assert result["rewards"] == [1.0, 0.5, 0.0, 1.0, 1.0]
    assert result["scores"] == [1.0, 0.0, 0.0, 0.0, 1.0]
    assert result["extra_logs"]["is_cut_off"] == [0.0, 1.0, 0.0, 1.0, 0.0]
    assert "gets its group's mean 0.5" in caplog.text
    with pytest.raises(NoOpinionError, match="alone"):
        for_openrlhf.reward_func([LATE, RIGHT], ["", ""], ["2t", "2x"])


@pytest.mark.usefixtures("busy")
def test_environments_get_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    late = asyncio.run(Episode("2x", turns=Turns(attempts=2)).step(LATE))
    assert (late.done, late.reward) == (True, None)
    with pytest.raises(NoOpinionError, match="no result within 80 s"):
        late.number("2x")
    bad = asyncio.run(Episode("2x+").step(RIGHT))
    assert bad.number("2x+") == 0.0

    package = ModuleType("openrlhf.utils.agent")
    stub = SimpleNamespace(AgentInstanceBase=object, MultiTurnAgentExecutor=_Executor)
    vars(package).update(vars(stub))
    for name in ("openrlhf", "openrlhf.utils"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, package.__name__, package)
    instance = agent_executor()().instance()

    async def step(text: str) -> Any:
        return await instance.step({"label": "2x", "action_text": text})

    assert asyncio.run(step(RIGHT))["rewards"] == 1.0
    with pytest.raises(NoOpinionError, match="no result within 80 s"):
        asyncio.run(step(LATE))


class _Executor:
    """Makes an instance, as OpenRLHF's own does."""

    def __init__(self, instance: Callable[[], Any]) -> None:
        self.instance = instance


@pytest.mark.usefixtures("busy")
def test_a_tool_says_that_it_does_not_know() -> None:
    assert check_antiderivative("2x", LATE).startswith("undecided: ")


@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize("detail", [False, True])
def test_slime_gets_an_error_after_which_it_asks_again(detail: bool) -> None:
    function = for_openrlhf.make_reward_func()
    rewards = []
    for text in (RIGHT, WRONG, LATE):
        parsed = understood(
            {"prompt": "", "response": text, "label": "2x"}, function, detail=detail
        )
        scores = score(parsed.rollouts, function.rubric)
        if text == LATE:
            with pytest.raises(NoOpinionError, match="no result within 80 s"):
                parsed.answer(scores)
            continue
        answer = parsed.answer(scores)
        rewards.append(answer["reward"] if detail else answer)
    assert rewards == [1.0, 0.0]
