"""From a `SweepSpec` to a finished run: plan, questions, grading, phases and progress."""
