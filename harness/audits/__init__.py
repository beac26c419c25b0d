"""Which references of a problem set are wrong, with proof: `audit("problems.jsonl")`.

Workers judge the rows (`judge`): the verifier decides, a second path confirms each refutation
(`program`), slips and other readings are named (`slips`, `suspicions`). `auditing` keeps what they
say in a directory, goes on where it stopped, and counts; `report` writes the page and the Markdown
that an author gets.
"""
