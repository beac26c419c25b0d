"""TRL's contract as called by TRL's trainers, and TRL itself if installed."""

from __future__ import annotations

import asyncio
import inspect
import multiprocessing
import os
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest

from calculus_harness.rewards.adapters.for_trl import (
    AsyncReward,
    Reward,
    antiderivative_reward,
    make_reward,
)

RIGHT, WRONG = r"So $\boxed{x^2 + C}$.", r"So $\boxed{x^3 + C}$."
COMPLETIONS = [RIGHT, WRONG, "x^2", "", r"\boxed{\int 2x\,dx}"]
EXPECTED = [1.0, 0.0, 0.0, 0.0, 0.0]


def batch(completions: list[Any], **columns: Any) -> dict[str, Any]:
    """The arguments of `GRPOTrainer._calculate_rewards`: everything by keyword."""
    count = len(completions)
    return {
        "prompts": ["Integrate $2x$."] * count,
        "completions": completions,
        "completion_ids": [[1, 2]] * count,
        "integrand": ["2x"] * count,
        "difficulty": [1] * count,
        "trainer_state": SimpleNamespace(global_step=3),
        "log_extra": lambda *_: None,
        "log_metric": lambda *_: None,
        **columns,
    }


def messages(text: str) -> list[dict[str, str]]:
    return [{"role": "assistant", "content": text}]


def test_standard_and_conversational_format() -> None:
    assert antiderivative_reward(**batch(COMPLETIONS)) == EXPECTED
    talk = batch([messages(text) for text in COMPLETIONS])
    talk["prompts"] = [[{"role": "user", "content": "Integrate $2x$."}]] * len(COMPLETIONS)
    assert antiderivative_reward(**talk) == EXPECTED
    assert antiderivative_reward(prompts=[], completions=[], integrand=[]) == []


def test_a_bad_row_is_none_and_the_others_are_scored() -> None:
    rewards = antiderivative_reward(**batch([RIGHT] * 3, integrand=["2x", r"\oops", None]))
    assert rewards == [1.0, None, None]


def test_an_async_reward() -> None:
    reward = make_reward(asynchronous=True)
    assert isinstance(reward, AsyncReward)
    assert inspect.iscoroutinefunction(reward.__call__)
    assert not inspect.iscoroutinefunction(make_reward().__call__)

    async def both() -> list[Any]:
        return await asyncio.gather(*(reward(**batch(COMPLETIONS)) for _ in range(4)))

    assert asyncio.run(both()) == [EXPECTED] * 4


def test_names() -> None:
    assert antiderivative_reward.__name__ == "antiderivative_reward"
    assert make_reward().__name__ == "antiderivative_reward"
    assert make_reward("value").__name__ == "value_reward"
    assert make_reward(name="mine").__name__ == "mine"
    assert Reward.__name__ == "Reward"


def test_columns() -> None:
    t = make_reward(column="f")
    rows = batch([r"\boxed{t^2}", r"\boxed{x^2}"], variable=["t", None], f=["2t", "2x"])
    assert t(**rows) == [1.0, 1.0]
    labels = make_reward("label")
    assert labels(**batch([r"\boxed{1}", r"\boxed{0}"], target=[1, 1])) == [1.0, 0.0]
    with pytest.raises(TypeError, match=r"needs a column 'target'; the columns: .*integrand"):
        labels(**batch([RIGHT]))
    with pytest.raises(ValueError, match="1 completions but 2 integrand"):
        antiderivative_reward(**batch([RIGHT], integrand=["2x", "2x"]))


