// How much slower a configuration of the Triton fused MoE is than the best one, learned on other GPUs.
//
// File "fused_moe.wlm": 8 magic bytes, u32 version, text of provenance (JSON: schema, version, created_by,
// feature_version, gpus, rows, data_hash), candidate configurations, both trees, residual quantiles, XXH64 of
// everything before. Little-endian.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/fused_moe/config_features.h"

namespace warploom {

struct ConfigModelRecord {
  std::vector<std::string> gpus;  // learned from, in order of name
  std::uint64_t rows = 0, data_hash = 0;
  std::vector<MoeConfig> candidates;  // seen near the best somewhere, ascending
  // ln(time / time of the best), two learners (encode_symmetric). Known: from rows of known times alone, for
  // engines' defaults. Ranking: also from configurations of which only the typical loss is known, for
  // choosing.
  struct Trees {
    float offset = 0;
    std::string trees;
  };
  Trees known, ranking;
  // Of ln(default / best): measured less predicted, on GPUs and layers never trained on, p10 and p90.
  float residual_p10 = 0, residual_p90 = 0;
};

std::string config_model_to_bytes(const ConfigModelRecord& record);
// Throws InvalidInput naming `where` on a file that is none of ours or damaged, Unsupported on another
// version or other features.
ConfigModelRecord config_model_from_bytes(std::string_view bytes, std::string_view where);

// Immutable; const methods may run concurrently.
class ConfigModel {
 public:
  ConfigModel();  // the file linked into the binary (data/moe_config)
  explicit ConfigModel(ConfigModelRecord record);
  ~ConfigModel();
  ConfigModel(ConfigModel&&) noexcept;

  const ConfigModelRecord& record() const { return record_; }
  // ln(time / time of the best configuration), at least 0: of an engine's default, and of a candidate (which
  // errs upwards, since losses that nobody published count as the typical one).
  double default_slowdown(const GroupedProduct& product, const MoeConfig& config, const GpuSpec& gpu) const;
  double candidate_slowdown(const GroupedProduct& product, const MoeConfig& config, const GpuSpec& gpu) const;

 private:
  struct Ensembles;
  ConfigModelRecord record_;
  std::unique_ptr<const Ensembles> ensembles_;
};

}  // namespace warploom
