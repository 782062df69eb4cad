"""Pages: their picture, their words, what else is drawn on them, and their status."""