def test_mixed_data_are_judged_row_by_row() -> None:
    integral, value = r"\int_0^1 x^2\,dx", r"\boxed{\frac13}"
    texts = [r"\boxed{x^2}", value, value, r"\boxed{7}", r"\boxed{x^2}", value, value]
    columns = {
        "integrand": ["2x", None, "", None, "2x", None, None],
        "problem": [None, integral, integral, None, "Integrate 2x.", "in words", None],
        "target": [None, None, None, 7, None, None, r"\frac26"],
        "task": [None, None, "definite_integral", "arithmetic", "integration", None, "value"],
    }
    rows = {"prompts": ["Do."] * 7, "completions": texts} | columns
    expected = [1.0, 1.0, 1.0, 1.0, 1.0, None, 1.0]
    assert make_reward("mixed")(**rows) == expected
    assert asyncio.run(make_reward("mixed", asynchronous=True)(**rows)) == expected
    without = {name: column[:3] for name, column in rows.items() if name != "task"}
    assert make_reward("mixed")(**without) == expected[:3]
    with pytest.raises(TypeError, match="needs a column 'integrand' or 'problem' or 'target'"):
        make_reward("mixed")(prompts=["Do."], completions=[value], other=[1])
    with pytest.raises(TypeError, match="mixed data have the columns"):
        make_reward("mixed", column="f")
    with pytest.raises(ValueError, match="2 completions but 1 task"):
        make_reward("mixed")(completions=[value] * 2, problem=[integral] * 2, task=["definite"])


def test_a_string_is_no_list_of_components() -> None:
    message = r"components must be a list, as in \['format'\], not 'format'"
    with pytest.raises(TypeError, match=message):
        make_reward("value", "format")


def test_end_tokens_tell_truncation() -> None:
    cut = RIGHT + r" Check: \boxed{"
    rows = batch([cut, cut, RIGHT], completion_ids=[[7, 2], [7, 7], [7, 7]])
    assert make_reward()(**rows) == [1.0, 1.0, 1.0]
    assert make_reward(eos_token_id=2)(**rows) == [1.0, 0.0, 1.0]
    assert make_reward(eos_token_id=[2, 7])(**rows) == [1.0, 1.0, 1.0]
    assert make_reward(max_completion_length=2)(**rows) == [0.0, 0.0, 1.0]


def test_a_prompt_that_opens_a_thought() -> None:
    rows = batch(
        [RIGHT, "hm</think>" + RIGHT], prompts=["Integrate.<think>"] * 2, completion_ids=None
    )
    assert make_reward(components=["correctness", "format"])(**rows) == [0.0, 1.1]
    rows["prompts"] = ["Integrate."] * 2
    assert make_reward(opens_thinking=True)(**rows) == [0.0, 1.0]


def test_metrics_and_columns_are_logged() -> None:
    metrics: dict[str, float] = {}
    columns: dict[str, list[Any]] = {}
    rows = batch(
        [*COMPLETIONS, "\\boxed{\ud800" + "y" * 999 + "}"],
        log_metric=metrics.__setitem__,
        log_extra=columns.__setitem__,
        completion_ids=[[1]] * 5 + [[2]],
    )
    make_reward(components=["correctness", "format"], eos_token_id=2)(**rows)
    name = "antiderivative_reward/"
    assert metrics[name + "correct"] == metrics[name + "correctness"] == pytest.approx(1 / 6)
    assert metrics[name + "no_answer"] == pytest.approx(2 / 6)
    assert metrics[name + "timeout"] == 0.0
    assert metrics[name + "truncated"] == pytest.approx(5 / 6)
    assert 0 < metrics[name + "slowest_seconds"] <= metrics[name + "seconds"]
    assert all(isinstance(value, float) for value in metrics.values())
    assert {len(values) for values in columns.values()} == {6}
    assert columns[name + "status"][:2] == ["correct", "incorrect"]
    assert columns[name + "answer"][0] == "x^2 + C"
    for answer in columns[name + "answer"]:
        assert len(answer.encode()) <= 300  # UTF-8 can hold it


HOSTILE = [
    "\ud800\udfff\x00" * 100,
    "\\boxed{" * 50_000,
    r"\boxed{9^{9^{9^{9^9}}}x}",
    r"\boxed{" + "x+" * 60_000 + "x}",
    r"\boxed{x^2+0\cdot\operatorname{Li}_{10^6}(x)}",
    None,
    7,
    [],
    [None],
    [{"role": "assistant"}],
    [{"role": "tool", "content": RIGHT}],
    {"content": {"content": RIGHT}},
]


