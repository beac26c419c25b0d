"""Paired comparisons (`stats.paired`) of models, or of perturbed subsets with originals."""

from __future__ import annotations

import os
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import Literal, get_args

from ...benchmarks.hint.problems import is_hint
from ...benchmarks.payloads import IntegrationTarget
from ...benchmarks.problem import Problem
from ...rewards import ProblemError
from ...rewards.arguments import check_choice
from ...rewards.errors import ArgumentTypeError
from ...rewards.numeric.sampling.integrand import prepare
from ...rewards.reading.expression.traversal import nodes_of
from ...rewards.reading.expression.tree import Call
from ..core.errors import UserError
from ..core.prices import Prices
from ..core.program import program
from ..store.run import Run
from ..store.verdict_sets import ambiguous_name, latest_complete
from .gaps import gaps
from .metrics.cost import Cost, costs
from .paired import Comparison, Contrast, break_down, contrast, with_family
from .paired.wording import short_names, where, which
from .pairing import Pair, Pairs, pair_parents, pair_problems
from .repaired import repaired_differences
from .tallies import Tally, ks_up_to, tally_samples

#: The group of all common problems of two systems, if the problems belong to several subsets.
ALL = "all"

By = Literal["model", "perturbation"]
Breakdown = Literal[
    "tag", "simplify", "operator", "depth", "length", "dependency", "operators", "result", "largest"
]
#: The difference of pass@k for which the needed numbers of problems and samples are computed.
TARGET = 0.05
#: Operations in nearly every integrand: a breakdown by them would repeat the overall line.
_COMMON = frozenset({"add", "mul", "neg"})
#: The upper ends of ranges by which HINT's expressions are broken down, in their `metadata`: depth
#: of the tree, tokens, the longest distance between a token and its parent, the number of operators
#: (10 in training), the result (100 in training), largest value of any part.
_RANGES: Mapping[Breakdown, tuple[int, ...]] = {
    "depth": (2, 4, 6, 8, 10),
    "length": (5, 10, 20, 30, 40),
    "dependency": (2, 5, 10, 20, 30),
    "operators": (2, 5, 10, 15),
    "result": (0, 10, 100, 1_000),
    "largest": (10, 100, 1_000, 10_000),
}


@dataclass(frozen=True)
class System:
    """A model in a run."""

    name: str
    run: Run
    model: str  # its hash
    tallies: dict[str, Tally]


