import multiprocessing

from vllm.v1.engine.core import run_engine_core


def main():
    process = multiprocessing.get_context("spawn").Process(target=run_engine_core)
    process.start()
    process.join()
    return process.exitcode
