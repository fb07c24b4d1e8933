"""Steps of any vLLM from 0.24 on, with dummy weights: wall time of a step beside the sum of its GPU kernels.

Touches nothing inside the engine but the list of running requests, so that new versions work; `steps.py` has
more (the host's parts, launches) and knows names of vLLM 0.24. Made tests/fixtures/engine/vllm_0_33_h200.
    any_steps.py --config CONFIG.json --tag T --out FOLDER [--layers N] [--kv KEY=VALUE ...]
writes T_steps.csv (medians, ms; contexts in tokens), T_kernels.csv (us a step, the 45 longest of each batch)
and T_steps.json (versions, arguments), after every batch anew. --layers cuts the model to its first N layers.
Biases of routers are set to zero: random ones send nearly all tokens to the same few experts.
A prompt is T, or T@C: a chunk of T tokens after C of the same prompt (C a multiple of T). T_config.json is
the model as it ran. --turn FILE: several engines on one GPU start at the same time, each says that it is up
in FILE.T, waits until somebody creates FILE, and measures while it alone holds the lock on it.
"""

import argparse
import os
import shutil

from engine_setup import cut_layers, engine_arguments, model_folder, wait_for_turn
from warploom.onboard import vllm_bench
from warploom.onboard.step_record import StepRecord

DEFAULTS = {
    "max_model_len": 10000,
    "gpu_memory_utilization": 0.9,
    "enable_prefix_caching": False,
    "max_num_batched_tokens": 8192,
    "max_num_seqs": 256,
    "async_scheduling": False,
    "compilation_config": {"cudagraph_capture_sizes": [1, 2, 4, 8, 16, 32, 64, 128, 256]},
}


def measure(bench, record, options):
    """Each kind of batch by itself, so that one that fails does not end the others."""
    for kind, run in vllm_bench.MEASURES.items():
        try:
            for batch in filter(None, getattr(options, kind).split(",")):
                run(bench, record, batch)
        except Exception as error:
            print(f"any_steps: {kind} ended: {error!r}", flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--config", required=True, help="the model's config.json")
    parser.add_argument("--tag", required=True, help="begin of the names of what is written")
    parser.add_argument("--out", required=True, help="folder that is written to")
    parser.add_argument("--layers", type=int, help="layers that are kept")
    parser.add_argument("--kv", nargs="*", default=[], help="engine arguments, KEY=VALUE")
    parser.add_argument("--prefill", default="16,256,1024,2048,4096,8192", help="prompts, tokens")
    parser.add_argument("--decode", default="1x500,8x500,16x1000,32x1000,64x1000,128x1000")
    parser.add_argument("--mixed", default="16x500+512", help="decoding requests and a prompt")
    parser.add_argument("--turn", help="file whose lock says which of several engines measures")
    options = parser.parse_args()
    folder, config = model_folder(options.config, options.tag)
    if options.layers:
        cut_layers(folder, options.layers)
    os.makedirs(options.out, exist_ok=True)
    shutil.copy(os.path.join(folder, "config.json"), os.path.join(options.out, f"{options.tag}_config.json"))
    arguments = engine_arguments(DEFAULTS, options.kv)

    import torch
    import vllm

    engine = vllm_bench.start_engine(folder, arguments)
    bench = vllm_bench.Bench(engine, config.get("text_config", config)["vocab_size"])
    vllm_bench.zero_router_biases(bench.core)
    facts = {
        "version": vllm.__version__,
        "torch": torch.__version__,
        "gpu": torch.cuda.get_device_name(0),
        "arguments": {key: str(value) for key, value in arguments.items()},
        "layers": options.layers,
        "blocks": engine.vllm_config.cache_config.num_gpu_blocks,
        "mode": str(engine.vllm_config.compilation_config.cudagraph_mode),
    }
    with wait_for_turn(options.turn, options.tag):
        measure(bench, StepRecord(options.out, options.tag, facts), options)
    os._exit(0)  # an engine in this process may not end by itself


if __name__ == "__main__":
    main()
