#include "warploom/kernels/moe/mega_moe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "warploom/base/embedded_document.h"
#include "warploom/base/error.h"
#include "warploom/base/json_members.h"
#include "warploom/hardware/gpu_class.h"
#include "warploom/hardware/record_version.h"
#include "warploom/kernels/moe_routing.h"
#include "warploom_embedded/mega_moe_files.h"

namespace warploom {
namespace {

constexpr std::string_view kSchema = "warploom_mega_moe";
constexpr std::int64_t kVersion = 1;
constexpr std::array<const char*, kMegaMoeLeftOutKinds> kKinds{"size", "ranks", "gpu", "skew"};

// Bytes of a weight in mxfp4: half a byte, and a scale for 32. A hidden state goes out in mxfp8 and comes
// back in bf16.
constexpr double kWeightBytes = 0.5 + 1.0 / 32, kSentBytes = 1 + 2;
constexpr double kProducts = 3;  // gate, up, down
constexpr std::int64_t kCapability = 10;
// DeepGEMM's shapes for mxfp4: rows of input scales are 16 bytes (SGLang 0.5.23, layers/moe/mega_moe.py,
// check_mega_moe_shapes); and the ranks that its buffers can hold (layout/sym_buffer.cuh, kNumMaxRanks).
constexpr std::int64_t kHiddenStep = 512, kWidthStep = 128, kMostRanks = 72;

double number(const Json& document, const char* name, double least, std::string_view where) {
  const double value = required_number(document, name, where);
  if (!(value >= least))
    throw InvalidInput(fmt::format("{}: '{}' is {}, expected at least {}", where, name, value, least));
  return value;
}

std::int64_t whole(const Json& document, const char* name, std::string_view where) {
  return std::int64_t(number(document, name, 1, where));
}

std::array<double, kMegaMoeLeftOutKinds> ends_of(const Json& document, const char* name, double sign,
                                                 std::string_view where) {
  const Json& kinds = required_member(document, name, where);
  std::array<double, kMegaMoeLeftOutKinds> ends{};
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    ends[i] = required_number(kinds, kKinds[i], fmt::format("{}: {}", where, name));
    if (ends[i] * sign < 0)
      throw InvalidInput(fmt::format("{}: {}: '{}' is {}, expected a number {} 0", where, name, kKinds[i],
                                     ends[i], sign < 0 ? "up to" : "from"));
  }
  return ends;
}

}  // namespace

MegaMoeParts mega_moe_parts(const FusedMoe& op, const GpuSpec& gpu) {
  const RoutingLoad load = routing_load(op);
  const double ranks = double(op.expert_parallel), top_k = double(op.top_k);
  const double matrices = kProducts * double(op.hidden) * double(op.intermediate);
  const double tokens = double(op.tokens) / ranks;  // of a rank
  // More hidden states come to the busiest rank than to the others.
  const double busy = load.pairs / (tokens * top_k);
  const double sent = tokens * std::min(top_k, ranks) * busy * kSentBytes * double(op.hidden);
  return {.weights = load.experts_hit * matrices * kWeightBytes / gpu.memory_bandwidth.value(),
          .products = 2 * load.pairs * matrices / gpu.tensor_rate(gpu.tensor_rates.fp8).value(),
          .exchange = sent * (ranks - 1) / ranks / gpu.link_bandwidth.value()};
}

MegaMoeTable::MegaMoeTable(const Json& document, std::string_view where) {
  check_record_version(document, kSchema, kVersion, where);
  constexpr double kLeast = 1e-6;
  framework_ = required_text(document, "framework", where);
  start_ = microseconds(number(document, "start_us", 0, where)).value();
  weights_ = number(document, "weights", kLeast, where);
  products_ = number(document, "products", kLeast, where);
  exchange_ = number(document, "exchange", kLeast, where);
  sharpness_ = number(document, "sharpness", 1, where);
  low_ = ends_of(document, "low", -1, where);
  high_ = ends_of(document, "high", 1, where);
  const Json& swept = required_member(document, "swept", where);
  if (!swept.is_array() || swept.empty())
    throw InvalidInput(fmt::format("{}: 'swept': expected a list of what was measured", where));
  for (const Json& each : swept) {
    const std::string place = fmt::format("{}: swept[{}]", where, swept_.size());
    if (!each.is_object()) throw InvalidInput(fmt::format("{}: expected an object", place));
    swept_.push_back({.gpu = required_text(each, "gpu", place),
                      .version = required_text(each, "version", place),
                      .hidden = whole(each, "hidden", place),
                      .intermediate = whole(each, "intermediate", place),
                      .top_k = whole(each, "top_k", place),
                      .experts = whole(each, "experts", place),
                      .ranks = whole(each, "ranks", place),
                      .least_tokens = whole(each, "least_tokens", place),
                      .most_tokens = whole(each, "most_tokens", place)});
  }
}

