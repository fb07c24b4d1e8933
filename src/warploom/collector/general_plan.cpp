#include <array>
#include <cmath>
#include <set>
#include <span>

#include "warploom/collector/sweep_plan.h"

namespace warploom::collector {
namespace {

// The additive recurrence with the generalised golden ratio: as even as known for sizes this small, and any
// beginning of it is even too (M. Roberts, "The unreasonable effectiveness of quasirandom sequences", 2018).
class EvenPoints {
 public:
  explicit EvenPoints(std::uint64_t seed) {
    double ratio = 2;  // the root of x^(d+1) = x + 1 for d axes
    for (int i = 0; i < 40; ++i) ratio = std::pow(1 + ratio, 1.0 / (kAxes + 1));
    double step = 1;
    for (std::size_t a = 0; a < kAxes; ++a) {
      step /= ratio;
      steps_[a] = step;
      at_[a] = std::fmod(0.5 + double(seed % 1009) * 0.6180339887, 1.0);
    }
  }
  void next() {
    for (std::size_t a = 0; a < kAxes; ++a) at_[a] = std::fmod(at_[a] + steps_[a], 1.0);
  }
  // A size between low and high, evenly in its logarithm, a multiple of `unit` from `unit` on.
  std::int64_t size(std::size_t axis, double low, double high, std::int64_t unit = 1) const {
    const double value = low * std::pow(high / low, at_[axis]);
    return std::max<std::int64_t>(unit, std::llround(value / double(unit)) * unit);
  }
  std::int64_t one_of(std::size_t axis, std::span<const std::int64_t> values) const {
    return values[std::min(values.size() - 1, std::size_t(at_[axis] * double(values.size())))];
  }

 private:
  static constexpr std::size_t kAxes = 5;
  std::array<double, kAxes> steps_{}, at_{};
};

class Text {
 public:
  explicit Text(const std::string& family) : text_("{\"family\":\"" + family + "\"") {}
  Text& put(const std::string& name, std::int64_t value) {
    text_ += ",\"" + name + "\":" + std::to_string(value);
    return *this;
  }
  Text& put(const std::string& name, const std::string& word) {
    text_ += ",\"" + name + "\":\"" + word + "\"";
    return *this;
  }
  Text& put_request(std::int64_t count, std::int64_t query, std::int64_t context) {
    text_ += ",\"requests\":[{\"count\":" + std::to_string(count) +
             ",\"query_tokens\":" + std::to_string(query) + ",\"context_tokens\":" + std::to_string(context) +
             "}]";
    return *this;
  }
  std::string close() const { return text_ + "}"; }

 private:
  std::string text_;
};

constexpr std::array<std::int64_t, 5> kKvHeads{1, 2, 4, 8, 16};
constexpr std::array<std::int64_t, 5> kGroups{1, 2, 4, 8, 16};
constexpr std::array<std::int64_t, 2> kHeadDims{64, 128};

std::string gemm_text(const EvenPoints& p, const std::string& scheme) {
  const std::int64_t n = p.size(1, 256, 65536, 128), k = p.size(2, 256, 32768, 128);
  return Text("gemm").put("scheme", scheme).put("m", p.size(0, 1, 16384)).put("n", n).put("k", k).close();
}

// One collective of each kind.
void add_collectives(const EvenPoints& p, int gpus, std::vector<std::string>& texts) {
  std::vector<std::int64_t> ranks;
  for (std::int64_t count = 2; count <= gpus; count *= 2) ranks.push_back(count);
  if (ranks.empty()) return;
  const std::int64_t count = p.one_of(2, ranks);
  for (const char* family : {"allreduce", "allgather", "reduce_scatter", "alltoall", "send_recv"}) {
    const std::int64_t size = p.size(0, 1024, 1 << 30, 16 * count);  // whole 16-byte words of each rank
    texts.push_back(
        Text(family).put("size_bytes", std::min<std::int64_t>(size, 1 << 30)).put("ranks", count).close());
  }
}

// One operator of each family, at the same place of the sequence.
std::vector<std::string> operators_at(const EvenPoints& p) {
  const std::int64_t kv = p.one_of(2, kKvHeads), heads = kv * p.one_of(3, kGroups),
                     dim = p.one_of(4, kHeadDims);
  const std::int64_t query = p.size(0, 16, 16384), most = std::max<std::int64_t>(1, 32768 / query);
  std::vector<std::string> texts;
  for (const char* scheme : {"bf16", "fp8_static", "bf16", "fp16", "int8"})
    texts.push_back(gemm_text(p, scheme));
  texts.push_back(Text("attention_prefill")
                      .put("heads", heads)
                      .put("kv_heads", kv)
                      .put("head_dim", dim)
                      .put_request(p.size(1, 1, double(most)), query, 0)
                      .close());
  const std::int64_t context = p.size(0, 16, 65536), batch = p.size(1, 1, 512);
  texts.push_back(Text("attention_decode")
                      .put("heads", heads)
                      .put("kv_heads", kv)
                      .put("head_dim", dim)
                      .put_request(std::max<std::int64_t>(1, std::min(batch, 4000000 / context)), 1, context)
                      .close());
  const std::int64_t tokens = p.size(0, 1, 16384), width = p.size(1, 512, 32768, 128);
  texts.push_back(Text("rmsnorm").put("tokens", tokens).put("width", width).close());
  texts.push_back(Text("activation").put("tokens", tokens).put("width", width).close());
  texts.push_back(Text("rope")
                      .put("tokens", tokens)
                      .put("heads", heads)
                      .put("kv_heads", kv)
                      .put("head_dim", dim)
                      .close());
  texts.push_back(Text("kv_write").put("tokens", tokens).put("kv_heads", kv).put("head_dim", dim).close());
  texts.push_back(Text("quantize").put("rows", tokens).put("width", width).close());
  constexpr std::array<std::int64_t, 6> kExperts{8, 16, 32, 64, 128, 256};
  constexpr std::array<std::int64_t, 4> kTopK{1, 2, 4, 8};
  texts.push_back(Text("moe")
                      .put("tokens", p.size(0, 1, 8192))
                      .put("hidden", p.size(1, 1024, 8192, 256))
                      .put("intermediate", p.size(2, 256, 8192, 128))
                      .put("experts", p.one_of(3, kExperts))
                      .put("top_k", p.one_of(4, kTopK))
                      .put("routing", "balanced")
                      .close());
  return texts;
}

}  // namespace

std::vector<PlannedCase> general_plan(std::size_t cases, std::uint64_t seed, int gpus) {
  std::vector<PlannedCase> plan;
  std::set<std::string> seen;
  EvenPoints points(seed);
  // Small ranges repeat themselves; a hundred barren rounds mean that nothing new is left.
  for (std::size_t barren = 0; plan.size() < cases && barren < 100;) {
    points.next();
    const std::size_t before = plan.size();
    std::vector<std::string> round = operators_at(points);
    add_collectives(points, gpus, round);
    for (std::string& text : round)
      if (plan.size() < cases && seen.insert(text).second)
        plan.push_back({OperatorText::parse(std::move(text), "general plan"), ""});
    barren = plan.size() == before ? barren + 1 : 0;
  }
  return plan;
}

}  // namespace warploom::collector
