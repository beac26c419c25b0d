"""Prompt templates: files with a TOML head between two lines ``+++`` and a Jinja body.

A file without a head is a body for the task ``integration``; without blocks (below), the body is a
user's message.

    +++
    task = "integration"     # or "course": the tasks whose problems are a request and a question
    description = "One line for `run.py ls prompts`."
    default = true      # optional: the task's default prompt
    stop = ["Question:"] # optional: strings that end a completion
    shots = 4           # optional: the number of worked examples, unless --num-fewshot is given
    pick = "operator"   # optional: how labelled examples are chosen (`prompts.labelled`)
    stages = ["reasoning", "answer"] # optional: stages in order; the last must be "answer"
    max_tokens = { reasoning = 1000 } # optional: the limit of a stage, if below --max-tokens
    pictures = ""       # optional: the first message shows the expression as a picture, whose
                        # symbols are in this folder; "": they are drawn (`benchmarks.hint.images`)
    +++
    {% call user() %}Integrate {{ integrand }}.{% endcall %}

Each ``{% call ROLE() %}`` block (``system``, ``user``, ``assistant``) becomes a message of a chat.
With a head, a body without blocks is a text to complete. Variables of the body:

- the problem's ``inputs`` by name, and the whole problem as ``problem``;
- with ``shots``, ``examples``: worked examples (`prompts.fewshot`), with ``integrand``,
  ``variable``, ``solution`` and ``antiderivative``; for labels ``sequence`` and ``label``; for
  arithmetic ``expression``, ``value`` and ``steps``;
- the filter ``problem | prefix_form("integrand")`` (or ``"equation"``), for sequence models that
  read prefix tokens;
- with ``stages``, the body is rendered once per stage: ``stage`` is the name of the current stage,
  and the names of earlier stages hold the model's completions. Only the last stage is graded.

White space around messages and before a text is removed.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
import tomllib
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import jinja2
import jinja2.meta

from ..benchmarks.hint.images import problem_pictures
from ..benchmarks.hint.pools import ExpressionPoolError
from ..benchmarks.lample_charton.codec.prefix import PrefixError
from ..benchmarks.lample_charton.prefix_forms import prefix_form
from ..benchmarks.payloads import GROUPS
from ..benchmarks.problem import TASKS, Problem
from ..rewards.errors import UserError
from .fewshot import NotEnoughExamplesError, select
from .labelled import OPERATOR, PICKS
from .rendering import Message, Rendered

LIBRARY = Path(__file__).parent / "library"
ROLES = ("system", "user", "assistant")
#: The stage whose completion is graded: the last stage.
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
    "pictures": str,
}
_CALLS = re.compile(r"\{%-?\s*call\s+(\w+)\(")
_SHOTS = re.compile(r"^shots\s*=.*$", re.MULTILINE)
_PICTURES = re.compile(r"^pictures\s*=.*$", re.MULTILINE)


class PromptError(UserError):
    """A prompt is unknown, invalid or for another task; the message has the remedy."""


class PictureError(PromptError):
    """A problem's picture is missing or cannot be read; the message names the file."""


