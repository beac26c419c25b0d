"""Changed verdicts, on the terminal."""

from __future__ import annotations

from rich.console import Console

from ..stats.verdict_changes import Changes

#: So many are shown; all are in the JSON.
MAX_ROWS = 20
#: Reasons are cut to so many characters.
LONGEST = 160


def print_changes(changes: Changes, console: Console | None = None) -> None:
    """Print the number of changed verdicts by old and new status, and the first changes with
    reasons.
    """
    console = console or Console()

    def say(text: str, style: str | None = None) -> None:
        console.print(text, style=style, soft_wrap=True, markup=False, highlight=False)

    count = len(changes.changes)
    say(f"{count} of {changes.judged} verdicts differ from {changes.before}", "bold")
    for transition in changes.transitions:
        say(f"  {transition.answers:>5}  {_words(transition.before)} → {_words(transition.after)}")
    for change in changes.changes[:MAX_ROWS]:
        sample = f" #{change.sample}" if change.sample else ""
        say(f"{change.problem}{sample}, {change.label}: {_cut(change.answer or 'no answer')}")
        say(f"    {_words(change.before)}: {_cut(change.because_before) or '-'}", "dim")
        say(f"    {_words(change.after)}: {_cut(change.because_after) or '-'}", "dim")
    if count > MAX_ROWS:
        say(f"... and {count - MAX_ROWS} more; --json has them all", "dim")


def _words(status: str) -> str:
    return status.replace("_", " ")


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
