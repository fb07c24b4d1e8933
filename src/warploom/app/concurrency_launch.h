// How the engines of published fixed-concurrency benchmarks were started, as far as it is public.
#pragma once

#include "warploom/app/validate_concurrency.h"
#include "warploom/serving/serving_config.h"

namespace warploom {

struct ConcurrencyLaunch {
  ServingConfig config;        // engine and limits; no parallelism
  bool experts_whole = false;  // expert parallelism over all GPUs, whatever the row says
  double range_ratio = 1.0;    // lengths are drawn evenly from this share of the stated ones up to them
};

// Dumps named by a date are InferenceX runs, whose launch scripts are public
// (github.com/SemiAnalysisAI/InferenceX, benchmarks/): lengths from 0.8 of the stated ones, and
//   vLLM          max_num_seqs = the concurrency and 8192 tokens in a step; graphs up to 2048 tokens for
//   gpt-oss, of
//                 decoding alone for Llama on Blackwell; an fp8 KV cache for Llama 70B and
//                 for gpt-oss on Blackwell, where both have 512 sequences; Marlin experts for gpt-oss on
//                 Hopper; 0.95 of memory for Kimi and MiniMax, whose sequences and tokens are the engine's
//                 on Blackwell, 512 and 16384 or 32768 with an fp8 cache and Triton experts on Hopper
//   SGLang        chunks of 32768 tokens (8192 for DeepSeek on four GPUs) and 0.82 of memory; on Blackwell
//                 new requests are looked for every 10 decode steps, 30 from 16 requests on, the cache is fp8
//                 unless the weights are bf16, block-scaled products of DeepSeek and of the first image with
//                 Qwen3.5 are FlashInfer's, and norms run within all-reduces (Qwen3.5: on eight GPUs in the
//                 later image); on Hopper 512 requests for 1k/1k and 256 otherwise; Qwen3.5 has 128, and on
//                 Hopper chunks of 16384, 0.8 of memory, an fp8 cache and norms within all-reduces
//   TensorRT-LLM  max_num_tokens = concurrency + input + 64, in multiples of 64, and at least 8192 but for
//                 DeepSeek before 1.2.0rc6, 20000 for gpt-oss; prompts not cut; an fp8 cache but for gpt-oss
//                 on Hopper; trtllm-gen experts for DeepSeek on Blackwell from 1.2.0rc6 on
// Other dumps carry a model's name: lengths as stated, engines' defaults.
ConcurrencyLaunch launch_of(const ConcurrencyTruth& row);

}  // namespace warploom
