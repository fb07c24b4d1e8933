"""What the tables of docs/accuracy.md run and show."""
