"""What all dialects share: types and shapes, memory spaces, accesses, records."""
