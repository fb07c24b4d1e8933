// What searches on other GPUs found about the configurations of the Triton fused MoE: which ran near the
// best, and how much slower an engine's default is.
//
// File "fused_moe.wlm": a framed file (base/framed_file.h) without a minor version. Head: feature_version,
// gpus, rows, data_hash (a number). Records: candidate configurations, searches (config_votes.h), trees,
// residual quantiles.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/fused_moe/config_votes.h"

namespace warploom {

inline constexpr std::uint32_t kConfigModelVersion = 2;

class SymmetricEnsemble;

struct ConfigModelRecord {
  std::uint64_t rows = 0, data_hash = 0;
  std::vector<MoeConfig> candidates;  // seen near the best somewhere, ascending
  ConfigSearches searches;            // GPUs in order of name
  // ln(time / time of the best configuration), of near-best configurations and engines' defaults
  // (encode_symmetric).
  float offset = 0;
  std::string trees;
  // p10 and p90 of the error in ln(default / best), measured less predicted, on GPUs and layers never trained
  // on.
  float residual_p10 = 0, residual_p90 = 0;
};

std::string config_model_to_bytes(const ConfigModelRecord& record);
// Throws as open_framed_file does, Unsupported too when it was learned from other features.
ConfigModelRecord config_model_from_bytes(std::string_view bytes, std::string_view where);

// Immutable; const methods may run concurrently.
class ConfigModel {
 public:
  ConfigModel();  // the file linked into the binary (data/moe_config)
  explicit ConfigModel(ConfigModelRecord record);
  ~ConfigModel();
  ConfigModel(ConfigModel&&) noexcept;

  const ConfigModelRecord& record() const { return record_; }
  // ln(time / time of the best configuration), at least 0, of an engine's default or one near the best.
  double slowdown(const GroupedProduct& product, const MoeConfig& config, const GpuSpec& gpu) const;
  // The votes for each candidate (config_votes).
  std::vector<double> votes(const GroupedProduct& product, const GpuSpec& gpu) const;
  std::vector<std::string> gpus() const;  // searched on

 private:
  ConfigModelRecord record_;
  std::unique_ptr<const SymmetricEnsemble> ensemble_;
};

}  // namespace warploom