void MegaMoeTable::check(const FusedMoe& op, const GpuSpec& gpu, std::string_view where) const {
  const auto refuse = [&](const std::string& why) { throw Unsupported(fmt::format("{}: {}", where, why)); };
  if (!has_tensor_memory(gpu) || gpu.compute_capability / 10 != kCapability ||
      gpu.link_bandwidth.value() <= 0)
    refuse(
        fmt::format("DeepGEMM's MegaMoE was measured on b200_sxm and gb200 and runs on GPUs of their "
                    "generation alone, not on {}; expected one of b200_sxm, b300_sxm, gb200, gb300",
                    gpu.name));
  if (op.scheme != MatmulScheme::MxFp4A8)
    refuse(
        fmt::format("DeepGEMM's MegaMoE was measured with experts in mxfp4 alone, never in {}; expected a "
                    "model with such experts, as DeepSeek-V4-Pro",
                    name_of(op.scheme)));
  if (op.expert_parallel < 2 || op.tensor_parallel > 1 || op.pass != MoePass::Both || !op.gated)
    refuse(
        "MegaMoE exchanges tokens between ranks that hold gated experts whole, expected expert parallelism "
        "over at least 2 ranks and no tensor parallelism of the experts");
  if (op.expert_parallel > kMostRanks)
    refuse(fmt::format("MegaMoE's buffers hold up to {} ranks, expected no more than that instead of {}",
                       kMostRanks, op.expert_parallel));
  if (op.hidden % kHiddenStep != 0 || op.intermediate % kWidthStep != 0)
    refuse(
        fmt::format("MegaMoE takes hidden states of a multiple of {} and experts of a multiple of {}, "
                    "expected another kernel for {} and {}",
                    kHiddenStep, kWidthStep, op.hidden, op.intermediate));
}

MegaMoeAnswer MegaMoeTable::answer(const FusedMoe& op, const GpuSpec& gpu) const {
  const MegaMoeParts raw = mega_moe_parts(op, gpu);
  MegaMoeAnswer answer{.parts = {.weights = weights_ * raw.weights,
                                 .products = products_ * raw.products,
                                 .exchange = exchange_ * raw.exchange},
                       .start = start_,
                       .framework = framework_};
  const MegaMoeParts& parts = answer.parts;
  const double q = sharpness_;
  answer.seconds =
      start_ +
      std::pow(std::pow(parts.weights, q) + std::pow(parts.products, q) + std::pow(parts.exchange, q), 1 / q);
  const auto take = [&](MegaMoeLeftOut kind) {
    answer.low = std::min(answer.low, low_[std::size_t(kind)]);
    answer.high = std::max(answer.high, high_[std::size_t(kind)]);
  };
  const auto same_layer = [&](const Swept& each) {
    return each.gpu == gpu.name && each.hidden == op.hidden && each.intermediate == op.intermediate &&
           each.top_k == op.top_k && each.experts == op.experts;
  };
  const Swept* own = nullptr;
  bool layer = false;
  for (const Swept& each : swept_) {
    layer = layer || same_layer(each);
    if (own == nullptr && same_layer(each) && each.ranks == op.expert_parallel) own = &each;
    if (answer.version.empty() || each.gpu == gpu.name) answer.version = each.version;
  }
  answer.measured = own != nullptr;
  const std::int64_t tokens = std::max<std::int64_t>(1, op.tokens / op.expert_parallel);
  answer.outside = own != nullptr && (tokens < own->least_tokens || tokens > own->most_tokens);
  take(MegaMoeLeftOut::Size);
  if (own == nullptr || answer.outside) take(MegaMoeLeftOut::Ranks);
  if (!layer) take(MegaMoeLeftOut::Gpu);
  if (!routes_evenly(op)) take(MegaMoeLeftOut::Skew);
  return answer;
}

const MegaMoeTable& shipped_mega_moe() {
  static const MegaMoeTable table = from_embedded(
      embedded::mega_moe_files(), "warploom_mega_moe",
      [](const Json& document, std::string_view where) { return MegaMoeTable(document, where); });
  return table;
}

}  // namespace warploom
