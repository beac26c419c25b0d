"""Templates are files in ``prompts/library``; adding a prompt is adding a file.

A file has a TOML head between two lines ``+++`` and a Jinja body:

    +++
    task = "integration"
    description = "One line for `run.py ls prompts`."
    default = true      # optional: taken for this task when no prompt is named
    stop = ["Question:"] # optional: strings that end a completion
    shots = 4           # optional: how many worked examples, unless --num-fewshot says otherwise
    pick = "operator"   # optional, for labelled examples: which (`prompts.labelled`)
    stages = ["reasoning", "answer"] # optional: asked one after the other; the last is "answer"
    max_tokens = { reasoning = 1000 } # optional: a stage's own limit, if below --max-tokens
    +++
    {% call user() %}Integrate {{ integrand }}.{% endcall %}

Each ``{% call ROLE() %}`` block (``system``, ``user``, ``assistant``) becomes a message of a chat;
a body without any is one text to complete. The body sees the problem's ``inputs`` by name and the
whole problem as ``problem``; with ``shots``, ``examples`` are worked ones (`prompts.fewshot`), each
with ``integrand``, ``variable``, ``solution`` and ``antiderivative``, or, where the answer is a
label, with ``sequence`` and ``label``. With ``stages`` the body is
rendered once for each: ``stage`` is its name, and what the model said in an earlier one stands
under that one's name. Only the last stage's completion is graded. Blank space around a message, or
before a text, is dropped.
"""

from __future__ import annotations

import difflib
import hashlib
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import jinja2

from ..benchmarks.problem import TASKS, Problem
from .fewshot import NotEnoughExamplesError, select
from .labelled import OPERATOR, PICKS
from .rendering import Message, Rendered

LIBRARY = Path(__file__).parent / "library"
ROLES = ("system", "user", "assistant")
#: The stage whose completion is graded: the last, and where a prompt has no stages, the only one.
ANSWER = "answer"
_HEAD = {
    "task": str,
    "description": str,
    "default": bool,
    "stop": list,
    "shots": int,
    "pick": str,
    "stages": list,
    "max_tokens": dict,
}
_SHOTS = re.compile(r"^shots\s*=.*$", re.MULTILINE)


class PromptError(ValueError):
    """An unknown, broken or unsuitable prompt; the message says what to do."""


@dataclass(frozen=True)
class Prompt:
    """A template and what its head says."""

    name: str
    task: str
    description: str
    source: str
    body: str
    stop: tuple[str, ...] = ()
    default: bool = False
    shots: int | None = None
    pick: str = OPERATOR
    stages: tuple[str, ...] = (ANSWER,)
    max_tokens: Mapping[str, int] = field(default_factory=dict)  # by stage

    @property
    def hash(self) -> str:
        """SHA-256 of the file's text."""
        return hashlib.sha256(self.source.encode()).hexdigest()

    def with_shots(self, shots: int) -> Prompt:
        """The same template with so many worked examples, which its source says from then on."""
        if self.shots is None:
            raise PromptError(
                f"prompt {self.name!r} shows no examples: it has no shots in its head"
            )
        if shots < 0:
            raise PromptError(f"the number of examples cannot be {shots}")
        return parse(self.name, _SHOTS.sub(f"shots = {shots}", self.source, count=1))

    @cached_property
    def _template(self) -> jinja2.Template:
        return _ENVIRONMENT.from_string(self.body)

    def render(self, problem: Problem, said: Mapping[str, str] | None = None) -> Rendered:
        """Fill in a problem of this prompt's task.

        ``said`` is what the model said in earlier stages; what is rendered is the next one.
        """
        said = said or {}
        if problem.task != self.task:
            raise PromptError(
                f"prompt {self.name!r} is for the task {self.task!r}, "
                f"but {problem.id} is of the task {problem.task!r}"
            )
        messages: list[Message] = []
        try:
            text = self._template.render(
                dict(problem.inputs)
                | dict(said)
                | {"problem": problem, "stage": self.stages[len(said)]}
                | (
                    {}
                    if self.shots is None
                    else {"examples": select(problem, self.shots, self.pick)}
                )
                | {role: _collector(role, messages) for role in ROLES}
            )
        except jinja2.UndefinedError as error:
            raise PromptError(f"prompt {self.name!r}, problem {problem.id}: {error}") from None
        except NotEnoughExamplesError as error:
            raise PromptError(f"prompt {self.name!r}: {error}") from None
        if not messages:
            return Rendered(text=text.lstrip("\n"))
        if text.strip():
            raise PromptError(
                f"prompt {self.name!r} has text outside its messages: {text.strip()[:60]!r}"
            )
        return Rendered(messages=tuple(messages))


