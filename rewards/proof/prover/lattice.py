"""Bases of two lattices: the lattice of the exponents in a proof, and the lattice of the angles.

The prover attempts a proof several times. An attempt chooses units (see below) before all arguments
of exponentials and sines are known. An argument may need a finer unit than the unit of an existing
generator. The attempt then makes a generator for this argument alone, and the units are *stale*.
The next attempt computes the units from all known arguments (`Units.settle`).

Letters: an exponent is a vector ``v`` over Q. Each coordinate is the coefficient of a monomial of
the field. One of the monomials is 1. The basis vectors ``b_1, ..., b_r`` are called units. They are
linearly independent, and ``v = n_1 b_1 + ... + n_r b_r`` with whole ``n_i``. For example, ``6x +
4``, ``9x + 5`` and ``3x + 3`` have the units ``3x + 1`` and 2.

If a new vector is a combination of units with fractional coefficients, a finer basis is needed. The
units and the vector are the rows of a matrix over Z. The Hermite normal form of the matrix is a
finer basis, which is then reduced (Cohen, *A Course in Computational Algebraic Number Theory*,
sections 2.4 and 2.6).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

from flint import fmpq, fmpq_mat, fmpz_mat

from ...reading.expression.tree import Expression
from .quotients import NotProvedError

Vector: TypeAlias = dict[int, fmpq]
#: Places of units, and the multiples of them that make up a vector.
Combination: TypeAlias = list[tuple[int, fmpq]]
ZERO, UNIT = fmpq(0), fmpq(1)
#: Most units: matrices are so small.
MAX_UNITS = 32
#: Largest power of a generator, and largest multiple of an angle that is expanded.
MAX_LETTER_POWER, MAX_MULTIPLE = 10**7, 128
#: Variables of the first ring: FLINT packs eight exponents to a word.
WORD = 8


@dataclass(slots=True)
class Lattice:
    """A lattice of vectors, with basis vectors that are called units.

    ``vectors`` generate the lattice. ``generators`` has the elements of the field that one attempt
    made for the units. ``most`` is the largest coefficient that a combination of units may have.

    Some vectors become units although they depend on other units; ``alone`` lists them. The reason
    is that a coefficient would exceed ``most``, or that a unit is too coarse but already has a
    generator. The prover then regards the vector as independent of all other units. It may miss a
    proof for this reason, but it proves no false statement.

    >>> lattice = Lattice(128)
    >>> lattice.vectors += [{0: fmpq(n), 1: fmpq(n)} for n in (6, 4)]
    >>> lattice.settle()
    >>> lattice.add({0: fmpq(10), 1: fmpq(10)})
    [(0, 5)]
    """

    most: int
    units: list[Vector] = field(default_factory=list)
    vectors: list[Vector] = field(default_factory=list)
    generators: dict[int, Any] = field(default_factory=dict)
    alone: dict[int, Vector] = field(default_factory=dict)
    largest: int = 1
    is_stale: bool = False

    def settle(self) -> None:
        """Compute the basis vectors (units) again. Vectors with few coordinates come first."""
        waiting, self.vectors = sorted(filter(None, self.vectors), key=len), []
        self.units, self.generators, self.alone = [], {}, {}
        self.largest, self.is_stale = 1, False
        for vector in waiting:
            self.add(vector)

    def add(self, vector: Vector) -> Combination:
        """Express a vector by basis vectors (units). If necessary, add or refine basis vectors."""
        if not self.units:
            return self._append(vector)
        if len(self.units) == 1 and len(vector) == 1:  # nearly always
            ((key, c),) = vector.items()
            leading = self.units[0].get(key)
            if leading is not None and len(self.units[0]) == 1:
                if c == leading:
                    return [(0, UNIT)]
                n = c / leading
                if n.q == 1 and (size := abs(int(n.p))) <= self.most:
                    self.largest = max(self.largest, size)
                    return [(0, n)]
        minus = {key: -c for key, c in vector.items()} if self.alone else {}
        for at, unit in self.alone.items():
            if unit in (vector, minus):
                return [(at, UNIT if unit == vector else -UNIT)]
        candidates = [at for at in range(len(self.units)) if at not in self.alone]
        coefficients = _combination([self.units[at] for at in candidates], vector)
        if coefficients is None:
            return self._append(vector)
        used = [(at, c) for at, c in zip(candidates, coefficients, strict=True) if c]
        denominator = math.lcm(*(int(c.q) for _, c in used))
        size = max(int(abs(c).ceil()) for _, c in used)
        if denominator > 1 and (finer := self._finer(used, denominator)):
            if not any(at in self.generators for at, _ in used):
                self.vectors.append(vector)
                self.units = [finer.get(at, unit) for at, unit in enumerate(self.units)]
                return self.add(vector)
            self.is_stale = True
        if denominator == 1 and size <= self.most:
            self.largest = max(self.largest, size)
            return used
        combination = self._append(vector)
        self.alone[len(self.units) - 1] = self.units[-1]
        return combination

    def _append(self, vector: Vector) -> Combination:
        """Add a vector to the basis, or its negative if its first coordinate is negative.

        Returns:
            The vector as a multiple, by 1 or -1, of the new basis vector.

        """
        if len(self.units) >= MAX_UNITS:
            raise NotProvedError("too many units")
        self.vectors.append(vector)
        sign = UNIT if next(iter(vector.values())) > 0 else -UNIT
        self.units.append(vector if sign > 0 else {key: -c for key, c in vector.items()})
        return [(len(self.units) - 1, sign)]

    def _finer(self, used: Combination, denominator: int) -> dict[int, Vector]:
        """Compute a finer basis, in which a vector has whole coefficients.

        In the finer basis, earlier vectors have larger coefficients. If a coefficient might exceed
        ``most``, the result is empty.
        """
        rank = len(used)
        rows = [[denominator * (i == j) for j in range(rank)] for i in range(rank)]
        rows.append([int((c * denominator).p) for _, c in used])
        finer = fmpz_mat(fmpz_mat(rows).hnf().tolist()[:rank]).lll()
        multiples = (fmpq_mat(finer) / denominator).inv().entries()  # of the units that there were
        largest = self.largest * max(int(c.ceil()) for c in map(abs, multiples))
        if largest > self.most:
            return {}
        self.largest = largest
        units: dict[int, Vector] = {}
        for (at, _), row in zip(used, finer.tolist(), strict=True):
            unit: Vector = {}
            for n, (old, _) in zip(row, used, strict=True):
                for key, c in self.units[old].items():
                    unit[key] = unit.get(key, ZERO) + fmpq(n, denominator) * c
            unit = {key: c for key, c in unit.items() if c}
            leading = next(iter(unit.values()))
            units[at] = unit if leading > 0 else {key: -c for key, c in unit.items()}
        return units


@dataclass(slots=True)
class Units:
    """The units (basis vectors) of exponents and angles. All attempts at a proof share them.

    ``roots`` maps the kind and the radicand of a root to the greatest common divisor of the root's
    exponents. ``size`` is the number of variables of the ring. Every monomial of an exponent or an
    angle gets a number, its key. ``keys`` has the keys that earlier attempts gave.
    """

    size: int = WORD
    exponents: Lattice = field(default_factory=partial(Lattice, MAX_LETTER_POWER))
    angles: Lattice = field(default_factory=partial(Lattice, MAX_MULTIPLE))
    roots: dict[tuple[str, Expression], fmpq] = field(default_factory=dict)
    keys: dict[Expression, int] = field(default_factory=dict)
    count: int = 0
    is_stale: bool = False

    @property
    def are_stale(self) -> bool:
        return self.is_stale or self.exponents.is_stale or self.angles.is_stale

    def settle(self) -> None:
        """Compute the units (basis vectors) for a new attempt at the proof."""
        self.is_stale = False
        self.exponents.settle()
        self.angles.settle()


def _combination(units: list[Vector], vector: Vector) -> list[fmpq] | None:
    """Write a vector as a combination of linearly independent units; return the coefficients.

    If the vector is independent of the units, the result is None.
    """
    if not units:
        return None
    columns = [*units, vector]
    keys = list(dict.fromkeys(key for column in columns for key in column))
    if len(keys) < len(units):
        return None
    reduced, rank = fmpq_mat([[column.get(key, ZERO) for column in columns] for key in keys]).rref()
    rank_of_units = len(units)
    return None if rank != rank_of_units else [reduced[i, rank] for i in range(rank)]
