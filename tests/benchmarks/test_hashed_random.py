"""Random numbers from hashes."""

from __future__ import annotations

from calculus_harness.benchmarks.hashed_random import HashedRandom


def test_numbers_never_change() -> None:
    rng = HashedRandom("test", 1)
    assert [rng.integer(-9, 9) for _ in range(8)] == [-2, -2, -7, -5, 9, 2, 8, 1]
    assert HashedRandom("test", 2).shuffled("abcdef") == HashedRandom("test", 2).shuffled("abcdef")
    assert sorted(HashedRandom("test", 2).shuffled("abcdef")) == list("abcdef")
    many = [HashedRandom("many", i).integer(-9, 9, nonzero=True) for i in range(4000)]
    assert set(many) == {*range(-9, 10)} - {0}
    assert all(160 < many.count(value) < 290 for value in set(many))  # 222 are expected
