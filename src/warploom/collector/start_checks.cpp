#include "warploom/collector/start_checks.h"

#include "warploom/collector/failure.h"

namespace warploom::collector {
namespace {

constexpr int kOldestCapability = 70;
constexpr std::int64_t kLeastFreeBytes = std::int64_t(1300) << 20;  // what Arena's smallest pools take

// Minor versions of one major version serve one another.
bool is_too_old(int driver, int runtime) { return driver / 1000 < runtime / 1000; }

}  // namespace

std::string cuda_version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

void check_start(const StartFacts& f) {
  if (f.driver_version == 0)
    throw BadInput(
        "no NVIDIA driver is on this machine: install one (nvidia-smi then answers); inside a container, "
        "start "
        "it with access to the GPUs (--gpus all)");
  if (is_too_old(f.driver_version, f.runtime_version))
    throw BadInput("the driver serves CUDA " + cuda_version_text(f.driver_version) +
                   ", but this program was built with CUDA " + cuda_version_text(f.runtime_version) +
                   ": install a newer driver, or build with a toolkit as old as the driver (12.0 or newer)");
  if (f.gpus == 0)
    throw BadInput("no GPU is visible" + (f.failure.empty() ? "" : " (" + f.failure + ")") +
                   ": check nvidia-smi and CUDA_VISIBLE_DEVICES");
  if (f.ordinal < 0 || f.ordinal >= f.gpus)
    throw BadInput("--device " + std::to_string(f.ordinal) + ": this machine shows " +
                   std::to_string(f.gpus) + " GPU(s), numbered from 0");
  if (!f.failure.empty())
    throw BadInput("GPU " + std::to_string(f.ordinal) + " cannot be used (" + f.failure +
                   "): see nvidia-smi for its state, or name another one (--device)");
  if (f.compute_capability < kOldestCapability)
    throw BadInput(f.name + " has compute capability " + std::to_string(f.compute_capability / 10) + "." +
                   std::to_string(f.compute_capability % 10) + ", expected 7.0 or newer");
  if (f.free_bytes < kLeastFreeBytes)
    throw BadInput("too little memory is free on " + f.name + ": " + std::to_string(f.free_bytes >> 20) +
                   " MiB, expected " + std::to_string(kLeastFreeBytes >> 20) +
                   " or more: end other programs on this GPU, or name another one (--device)");
}

std::optional<std::string> check_state(const DeviceState& state, bool shared) {
  if (state.other_processes > 0 && !shared)
    throw BadInput(std::to_string(state.other_processes) +
                   " other program(s) compute on this GPU, which would distort every time: end them, name "
                   "another GPU (--device), or accept that (--shared)");
  for (const char* reason : {"hw_slowdown", "thermal", "power_brake"})
    if (state.throttle.find(reason) != std::string::npos)
      return "the GPU is throttled (" + state.throttle +
             "): rows begun at a low clock are marked and not learned from; let it cool, check its power, "
             "and "
             "run again with --resume";
  return std::nullopt;
}

}  // namespace warploom::collector
