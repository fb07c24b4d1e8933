"""Reference tile kernels in Triton, each correct against float64 and written to be tuned."""
