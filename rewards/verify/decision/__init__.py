"""The order in which an answer is proved, refuted or agreed with."""
