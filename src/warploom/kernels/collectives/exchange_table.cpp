#include "warploom/kernels/collectives/exchange_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "warploom/base/embedded_document.h"
#include "warploom/base/error.h"
#include "warploom/base/units.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/hardware/record_version.h"
#include "warploom_embedded/exchange_table_files.h"

namespace warploom {
namespace {

constexpr std::string_view kSchema = "warploom_exchange_curves";
constexpr std::int64_t kVersion = 1;
constexpr double kRanksOfForm = 8;     // at which a kernel's start is stated
constexpr double kLeastHops = 0.2;     // of the start, however few the ranks
constexpr double kNearness = 2.25e-4;  // ln squared; nearer shapes count as the same
constexpr double kFallOff = 1.5;       // of a curve's weight with the squared distance
constexpr std::array<std::string_view, kLeftOutKinds> kKinds{"shape", "ranks", "gpu"};

class Reader {
 public:
  Reader(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.is_object()) throw InvalidInput(fmt::format("{}: expected an object", where_));
  }
  const Json& at(const char* name) const {
    const auto found = object_.find(name);
    if (found == object_.end()) throw InvalidInput(fmt::format("{}: '{}' is missing", where_, name));
    return *found;
  }
  std::string text(const char* name) const {
    if (!at(name).is_string()) refuse(name, "a text");
    return at(name).get<std::string>();
  }
  double number(const char* name, double least) const {
    if (!at(name).is_number() || !(at(name).get<double>() >= least))
      refuse(name, fmt::format("a number of at least {}", least));
    return at(name).get<double>();
  }
  const Json& list(const char* name) const {
    if (!at(name).is_array()) refuse(name, "a list");
    return at(name);
  }
  std::vector<double> numbers(const char* name) const {
    const Json& value = list(name);
    if (!std::all_of(value.begin(), value.end(), [](const Json& one) { return one.is_number(); }))
      refuse(name, "a list of numbers");
    return value.get<std::vector<double>>();
  }
  [[noreturn]] void refuse(const char* name, const std::string& expected) const {
    throw InvalidInput(fmt::format("{}: '{}': expected {}", where_, name, expected));
  }

 private:
  const Json& object_;
  std::string where_;
};

CollectiveKind phase_of(const Reader& reader) {
  const std::string phase = reader.text("phase");
  if (phase == "dispatch") return CollectiveKind::Dispatch;
  if (phase != "combine") reader.refuse("phase", "dispatch or combine");
  return CollectiveKind::Combine;
}

ExchangeEnds ends_of(const Reader& reader, const char* name, double sign) {
  const Reader kinds(reader.at(name), name);
  ExchangeEnds ends{};
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    const std::vector<double> values = kinds.numbers(kKinds[i].data());
    const auto wrong = [&](double value) { return value * sign < 0; };
    if (values.size() != kExchangeRanges || std::any_of(values.begin(), values.end(), wrong))
      kinds.refuse(kKinds[i].data(), fmt::format("3 numbers {} 0", sign < 0 ? "up to" : "from"));
    std::copy(values.begin(), values.end(), ends[i].begin());
  }
  return ends;
}

ExchangeKernel kernel_of(const Reader& reader, const std::string& where) {
  ExchangeKernel kernel{.kernel = reader.text("kernel"),
                        .framework = reader.text("framework"),
                        .kind = phase_of(reader),
                        .sends_pairs = reader.text("sends") == "pairs",
                        .sharpness = reader.number("sharpness", 1),
                        .network_share = reader.number("network_share", 1e-6),
                        .network_start = reader.number("network_start", 1e-6),
                        .hops = reader.number("hops", -1)};
  for (const Json& each : reader.list("gpus")) {
    const Reader gpu(each, where);
    kernel.gpus.push_back({.name = gpu.text("gpu"),
                           .start = microseconds(gpu.number("start_us", 1e-6)).value(),
                           .share = gpu.number("share", 1e-6)});
  }
  if (kernel.gpus.empty()) reader.refuse("gpus", "at least one GPU");
  kernel.low = ends_of(reader, "low", -1);
  kernel.high = ends_of(reader, "high", 1);
  return kernel;
}

