"""What a search for failures found: its record in the run, tables and figures."""
