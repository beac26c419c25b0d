"""Problems in a user's table: the name of a file or of a data set on a hub is a benchmark.

    ./mine.jsonl                                       also .json, .csv, .tsv, .parquet
    file:mine.csv?integrand=problem&antiderivative=answer
    saved_dataset                                      a folder by `datasets.save_to_disk`
    hub:someone/integrals?split=test&syntax=sympy      by `datasets.load_dataset`
    lample_charton/prim_fwd.valid                      pairs as Lample and Charton released them
    runs/search/archive                                the failures that `run.py search` found

After the question mark come columns (FIELD=COLUMN, see `benchmarks.files.rows`), ``syntax``
(``latex`` or ``sympy``) and ``split``. Every row is checked when the table is loaded. Unusable rows
are an error that shows the first such row, or with ``skip-broken=yes`` a warning.
"""
