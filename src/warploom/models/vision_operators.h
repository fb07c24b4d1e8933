// The kernels and weights of an encoder of images.
#pragma once

#include <cstdint>
#include <span>

#include "warploom/base/units.h"
#include "warploom/models/image_shape.h"
#include "warploom/models/operator_node.h"

namespace warploom {

// `count` images of one shape.
struct ImageCount {
  const ImageShape* shape = nullptr;
  std::int64_t count = 0;
};

// How the GPUs of a replica share an encoder: by its weights where heads and the MLP divide (else every one
// computes everything), or each whole images, as vLLM's mm_encoder_tp_mode has it.
struct VisionSplit {
  std::int64_t tensor_parallel = 1;
  bool by_images = false;
};

// One pass over all images, on one GPU; over several the one that has most.
OperatorGraph vision_operators(const VisionEncoder& encoder, std::span<const ImageCount> images,
                               const VisionSplit& split);

// Weights on one GPU, in bf16.
Bytes vision_weights(const VisionEncoder& encoder, const VisionSplit& split);

}  // namespace warploom
