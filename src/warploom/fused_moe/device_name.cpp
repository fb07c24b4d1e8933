#include "warploom/fused_moe/device_name.h"

#include <fmt/format.h>

#include <algorithm>

#include "warploom/base/error.h"

namespace warploom {
namespace {

// The one family of parts that share their files of experts (fused_moe.py, get_config_file_name).
constexpr std::string_view kFamily = "H200";
const std::string kFamilyName = "NVIDIA_H200";

std::string in_vllm(std::string_view driver_name) {
  std::string name;
  bool in_run = false;
  for (const char c : driver_name) {
    const bool blank = c == '/' || c == ' ' || (c >= '\t' && c <= '\r');
    if (!blank || !in_run) name += blank ? '_' : c;
    in_run = blank;
  }
  return name;
}

bool has_word(std::string_view name, std::string_view word) {
  while (!name.empty()) {
    const std::size_t end = std::min(name.find('_'), name.size());
    if (name.substr(0, end) == word) return true;
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return false;
}

}  // namespace

std::string engine_device_name(const GpuSpec& gpu, MoeEngine engine, NamedFiles files) {
  if (gpu.device_name.empty())
    throw Unsupported(fmt::format(
        "{}: how its driver spells its name is not known, and engines look for their file by that "
        "name; expected a GPU whose record has a device_name",
        gpu.name));
  if (engine == MoeEngine::Sglang) {
    std::string name = gpu.device_name;
    std::replace(name.begin(), name.end(), ' ', '_');
    return name;
  }
  const std::string name = in_vllm(gpu.device_name);
  return files == NamedFiles::Experts && has_word(name, kFamily) ? kFamilyName : name;
}

}  // namespace warploom