ExchangeCurve curve_of(const Reader& reader) {
  ExchangeCurve curve{.gpu = reader.text("gpu"),
                      .version = reader.text("version"),
                      .ranks = std::int64_t(reader.number("ranks", 2)),
                      .per_domain = std::int64_t(reader.number("per_domain", 1)),
                      .top_k = std::int64_t(reader.number("top_k", 1)),
                      .token_bytes = reader.number("token_bytes", 1),
                      .tokens = reader.numbers("tokens"),
                      .ln = reader.numbers("ln")};
  const bool ascends = std::adjacent_find(curve.tokens.begin(), curve.tokens.end(), std::greater_equal<>()) ==
                       curve.tokens.end();
  if (curve.tokens.size() < 2 || curve.tokens.front() <= 0 || !ascends)
    reader.refuse("tokens", "at least 2 ascending numbers above 0");
  if (curve.ln.size() != curve.tokens.size()) reader.refuse("ln", "a number for each of 'tokens'");
  return curve;
}

double tokens_of(const Collective& op) { return op.size.value() / double(op.top_k) / op.token_bytes.value(); }

struct Sent {
  double inside = 0, across = 0;  // bytes
};

Sent sent_of(const ExchangeKernel& kernel, const Collective& op, const NodeSpan& span) {
  if (kernel.sends_pairs) {
    const double pairs = op.size.value();
    return {pairs * (span.per_domain - 1) / span.ranks, pairs * (span.ranks - span.per_domain) / span.ranks};
  }
  const double once = tokens_of(op) * op.token_bytes.value(), choices = double(op.top_k);
  // To so many of `places` other than the own one a token goes.
  const auto reached = [&](double places) { return (places - 1) * (1 - std::pow(1 - 1 / places, choices)); };
  return {once * reached(span.ranks), span.crosses() ? once * reached(span.ranks / span.per_domain) : 0.0};
}

double form_seconds(const ExchangeKernel& kernel, const Collective& op, const GpuSpec& gpu,
                    const NodeSpan& span) {
  double start = 0, share = 0;
  const auto own = std::find_if(kernel.gpus.begin(), kernel.gpus.end(),
                                [&](const ExchangeKernel::Gpu& each) { return each.name == gpu.name; });
  if (own != kernel.gpus.end()) {
    start = own->start, share = own->share;
  } else {
    for (const ExchangeKernel::Gpu& each : kernel.gpus)
      start += std::log(each.start), share += std::log(each.share);
    start = std::exp(start / double(kernel.gpus.size()));
    share = std::exp(share / double(kernel.gpus.size()));
  }
  const Sent sent = sent_of(kernel, op, span);
  double latency = start * std::max(kLeastHops, 1 + kernel.hops * std::log2(span.ranks / kRanksOfForm));
  if (sent.across > 0) latency *= kernel.network_start;
  double transfer = sent.inside / (share * span.link);
  if (sent.across > 0) transfer += sent.across / (kernel.network_share * span.nic);
  const double p = kernel.sharpness;
  return std::pow(std::pow(latency, p) + std::pow(transfer, p), 1 / p);
}

double value_at(const ExchangeCurve& curve, double tokens) {
  const std::vector<double>&at = curve.tokens, &ln = curve.ln;
  if (tokens <= at.front()) return ln.front();
  if (tokens >= at.back()) return ln.back();
  const auto i = std::size_t(std::lower_bound(at.begin(), at.end(), tokens) - at.begin());
  const double share = std::log(tokens / at[i - 1]) / std::log(at[i] / at[i - 1]);
  return ln[i - 1] + share * (ln[i] - ln[i - 1]);
}

double link_of(std::string_view gpu) {
  static const GpuCatalog catalog;
  const GpuSpec* spec = catalog.find(gpu);
  return spec != nullptr ? spec->link_bandwidth.value() : 0;
}

}  // namespace

ExchangeTable::ExchangeTable(const Json& document, std::string_view where) {
  check_record_version(document, kSchema, kVersion, where);
  const Reader reader(document, std::string(where));
  const std::vector<double> edges = reader.numbers("interval_edges");
  if (edges.size() != edges_.size()) reader.refuse("interval_edges", "2 numbers of tokens");
  std::copy(edges.begin(), edges.end(), edges_.begin());
  for (const Json& each : reader.list("kernels")) {
    const std::string place = fmt::format("{}: kernels[{}]", where, kernels_.size());
    kernels_.push_back(kernel_of(Reader(each, place), place));
  }
  for (const Json& each : reader.list("curves")) {
    const Reader one(each, fmt::format("{}: curves[{}]", where, curves_.size()));
    const ExchangeKernel* kernel = find(one.text("kernel"), phase_of(one));
    if (kernel == nullptr) one.refuse("kernel", "one of 'kernels'");
    curves_.push_back(curve_of(one));
    curves_.back().kernel = std::size_t(kernel - kernels_.data());
  }
}

