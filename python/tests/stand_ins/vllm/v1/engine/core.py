class EngineCore:
    def __init__(self):
        self.vllm_config = None


def run_engine_core():
    print(EngineCore.__init__.__name__, flush=True)
