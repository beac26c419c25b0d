"""Which references of a problem set are wrong, with proof: `audit("problems.jsonl")`.

`items` reads rows of tables. In workers, `judge` asks the verifier about each reference; `program`
and `comparisons` confirm a refutation by a second computation; `slips` and `suspicions` name what
went wrong. `auditing` stores the findings in a directory, resumes there, and counts. `report` writes
the page and the Markdown file for the author of the set.
"""
