"""Warploom for Python: an auto-tuner for Triton kernels that profiles once and then only looks up.

    import warploom

    @warploom.autotune(configs=[...], key=["M", "N", "K"])
    @triton.jit
    def kernel(...): ...
"""
