"""The entry of the command line: even an interrupt during the imports gives no traceback."""

import gc
import os
import sys

#: Products of numpy here are thin, as resamples times two columns. In a report of 10^6 samples they
#: took 1.0 s of processor time by one thread of its library, 2.0 s by two, of which one waits.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
#: Objects between two collections of garbage: rows are no cycles, and with Python's 700 a report of
#: 10^6 samples takes a tenth more processor time for the same memory.
gc.set_threshold(20_000)


def main() -> None:
    try:
        from .cli.main import main as run
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
