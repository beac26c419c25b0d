"""Statistics of runs: metrics, intervals, paired comparisons, and sentences about findings."""
