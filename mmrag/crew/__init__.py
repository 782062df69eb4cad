"""Worker processes that a crashing or hanging task cannot stop."""
