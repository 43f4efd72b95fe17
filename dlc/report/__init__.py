"""What a compile decided, shown to a person: as text, and as a page of HTML."""
