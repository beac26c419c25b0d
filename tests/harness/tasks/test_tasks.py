"""The registry of tasks."""

from __future__ import annotations

import pytest

from calculus_harness import prompts
from calculus_harness.benchmarks.payloads import TASKS as PAYLOADS
from calculus_harness.harness import UserError
from calculus_harness.harness.tasks import TASKS, Task, default_prompt, task
from calculus_harness.rewards.adapters.scoring import TASKS as VERIFIERS


def test_every_task_has_a_module_of_its_name() -> None:
    assert tuple(TASKS) == tuple(PAYLOADS)
    assert all(TASKS[name].name == name for name in PAYLOADS)


@pytest.mark.parametrize("registered", TASKS.values(), ids=TASKS)
def test_its_default_prompt_and_verifier_exist(registered: Task) -> None:
    template = default_prompt(registered.name)
    assert registered.name in template.tasks
    assert [name for name in prompts.names(registered.name) if prompts.load(name).default] == [
        template.name
    ]
    assert (
        VERIFIERS[registered.verifier].column == PAYLOADS[registered.name].target.judged_by
        or registered.verifier != "antiderivative"
    )


def test_an_unknown_task_is_named() -> None:
    with pytest.raises(UserError, match="unknown task 'integratoin'; did you mean 'integration'"):
        task("integratoin")


def test_a_task_without_a_default_prompt_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    bare = Task("bare", "No prompt.", "label", grade=TASKS["calculus_step"].grade)
    monkeypatch.setitem(TASKS, "bare", bare)
    with pytest.raises(UserError, match="no default prompt for the task 'bare'"):
        default_prompt("bare")
