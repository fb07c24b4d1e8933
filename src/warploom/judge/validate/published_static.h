// A static batch as the publication of PipeWeave composes it from kernels: no host unless one is given, and
// nothing overlaps.
//
//   a layer: products qkv, o, gate-up and down; attention; two RMSNorms; SiLU-and-mul. Once: a norm and the
//   product of the vocabulary over the batch's last tokens, which is not divided among GPUs. With tensor
//   parallelism two all-reduces of tokens x hidden a layer; with pipeline stages a send of hidden states and
//   residual between two of them, all layers one after the other.
// Prefill is one pass over all prompts, decode the mean of the further steps, total their sum. No rotary
// embedding, cache write, embedding or sampling is in it.
#pragma once

#include <cstdint>
#include <span>

#include "warploom/base/units.h"
#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/models/architecture.h"
#include "warploom/serving/pricing/kernel_names.h"

namespace warploom {

// KernelSight-LM's time of a step, by its equation: the GPU's time, the dispatch before it, what of the
// host's work the GPU does not hide, and the tail after it. The constants are the engine's of this program,
// as the publication borrows those of the nearest known setup.
struct StepHost {
  Seconds dispatch{0.0}, overlap_floor{0.0}, serial_tail{0.0};
  Seconds step(Seconds gpu) const;
};

struct PublishedBatch {
  const ModelArchitecture& model;
  const GpuSpec& gpu;
  const KernelNames& names;  // of the engine
  std::int64_t tensor_parallel = 1, pipeline_parallel = 1;
  std::span<const std::int32_t> prompts;
  std::int64_t output_tokens = 1;
  StepHost prefill_host{}, decode_host{};  // none: PipeWeave's composition
};

struct PublishedBatchTime {
  Seconds prefill, decode_mean, total;
  Seconds collectives;  // part of total
  Seconds roofline;     // part of total that the model had nothing learned for
};

// Throws Unsupported on a model with other layers than full attention and a gated dense MLP.
PublishedBatchTime price_published_batch(const PublishedBatch& batch, const LatencyModel& latency);

}  // namespace warploom
