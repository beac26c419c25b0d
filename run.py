#!/usr/bin/env python3
"""The command line, from a checkout; installed, the same is called `calculus-harness`."""

from calculus_harness.harness.__main__ import main

if __name__ == "__main__":
    main()
