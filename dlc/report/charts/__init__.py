"""What pages of both draw, and the HTML that they are made of."""
