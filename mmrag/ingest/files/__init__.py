"""Files: which ones, what they are, and what is known of them before their pages are read."""
