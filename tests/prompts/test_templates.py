"""Prompts: the published text, both styles, and clear errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from calculus_harness import prompts
from calculus_harness.benchmarks import Problem
from calculus_harness.prompts import Message, PromptError
from calculus_harness.prompts.templates import parse


def problem(integrand: str = r"x\sin x", task: str = "integration") -> Problem:
    inputs: Any = {"integrand": integrand, "variable": "x"}
    targets = {"integration": inputs, "arithmetic": {"value": 1}}
    return Problem("p", task, "toy", "s", inputs=inputs, target=targets.get(task, {"label": 1}))


def template(body: str, head: str = 'task = "integration"') -> prompts.Prompt:
    return parse("own", f"+++\n{head}\n+++\n{body}")


def test_the_prompt_of_antiderivbench_is_the_published_one() -> None:
    rendered = prompts.load("antiderivbench").render(problem())
    assert rendered.style == "chat"
    assert rendered.messages == (
        Message(
            "user",
            "Compute the integral of the following function:\n\nx\\sin x\n\n"
            "Think step by step. Put the final answer in \\boxed{ } using LaTeX notation.",
        ),
    )


@pytest.mark.parametrize("name", prompts.names())
def test_every_prompt_of_the_library_renders_with_its_problem_in_it(name: str) -> None:
    prompt = prompts.load(name)
    assert prompt.description
    if prompt.task == "integration":
        integrand = "mul x sin x" if name == "prefix" else r"x\sin x"
        assert integrand in str(prompt.render(problem()))


@pytest.mark.parametrize("task", sorted({prompts.load(name).task for name in prompts.names()}))
def test_every_task_with_prompts_has_one_default(task: str) -> None:
    offered = prompts.names() if task == "course" else prompts.names(task)
    templates = [prompts.load(name) for name in offered]
    own = [template for template in templates if template.task in (task, "course")]
    defaults = [template for template in own if template.default]
    assert len(defaults) == 1


def test_turns_loops_and_completion_style() -> None:
    chat = template(
        "{% call system() %} Be brief. {% endcall %}\n"
        "{% for n in range(2) %}{% call user() %}{{ n }}{% endcall %}"
        "{% call assistant() %}{{ n + 1 }}{% endcall %}{% endfor %}\n"
        "{% call user() %}{{ integrand }} in {{ problem.inputs.variable }}{% endcall %}\n"
    ).render(problem())
    assert [message.role for message in chat.messages] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]
    assert chat.messages[0].content == "Be brief."
    assert chat.messages[-1].content == r"x\sin x in x"
    text = template("\nQ: {{ integrand }}\nA:").render(problem())
    assert (text.style, text.text) == ("completion", "Q: x\\sin x\nA:")


@pytest.mark.parametrize("text", ["{{ 7 * 7 }}", "{% raw %}", "{% call user() %}", "<b>&amp;</b>"])
def test_a_problem_is_text_and_never_template_or_turn(text: str) -> None:
    rendered = prompts.load("antiderivbench").render(problem(text))
    assert len(rendered.messages) == 1
    assert f"\n\n{text}\n\n" in rendered.messages[0].content


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("no placeholder", "does not show the problem"),
        ("+++\ntask = 1\nx", "no second line"),
        ("+++\ntask = 1\n+++\nx", "'task' must be a str"),
        ("+++\ntask =\n+++\nx", "in its head"),
        ('+++\ntask = "cooking"\n+++\nx', "one of integration"),
        ('+++\ntask = "integration"\nstyle = "chat"\n+++\nx', "unknown 'style'"),
        ('+++\ntask = "integration"\n+++\nx\n{% if %}', "line 5"),
        ("{{ integrand }}\n{% if %}", "line 2"),
    ],
)
def test_a_broken_file_is_one_clear_line(source: str, message: str) -> None:
    with pytest.raises(PromptError, match=message):
        parse("own", source)


def test_a_prompt_that_does_not_fit_is_refused() -> None:
    with pytest.raises(PromptError, match="for the task 'integration'"):
        prompts.load("antiderivbench").render(problem(task="arithmetic"))
    with pytest.raises(PromptError, match="'lemma' is undefined"):
        template("{{ lemma }}").render(problem())
    with pytest.raises(PromptError, match="text outside"):
        template("stray {% call user() %}{{ integrand }}{% endcall %}").render(problem())


def test_a_file_without_a_head_is_a_chat_about_integrals() -> None:
    message = "Integrate {{ integrand }}.\n"
    prompt = parse("own", message)
    assert prompt.task == "integration"
    assert prompt.render(problem("x")).turns == [{"role": "user", "content": "Integrate x."}]
    with_system = prompt.with_system_message("Be brief.").render(problem("x"))
    assert [turn.role for turn in with_system.messages] == ["system", "user"]
    blocks = f"{{% call user() %}}{message}{{% endcall %}}"
    assert parse("own", blocks).render(problem("x")) == prompt.render(problem("x"))


def test_a_file_anywhere_is_a_prompt(tmp_path: Path) -> None:
    path = tmp_path / "mine.jinja"
    path.write_text('+++\ntask = "integration"\nstop = ["Q:"]\n+++\nQ: {{ integrand }}\nA:')
    prompt = prompts.load(str(path))
    assert (prompt.name, prompt.stop) == ("mine", ("Q:",))
    with pytest.raises(PromptError, match="cannot read"):
        prompts.load(str(tmp_path / "none.jinja"))
    with pytest.raises(PromptError, match="did you mean 'antiderivbench'"):
        prompts.load("antiderivebench")


def test_concepts_are_explained_where_they_occur() -> None:
    prompt = prompts.load("hint-explained").with_shots(0)
    plain, means = (
        prompt.render(Problem("p", "arithmetic", "hint", "s", inputs=inputs, target={"value": 4}))
        .messages[0]
        .content
        for inputs in ({"expression": "7/2"}, {"expression": "x-7d2", "concept": "xd"})
    )
    assert "7 / 2 is 4.\n\nExpression: 7/2\n" in plain
    assert "7 / 2 is 4.\n- x is the number 11.\n- i d j" in means
    assert "arithmetic mean" not in means


def test_stages_are_rendered_one_after_the_other() -> None:
    prompt = prompts.load("hint-zero-shot-cot")
    question = Problem(
        "p", "arithmetic", "hint", "s", inputs={"expression": "(3+4)*2"}, target={"value": 14}
    )
    first = prompt.render(question)
    assert first.text == "Q: What is (3+4)*2?\nA: Let's think step-by-step."
    assert prompt.render(question, {"reasoning": " 7 * 2 = 14."}).text == (
        first.text + " 7 * 2 = 14. \nTherefore, the answer (arabic numerals) is"
    )
    turns = prompts.load("two-stage").render(problem(), {"reasoning": "By parts."}).messages
    assert [turn.role for turn in turns] == ["user", "assistant", "user"]
    assert turns[1].content == "By parts."


@pytest.mark.parametrize(
    ("head", "message"),
    [
        ('stages = ["answer", "more"]', "the last must be 'answer'"),
        ('stages = ["a", "a", "answer"]', "stages must differ"),
        ("max_tokens = { thought = 3 }", "max_tokens"),
        ("max_tokens = { answer = 0 }", "max_tokens"),
    ],
)
def test_wrong_stages_are_refused(head: str, message: str) -> None:
    with pytest.raises(PromptError, match=message):
        template("{{ integrand }}", f'task = "integration"\n{head}')


@pytest.mark.parametrize("name", ["antiderivbench", "few-shot", "two-stage"])
def test_a_system_message_comes_before_the_others(name: str) -> None:
    text = 'You are "{{ x }}" {% endraw %}\n\\boxed{1} \u2028 π \U0001f600'
    plain, changed = prompts.load(name), prompts.load(name).with_system_message(text)
    assert changed.hash != plain.hash
    assert (changed.stages, changed.shots) == (plain.stages, plain.shots)
    for replies in ({}, {"reasoning": "so"})[: len(plain.stages)]:
        messages = changed.render(problem(), replies).messages
        assert messages == (Message("system", text), *plain.render(problem(), replies).messages)
    assert parse(name, changed.source) == changed  # as a run reads it from its manifest


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("Integrate {{ integrand }}.", "is a text to complete"),
        (
            "{% call system() %}x{% endcall %}{% call user() %}{{ integrand }}{% endcall %}",
            "of its own",
        ),
        (
            "{%- call system() -%}x{% endcall %}{% call user() %}{{ integrand }}{% endcall %}",
            "of its own",
        ),
    ],
)
def test_a_system_message_is_refused_where_it_has_no_place(body: str, why: str) -> None:
    with pytest.raises(PromptError, match=why):
        template(body).with_system_message("Be brief.")


def test_an_empty_system_message_is_refused() -> None:
    with pytest.raises(PromptError, match="empty"):
        prompts.load("direct").with_system_message(" ")
