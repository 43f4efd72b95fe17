"""What a compile decided."""
