"""Which references of a problem set are wrong, with proof: `audit("problems.jsonl")`.

`items` reads rows of tables. In workers, `judge` asks the verifier about each reference;
`second_opinion` confirms a refutation by another computation; `slips` and `suspicions` name the
error. `auditing` stores the findings in a directory, resumes there, and counts. `report` writes the
page and the Markdown file for the author of the set.
"""
