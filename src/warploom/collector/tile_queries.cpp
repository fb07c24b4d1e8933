#include <array>
#include <cmath>
#include <set>
#include <tuple>

#include "warploom/collector/tile_dump.h"

namespace warploom::collector {
namespace {

// splitmix64 (Steele, Lea and Flood, 2014).
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t count) { return std::size_t(next() % count); }
  // Evenly in the logarithm, a multiple of `unit`.
  std::int64_t size(double low, double high, std::int64_t unit) {
    const double value = low * std::pow(high / low, double(next() >> 11) * 0x1p-53);
    return std::max<std::int64_t>(unit, std::llround(value / double(unit)) * unit);
  }

 private:
  std::uint64_t state_;
};

// Products of a layer: columns and inner length; `cut` says which of them tensor parallelism divides.
enum class Cut { Columns, Inner, None };
struct Layer {
  std::int64_t n, k;
  Cut cut;
};
// Projections of queries, keys and values, of attention's result, of gate and up, of down, and the head, from
// the models' published configurations.
constexpr std::array kLayers{
    Layer{6144, 4096, Cut::Columns},   Layer{4096, 4096, Cut::Inner},      // Llama 3.1 8B
    Layer{28672, 4096, Cut::Columns},  Layer{4096, 14336, Cut::Inner},     //
    Layer{128256, 4096, Cut::Columns}, Layer{10240, 8192, Cut::Columns},   // Llama 3.1 70B
    Layer{8192, 8192, Cut::Inner},     Layer{57344, 8192, Cut::Columns},   //
    Layer{8192, 28672, Cut::Inner},    Layer{128256, 8192, Cut::Columns},  //
    Layer{18432, 16384, Cut::Columns}, Layer{16384, 53248, Cut::Inner},    // Llama 3.1 405B
    Layer{4608, 3584, Cut::Columns},   Layer{3584, 3584, Cut::Inner},      // Qwen2.5 7B
    Layer{37888, 3584, Cut::Columns},  Layer{3584, 18944, Cut::Inner},     //
    Layer{152064, 3584, Cut::Columns}, Layer{24576, 4096, Cut::Columns},   // Qwen3 8B
    Layer{4096, 12288, Cut::Inner},    Layer{10240, 5120, Cut::Columns},   // Qwen3 32B
    Layer{5120, 8192, Cut::Inner},     Layer{51200, 5120, Cut::Columns},   //
    Layer{5120, 25600, Cut::Inner},    Layer{151936, 5120, Cut::Columns},  //
    Layer{6144, 5120, Cut::Columns},   Layer{5120, 4096, Cut::Inner},      // Mistral Small 24B
    Layer{65536, 5120, Cut::Columns},  Layer{5120, 32768, Cut::Inner},     //
    Layer{43008, 5376, Cut::Columns},  Layer{5376, 21504, Cut::Inner},     // Gemma 3 27B
    Layer{2112, 7168, Cut::None},      Layer{24576, 1536, Cut::Columns},   // DeepSeek V3
    Layer{32768, 512, Cut::Columns},   Layer{7168, 16384, Cut::Inner},     //
    Layer{36864, 7168, Cut::Columns},  Layer{7168, 18432, Cut::Inner},     //
    Layer{5120, 2880, Cut::Columns},   Layer{2880, 4096, Cut::Inner},      // gpt-oss
    Layer{7680, 5120, Cut::Columns},   Layer{35840, 5120, Cut::Columns}};  // Phi-4

struct Kind {
  const char* scheme;
  const char* layout;
};
constexpr std::array<Kind, 12> kKinds{{{"bf16", "tn"},
                                       {"fp8_static", "tn"},
                                       {"bf16", "tn"},
                                       {"int8", "tn"},
                                       {"bf16", "tn"},
                                       {"fp8_static", "tn"},
                                       {"fp16", "tn"},
                                       {"bf16", "nn"},
                                       {"bf16", "tn"},
                                       {"fp8_static", "tn"},
                                       {"bf16", "tn"},
                                       {"fp8_block", "tn"}}};

// Every third a batch as engines capture it (a power of two or a multiple of eight).
std::int64_t rows(Draws& draws) {
  const std::int64_t m = draws.size(1, 16384, 1);
  switch (draws.below(3)) {
    case 0:
      return m;
    case 1:
      return (m + 7) / 8 * 8;
    default:
      return std::int64_t(1) << std::llround(std::log2(double(m)));
  }
}

}  // namespace

std::vector<TileQuery> tile_queries(std::size_t count, std::uint64_t seed) {
  constexpr std::array<std::int64_t, 5> kUnits{256, 128, 64, 64, 16};
  Draws draws(seed);
  std::vector<TileQuery> queries;
  std::set<std::tuple<std::string, std::string, std::int64_t, std::int64_t, std::int64_t>> seen;
  for (std::size_t i = 0; queries.size() < count; ++i) {
    // Kinds change every other draw, so that each meets both sorts of sizes.
    const Kind& kind = kKinds[i / 2 % kKinds.size()];
    TileQuery query{kind.scheme, kind.layout, rows(draws), 0, 0};
    if (i % 2 == 0) {
      query.n = draws.size(256, 65536, kUnits[draws.below(kUnits.size())]);
      query.k = draws.size(128, 32768, kUnits[draws.below(kUnits.size())]);
    } else {
      const Layer& layer = kLayers[draws.below(kLayers.size())];
      const auto parts = std::int64_t(1) << draws.below(4);
      query.n = layer.cut == Cut::Columns ? layer.n / parts : layer.n;
      query.k = layer.cut == Cut::Inner ? layer.k / parts : layer.k;
    }
    // Products of int8 take whole words of rows.
    if (query.scheme == "int8") query.m = (query.m + 3) / 4 * 4;
    if (seen.emplace(query.scheme, query.layout, query.m, query.n, query.k).second)
      queries.push_back(std::move(query));
  }
  return queries;
}

}  // namespace warploom::collector
