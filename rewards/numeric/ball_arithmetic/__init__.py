"""Values, derivatives and real domains of expressions, computed in ball arithmetic."""