def compare(
    *runs: Run | str | os.PathLike[str],
    by: By = "model",
    policy: str | None = None,
    ks: Iterable[int] = (),
    breakdown: Breakdown | None = None,
    target: float = TARGET,
    prices: Prices | None = None,
) -> Comparison:
    """Compare the models of runs, or perturbed subsets with their originals.

    Args:
        runs: runs or their directories.
        by: ``"model"`` compares every two models, on the problems that both models were asked. If
            two runs of a model have different prompts, the model counts as two models.
            ``"perturbation"`` pairs each perturbed problem with its original, for every model.
        policy: the name of the set of verdicts to compare. The default is the latest set that is
            complete in all runs.
        ks: further values of k for pass@k. The manifest declares the primary k, which is always
            reported.
        breakdown: a property that divides the problems into groups. Each group is also compared at
            the primary k. The properties are ``"tag"`` (a tag of the original problem),
            ``"operator"`` (a function in the integrand), and ``"simplify"`` (how the integrand's
            simplification ended). Expressions of the benchmark ``hint`` are divided by operator, or
            by ranges of a number. The numbers are ``"depth"``, ``"length"``, ``"dependency"`` (the
            longest dependency), ``"operators"`` (how many), ``"result"``, and ``"largest"`` (the
            largest value).
        target: a difference in pass@k. The comparison says how many problems and samples would
            detect ``target``.
        prices: the prices of tokens, from which the cost of each system is computed.

    Returns:
        The comparison, which `report.print_comparison` prints.

    Raises:
        UnknownNameError: ``by`` or ``breakdown`` is not among the choices.
        ArgumentTypeError: another argument has a wrong type.
        UserError: the runs have nothing to compare, or no verdicts in common.

    Example:
        >>> from calculus_harness import sweep
        >>> runs = [sweep(["solver/sympy"], ["drills"], limit=1, out=out) for out in ("a", "b")]
        >>> compare(*runs).contrasts[0].differences[0].value
        0.0

    """
    # Arguments are checked before the runs are read.
    check_choice("by", by, get_args(By))
    if breakdown is not None:
        check_choice("breakdown", breakdown, get_args(Breakdown))
    chosen_ks = _checked_ks(ks)
    opened = [Run.of(run) for run in runs]
    if not opened:
        raise UserError("there is nothing to compare: name at least one run")
    if not 0 < target <= 1:
        raise UserError(f"the difference to detect must be between 0 and 1, not {target}")
    policy = common_policy(opened, policy)
    systems, unscored = _systems(opened, policy)
    # A primary k that is chosen after a look at the results makes p values mean nothing.
    primary, notes = _primary_k(opened)
    notes += unscored
    if unscored and not systems:
        raise UserError(" ".join(unscored))
    pairing: list[str] = []
    if by == "perturbation":
        groups = _perturbations(systems)
        if not groups:
            raise UserError(
                f"{', '.join(str(run.path) for run in opened)}: no subset was made from others; "
                "sweep the originals and their perturbations into one run"
            )
    else:
        if len(systems) < 2 and unscored:
            raise UserError(f"there is nothing to compare: {' '.join(unscored)}")
        if len(systems) < 2:
            raise UserError(
                "one model in one run cannot be compared with itself; name another run, extend "
                "this one with another --model, or compare --by perturbation"
            )
        groups = _models(systems)
        pairing = [_pairing(*combination) for combination in combinations(_by_run(systems), 2)]
    # Sides without common problems are named once, though every model has them, and skipped.
    paired_groups = [group for group in groups if group.pairs]
    notes += dict.fromkeys(
        f"{group.name}: none of the {group.unpaired} problems has a counterpart."
        for group in groups
        if not group.pairs
    )
    if not paired_groups:
        raise UserError("nothing is paired: the two sides have no problem in common")

    rows, pairs = [], []
    lacking: dict[int, list[str]] = {}
    for group in paired_groups:
        # pass@k needs k samples on both sides. The primary k stands in every row, if possible.
        smaller = min(group.pairs.samples)
        fitting = ks_up_to(smaller, chosen_ks) or ks_up_to(smaller)
        chosen = sorted({*fitting, *([primary] if primary <= smaller else [])})
        for k in chosen_ks[bisect_right(chosen_ks, smaller) :]:
            lacking.setdefault(k, []).append(group.name)
        if primary > smaller:
            notes.append(
                f"{group.name}: the primary k of {primary} needs {primary} samples of each "
                f"problem, and some have {smaller}; these p values belong to no family."
            )
        row = contrast(group.name, group.sides, group.pairs, chosen, group.unpaired, group.system)
        rows.append(row)
        pairs.append(group.pairs)
    # A remark for each k instead of each row.
    for k, names in lacking.items():
        subsets = ", ".join(names)
        notes.append(f"pass@{k} needs {k} samples of each problem; there are fewer of {subsets}.")
    # Adjustment comes after all contrasts, as the family is the whole comparison.
    contrasts = _with_families(rows, pairs, primary, target)
    # Gaps and repairs are differences between systems, and need two of them.
    between = [
        gap
        for system, second in (combinations(systems, 2) if by == "model" else ())
        for gap in gaps(
            _common(system.run.problems, second.run.problems),
            primary,
            {system.name: system.tallies, second.name: second.tallies},
        )
    ]
    again = [
        difference
        for system, second in (combinations(systems, 2) if by == "model" else ())
        for difference in repaired_differences(
            (system.run, system.model, system.name), (second.run, second.model, second.name), policy
        )
    ]
    spent = _costs(opened, prices, policy, notes) if prices else {}
    compared = Comparison(
        by=by,
        primary_k=primary,
        contrasts=contrasts,
        breakdown=_broken_down(contrasts, paired_groups, breakdown, primary, target)
        if breakdown
        else (),
        broken_down_by=breakdown,
        policy=policy,
        runs=tuple(str(run.path) for run in opened),
        notes=tuple(notes),
        verdicts=ambiguous_name(opened, policy),
        pairing=tuple(pairing),
        costs=spent,
        gaps=tuple(between),
        repaired=tuple(again),
    )
    # The sentences are made from the finished comparison.
    short = short_names(system.name for system in systems)
    sentence = which(compared, short) if by == "model" else where(compared, short)
    return replace(compared, sentences=(sentence,))


