"""Environments of trainers: the tools, the episode, and every face against its real package."""

from __future__ import annotations

import asyncio
import importlib.util
import inspect
import json
import sys
import textwrap
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from calculus_harness.rewards.adapters.environments import tools
from calculus_harness.rewards.adapters.environments.episode import Episode, Turn, asked_for
from calculus_harness.rewards.adapters.environments.for_trl import NO_MORE, environment_factory
from calculus_harness.rewards.adapters.environments.tools import check_antiderivative, check_step
from calculus_harness.rewards.adapters.scoring import STATUSES, Rubric
from tests.rewards.adapters.test_other_trainers import PROMPT, module_at, unpacked

RIGHT, WRONG = r"So $\boxed{x^2 + C}$.", r"So $\boxed{x^3 + C}$."
BOTH = ("correctness", "format")


# --- tools ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("integrand", "answer", "reply"),
    [
        ("2x", "x^2", "correct"),
        ("2x", r"so \boxed{x^2 + C}", "correct"),
        ("2x", "x^3", "incorrect: at x="),
        ("2x", r"\frac{", "unreadable"),
        ("2x", r"\int 2x\,dx", "unreadable: "),
        ("2x+", "x", "unreadable problem: "),
        ("2x", "x" * 5000, "unreadable: give a formula"),
        ("2x", "(" * 3000 + "x" + ")" * 3000, "un"),
        ("2x", "é\u2028\\boxed{", "un"),
    ],
)
def test_a_check_says_what_is_wrong_in_a_line(integrand: str, answer: str, reply: str) -> None:
    found = check_antiderivative(integrand, answer)
    assert found.startswith(reply)
    assert len(found) <= tools.LONGEST_REPLY
    assert "\n" not in found


def test_no_finding_gives_the_answer_away() -> None:
    for answer in ("x^3", "2x", "x", r"\sin x", r"\frac{", ""):
        assert "x^2" not in check_antiderivative("2x", answer)


@pytest.mark.parametrize(
    ("step", "reply"),
    [
        (r"\int xe^x\,dx = xe^x - \int e^x\,dx", "correct: "),
        (r"\int xe^x\,dx = xe^x + \int e^x\,dx", "incorrect: "),
        ("no equation", "unreadable: there is no equation"),
        (3, "unreadable: "),
        ("=" * 5000, "unreadable: "),
    ],
)
def test_a_step_is_checked(step: Any, reply: str) -> None:
    assert check_step("xe^x", step).startswith(reply)


def test_tools_say_what_they_are_in_the_form_that_schemas_are_made_of() -> None:
    for tool in (check_antiderivative, check_step):
        documented = inspect.getdoc(tool) or ""
        assert "Args:" in documented
        assert "Returns:" in documented
        for name, parameter in inspect.signature(tool).parameters.items():
            assert f"    {name}: " in documented
            assert parameter.annotation == "str"


# --- episodes -------------------------------------------------------------------------------


def steps(episode: Episode, *texts: str, **options: Any) -> list[Turn]:
    async def run() -> list[Turn]:
        return [await episode.step(text, **options) for text in texts]

    return asyncio.run(run())


def test_an_episode_without_checks_has_one_turn() -> None:
    [turn] = steps(Episode("2x", Rubric(components=BOTH)), RIGHT)
    assert turn.done
    assert turn.reward == 1.1
    assert turn.metrics["is_correct"] == 1.0
    assert set(turn.metrics) == {
        *(f"is_{status}" for status in STATUSES),
        *BOTH,
        *("seconds", "truncated", "checks"),
    }
    [turn] = steps(Episode("2x"), RIGHT + " <check>x^2</check>")
    assert turn.done


