// The file of a method of the literature, as `train --method` writes it: "NAME.wlb".
//
// A framed file (base/framed_file.h). Head: method, data_hash, seed, rows; of a ceiling also quantile, of
// kernelsight feature_version. Records of pipeweave: a count and per kernel its name, the rows and GPUs that
// it was learned from, the range of efficiencies and its network; a count and per forest the kind of
// collective, the GPU and the trees. Records of kernelsight: kernelsight/kernelsight_records.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "warploom/baselines/baseline.h"
#include "warploom/baselines/kernelsight/kernelsight_model.h"
#include "warploom/baselines/method_model.h"
#include "warploom/baselines/pipeweave/pipeweave_model.h"

namespace warploom {

inline constexpr std::string_view kMethodFileSuffix = ".wlb";

// From what a method was learned.
struct MethodProvenance {
  std::uint64_t data_hash = 0, seed = 0, rows = 0;
  double quantile = 0;  // of pipeweave; 0: the mean
};

struct MethodFile {
  BaselineKind kind{};  // PipeWeave or KernelSight
  std::unique_ptr<const MethodModel> model;
  MethodProvenance provenance;
};

inline constexpr std::uint32_t kMethodFileMajor = 1, kMethodFileMinor = 0;

std::string method_to_bytes(const baselines::PipeWeaveModel& model, const MethodProvenance& provenance);
std::string method_to_bytes(const baselines::KernelSightModel& model, const MethodProvenance& provenance);
// The bytes that it was read from.
std::string method_to_bytes(const MethodFile& file);
// Throws as open_framed_file does; Unsupported on a method that this program does not know.
MethodFile method_from_bytes(std::string_view bytes, std::string_view where);

// Throws IoError, and what method_from_bytes throws.
MethodFile read_method_file(const std::filesystem::path& path);

}  // namespace warploom