def _with_families(
    rows: Sequence[Contrast], pairs: Sequence[Sequence[Pair]], primary: int, target: float
) -> tuple[Contrast, ...]:
    """Adjust the p values of contrasts, separately in two families.

    A contrast compares two sides, for example two models, on a group of problems. A family is a set
    of contrasts whose p values are adjusted together. The first family has the contrasts on all
    common problems. Its question is which model is better. The second family has the contrasts on
    subsets. Its question is on which problems a model is better. In a single family, six models on
    seven subsets would have 120 contrasts. No overall difference would be significant.
    """
    overall = [row.group == ALL for row in rows]
    adjusted: list[Contrast | None] = [None] * len(rows)
    for family in (True, False):
        chosen = [at for at, is_overall in enumerate(overall) if is_overall == family]
        with_p_values = with_family(
            [rows[at] for at in chosen], [pairs[at] for at in chosen], primary, target
        )
        for at, row in zip(chosen, with_p_values, strict=True):
            adjusted[at] = row
    return tuple(row for row in adjusted if row is not None)


def _checked_ks(ks: Iterable[int]) -> list[int]:
    numbers = list(ks) if isinstance(ks, Iterable) else [0]
    if any(not isinstance(k, int) or k < 1 for k in numbers):
        raise ArgumentTypeError(f"ks must be whole numbers from 1 on, as in [1, 4], not {ks!r}")
    return sorted(set(numbers))


def _costs(
    runs: Sequence[Run], prices: Prices, policy: str, notes: list[str]
) -> dict[str, Cost | None]:
    """The cost of each system, by name. Models without a price are added to ``notes``."""
    spent: dict[str, Cost | None] = {}
    specs = []
    for run, names in zip(runs, system_names(runs), strict=True):
        specs += [run.spec_of(model) for model in run.models]
        spent |= {names[model]: cost for model, cost in costs(run, prices, policy).items()}
    notes += [lacking] if (lacking := prices.without(specs)) else []
    return spent


@dataclass(frozen=True)
class _PairedGroup:
    """The pairs of a contrast. A contrast compares two sides on a group of problems."""

    name: str
    sides: tuple[str, str]
    pairs: Pairs
    unpaired: int
    problems: dict[str, Problem]
    system: str = ""


def _perturbations(systems: Sequence[System]) -> list[_PairedGroup]:
    groups = []
    for system in systems:
        problems = system.run.problems
        for subset, (pairs, unpaired) in pair_parents(system.tallies, problems).items():
            origins = list(dict.fromkeys(problems[pair.unit].subset for pair in pairs))
            sides = (" + ".join(origins) or "original", subset.partition("/")[2])
            groups.append(
                _PairedGroup(subset, sides, Pairs(pairs), unpaired, problems, system.name)
            )
    return groups