@dataclass(frozen=True)
class Prompt:
    """A template with the settings of its head.

    Attributes:
        name: the file's name without suffix.
        task: the task of the prompt, or a name of `benchmarks.payloads.GROUPS`.
        description: a line of description.
        source: the file's text.
        body: the Jinja template.
        stop: strings that end a completion.
        default: whether the prompt is the task's default.
        shots: the number of worked examples; None for a prompt without examples.
        pick: how labelled examples are chosen.
        stages: the names of the stages.
        max_tokens: stage -> the limit of tokens.
        pictures: the folder of symbols in pictures, "" for drawn ones; None without pictures.

    >>> load("few-shot").shots
    4

    """

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
    pictures: str | None = None

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks that it is for."""
        return GROUPS.get(self.task, (self.task,))

    @property
    def hash(self) -> str:
        """SHA-256 of the file's text."""
        return hashlib.sha256(self.source.encode()).hexdigest()

    def with_shots(self, shots: int) -> Prompt:
        """The prompt with another number of worked examples, also in its source.

        Args:
            shots: the number.

        Returns:
            The prompt.

        Raises:
            PromptError: if the prompt has no examples, or the number is negative.

        """
        if self.shots is None:
            raise PromptError(
                f"prompt {self.name!r} shows no examples: it has no shots in its head"
            )
        if shots < 0:
            raise PromptError(f"the number of examples cannot be {shots}")
        return parse(self.name, _SHOTS.sub(f"shots = {shots}", self.source, count=1))

    def with_pictures(self, folder: str) -> Prompt:
        """The prompt with the pictures of another folder, also in its source.

        Args:
            folder: the folder with a subfolder for each symbol.

        Returns:
            The prompt.

        Raises:
            PromptError: if the prompt shows no pictures.

        """
        if self.pictures is None:
            raise PromptError(f"prompt {self.name!r} shows no pictures; hint-picture does")
        line = f"pictures = {json.dumps(folder)}"
        return parse(self.name, _PICTURES.sub(lambda _: line, self.source, count=1))

    def with_system_message(self, text: str) -> Prompt:
        """The prompt with a system message before the other messages, also in the source.

        Args:
            text: the system message.

        Returns:
            A new prompt.

        Raises:
            PromptError: if the prompt is a text to complete, or has a system message of its own.

        """
        roles = set(_CALLS.findall(self.body))
        if not roles or "system" in roles:
            why = (
                "has a system message of its own" if roles else "is a text to complete, not a chat"
            )
            raise PromptError(f"prompt {self.name!r} {why}, and takes no --system-message")
        if not text.strip():
            raise PromptError("the system message is empty")
        # As a string literal of Jinja, the text may contain anything, even Jinja's syntax.
        message = (
            f"{{% call system() %}}{{{{ {json.dumps(text, ensure_ascii=False)} }}}}{{% endcall %}}"
        )
        head = self.source.removesuffix(self.body)
        return parse(self.name, f"{head}{message}\n{self.body}")

    def continued(self, turns: Sequence[tuple[str, str]]) -> Prompt:
        """The prompt followed by earlier replies and messages, also in the source.

        Args:
            turns: for each earlier turn the names of two stages before the answer: the reply, and
                the user's message about the reply.

        Returns:
            A new prompt.

        Raises:
            PromptError: if the prompt is a text to complete, or has stages of its own.

        >>> load("direct").continued([("reply", "told")]).stages
        ('reply', 'told', 'answer')

        """
        if len(self.stages) > 1 or not _CALLS.search(self.body):
            why = "has stages" if len(self.stages) > 1 else "is a text to complete, not a chat"
            raise PromptError(f"prompt {self.name!r} {why}, and cannot be continued")
        stages = [name for turn in turns for name in turn] + [ANSWER]
        head = self.source.removesuffix(self.body)
        head = head.replace("+++\n", f"+++\nstages = {json.dumps(stages)}\n", 1)
        # A message is left out as long as its stage's text is unknown, as in the first rendering. A
        # reply without text still needs a message, since roles have to alternate.
        messages = "".join(
            f"{{% if {reply} is defined %}}"
            f"{{% call assistant() %}}{{{{ {reply} or '(nothing)' }}}}{{% endcall %}}"
            f"{{% call user() %}}{{{{ {feedback} }}}}{{% endcall %}}{{% endif %}}\n"
            for reply, feedback in turns
        )
        return parse(self.name, f"{head}{self.body}\n{messages}")

    @cached_property
    def _template(self) -> jinja2.Template:
        return _ENVIRONMENT.from_string(self.body)

    def render(self, problem: Problem, replies: Mapping[str, str] | None = None) -> Rendered:
        """Render the prompt for a problem.

        Args:
            problem: a problem of this prompt's task.
            replies: the completions of earlier stages by stage. The next stage is rendered.

        Returns:
            The rendered prompt.

        Raises:
            PromptError: the problem is of another task, lacks an input of the template, or there
                are too few examples.
            PictureError: the problem's picture is missing or cannot be read.

        """
        replies = replies or {}
        if problem.task not in self.tasks:
            raise PromptError(
                f"prompt {self.name!r} is for the task {self.task!r}, "
                f"but {problem.id} is of the task {problem.task!r}"
            )
        messages: list[Message] = []
        try:
            # Templates, also in stored runs, see JSON: `problem.inputs.get("concept")`.
            row = problem.to_dict() | {"name": problem.name}
            text = self._template.render(
                row["inputs"]
                | dict(replies)
                | {"problem": row, "stage": self.stages[len(replies)]}
                | (
                    {}
                    if self.shots is None
                    else {"examples": select(problem, self.shots, self.pick)}
                )
                | {role: _collector(role, messages) for role in ROLES}
            )
        except (jinja2.UndefinedError, PrefixError) as error:
            raise PromptError(f"prompt {self.name!r}, problem {problem.id}: {error}") from None
        except NotEnoughExamplesError as error:
            raise PromptError(f"prompt {self.name!r}: {error}") from None
        if not messages:
            return Rendered(text=text.lstrip("\n"))
        if text.strip():
            raise PromptError(
                f"prompt {self.name!r} has text outside its messages: {text.strip()[:60]!r}"
            )
        if self.pictures is not None:
            messages[0] = replace(messages[0], pictures=(self._picture(problem),))
        return Rendered(messages=tuple(messages))

    def _picture(self, problem: Problem) -> str:
        try:
            return b64encode(problem_pictures(self.pictures or "").png(problem)).decode()
        except ExpressionPoolError as error:
            raise PictureError(f"{problem.id}: {error}") from None


