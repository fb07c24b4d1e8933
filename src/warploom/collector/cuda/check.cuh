// Status codes of CUDA as exceptions.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "warploom/collector/failure.h"

namespace warploom::collector {

// Memory that is not there concerns one operator; every other failure of a running kernel leaves the device's
// context unusable.
inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  const std::string text = std::string(what) + ": " + cudaGetErrorString(status);
  if (status == cudaErrorMemoryAllocation || status == cudaErrorInvalidConfiguration) {
    cudaGetLastError();
    throw Unmeasurable(text);
  }
  throw DeviceLost(text);
}

}  // namespace warploom::collector
