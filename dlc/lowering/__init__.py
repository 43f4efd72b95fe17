"""What strategies share when they write loops: scopes of elements, axes, lanes, tile values."""
