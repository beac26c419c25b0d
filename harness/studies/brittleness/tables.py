"""The tables and figures of "Symbolic Brittleness" for a run, beside the published numbers.

Fail@k of a beam search is computed from the k best candidates, as in the paper. Fail@k of samples
is the mean over all subsets of k samples. In figures over k, samples with log-probabilities are
ranked, and the k most probable samples count. Fail@k uses the verdicts of our verifier. If the
paper's scorer has also judged the run (``run.py score RUN --method welleck``), further columns have
Fail@k by this scorer.
"""

from __future__ import annotations

from ...report.sections import Section
from .answers import ModelAnswers
from .budgets import large_budget
from .examples import table_1, table_3, table_5, table_7
from .integers import training_integers
from .likelihoods import causes, masses, probabilities, ranks, unresolved
from .robustness import compositions, integers, nodes, robustness
from .verification import cancelled, verification

SOURCE = "Welleck et al., Symbolic Brittleness in Sequence Models (2022)"
REMARK = (
    f"Columns headed “paper” are from {SOURCE}: another model (a sequence-to-sequence transformer "
    "of Lample and Charton), other draws of problems, and a scorer for which a timeout is correct. "
    "A cell is empty where nothing was published, and says “not run” where this run has nothing."
)
#: The tables and figures of one model, in the order of the page; `decoding` compares several runs.
SECTIONS = (
    robustness,
    compositions,
    nodes,
    integers,
    training_integers,
    large_budget,
    masses,
    unresolved,
    causes,
    ranks,
    probabilities,
    verification,
    cancelled,
    table_1,
    table_3,
    table_5,
    table_7,
)


def sections(source: ModelAnswers) -> list[Section]:
    """Make all tables and figures of Welleck et al. for a model. Missing experiments are marked."""
    return [section(source) for section in SECTIONS]
