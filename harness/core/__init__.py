"""Types and helpers for all packages of the harness, without requests to models."""
