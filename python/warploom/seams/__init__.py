"""Places where other projects ask how long a step takes, answered by Warploom.

sglang_simulator   latency predictor of SGLang's simulator
dynamo             sessions of Dynamo's Python, of releases up to 1.6
forward_pass       estimator of forward passes that AISimulate and Dynamo's planner ask
vllm_plugin        vLLM finds the folder that `warploom moe-config` wrote
sglang_plugin      SGLang reads files that `warploom tuned-files` wrote before its own
vllm_fused_moe     vLLM's fused MoE kernel asks a tuner table at each launch

Each names the interface that it serves, with the file it was read in. None of those projects is needed to
install Warploom. An adapter for inference-sim, which is written in Go, is in the repository's folder `go`.
"""
