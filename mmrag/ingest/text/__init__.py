"""Words in order: lines, sections, sentences, and what runs over pages."""
