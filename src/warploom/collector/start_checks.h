// Whether a machine is fit for a sweep, and what to do when it is not: apart from CUDA, so that every case is
// tested without a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "warploom/collector/device.h"

namespace warploom::collector {

// What is known of the machine before anything runs. Later members count only when the earlier ones are in
// order.
struct StartFacts {
  int driver_version = 0;   // of CUDA that the driver serves, 12040 for 12.4; 0: there is no driver
  int runtime_version = 0;  // of CUDA that this program was built with
  std::string failure;      // what the runtime answers, empty: it is ready
  int gpus = 0;             // visible ones
  int ordinal = 0;          // the one to sweep
  std::string name;
  int compute_capability = 0;  // 90
  std::int64_t free_bytes = 0;
};

// Throws BadInput naming the first thing that is missing: a driver, a driver as new as the program, a GPU,
// that one, one new enough, memory.
void check_start(const StartFacts& facts);

// Throws BadInput when others compute on the GPU and `shared` does not accept that. The text: a warning, for
// a GPU that heat or its board slows down.
std::optional<std::string> check_state(const DeviceState& state, bool shared);

// "12.4"
std::string cuda_version_text(int version);

}  // namespace warploom::collector
