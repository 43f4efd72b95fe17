"""Questions about IR; nothing here rewrites it."""
