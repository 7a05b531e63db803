"""The mathematics of multi-head attention: torch and numpy only."""