const ExchangeKernel* ExchangeTable::find(std::string_view kernel, CollectiveKind kind) const {
  for (const ExchangeKernel& each : kernels_)
    if (each.kind == kind && each.kernel == kernel) return &each;
  return nullptr;
}

double ExchangeTable::residual(const ExchangeKernel& kernel, const Collective& op, const GpuSpec& gpu,
                               const NodeSpan& span, ExchangeAnswer& answer) const {
  const auto place = std::size_t(&kernel - kernels_.data());
  const auto crosses = [](const ExchangeCurve& curve) { return curve.ranks > curve.per_domain; };
  const auto of_kernel = [&](const ExchangeCurve& curve) { return curve.kernel == place; };
  const bool any = std::any_of(curves_.begin(), curves_.end(), [&](const ExchangeCurve& curve) {
    return of_kernel(curve) && crosses(curve) == span.crosses();
  });
  const auto fits = [&](const ExchangeCurve& curve) {
    return of_kernel(curve) && (!any || crosses(curve) == span.crosses());
  };
  // The nearest GPU by its link, then the nearest number of ranks; names and smaller numbers come first.
  std::string_view nearest;
  double far = 0;
  for (const ExchangeCurve& curve : curves_) {
    if (!fits(curve)) continue;
    const double distance =
        curve.gpu == gpu.name ? -1 : std::abs(std::log(link_of(curve.gpu) / std::max(1.0, span.link)));
    if (nearest.empty() || distance < far || (distance == far && curve.gpu < nearest))
      nearest = curve.gpu, far = distance;
  }
  std::int64_t ranks = 0;
  double ranks_far = 0;
  for (const ExchangeCurve& curve : curves_) {
    if (!fits(curve) || curve.gpu != nearest) continue;
    const double distance = std::abs(std::log(double(curve.ranks) / span.ranks));
    if (ranks == 0 || distance < ranks_far || (distance == ranks_far && curve.ranks < ranks))
      ranks = curve.ranks, ranks_far = distance;
  }
  answer.gpu_measured = nearest == gpu.name;
  answer.ranks_measured = ranks == op.ranks && any;
  const double tokens = tokens_of(op);
  double total = 0, weight = 0;
  double least = 0, most = 0;
  for (const ExchangeCurve& curve : curves_) {
    if (!fits(curve) || curve.gpu != nearest || curve.ranks != ranks) continue;
    const double bytes = std::log(curve.token_bytes / op.token_bytes.value());
    const double choices = std::log(double(curve.top_k) / double(op.top_k));
    const double own = std::pow(bytes * bytes + choices * choices + kNearness, -kFallOff);
    total += own * value_at(curve, tokens);
    weight += own;
    answer.version = curve.version;
    least = least == 0 ? curve.tokens.front() : std::min(least, curve.tokens.front());
    most = std::max(most, curve.tokens.back());
  }
  answer.outside = tokens < least || tokens > most;
  return weight > 0 ? total / weight : 0;
}

std::optional<ExchangeAnswer> ExchangeTable::answer(std::string_view name, const Collective& op,
                                                    const GpuSpec& gpu) const {
  const ExchangeKernel* kernel = find(name, op.kind);
  if (kernel == nullptr || op.top_k < 1 || op.token_bytes.value() <= 0) return std::nullopt;
  const NodeSpan span = node_span(op, gpu);
  ExchangeAnswer answer{.framework = kernel->framework};
  const double ln = residual(*kernel, op, gpu, span, answer);
  answer.seconds = form_seconds(*kernel, op, gpu, span) * std::exp(ln);
  const auto range =
      std::size_t(std::lower_bound(edges_.begin(), edges_.end(), tokens_of(op)) - edges_.begin());
  const auto take = [&](LeftOut kind) {
    const auto i = std::size_t(kind);
    answer.low = std::min(answer.low, kernel->low[i][range]);
    answer.high = std::max(answer.high, kernel->high[i][range]);
  };
  take(LeftOut::Shape);
  if (!answer.ranks_measured || answer.outside) take(LeftOut::Ranks);
  if (!answer.gpu_measured) take(LeftOut::Gpu);
  return answer;
}

const ExchangeTable& shipped_exchanges() {
  static const ExchangeTable table = from_embedded(
      embedded::exchange_table_files(), "warploom_exchange_curves",
      [](const Json& document, std::string_view where) { return ExchangeTable(document, where); });
  return table;
}

}  // namespace warploom