def test_checks_are_counted_and_then_the_turn_is_the_answer() -> None:
    first, second, third = steps(
        Episode({"integrand": "2t", "variable": "t"}, checks=2),
        "Is it <check>t^3</check>",
        "<check> t^2 </check>\n",
        r"<check>t^2</check>",
    )
    assert str(first.observation).startswith("incorrect")
    assert (second.observation, second.reward, second.done) == ("correct", 0.0, False)
    assert third.done
    assert third.reward == 0.0  # no box
    assert third.metrics["checks"] == 2


def test_a_truncated_turn_asks_nothing() -> None:
    [turn] = steps(Episode("2x", checks=3), r"\boxed{x^2} <check>x^2</check>", truncated=True)
    assert turn.done


def test_a_bad_row_is_no_opinion() -> None:
    [turn] = steps(Episode("2x+"), RIGHT)
    assert turn.reward is None
    assert turn.metrics["is_bad_problem"] == 1.0


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("<check>x</check>", "x"),
        ("<check>a</check> and <check> b </check>\n", "b"),
        ("<check>x</check>.", None),
        ("x</check>", None),
        ("<check>" * 50_000, None),
        ("<check>" * 50_000 + "x</check>", "x"),
    ],
)
def test_what_a_turn_asks_for(text: str, formula: str | None) -> None:
    assert asked_for(text) == formula


# --- TRL ------------------------------------------------------------------------------------


def test_trls_environment_checks_its_own_row() -> None:
    one, other = (environment_factory(checks=2)() for _ in range(2))
    one.reset(prompt=[], integrand="2t", variable="t", assumptions=None, level=3)
    other.reset(prompt=[], integrand="3x^2")
    assert one.check_antiderivative("t^2") == "correct"
    assert other.check_antiderivative("x^3") == "correct"
    assert one.check_step(r"\int 2t\,dt = t^2 + C").startswith("correct")
    assert one.check_antiderivative("t^2") == NO_MORE
    one.reset(prompt=[], integrand="2x")
    assert one.check_antiderivative("x^2") == "correct"
    with pytest.raises(TypeError):
        environment_factory(componets=["format"])


@pytest.mark.train
def test_trls_own_trainer_takes_the_environment(tmp_path: Path) -> None:
    """GRPOTrainer probes the environment, and makes schemas of its tools."""
    trl = pytest.importorskip("trl")
    from datasets import Dataset
    from transformers.utils import get_json_schema

    factory = environment_factory(checks=1)
    instance = factory()
    names = [
        name
        for name, _ in inspect.getmembers(type(instance), predicate=inspect.isfunction)
        if not name.startswith("_") and name not in ("reset", "get_reward")
    ]
    assert names == ["check_antiderivative", "check_step"]
    for name in names:
        schema = get_json_schema(getattr(instance, name))["function"]
        assert list(schema["parameters"]["properties"]) in (["answer"], ["step"])
    assert "environment_factory" in inspect.signature(trl.GRPOTrainer.__init__).parameters
    assert Dataset is not None


# --- verl -----------------------------------------------------------------------------------


