#include "warploom/fused_moe/config_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/base/byte_stream.h"
#include "warploom/base/error.h"
#include "warploom/base/framed_file.h"
#include "warploom/learning/symmetric_ensemble.h"
#include "warploom_embedded/moe_config_files.h"

namespace warploom {
namespace {

constexpr FileFormat kFormat{.magic = "WLMOECFG",
                             .schema = "warploom_moe_config_model",
                             .name = "model of fused_moe configurations",
                             .written_by = "warploom train-moe-configs",
                             .major = kConfigModelVersion,
                             .oldest_major = kConfigModelVersion,
                             .has_minor = false};

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
  std::vector<MoeConfig> configs(in.take_count(12));
  for (MoeConfig& c : configs)
    for (std::int32_t* value :
         {&c.tile.tile_m, &c.tile.tile_n, &c.tile.tile_k, &c.tile.warps, &c.tile.stages, &c.group_m})
      *value = in.take<std::int16_t>();
  return configs;
}

void put_searches(ByteWriter& out, const ConfigSearches& all) {
  out.put(std::uint16_t(all.gpus.size()));
  for (const SearchedGpu& gpu : all.gpus) {
    out.put_text(gpu.name);
    out.put_text(name_of(gpu.generation));
    out.put(gpu.sms);
    out.put(gpu.ridge);
    out.put(gpu.shared);
  }
  out.put(std::uint32_t(all.searches.size()));
  for (const ConfigSearch& search : all.searches) {
    out.put(search.gpu);
    for (const double size :
         {search.product.pairs, search.product.experts, search.product.outputs, search.product.inner})
      out.put(static_cast<float>(size));
    out.put_all(search.near_best);
  }
}

ConfigSearches take_searches(ByteReader& in, std::string_view where, std::size_t candidates) {
  ConfigSearches all;
  all.gpus.resize(in.take<std::uint16_t>());
  for (SearchedGpu& gpu : all.gpus) {
    gpu.name = in.take_text();
    gpu.generation = parse_enum<Generation>(std::string(in.take_text()), std::string(where));
    gpu.sms = in.take<std::int64_t>();
    gpu.ridge = in.take<double>();
    gpu.shared = in.take<double>();
  }
  all.searches.resize(in.take_count(22));
  for (ConfigSearch& search : all.searches) {
    search.gpu = in.take<std::uint16_t>();
    GroupedProduct& p = search.product;
    for (double* size : {&p.pairs, &p.experts, &p.outputs, &p.inner}) *size = double(in.take<float>());
    search.near_best = in.take_all<std::uint16_t>();
    if (search.gpu >= all.gpus.size() ||
        std::any_of(search.near_best.begin(), search.near_best.end(),
                    [&](std::uint16_t config) { return config >= candidates; }))
      throw InvalidInput(fmt::format("{}: a search names what the file does not hold", where));
  }
  return all;
}

}  // namespace

std::string config_model_to_bytes(const ConfigModelRecord& record) {
  Json head = file_head(kFormat, kFormat.written_by);
  head["feature_version"] = kConfigFeatureVersion;
  for (const SearchedGpu& gpu : record.searches.gpus) head["gpus"].push_back(gpu.name);
  head["rows"] = record.rows;
  head["data_hash"] = record.data_hash;
  ByteWriter records;
  put_configs(records, record.candidates);
  put_searches(records, record.searches);
  records.put(record.offset);
  records.put_text(record.trees);
  records.put(record.residual_p10);
  records.put(record.residual_p90);
  return framed_file(kFormat, head, records.bytes());
}

ConfigModelRecord config_model_from_bytes(std::string_view bytes, std::string_view where) {
  FramedFile file = open_framed_file(kFormat, bytes, where);
  file.head.check_features(kConfigFeatureVersion);
  ConfigModelRecord record;
  record.rows = file.head.count("rows");
  record.data_hash = file.head.count("data_hash");
  ByteReader& in = file.records;
  record.candidates = take_configs(in);
  record.searches = take_searches(in, where, record.candidates.size());
  record.offset = in.take<float>();
  record.trees = in.take_text();
  record.residual_p10 = in.take<float>();
  record.residual_p90 = in.take<float>();
  file.finish(kFormat, where);
  return record;
}

ConfigModel::ConfigModel() : ConfigModel(built_in()) {}
ConfigModel::ConfigModel(ConfigModelRecord record) : record_(std::move(record)) {
  ensemble_ =
      std::make_unique<SymmetricEnsemble>(decode_symmetric(record_.trees, "fused_moe configurations"));
}
ConfigModel::~ConfigModel() = default;
ConfigModel::ConfigModel(ConfigModel&&) noexcept = default;

double ConfigModel::slowdown(const GroupedProduct& product, const MoeConfig& config,
                             const GpuSpec& gpu) const {
  FeatureRow row;
  config_features(product, config, gpu, row);
  return std::max(0.0, double(record_.offset) + ensemble_->predict(row));
}

std::vector<double> ConfigModel::votes(const GroupedProduct& product, const GpuSpec& gpu) const {
  return config_votes(record_.searches, record_.candidates.size(), product, searched_gpu(gpu));
}

std::vector<std::string> ConfigModel::gpus() const {
  std::vector<std::string> names;
  for (const SearchedGpu& gpu : record_.searches.gpus) names.push_back(gpu.name);
  return names;
}

}  // namespace warploom
