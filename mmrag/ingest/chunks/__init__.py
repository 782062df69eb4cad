"""Pages to passages: prose, pieces of tables, figures, what stands beside a slide."""
