"""Evaluation: sets of questions with truth, metrics, runs over a library, and their reports."""
