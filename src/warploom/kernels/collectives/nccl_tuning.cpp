#include "warploom/kernels/collectives/nccl_tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "warploom/base/embedded_document.h"
#include "warploom/base/error.h"
#include "warploom/base/nearest_name.h"
#include "warploom/hardware/record_version.h"
#include "warploom_embedded/nccl_tuning_files.h"

namespace warploom {
namespace {

constexpr std::string_view kSchema = "warploom_nccl_tuning";
constexpr std::int64_t kVersion = 1;

struct NamedConstant {
  std::string_view name, unit;
  double NcclTuning::*member;
};
constexpr std::array<NamedConstant, 25> kNumbers{{
    {"in_network_arity", "s", &NcclTuning::in_network_arity},
    {"post_seconds", "s", &NcclTuning::post_seconds},
    {"posts_of_simple", "messages", &NcclTuning::posts_of_simple},
    {"ring_plateau", "1", &NcclTuning::ring_plateau},
    {"link_share", "1", &NcclTuning::link_share},
    {"hopper_link_share", "1", &NcclTuning::hopper_link_share},
    {"nic_share", "1", &NcclTuning::nic_share},
    {"pair_share", "1", &NcclTuning::pair_share},
    {"ll_payload", "1", &NcclTuning::ll_payload},
    {"ll128_payload", "1", &NcclTuning::ll128_payload},
    {"ring_ll128_share", "1", &NcclTuning::ring_ll128_share},
    {"lonely_ring_ll128_share", "1", &NcclTuning::lonely_ring_ll128_share},
    {"tree_share", "1", &NcclTuning::tree_share},
    {"tree_ll_share", "1", &NcclTuning::tree_ll_share},
    {"ll_rate_of_two", "B/s", &NcclTuning::ll_rate_of_two},
    {"ll_rate_of_more", "B/s", &NcclTuning::ll_rate_of_more},
    {"nvls_link_share", "1", &NcclTuning::nvls_link_share},
    {"nvls_channels", "channels", &NcclTuning::nvls_channels},
    {"nvls_of_hopper", "1", &NcclTuning::nvls_of_hopper},
    {"nvls_of_blackwell", "1", &NcclTuning::nvls_of_blackwell},
    {"nvls_window", "B", &NcclTuning::nvls_window},
    {"least_windows", "windows", &NcclTuning::least_windows},
    {"nvls_stages", "windows", &NcclTuning::nvls_stages},
    {"nvls_from_bytes", "B", &NcclTuning::nvls_from_bytes},
    {"first_tree_size", "B", &NcclTuning::first_tree_size},
}};
constexpr std::array<std::string_view, 5> kTables{"ring_latency", "tree_latency", "nvls_tree_latency",
                                                  "in_network_latency", "tree_correction"};

class Reader {
 public:
  Reader(const Json& document, std::string_view where) : where_(where) {
    check_record_version(document, kSchema, kVersion, where);
    const auto constants = document.find("constants");
    if (constants == document.end() || !constants->is_object())
      throw InvalidInput(fmt::format("{}: 'constants' is missing, expected an object", where));
    constants_ = &*constants;
    check_names();
  }

  double number(std::string_view name, std::string_view unit) const { return one(value(name, unit), name); }

  NcclLatency latency(std::string_view name) const { return latency_of(value(name, "s"), name); }

  NcclLatencies latencies(std::string_view name) const {
    NcclLatencies table;
    const Json& rows = list(value(name, "s"), name, table.size());
    for (std::size_t i = 0; i < table.size(); ++i) table[i] = latency_of(rows[i], name);
    return table;
  }

  TreeCorrection correction(std::string_view name) const {
    TreeCorrection table{};
    const Json& rows = list(value(name, "1"), name, table.size());
    for (std::size_t i = 0; i < table.size(); ++i) {
      const Json& row = list(rows[i], name, table[i].size());
      for (std::size_t j = 0; j < table[i].size(); ++j) table[i][j] = one(row[j], name);
    }
    return table;
  }

 private:
  void check_names() const {
    std::vector<std::string> known(kTables.begin(), kTables.end());
    for (const NamedConstant& constant : kNumbers) known.emplace_back(constant.name);
    for (const auto& [name, constant] : constants_->items())
      if (std::find(known.begin(), known.end(), name) == known.end())
        throw InvalidInput(
            fmt::format("{}: constant '{}' is unknown{}", where_, name, did_you_mean(name, known)));
  }

  const Json& value(std::string_view name, std::string_view unit) const {
    const auto at = constants_->find(name);
    if (at == constants_->end() || !at->is_object() || !at->contains("value"))
      throw InvalidInput(fmt::format("{}: constant '{}' is missing", where_, name));
    if (at->value("unit", std::string()) != unit)
      throw InvalidInput(fmt::format("{}: constant '{}' is in '{}', expected '{}'", where_, name,
                                     at->value("unit", std::string()), unit));
    if (at->value("source", std::string()).empty())
      throw InvalidInput(fmt::format("{}: constant '{}' has no source", where_, name));
    return at->at("value");
  }

  const Json& list(const Json& value, std::string_view name, std::size_t size) const {
    if (!value.is_array() || value.size() != size)
      throw InvalidInput(fmt::format("{}: constant '{}': expected a list of {}", where_, name, size));
    return value;
  }

  double one(const Json& value, std::string_view name) const {
    if (!value.is_number() || value.get<double>() < 0)
      throw InvalidInput(fmt::format("{}: constant '{}': expected a number of at least 0", where_, name));
    return value.get<double>();
  }

  NcclLatency latency_of(const Json& value, std::string_view name) const {
    const Json& parts = list(value, name, 4);
    return {one(parts[0], name), one(parts[1], name), one(parts[2], name), one(parts[3], name)};
  }

  std::string_view where_;
  const Json* constants_ = nullptr;
};

}  // namespace

NcclTuning nccl_tuning_from_json(const Json& document, std::string_view where) {
  const Reader reader(document, where);
  NcclTuning tuning;
  for (const NamedConstant& constant : kNumbers)
    tuning.*constant.member = reader.number(constant.name, constant.unit);
  tuning.ring_latency = reader.latencies("ring_latency");
  tuning.tree_latency = reader.latencies("tree_latency");
  tuning.nvls_tree_latency = reader.latency("nvls_tree_latency");
  tuning.in_network_latency = reader.latency("in_network_latency");
  tuning.tree_correction = reader.correction("tree_correction");
  return tuning;
}

const NcclTuning& nccl_tuning() {
  static const NcclTuning tuning =
      from_embedded(embedded::nccl_tuning_files(), "warploom_nccl_tuning", nccl_tuning_from_json);
  return tuning;
}

}  // namespace warploom
