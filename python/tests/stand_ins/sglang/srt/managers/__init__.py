"""The module of the server's process goes by SGLang's name for it, tokenizer_manager."""

import sys
import types

from sglang.srt.managers.server import Server

served = types.ModuleType("sglang.srt.managers.tokenizer_manager")
setattr(served, "TokenizerManager", Server)
sys.modules[served.__name__] = served