def test_verls_own_loader_of_function_tools(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("transformers")
    folder = unpacked("CALCULUS_HARNESS_VERL", "verl")
    # The package's own `__init__` imports Ray and torch, which its tools do not need.
    for name in ("verl", "verl.tools", "verl.utils"):
        package = ModuleType(name)
        package.__path__ = [str(folder / Path(*name.split(".")[1:]))]
        monkeypatch.setitem(sys.modules, name, package)
    module = importlib.import_module("verl.tools.function_tool")
    example = Path(__file__).resolve().parents[3] / "examples" / "tools_verl.py"
    loaded = {tool.name: tool for tool in module.load_function_tools_from_path(str(example))}
    assert set(loaded) == {"check_antiderivative", "check_step"}
    found = asyncio.run(loaded["check_antiderivative"].call({"integrand": "2x", "answer": "x^2"}))
    assert "correct" in str(found)
    for name in [name for name in sys.modules if name.partition(".")[0] == "verl"]:
        monkeypatch.delitem(sys.modules, name)


# --- OpenRLHF -------------------------------------------------------------------------------


def test_openrlhfs_own_multi_turn_executor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = unpacked("CALCULUS_HARNESS_OPENRLHF", "openrlhf/utils/agent.py")
    pytest.importorskip("aiohttp")
    quiet = SimpleNamespace(init_logger=lambda _: SimpleNamespace(info=print, warning=print))
    monkeypatch.setitem(sys.modules, "openrlhf", ModuleType("openrlhf"))
    monkeypatch.setitem(sys.modules, "openrlhf.utils", ModuleType("openrlhf.utils"))
    monkeypatch.setitem(sys.modules, "openrlhf.utils.logging_utils", quiet)  # type: ignore[arg-type]
    agent = module_at(path, "openrlhf.utils.agent")
    monkeypatch.setitem(sys.modules, "openrlhf.utils.agent", agent)
    file = tmp_path / "my_agent.py"
    file.write_text(
        textwrap.dedent(
            """
            from calculus_harness.rewards.adapters.environments.for_openrlhf import agent_executor
            AgentExecutor = agent_executor(checks=2, components=["correctness", "format"])
            """
        )
    )
    turns = ["Perhaps <check>x^3</check>", RIGHT]
    seen: list[str] = []

    class Tokenizer:
        def __call__(self, text: str, **_: Any) -> dict[str, Any]:
            return {"input_ids": [SimpleNamespace(tolist=lambda: [ord(char) for char in text])]}

        def decode(self, ids: list[int], **_: Any) -> str:
            return "".join(map(chr, ids))

    class Engine:
        async def generate(self, ids: list[int], *_: Any, **__: Any) -> Any:
            seen.append("".join(map(chr, ids)))
            text = turns[len(seen) - 1]
            ids = [ord(char) for char in text]
            done = SimpleNamespace(text=text, token_ids=ids, finish_reason="stop", logprobs=None)
            return SimpleNamespace(outputs=[done])

    executor = module_at(file, "my_agent").AgentExecutor()
    sampling = SimpleNamespace(max_tokens=64, logprobs=None)
    label = json.dumps({"integrand": "2x"})
    response = asyncio.run(executor.execute(PROMPT, label, sampling, 4096, Tokenizer(), Engine()))
    assert "incorrect: at x=" in seen[1]
    assert response["reward"] == 1.1
    assert response["scores"] == 1.0
    assert response["extra_logs"]["is_correct"].item() == 1.0
    assert response["extra_logs"]["checks"].item() == 1.0


# --- SkyRL ----------------------------------------------------------------------------------


@pytest.mark.skyrl
def test_skyrls_own_registry_makes_the_environment() -> None:
    import skyrl_gym
    from skyrl_gym.envs.registration import register

    place = "calculus_harness.rewards.adapters.environments.for_skyrl:CalculusEnv"
    register(id="calculus", entry_point=place)
    row = {"reward_spec": {"method": "rule", "ground_truth": "2t"}, "extra_info": {"variable": "t"}}
    options = {"checks": 1, "components": ["correctness", "format"]}
    env = skyrl_gym.make("calculus", env_config=options, extras=row)
    prompt = [{"role": "user", "content": "Integrate 2t."}]
    assert env.init(prompt)[0] == prompt
    first = env.step("<check>t^3</check>")
    assert (first["done"], first["reward"]) == (False, 0.0)
    assert first["observations"][0]["role"] == "user"
    assert first["observations"][0]["content"].startswith("incorrect")
    last = env.step(r"$\boxed{t^2}$")
    assert (last["done"], last["reward"], last["observations"]) == (True, 1.1, [])
    assert last["metadata"]["is_correct"] == 1.0
    assert env.get_metrics()["checks"] == 1.0
    env.close()
    wrong = skyrl_gym.make("calculus", env_config={}, extras=row)
    assert wrong.step(WRONG)["reward"] == 0.0
