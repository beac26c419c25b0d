"""Rules of the prover's functions, which register themselves in `tower.FORMS` and `tower.RULES`."""

from . import special  # noqa: F401  (this module imports the others)
