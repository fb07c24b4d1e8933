#include "warploom/fused_moe/config_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/hash.h"
#include "warploom/base/json.h"
#include "warploom/predictor/byte_stream.h"
#include "warploom/predictor/symmetric_ensemble.h"
#include "warploom_embedded/moe_config_files.h"

namespace warploom {
namespace {

constexpr std::string_view kMagic = "WLMOECFG";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kChecksumSize = 8;

ConfigModelRecord built_in() {
  for (const EmbeddedFile& file : embedded::moe_config_files())
    return config_model_from_bytes(file.contents, fmt::format("built-in {}", file.name));
  throw NotFound("fused_moe configurations: none are linked into this program");
}

void put_configs(ByteWriter& out, const std::vector<MoeConfig>& configs) {
  out.put(std::uint32_t(configs.size()));
  for (const MoeConfig& c : configs)
    for (const std::int32_t value :
         {c.tile.tile_m, c.tile.tile_n, c.tile.tile_k, c.tile.warps, c.tile.stages, c.group_m})
      out.put(std::int16_t(value));
}

std::vector<MoeConfig> take_configs(ByteReader& in) {
  std::vector<MoeConfig> configs(in.take<std::uint32_t>() & 0xFFFF);
  for (MoeConfig& c : configs)
    for (std::int32_t* value :
         {&c.tile.tile_m, &c.tile.tile_n, &c.tile.tile_k, &c.tile.warps, &c.tile.stages, &c.group_m})
      *value = in.take<std::int16_t>();
  return configs;
}

}  // namespace

std::string config_model_to_bytes(const ConfigModelRecord& record) {
  Json head;
  head["schema"] = "warploom_moe_config_model";
  head["version"] = kVersion;
  head["created_by"] = "warploom train-moe-configs";
  head["feature_version"] = kConfigFeatureVersion;
  head["gpus"] = record.gpus;
  head["rows"] = record.rows;
  head["data_hash"] = record.data_hash;
  ByteWriter out;
  for (const char c : kMagic) out.put(c);
  out.put(kVersion);
  out.put_text(head.dump());
  put_configs(out, record.candidates);
  for (const ConfigModelRecord::Trees* trees : {&record.known, &record.ranking}) {
    out.put(trees->offset);
    out.put_text(trees->trees);
  }
  out.put(record.residual_p10);
  out.put(record.residual_p90);
  std::string bytes = out.bytes();
  ByteWriter checksum;
  checksum.put(hash_bytes(bytes));
  return bytes + checksum.bytes();
}

ConfigModelRecord config_model_from_bytes(std::string_view bytes, std::string_view where) {
  if (bytes.size() < kMagic.size() + 4 + kChecksumSize || bytes.substr(0, kMagic.size()) != kMagic)
    throw InvalidInput(fmt::format(
        "{}: is no model of fused_moe configurations, expected a file that train-moe-configs wrote", where));
  ByteReader in(bytes.substr(kMagic.size(), bytes.size() - kMagic.size() - kChecksumSize), where);
  if (const auto version = in.take<std::uint32_t>(); version != kVersion)
    throw Unsupported(fmt::format("{}: version {}, this program reads {}", where, version, kVersion));
  ByteReader checksum(bytes.substr(bytes.size() - kChecksumSize), where);
  if (checksum.take<std::uint64_t>() != hash_bytes(bytes.substr(0, bytes.size() - kChecksumSize)))
    throw InvalidInput(fmt::format("{}: the file is damaged (its checksum does not match)", where));
  ConfigModelRecord record;
  const Json head = parse_json(in.take_text(), where);
  if (head.value("feature_version", 0) != kConfigFeatureVersion)
    throw Unsupported(fmt::format("{}: learned from other features: train again", where));
  record.gpus = head.value("gpus", std::vector<std::string>());
  record.rows = head.value("rows", std::uint64_t(0));
  record.data_hash = head.value("data_hash", std::uint64_t(0));
  record.candidates = take_configs(in);
  for (ConfigModelRecord::Trees* trees : {&record.known, &record.ranking}) {
    trees->offset = in.take<float>();
    trees->trees = in.take_text();
  }
  record.residual_p10 = in.take<float>();
  record.residual_p90 = in.take<float>();
  return record;
}

struct ConfigModel::Ensembles {
  SymmetricEnsemble known, ranking;
};

namespace {

double answer(const SymmetricEnsemble& ensemble, float offset, const GroupedProduct& product,
              const MoeConfig& config, const GpuSpec& gpu) {
  FeatureRow row;
  config_features(product, config, gpu, row);
  return std::max(0.0, double(offset) + ensemble.predict(row));
}

}  // namespace

ConfigModel::ConfigModel() : ConfigModel(built_in()) {}
ConfigModel::ConfigModel(ConfigModelRecord record) : record_(std::move(record)) {
  constexpr std::string_view kWhere = "fused_moe configurations";
  ensembles_ = std::make_unique<Ensembles>(
      Ensembles{.known = SymmetricEnsemble(decode_symmetric(record_.known.trees, kWhere)),
                .ranking = SymmetricEnsemble(decode_symmetric(record_.ranking.trees, kWhere))});
}
ConfigModel::~ConfigModel() = default;
ConfigModel::ConfigModel(ConfigModel&&) noexcept = default;

double ConfigModel::default_slowdown(const GroupedProduct& product, const MoeConfig& config,
                                     const GpuSpec& gpu) const {
  return answer(ensembles_->known, record_.known.offset, product, config, gpu);
}

double ConfigModel::candidate_slowdown(const GroupedProduct& product, const MoeConfig& config,
                                       const GpuSpec& gpu) const {
  return answer(ensembles_->ranking, record_.ranking.offset, product, config, gpu);
}

}  // namespace warploom
