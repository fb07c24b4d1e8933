// Triton kernels that an engine's steps run and that read no tuned file.
#pragma once

#include <string>
#include <vector>

#include "warploom/tuned_files/file_look_up.h"

namespace warploom {

struct UnfiledKernel {
  std::string kernel;  // as the engine's sources call it
  std::string why;     // how it takes its configuration instead, for people
};

// Those of the model, as the sources of the releases in data/tuned_files have them.
std::vector<UnfiledKernel> unfiled_kernels(const FileLookUp& asked);

}  // namespace warploom