def _models(systems: Sequence[System]) -> list[_PairedGroup]:
    groups = []
    for system, second in combinations(systems, 2):
        problems, second_problems = system.run.problems, second.run.problems
        common = _common(problems, second_problems)
        pairs = pair_problems(
            {key: tally for key, tally in system.tallies.items() if key in common}, second.tallies
        )
        count_asked = len(system.tallies.keys() | second.tallies.keys())
        subsets: dict[str, list[Pair]] = {}
        for pair in pairs:
            subsets.setdefault(common[pair.unit].name, []).append(pair)
        sides = (system.name, second.name)
        # With a single subset, the subset and all problems would be the same contrast.
        if len(subsets) != 1:
            groups += [
                _PairedGroup(name, sides, Pairs(its_pairs), 0, common)
                for name, its_pairs in subsets.items()
            ]
        name = ALL if len(subsets) != 1 else next(iter(subsets))
        groups.append(_PairedGroup(name, sides, Pairs(pairs), count_asked - len(pairs), common))
    return groups


def _common(
    problems: Mapping[str, Problem], second_problems: Mapping[str, Problem]
) -> dict[str, Problem]:
    """The problems in both runs with the same content."""
    return {
        key: problem
        for key, problem in problems.items()
        if key in second_problems
        and (
            problem is second_problems[key]
            or problem.content_hash == second_problems[key].content_hash
        )
    }


def _by_run(systems: Sequence[System]) -> list[tuple[Run, set[str]]]:
    """List each run, with the answered problems of the run's models in ``systems``."""
    answered: dict[str, tuple[Run, set[str]]] = {}
    for system in systems:
        answered.setdefault(str(system.run.path), (system.run, set()))[1].update(system.tallies)
    return list(answered.values())


def _pairing(answered: tuple[Run, set[str]], second: tuple[Run, set[str]]) -> str:
    """State in a sentence how many problems two runs share, and why other problems differ."""
    (run, keys), (second_run, second_keys) = answered, second
    paired = _common(run.problems, second_run.problems).keys() & keys & second_keys
    names = f"{run.path} and {second_run.path}"
    if len(paired) == len(keys) == len(second_keys):
        return f"All {len(paired)} problems of {names} pair."
    changed = len((keys & second_keys) - paired)
    reasons = [
        f"the {what} are {mine} and {theirs}"
        for what, mine, theirs in (
            (
                "benchmarks",
                *(" + ".join(run.manifest["identity"]["benchmarks"]) for run in (run, second_run)),
            ),
            ("seeds", *(run.manifest["identity"]["seed"] for run in (run, second_run))),
            ("limits", *(_limit(run) for run in (run, second_run))),
        )
        if mine != theirs
    ]
    reasons += [f"{changed} differ in content"] if changed else []
    why = "; ".join(reasons) or "not all answers are there yet"
    return (
        f"{len(paired)} of the {len(keys)} and {len(second_keys)} problems of {names} pair: {why}."
    )


def _limit(run: Run) -> str:
    limits = [entry["limit"] for entry in run.models.values()]
    return "none" if None in limits or not limits else str(max(limits))


def _broken_down(
    rows: Sequence[Contrast], groups: Sequence[_PairedGroup], by: Breakdown, k: int, target: float
) -> tuple[Contrast, ...]:
    lines: list[Contrast] = []
    pairs: list[list[Pair]] = []
    for row, group in zip(rows, groups, strict=True):
        labels = {pair.unit: labels_of(group.problems[pair.unit], by) for pair in group.pairs}
        if row.at(k) is None:
            continue
        for line in break_down(row, group.pairs, labels, k):
            label = line.group.removeprefix(f"{row.group} · ")
            lines.append(line)
            pairs.append([pair for pair in group.pairs if label in labels[pair.unit]])
    return with_family(lines, pairs, k, target)


