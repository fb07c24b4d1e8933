// How the engines of published fixed-concurrency benchmarks were started, as far as it is public.
#pragma once

#include "warploom/app/validate_concurrency.h"
#include "warploom/serving/serving_config.h"

namespace warploom {

struct ConcurrencyLaunch {
  ServingConfig config;      // engine and limits; no parallelism
  double range_ratio = 1.0;  // lengths are drawn evenly from this share of the stated ones up to them
};

// Dumps named by a date are InferenceX runs, whose launch scripts are public
// (github.com/SemiAnalysisAI/InferenceX, benchmarks/): lengths from 0.8 of the stated ones; vLLM with
// max_num_seqs = the concurrency and 8192 tokens in a step; SGLang with 512 requests for 1k/1k and 256
// otherwise, chunks of 32768 tokens and 0.82 of memory; TensorRT-LLM with max_num_tokens = concurrency +
// input + 64, in multiples of 64 and at least 8192, 20000 for gpt-oss, prompts not cut. Other dumps carry a
// model's name: lengths as stated, engines' defaults.
ConcurrencyLaunch launch_of(const ConcurrencyTruth& row);

}  // namespace warploom
