"""The contracts of verl and OpenRLHF for calls of rewards.

Both packages conflict with other extras; the tests therefore repeat their code: verl 0.9.1,
``verl/trainer/ppo/reward.py`` and ``verl/experimental/reward_loop/reward_manager/naive.py``;
OpenRLHF 0.11.2, ``openrlhf/utils/agent.py``. With the packages' files at hand
(``CALCULUS_HARNESS_VERL``, ``CALCULUS_HARNESS_OPENRLHF``: folders with the unpacked wheels), the
tests call the packages' own functions.
"""

from __future__ import annotations

import asyncio
import importlib.util
import inspect
import json
import os
import pickle
import sys
import textwrap
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from calculus_harness.rewards.adapters import for_openrlhf, for_verl, rows, scoring
from calculus_harness.rewards.adapters.for_openrlhf import (
    make_reward_func,
    response_of,
    reward_func,
)
from calculus_harness.rewards.adapters.for_verl import acompute_score, compute_score
from calculus_harness.rewards.workers.errors import PoolError

ROOT = Path(__file__).resolve().parents[3]
RIGHT, WRONG = r"So $\boxed{x^2 + C}$.", r"So $\boxed{x^3 + C}$."


@pytest.fixture
def no_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise PoolError("workers do not start")

    monkeypatch.setattr(scoring, "map_verdicts", fail)


# --- verl -----------------------------------------------------------------------------------


