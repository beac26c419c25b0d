"""Environments of trainers: the tools, the episode, and each adapter with the real package."""

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

from calculus_harness.rewards.adapters.environments.episode import Episode, Turn, Turns, asked_for
from calculus_harness.rewards.adapters.environments.for_trl import NO_MORE, environment_factory
from calculus_harness.rewards.adapters.environments.tools import check_antiderivative, check_step
from calculus_harness.rewards.adapters.feedback import AGAIN, FEEDBACK, LONGEST
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
        ("2x", "x^3", "incorrect: at x ="),
        ("2x", r"\frac{", "unreadable"),
        ("2x", r"\int 2x\,dx", "unreadable: "),
        ("2x+", "x", "unreadable problem: "),
        ("2x", "x" * 5000, "unreadable: give a formula"),
        ("2x", "(" * 3000 + "x" + ")" * 3000, "un"),
        ("2x", "é\u2028\\boxed{", "un"),
    ],
)
def test_a_check_says_what_is_wrong_in_a_line(integrand: str, answer: str, reply: str) -> None:
    observation = check_antiderivative(integrand, answer)
    assert observation.startswith(reply)
    assert len(observation) <= LONGEST
    assert "\n" not in observation


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
        *("seconds", "truncated", "checks", "attempts"),
    }
    [turn] = steps(Episode("2x"), RIGHT + " <check>x^2</check>")
    assert turn.done


def test_checks_are_counted_and_then_the_turn_is_the_answer() -> None:
    first, second, third = steps(
        Episode({"integrand": "2t", "variable": "t"}, turns=Turns(checks=2)),
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
    [turn] = steps(
        Episode("2x", turns=Turns(checks=3)), r"\boxed{x^2} <check>x^2</check>", truncated=True
    )
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


HIDDEN = [
    ("definite", {"integral": r"\int_0^1 x^2\,dx"}, (r"\frac12", "0.3"), "3333333"),
    ("definite", {"integral": r"\int_1^\infty \frac{dx}{x}"}, ("3", "0"), "diverge"),
    ("definite", {"integral": r"\int_1^\infty \frac{dx}{x^2}"}, ("2", r"\infty"), "converge"),
    ("value", {"target": r"\frac{7}{3}"}, ("2", r"\pi"), "2.333333"),
    ("equivalent", {"target": "x^2+1"}, ("x^2+2", "x"), "1.446372"),
    ("label", {"target": "1"}, ("0",), "1"),
    ("integer", {"target": "42"}, ("41", "-40"), "42"),
]


@pytest.mark.parametrize(("task", "label", "answers", "secret"), HIDDEN)
def test_no_turn_gives_the_answer_away(
    task: str, label: Any, answers: tuple[str, ...], secret: str
) -> None:
    """A check of a definite integral used to tell the value: "it gives 0.5, not 0.3333333"."""
    for answer in answers:
        for feedback in FEEDBACK:
            turns = Turns(checks=1, attempts=2, feedback=feedback)
            check, attempt = steps(
                Episode(label, Rubric(task=task), turns),
                f"<check>{answer}</check>",
                rf"$\boxed{{{answer}}}$",
            )
            assert check.observation == "incorrect"
            assert attempt.observation is not None
            assert secret not in attempt.observation


def test_another_attempt_is_told_as_much_as_was_asked_for() -> None:
    text = rf"$\int 2x\,dx = x^3 + C$. {WRONG}"
    observations = {}
    for feedback in FEEDBACK:
        first, second, third = steps(
            Episode("2x", Rubric(components=BOTH), Turns(attempts=3, feedback=feedback)),
            *(text, "no box", RIGHT),
        )
        assert (first.reward, first.done, second.done) == (0.0, False, False)
        assert (third.done, third.reward, third.metrics["attempts"]) == (True, 1.1, 3.0)
        observations[feedback] = (first.observation, second.observation)
        assert all(str(reply).endswith(AGAIN) for reply in observations[feedback])
    assert observations["none"] == (AGAIN, AGAIN)
    assert observations["verdict"] == (
        f"Your answer is incorrect. {AGAIN}",
        f"No answer was found. {AGAIN}",
    )
    assert "integrand 1.174988, derivative 1.035448" in str(observations["witness"][0])
    assert r"The first wrong step is \int 2x" in str(observations["steps"][0])
    assert observations["witness"][1] == observations["steps"][1] == observations["verdict"][1]


def test_the_last_attempt_is_rewarded() -> None:
    first, second = steps(Episode("2x", turns=Turns(attempts=2)), WRONG, WRONG)
    assert (first.done, second.done, second.reward) == (False, True, 0.0)
    [only] = steps(Episode("2x", turns=Turns(attempts=3)), RIGHT)
    assert (only.done, only.reward) == (True, 1.0)
    [bad] = steps(Episode("2x+", turns=Turns(attempts=3)), RIGHT)
    assert (bad.done, bad.reward) == (True, None)


def test_an_answer_on_a_part_of_the_domain_is_not_called_correct() -> None:
    rubric = Rubric(min_coverage=0.9)
    answer = r"\frac{x^2}{2}"
    check, attempt = steps(
        Episode(r"\sqrt{x^2}", rubric, Turns(checks=1, attempts=2)),
        f"<check>{answer}</check>",
        rf"$\boxed{{{answer}}}$",
    )
    assert str(check.observation).startswith("incorrect: right on ")
    assert str(attempt.observation).startswith("Your answer is incorrect.")


@pytest.mark.parametrize(
    "wrong", [{"attempts": 0}, {"checks": -1}, {"feedback": "all"}, {"feedback": "Verdict"}]
)
def test_limits_of_turns_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"there must be|feedback is one of"):
        Turns(**wrong)


