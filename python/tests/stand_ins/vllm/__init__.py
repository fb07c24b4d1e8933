"""A stand-in of vLLM's processes for the recorder's tests: `vllm serve` builds its engine core in a process
that it spawns anew (vllm/entrypoints/utils.py, cli_env_setup). It has no scheduler."""

__version__ = "0.24.0"
