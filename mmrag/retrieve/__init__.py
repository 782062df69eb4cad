"""Question to pages: legs, fusion, trace."""