# --- TRL ------------------------------------------------------------------------------------


def test_trls_environment_checks_its_own_row() -> None:
    env, other_env = (environment_factory(checks=2)() for _ in range(2))
    env.reset(prompt=[], integrand="2t", variable="t", assumptions=None, level=3)
    other_env.reset(prompt=[], integrand="3x^2")
    assert env.check_antiderivative("t^2") == "correct"
    assert other_env.check_antiderivative("x^3") == "correct"
    assert env.check_step(r"\int 2t\,dt = t^2 + C").startswith("correct")
    assert env.check_antiderivative("t^2") == NO_MORE
    env.reset(prompt=[], integrand="2x")
    assert env.check_antiderivative("x^2") == "correct"
    with pytest.raises(TypeError):
        environment_factory(componets=["format"])


@pytest.mark.train
def test_the_tools_have_schemas_for_trl() -> None:
    """The tools of an environment by GRPOTrainer's rule, with the schemas."""
    trl = pytest.importorskip("trl")
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
    reply = asyncio.run(loaded["check_antiderivative"].call({"integrand": "2x", "answer": "x^2"}))
    assert "correct" in str(reply)
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
            AgentExecutor = agent_executor(
                checks=1, attempts=2, components=["correctness", "format"]
            )
            """
        )
    )
    turns = ["Perhaps <check>x^3</check>", WRONG, RIGHT]
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
    assert "incorrect: at x =" in seen[1]
    assert "Your answer is incorrect." in seen[2]
    assert response["reward"] == 1.1
    assert response["scores"] == 1.0
    assert response["extra_logs"]["is_correct"].item() == 1.0
    assert response["extra_logs"]["checks"].item() == 1.0
    assert response["extra_logs"]["attempts"].item() == 2.0


# --- SkyRL ----------------------------------------------------------------------------------


@pytest.mark.skyrl
def test_skyrls_own_registry_makes_the_environment() -> None:
    import skyrl_gym
    from skyrl_gym.envs.registration import register

    entry = "calculus_harness.rewards.adapters.environments.for_skyrl:CalculusEnv"
    register(id="calculus", entry_point=entry)
    row = {"reward_spec": {"method": "rule", "ground_truth": "2t"}, "extra_info": {"variable": "t"}}
    options = {"checks": 1, "attempts": 2, "components": ["correctness", "format"]}
    env = skyrl_gym.make("calculus", env_config=options, extras=row)
    prompt = [{"role": "user", "content": "Integrate 2t."}]
    assert env.init(prompt)[0] == prompt
    checked = env.step("<check>t^3</check>")
    assert (checked["done"], checked["reward"]) == (False, 0.0)
    assert checked["observations"][0]["role"] == "user"
    assert checked["observations"][0]["content"].startswith("incorrect")
    second = env.step(r"$\boxed{t^3}$")
    assert second["observations"][0]["content"].startswith("Your answer is incorrect.")
    answered = env.step(r"$\boxed{t^2}$")
    assert (answered["done"], answered["reward"], answered["observations"]) == (True, 1.1, [])
    assert answered["metadata"]["is_correct"] == 1.0
    assert env.get_metrics()["checks"] == 1.0
    env.close()
    wrong = skyrl_gym.make("calculus", env_config={}, extras=row)
    assert wrong.step(WRONG)["reward"] == 0.0
