"""What an analysis found."""
