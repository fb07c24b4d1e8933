"""A stand-in of SGLang for the recorder's tests, written from its published signatures: the names, the
order of calls and the processes are those of github.com/sgl-project/sglang 0.5.6 (and, with --newer, of
0.5.23); it has no model and no GPU, and answers every request with as many tokens as it asks for."""

__version__ = "0.5.6"
