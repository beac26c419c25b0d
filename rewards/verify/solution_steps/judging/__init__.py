"""The judgement and the purpose of each claim of a solution."""
