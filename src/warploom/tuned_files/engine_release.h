// A release of an engine whose names of tuned files are known, and which of them it ships
// (data/tuned_files, made from the release's wheel by tools/tuned_file_names).
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/fused_moe/moe_layer.h"

namespace warploom {

struct EngineRelease {
  MoeEngine engine = MoeEngine::Vllm;
  std::string version;
  // By folder of the package, names with "*" in place of "device_name=*"'s device, by device.
  std::map<std::string, std::map<std::string, std::set<std::string>>> names;

  // The folder at or below `package_folder` that has the file of that device; empty: none. Of several the
  // last in order, which is SGLang's newest Triton.
  std::string folder_with(const std::string& package_folder, const std::string& name,
                          const std::string& device) const;
  // Devices that the release has files of, ascending.
  std::vector<std::string> devices() const;
};

// The newest known where `version` is empty. Throws Unsupported on another than the known ones, whose rules
// and files are not known, naming those.
EngineRelease engine_release(MoeEngine engine, std::string_view version);

}  // namespace warploom
