"""Rules of the prover's functions, which register themselves in `tower.FORMS` and `tower.RULES`."""

from . import special, trigonometry  # noqa: F401  (they import the others)
