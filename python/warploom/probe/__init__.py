"""One minute of measuring: what this machine's host and GPUs take for work like that of a serving engine.

python -m warploom.probe --out FILE. Python alone is needed; NumPy, PyTorch, a GPU and pyzmq add to it."""
