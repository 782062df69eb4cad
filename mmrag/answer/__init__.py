"""Evidence to an answer: quotes checked against the page, abstention."""
