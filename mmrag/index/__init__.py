"""LanceDB: schema, writing, the legs of search. Knows nothing of files or of models' names."""