def names(task: str | None = None) -> tuple[str, ...]:
    """The names of the library's prompts, of one task or of all."""
    every = sorted(path.stem for path in LIBRARY.glob("*.jinja"))
    return tuple(name for name in every if task is None or load(name).task == task)


def load(name: str) -> Prompt:
    """A prompt of the library by name, or any template by its path (``./mine.jinja``)."""
    if name.endswith(".jinja"):
        path = Path(name)
    else:
        path = LIBRARY / f"{name}.jinja"
        if name not in names():
            near = difflib.get_close_matches(name, names(), n=3)
            hint = f"did you mean {' or '.join(map(repr, near))}?" if near else _known()
            raise PromptError(f"unknown prompt {name!r}; {hint}")
    try:
        source = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise PromptError(f"cannot read the prompt {path}: {reason}") from None
    return parse(path.stem, source)


def parse(name: str, source: str) -> Prompt:
    """Read a template's text."""
    opening, _, rest = source.partition("+++\n")
    head_text, closing, body = rest.partition("\n+++\n")
    if opening.strip() or not closing:
        raise PromptError(f"prompt {name!r}: no head between two lines '+++' at the top")
    try:
        head: dict[str, Any] = tomllib.loads(head_text)
    except tomllib.TOMLDecodeError as error:
        raise PromptError(f"prompt {name!r}: {error} (in its head)") from None
    for key, value in head.items():
        if key not in _HEAD:
            raise PromptError(f"prompt {name!r}: unknown {key!r} in its head")
        if not isinstance(value, _HEAD[key]):
            raise PromptError(f"prompt {name!r}: {key!r} must be a {_HEAD[key].__name__}")
    if head.get("task") not in TASKS:
        raise PromptError(f"prompt {name!r}: its head needs task = one of {', '.join(TASKS)}")
    pick = head.get("pick", OPERATOR)
    if pick not in PICKS:
        raise PromptError(f"prompt {name!r}: pick must be one of {', '.join(PICKS)}")
    stages = tuple(map(str, head.get("stages", (ANSWER,))))
    if not stages or stages[-1] != ANSWER or len(set(stages)) < len(stages):
        raise PromptError(f"prompt {name!r}: stages must differ, and the last must be {ANSWER!r}")
    limits = head.get("max_tokens", {})
    for stage, limit in limits.items():
        if stage not in stages or not isinstance(limit, int) or limit < 1:
            raise PromptError(
                f"prompt {name!r}: max_tokens must give a stage a number, as in "
                f"{{ {stages[0]} = 1000 }}"
            )
    try:
        _ENVIRONMENT.parse(body)
    except jinja2.TemplateSyntaxError as error:
        line = source[: len(source) - len(body)].count("\n") + error.lineno
        raise PromptError(f"prompt {name!r}, line {line}: {error.message}") from None
    return Prompt(
        name=name,
        task=head["task"],
        description=head.get("description", ""),
        source=source,
        body=body,
        stop=tuple(map(str, head.get("stop", ()))),
        default=head.get("default", False),
        shots=head.get("shots"),
        pick=pick,
        stages=stages,
        max_tokens=limits,
    )


def default_for(task: str) -> Prompt:
    """The prompt that is taken when none is named."""
    for name in names(task):
        prompt = load(name)
        if prompt.default:
            return prompt
    raise PromptError(f"no prompt for the task {task!r}; name one with --prompt")


def _known() -> str:
    return f"known: {', '.join(names())}, or a path that ends in .jinja"


def _collector(role: str, messages: list[Message]) -> Callable[[Callable[[], str]], str]:
    """What ``{% call role() %}`` calls. No markers in the text, so no problem can forge a turn."""

    def collect(caller: Callable[[], str]) -> str:
        messages.append(Message(role, caller().strip()))
        return ""

    return collect


_ENVIRONMENT = jinja2.Environment(
    undefined=jinja2.StrictUndefined,
    autoescape=False,  # prompts are plain text, not HTML
    keep_trailing_newline=False,
    trim_blocks=True,
    lstrip_blocks=True,
)
