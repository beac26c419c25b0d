"""Results of a search for failures: the record in the run, tables and figures."""
