"""Components v2: the strip, the state tree and the three-column diff."""
