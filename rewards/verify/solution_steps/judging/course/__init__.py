"""The judgement of claims that only solutions of the calculus course make."""
