"""What a compile decided, or an analysis found, shown to a person: as text, and as HTML."""
