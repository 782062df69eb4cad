"""Files on their way into a library: which, how far, and what became of them."""
