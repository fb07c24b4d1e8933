"""What the measuring programs share: the model's folder, the engine's arguments, whose turn it is."""

import contextlib
import fcntl
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
from warploom.onboard.engine_setup import cut_layers, engine_arguments, model_folder  # noqa: F401


@contextlib.contextmanager
def wait_for_turn(path, tag):
    """The lock on a file that stands for the GPU, once somebody has created it; without a path no waiting."""
    if not path:
        yield
        return
    open(f"{path}.{tag}", "w").close()
    while not os.path.exists(path):
        time.sleep(0.2)
    with open(path) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def machine():
    import torch
    import triton
    import vllm

    def ask(command):
        try:
            return subprocess.run(
                command, shell=True, capture_output=True, text=True, timeout=20
            ).stdout.strip()
        except Exception as e:
            return repr(e)

    return dict(
        vllm=vllm.__version__,
        torch=torch.__version__,
        triton=triton.__version__,
        cuda=torch.version.cuda,
        nccl=".".join(map(str, torch.cuda.nccl.version())),
        python=platform.python_version(),
        gpu=torch.cuda.get_device_name(0),
        cpu=ask("lscpu | grep 'Model name' | cut -d: -f2 | xargs"),
        cores_of_process=len(os.sched_getaffinity(0)),
        driver=ask("nvidia-smi --query-gpu=driver_version --format=csv,noheader -i 0"),
    )


def resolved(config):
    s, c = config.scheduler_config, config.compilation_config
    return dict(
        max_num_batched_tokens=s.max_num_batched_tokens,
        max_num_seqs=s.max_num_seqs,
        async_scheduling=bool(s.async_scheduling),
        cudagraph_mode=str(c.cudagraph_mode),
        max_cudagraph_capture_size=(c.cudagraph_capture_sizes or [0])[-1],
        model_runner=2 if config.use_v2_model_runner else 1,
    )