def test_no_completion_raises() -> None:
    rewards = antiderivative_reward(**batch([*HOSTILE, RIGHT]))
    assert rewards == [0.0] * len(HOSTILE) + [1.0]


# --- wherever it is called from -------------------------------------------------------------


def test_pickled_it_scores_the_same() -> None:
    reward = make_reward(components=["correctness", "format"], stop=["Q:"], eos_token_id=2)
    copy = pickle.loads(pickle.dumps(reward))
    assert copy == reward
    assert copy.__name__ == reward.__name__
    assert copy(**batch(COMPLETIONS)) == reward(**batch(COMPLETIONS))
    assert pickle.loads(pickle.dumps(antiderivative_reward)) == antiderivative_reward


def test_from_many_threads() -> None:
    with ThreadPoolExecutor(8) as threads:
        results = list(
            threads.map(lambda _: antiderivative_reward(**batch(COMPLETIONS)), range(32))
        )
    assert results == [EXPECTED] * 32
    assert threading.active_count() < 32


def _in_process(pipe: Any, reward: Any) -> None:
    pipe.send((os.getpid(), reward(**batch(COMPLETIONS))))
    pipe.close()


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_from_other_processes(method: str) -> None:
    reward = make_reward(workers=1)
    assert reward(**batch(COMPLETIONS)) == EXPECTED  # the parent's workers are running
    context = multiprocessing.get_context(method)
    pipes = []
    for _ in range(2):
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_in_process, args=(theirs, reward), daemon=True)
        process.start()  # type: ignore[attr-defined]
        pipes.append((process, ours))
    for process, ours in pipes:
        assert ours.poll(60)
        pid, rewards = ours.recv()
        assert pid == process.pid  # type: ignore[attr-defined]
        assert rewards == EXPECTED
        process.join(30)  # type: ignore[attr-defined]
    assert reward(**batch(COMPLETIONS)) == EXPECTED


# --- TRL itself -----------------------------------------------------------------------------


@pytest.mark.train
@pytest.mark.parametrize("asynchronous", [False, True])
def test_trls_own_code_calls_it(asynchronous: bool) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("trl")
    from collections import defaultdict

    from accelerate import PartialState
    from trl import GRPOTrainer
    from trl.trainer.utils import get_callable_name, is_async_callable

    PartialState()
    reward = make_reward(components=["correctness", "format"], asynchronous=asynchronous)
    assert is_async_callable(reward) is asynchronous
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    trainer: Any = SimpleNamespace(
        accelerator=SimpleNamespace(device="cpu", is_main_process=True),
        reward_funcs=[reward],
        reward_processing_classes=[None],
        reward_func_names=[get_callable_name(reward)],
        state=SimpleNamespace(global_step=0),
        environments=None,
        async_loop=loop,
        args=SimpleNamespace(report_to=[]),
        _pending_extra_logs=defaultdict(list),
        _pending_metrics=defaultdict(list),
    )
    for name in ("_log_completion_extra", "_log_metric"):
        setattr(trainer, name, getattr(GRPOTrainer, name).__get__(trainer))
    rows = [{"prompt": "p", "integrand": f} for f in ("2x", "2x", r"\oops")]
    texts = [RIGHT, WRONG, RIGHT]
    calculate = inspect.unwrap(GRPOTrainer._calculate_rewards)
    try:
        rewards = calculate(trainer, rows, ["p"] * 3, texts, [[1]] * 3)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
    assert rewards[:2, 0].tolist() == pytest.approx([1.1, 0.0])
    assert rewards[2, 0].isnan()
    assert trainer._pending_metrics["antiderivative_reward/bad_problem"] == [pytest.approx(1 / 3)]
    assert len(trainer._pending_extra_logs["antiderivative_reward/status"]) == 3
