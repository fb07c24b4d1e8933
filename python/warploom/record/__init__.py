"""Records what a live serving engine does, step by step and request by request.

    python -m warploom.record vllm --output DIR -- serve MODEL --port 8000 ...

DIR/run.json and DIR/requests.csv are what `warploom validate serving --run --requests` reads,
DIR/iterations.csv holds a row a step. docs/formats.md has every column.
"""