def labels_of(problem: Problem, by: Breakdown) -> tuple[str, ...]:
    """The labels of a problem in a breakdown, such as ``("sin", "ln")`` for ``by="operator"``.

    In the benchmark ``hint``, the tags of an expression are its operators.
    """
    if by in _RANGES:
        value = problem.metadata.get(by) if is_hint(problem) else None
        return (range_names(by)[bisect_left(_RANGES[by], value)],) if isinstance(value, int) else ()
    if by == "simplify":
        outcome = problem.metadata.get("simplify")
        return (outcome,) if isinstance(outcome, str) else ()
    if (by == "operator") == is_hint(problem):
        tags = problem.metadata.get("tags")
        return tuple(map(str, tags)) if isinstance(tags, list | tuple) else ()
    if not isinstance(target := problem.target, IntegrationTarget):
        return ()
    try:
        integrand = prepare(target.integrand, target.variable, problem.assumptions)
    except ProblemError:
        return ()
    functions = {
        node.function
        for node in nodes_of(integrand.expression)
        if isinstance(node, Call) and node.args
    }
    return tuple(sorted(functions - _COMMON))


def range_names(by: Breakdown) -> list[str]:
    """The names of the ranges of ``by``, in ascending order.

    Only breakdowns of the benchmark ``hint`` have ranges; otherwise the result is empty.
    """
    ends = _RANGES.get(by, ())
    between = [f"{low + 1:,} to {high:,}" for low, high in pairwise(ends)]
    return [f"up to {ends[0]:,}", *between, f"over {ends[-1]:,}"] if ends else []


def common_policy(runs: Sequence[Run], policy: str | None) -> str:
    """The name of the set of verdicts to report for several runs together.

    Raises: UserError: the runs have no verdicts under the same name.
    """
    for run in runs:
        if not run.policies:
            raise UserError(f"{run.path} has no verdicts; make them: {program()} score {run.path}")
        if policy is not None:
            run.verdicts(policy)  # for its error message
    if policy is not None:
        return policy
    common = latest_complete(runs)
    if common is None:
        raise UserError(
            "these runs were judged by different verifiers: "
            + "; ".join(f"{run.path} by {', '.join(run.policies)}" for run in runs)
            + f"; judge one again with {program()} score"
        )
    return common


def _primary_k(runs: Sequence[Run]) -> tuple[int, list[str]]:
    declared = [int(run.manifest.get("comparison", {}).get("primary_k", 1)) for run in runs]
    if len(set(declared)) == 1:
        return declared[0], []
    return min(declared), [
        f"The runs declare different primary k ({', '.join(map(str, declared))}); "
        f"the smallest is taken."
    ]


def _systems(runs: Sequence[Run], policy: str) -> tuple[list[System], list[str]]:
    """List the models with a score, run by run, with a remark on each other model."""
    systems, unscored = [], []
    for run, names in zip(runs, system_names(runs), strict=True):
        for model, tallies in tally_samples(run, policy).items():
            if any(tally.scored for tally in tallies.values()):
                systems.append(System(names[model], run, model, tallies))
            elif tallies:
                unscored.append(f"{names[model]}: every answer is an error, so it has no score.")
    return systems, unscored


def system_names(runs: Sequence[Run]) -> list[dict[str, str]]:
    """For each run, map the hash of each model to a distinct name.

    The name is the model's label. If several runs have a model with this label, the run's prompts
    are added to the name. If these runs have the same prompts, the run's name is added instead. If
    two names are still equal, the first characters of the models' hashes are added.
    """
    labels = Counter(
        label for run in runs for label in {entry["label"] for entry in run.models.values()}
    )
    prompts = {run.path: _prompts(run) for run in runs}
    by_prompt = len(set(prompts.values())) == len(runs)
    names: list[dict[str, str]] = []
    for run in runs:
        names.append({})
        for model, entry in run.models.items():
            name = entry["label"]
            if labels[name] > 1:  # in several runs
                name += f" [{prompts[run.path] if by_prompt else run.path.name}]"
            names[-1][model] = name
    again = Counter(name for by_model in names for name in by_model.values())
    return [
        {
            model: f"{name} #{model[:6]}" if again[name] > 1 else name
            for model, name in by_model.items()
        }
        for by_model in names
    ]


def _prompts(run: Run) -> str:
    return ", ".join(entry["name"] for entry in run.manifest["identity"]["prompts"].values())