def _prefix_form(row: dict[str, Any], side: str) -> str:
    fields = {name: value for name, value in row.items() if name != "name"}
    return prefix_form(Problem.from_dict(fields), side)


def names(task: str | None = None) -> tuple[str, ...]:
    """The names of the library's prompts.

    Args:
        task: only those for this task.

    Returns:
        The names, sorted.

    >>> "few-shot" in names("integration")
    True

    """
    library = sorted(path.stem for path in LIBRARY.glob("*.jinja"))
    return tuple(name for name in library if task is None or task in load(name).tasks)


def load(name: str) -> Prompt:
    """Load a prompt.

    Args:
        name: the name of a prompt of the library, or the path of a file that ends in ``.jinja``.

    Returns:
        The prompt.

    Raises:
        PromptError: the prompt is unknown, or the file is invalid.

    >>> load("antiderivbench").task
    'integration'

    """
    if name.endswith(".jinja"):
        path = Path(name)
    else:
        path = LIBRARY / f"{name}.jinja"
        if name not in names():
            near = difflib.get_close_matches(name, names(), n=3)
            hint = f"did you mean {' or '.join(map(repr, near))}?" if near else _known_names()
            raise PromptError(f"unknown prompt {name!r}; {hint}")
    try:
        source = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise PromptError(f"cannot read the prompt {path}: {reason}") from None
    return parse(path.stem, source)


def parse(name: str, source: str) -> Prompt:
    r"""Parse the text of a prompt file.

    Args:
        name: the prompt's name.
        source: the text.

    Returns:
        The prompt.

    Raises:
        PromptError: if the head or the template is invalid.

    >>> parse("mine", '+++\ntask = "integration"\n+++\nIntegrate {{ integrand }}.').body
    'Integrate {{ integrand }}.'

    """
    opening, marker, after_marker = source.partition("+++\n")
    head_text, closing, body = after_marker.partition("\n+++\n")
    lines_above = head_text.count("\n") + 3
    if not marker or opening.strip():  # a template without a head
        body = source if _CALLS.search(source) else f"{{% call user() %}}{source}{{% endcall %}}"
        head_text, lines_above = 'task = "integration"', 0
        source = f"+++\n{head_text}\n+++\n{body}"
    elif not closing:
        raise PromptError(f"prompt {name!r}: its head has no second line '+++'")
    try:
        head: dict[str, Any] = tomllib.loads(head_text)
    except tomllib.TOMLDecodeError as error:
        raise PromptError(f"prompt {name!r}: {error} (in its head)") from None
    for key, value in head.items():
        if key not in _HEAD:
            raise PromptError(f"prompt {name!r}: unknown {key!r} in its head")
        if not isinstance(value, _HEAD[key]):
            raise PromptError(f"prompt {name!r}: {key!r} must be a {_HEAD[key].__name__}")
    if head.get("task") not in (*TASKS, *GROUPS):
        tasks = ", ".join((*TASKS, *GROUPS))
        raise PromptError(f"prompt {name!r}: its head needs task = one of {tasks}")
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
        variables = jinja2.meta.find_undeclared_variables(_ENVIRONMENT.parse(body))
    except jinja2.TemplateSyntaxError as error:
        line = lines_above + error.lineno
        raise PromptError(f"prompt {name!r}, line {line}: {error.message}") from None
    if head.get("pictures") is not None and not _CALLS.search(body):
        raise PromptError(f"prompt {name!r}: pictures need messages, as in {{% call user() %}}")
    # A prompt without a placeholder would ask every problem the same question.
    if "pictures" not in head and not variables - {*ROLES, "examples", "stage", *stages}:
        raise PromptError(
            f"prompt {name!r} does not show the problem: it has no placeholder, as "
            "{{ integrand }} for the task integration"
        )
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
        pictures=head.get("pictures"),
    )


def _known_names() -> str:
    return f"known: {', '.join(names())}, or a path that ends in .jinja"


def _collector(role: str, messages: list[Message]) -> Callable[[Callable[[], str]], str]:
    """The macro ``{% call role() %}``. Messages have no markers that a problem could forge."""

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
_ENVIRONMENT.filters["prefix_form"] = _prefix_form