def called_by_verl(text: str, truth: Any, extra: Any = None, **reward_kwargs: Any) -> Any:
    """`NaiveRewardManager.run_single` after `get_custom_reward_fn`."""

    def with_kwargs(raw: Any, fixed: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        return raw(*args, **{**kwargs, **fixed})

    function = partial(with_kwargs, compute_score, reward_kwargs)
    extra = {"num_turns": None, "rollout_reward_scores": {}, **(extra or {})}
    return function(data_source="mine", solution_str=text, ground_truth=truth, extra_info=extra)


def test_verl_gets_a_dictionary() -> None:
    right = called_by_verl(RIGHT, "2x", components=["correctness", "format"])
    expected = {"score": 1.1, "acc": 1.0, "status": "correct", "pred": "x^2 + C"}
    numbers = {"is_correct": 1.0, "is_incorrect": 0.0, "correctness": 1.0, "format": 1.0}
    assert right.items() >= (expected | numbers).items()
    # The same names for every row, or verl cannot make an array of them.
    bad = called_by_verl(RIGHT, "2x+", components=["correctness", "format"])
    assert list(bad) == list(right)
    wrong = called_by_verl(WRONG, "2x")
    assert (wrong["score"], wrong["acc"], wrong["status"]) == (0.0, 0.0, "incorrect")
    assert isinstance(called_by_verl("", "2x")["pred"], str)


def test_verl_reward_kwargs() -> None:
    result = called_by_verl(RIGHT, "2x", components=["correctness", "format"], weights=[1.0, 0.25])
    assert result["score"] == 1.25
    assert called_by_verl(r"\boxed{7}", "7", task="integer")["score"] == 1.0
    assert called_by_verl("x" + RIGHT, "2x", opens_thinking=True)["score"] == 0.0
    assert called_by_verl(RIGHT, "2x", reward_router_address="host:1")["score"] == 1.0
    with pytest.raises(TypeError, match="no such reward_kwargs: componets"):
        called_by_verl(RIGHT, "2x", componets=["format"])


def test_verl_rows() -> None:
    assert called_by_verl(r"\boxed{t^2}", "2t", {"variable": "t"})["score"] == 1.0
    truth = {"integrand": "2t", "variable": "t", "assumptions": None}
    assert called_by_verl(r"\boxed{t^2}", truth)["score"] == 1.0


def test_verl_bad_row_is_zero_for_all_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    rows.warn_once.cache_clear()
    for text in (RIGHT, WRONG):
        result = called_by_verl(text, "2x+")
        assert (result["score"], result["status"]) == (0.0, "bad_problem")
    assert caplog.text.count("bad row '2x+'") == 1


@pytest.mark.usefixtures("no_workers")
def test_verl_without_workers_is_told() -> None:
    with pytest.raises(RuntimeError, match="no workers"):
        called_by_verl(RIGHT, "2x")


def test_verl_async_and_pickling() -> None:
    assert inspect.iscoroutinefunction(acompute_score)
    assert not inspect.iscoroutinefunction(compute_score)
    call = acompute_score("mine", RIGHT, "2x", {"index": 1})
    assert asyncio.run(call)["score"] == 1.0
    assert pickle.loads(pickle.dumps(compute_score)) is compute_score


INTEGRAL, VALUE = r"\int_0^\infty e^{-a x}\,dx", r"So $\boxed{\frac1a}$."


def test_verl_definite_integrals_alone_and_in_mixed_data() -> None:
    assert called_by_verl(VALUE, INTEGRAL, task="definite")["score"] == 1.0
    assert called_by_verl(r"\boxed{a}", INTEGRAL, task="definite")["status"] == "incorrect"
    diverging = r"\int_1^\infty \frac{dx}{x}"
    assert called_by_verl(r"\boxed{\text{diverges}}", diverging, task="definite")["score"] == 1.0
    rows = [(RIGHT, {"integrand": "2x"}), (VALUE, {"integral": INTEGRAL})]
    for text, truth in rows:
        assert called_by_verl(text, truth, task="mixed")["score"] == 1.0
        assert called_by_verl(text, json.dumps(truth), task="mixed")["score"] == 1.0
    extra = {"task": "definite_integral", "assumptions": {"a": "negative"}}
    assert called_by_verl(r"\boxed{\text{diverges}}", INTEGRAL, extra, task="mixed")["acc"] == 1.0
    assert called_by_verl(VALUE, INTEGRAL, task="mixed")["status"] == "bad_problem"


# --- OpenRLHF -------------------------------------------------------------------------------

PROMPT = "<|im_start|>user\nIntegrate $2x$, like $\\boxed{x^2}$.<|im_end|>\n<|im_start|>assistant\n"


def test_openrlhf_gets_lists_of_numbers() -> None:
    queries = [PROMPT + RIGHT + "<|im_end|>", PROMPT + WRONG + "<|im_end|>"]
    result = reward_func(queries, [PROMPT] * 2, ["2x"] * 2)
    assert result["rewards"] == result["scores"] == [1.0, 0.0]
    assert result["extra_logs"]["is_correct"] == [1.0, 0.0]
    assert result["extra_logs"]["is_incorrect"] == [0.0, 1.0]
    lengths = {len(values) for values in result["extra_logs"].values()}
    assert lengths == {2}
    json.dumps(result)


def test_openrlhf_never_grades_the_prompt() -> None:
    assert reward_func([PROMPT], [PROMPT], ["2x"])["rewards"] == [0.0]
    assert reward_func(["<s>" + PROMPT + "hm"], [PROMPT], ["2x"])["rewards"] == [0.0]
    assert reward_func([PROMPT + PROMPT.replace("x^2", "x^5")], [PROMPT], ["2x"])["rewards"] == [0]


@pytest.mark.parametrize(
    ("query", "prompt", "response"),
    [
        ("Q: A: 5", "Q: A:", " 5"),
        ("<s> Q: A: 5", "Q: A:", " 5"),
        ("Q:  A:\n5", "Q: A:", "\n5"),
        ("Q: A: Q: A: 5", "Q: A:", " Q: A: 5"),
        ("cut " + "word " * 30 + "end: 5", "long ago " + "word " * 300 + "end:", " 5"),
        ("5", "", "5"),
    ],
)
def test_response_of_a_query(query: str, prompt: str, response: str) -> None:
    assert response_of(query, prompt) == response


def test_a_query_without_its_prompt_has_no_response() -> None:
    assert response_of("something else", "Integrate.") is None


def test_openrlhf_end_tokens_thoughts_and_labels() -> None:
    strict = make_reward_func(eos_tokens=["<|im_end|>"], components=["correctness", "format"])
    cut = PROMPT + RIGHT + " and so"
    assert strict([cut], [PROMPT], ["2x"])["rewards"] == [pytest.approx(1.08)]
    assert strict([cut + "<|im_end|>\n"], [PROMPT], ["2x"])["rewards"] == [1.1]
    thinking = PROMPT + "<think>\n"
    assert strict([thinking + RIGHT], [thinking], ["2x"])["rewards"] == [0.0]
    label = json.dumps({"integrand": "2t", "variable": "t"})
    assert strict([PROMPT + r"\boxed{t^2}<|im_end|>"], [PROMPT], [label])["scores"] == [1.0]
    assert pickle.loads(pickle.dumps(strict)) == strict
    with pytest.raises(ValueError, match="same length"):
        strict([cut], [PROMPT], ["2x", "2x"])


def test_openrlhf_definite_integrals_alone_and_in_mixed_data() -> None:
    def rewards(function: Any, *rows: tuple[str, str]) -> Any:
        queries = [PROMPT + text for text, _ in rows]
        return function(queries, [PROMPT] * len(rows), [label for _, label in rows])["rewards"]

    definite = make_reward_func(task="definite")
    assert rewards(definite, (VALUE, INTEGRAL), (RIGHT, INTEGRAL)) == [1.0, 0.0]
    labels = json.dumps({"integral": INTEGRAL}), json.dumps({"integrand": "2x"})
    mixed = make_reward_func(task="mixed")
    assert rewards(mixed, (VALUE, labels[0]), (RIGHT, labels[1])) == [1.0, 1.0]
    assert rewards(mixed, (VALUE, labels[1]), (RIGHT, labels[0]), (RIGHT, "2x")) == [0.0, 0.0, 0.0]


def test_openrlhf_bad_rows_and_no_workers(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert reward_func([PROMPT + RIGHT], [PROMPT], [r"\oops"])["rewards"] == [0.0]
    assert r"bad row '\\oops'" in caplog.text
    faults = [scoring.Score(None, scoring.FAULT, scoring.Verdict(scoring.Status.ERROR, 0.0))]
    monkeypatch.setattr(for_openrlhf, "score", lambda *_: faults)
    with pytest.raises(RuntimeError, match="no workers"):
        reward_func([PROMPT + RIGHT], [PROMPT], ["2x"])


@pytest.mark.parametrize("module", [for_verl, for_openrlhf])
def test_no_trainer_is_imported(module: ModuleType) -> None:
    source = inspect.getsource(module)
    for name in ("verl", "openrlhf", "torch", "ray"):
        assert f"import {name}" not in source
        assert f"from {name}" not in source


# --- the packages' own functions ------------------------------------------------------------


def unpacked(variable: str, path: str) -> Path:
    folder = os.environ.get(variable)
    if not folder:
        pytest.skip(f"set {variable} to a folder with the unpacked wheel")
    return Path(folder) / path


def module_at(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_verls_own_loader() -> None:
    path = unpacked("CALCULUS_HARNESS_VERL", "verl/utils/import_utils.py")
    loader = module_at(path, "verl_import_utils")
    function = loader.load_extern_object("pkg://rewards.adapters.for_verl", "compute_score")
    assert function is compute_score


def test_openrlhfs_own_executor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = unpacked("CALCULUS_HARNESS_OPENRLHF", "openrlhf/utils/agent.py")
    pytest.importorskip("aiohttp")
    quiet = SimpleNamespace(init_logger=lambda _: SimpleNamespace(info=print, warning=print))
    monkeypatch.setitem(sys.modules, "openrlhf.utils.logging_utils", quiet)  # type: ignore[arg-type]
    agent = module_at(path, "openrlhf_agent")
    file = tmp_path / "my_reward.py"
    file.write_text(
        textwrap.dedent(
            """
            from calculus_harness.rewards.adapters.for_openrlhf import make_reward_func
            reward_func = make_reward_func(eos_tokens=["<e>"], components=["correctness", "format"])
            """
        )
    )

    class Tokenizer:
        def __call__(self, text: str, **_: Any) -> dict[str, Any]:
            row = SimpleNamespace(tolist=lambda: [ord(char) for char in text])
            return {"input_ids": [row]}

        def decode(self, ids: list[int], **_: Any) -> str:
            return "".join(map(chr, ids))

    class Engine:
        async def generate(self, *_: Any, **__: Any) -> Any:
            ids = [ord(char) for char in RIGHT + "<e>"]
            output = SimpleNamespace(token_ids=ids, finish_reason="stop", logprobs=None)
            return SimpleNamespace(outputs=[output])

    executor = agent.SingleTurnAgentExecutor(str(file))
    sampling = SimpleNamespace(max_tokens=64, logprobs=None)
    response = asyncio.run(executor.execute(PROMPT, "2x", sampling, 4096, Tokenizer(), Engine()))
    assert response["reward"] == [1.1]
    assert response["scores"] == [1.0]
    assert response["extra_logs"]["is_correct"] == [1.0]
