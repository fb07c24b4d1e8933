// What is said of an option that a line needs and lacks.
#pragma once

#include <string>

namespace warploom {

inline std::string missing_gpu_text() {
  return "--gpu is required, for example --gpu H100-SXM (`warploom gpus` lists them)";
}

}  // namespace warploom
