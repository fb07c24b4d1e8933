#include "warploom/kernels/moe/moe_constants.h"

#include <array>
#include <optional>

#include "warploom/kernels/structural_terms.h"

namespace warploom {
namespace {

constexpr std::string_view kSource =
    "centre of the prior, set with fits over all seven measured GPUs in view (decision 0012)";
constexpr std::string_view kBuildSource =
    "centre of the prior: launches and buffers that the kernels' sources show (decision 0012)";

constexpr auto kShared =
    from_source(kSource, std::array{ConstantSpec{"launch_cycles", "clocks", 40e3, 8e3, 150e3, 0.4},
                                    ConstantSpec{"rate_share", "1", 0.75, 0.3, 1.2, 0.2},
                                    ConstantSpec{"dram_share", "1", 0.8, 0.4, 1.1, 0.1},
                                    ConstantSpec{"feed_bytes", "B/clock", 90, 20, 300, 0.3},
                                    ConstantSpec{"step_cycles", "clocks", 0.15, 0.01, 2, 0.7},
                                    ConstantSpec{"prologue_cycles", "clocks", 3000, 200, 20e3, 0.5},
                                    ConstantSpec{"half_rows", "rows", 15, 1, 200, 0.7},
                                    ConstantSpec{"wave_rounding", "1", 0.9, 0.2, 1, 0.2},
                                    ConstantSpec{"resident_share", "1", 0.85, 0.3, 2, 0.3},
                                    ConstantSpec{"l2_bytes", "B/clock/SM", 10, 4, 40, 0.3},
                                    ConstantSpec{"pair_hidden", "1", 0.7, 0.05, 10, 0.7},
                                    ConstantSpec{"pair_width", "1", 0.8, 0.05, 10, 0.7},
                                    ConstantSpec{"token_hidden", "1", 1.0, 0.05, 10, 0.7},
                                    ConstantSpec{"choice_hidden", "1", 0.4, 0.02, 20, 0.7},
                                    ConstantSpec{"choice_width", "1", 0.3, 0.02, 20, 0.7},
                                    ConstantSpec{"chain_cycles", "clocks", 1, 0.05, 20, 0.7},
                                    ConstantSpec{"stream_bytes", "B/clock", 150, 15, 2000, 0.7},
                                    ConstantSpec{"spread_bytes", "B/clock", 30, 5, 400, 0.5},
                                    ConstantSpec{"stacked_dram", "1", 1.15, 0.9, 1.4, 0.1}});

// Factors of a build: of launches, rate, DRAM, feed, prologue, pair passes over hidden and width, choice
// passes over hidden and width.
constexpr std::size_t kPerBuild = 9;
using BuildTable = std::array<ConstantSpec, kPerBuild>;
// Centres say what the sources show: kernels launched against the usual eight, whether activations are
// permuted into a buffer of their own, and whether buffers hold all choices. Sizes were tuned by hand after
// looking at fits over seven GPUs.
constexpr BuildTable build_table(double launch, double pair_hidden, double choice_hidden,
                                 double choice_width) {
  return from_source(kBuildSource,
                     BuildTable{ConstantSpec{"build_launch", "1", launch, 0.1, 5, 0.4},
                                ConstantSpec{"build_rate", "1", 1, 0.2, 2, 0.3},
                                ConstantSpec{"build_dram", "1", 1, 0.2, 1.5, 0.15},
                                ConstantSpec{"build_feed", "1", 1, 0.05, 5, 0.5},
                                ConstantSpec{"build_prologue", "1", 1, 0.05, 10, 0.6},
                                ConstantSpec{"build_pair_hidden", "1", pair_hidden, 0.05, 20, 0.7},
                                ConstantSpec{"build_pair_width", "1", 1, 0.05, 20, 0.7},
                                ConstantSpec{"build_choice_hidden", "1", choice_hidden, 0.02, 50, 0.8},
                                ConstantSpec{"build_choice_width", "1", choice_width, 0.02, 100, 0.8}});
}
constexpr std::array kBuilds{
    build_table(1.0, 0.5, 5.0, 15.0),  // Triton: two products, activation, sums over all choices
    build_table(1.0, 2.0, 0.3, 0.5),   // Cutlass: permutes the pairs of its rank
    build_table(1.0, 2.0, 0.5, 0.5),   // FlashInfer's
    build_table(0.5, 0.5, 0.8, 0.5),   // generated: routing, two products that gather, a sum
    build_table(0.5, 0.5, 0.8, 0.5),   // of least latency
    build_table(1.0, 2.0, 0.5, 0.5),   // DeepGEMM
    build_table(0.75, 1.0, 0.3, 0.5),  // CuteDSL, masked
    build_table(0.8, 0.5, 5.0, 15.0),  // Marlin: buffers like Triton's
    build_table(1.0, 1.0, 1.0, 1.0)};  // TensorRT-LLM's own choice

// Factors of a scheme: of launches, rate, prologue, and of passes over a pair's hidden row (quantising).
constexpr std::size_t kPerScheme = 4;
constexpr std::size_t kSchemes = 6;
constexpr auto kSchemeTable = from_source(
    kSource, std::array<ConstantSpec, kPerScheme>{ConstantSpec{"scheme_launch", "1", 1, 0.3, 4, 0.3},
                                                  ConstantSpec{"scheme_rate", "1", 1, 0.2, 2, 0.25},
                                                  ConstantSpec{"scheme_prologue", "1", 1, 0.1, 10, 0.5},
                                                  ConstantSpec{"scheme_pair_hidden", "1", 1, 0.1, 20, 0.6}});

// Factors of an activation that runs as a kernel of its own.
constexpr double kApartLaunch = 1.25, kApartWidth = 4;

constexpr std::size_t kCount = kShared.size() + kBuilds.size() * kPerBuild + kSchemes * kPerScheme;
static_assert(kCount <= kMaxConstants);

constexpr auto kTable = [] {
  std::array<ConstantSpec, kCount> table{};
  std::size_t at = 0;
  for (const ConstantSpec& spec : kShared) table[at++] = spec;
  for (const BuildTable& build : kBuilds)
    for (const ConstantSpec& spec : build) table[at++] = spec;
  for (std::size_t s = 0; s < kSchemes; ++s)
    for (const ConstantSpec& spec : kSchemeTable) table[at++] = spec;
  return table;
}();

std::size_t scheme_index(MatmulScheme scheme) {
  switch (scheme) {
    case MatmulScheme::Fp8:
    case MatmulScheme::Fp8Static:
    case MatmulScheme::Int8:
      return 1;
    case MatmulScheme::Fp8Block:
      return 2;
    case MatmulScheme::NvFp4:
      return 3;
    case MatmulScheme::MxFp4A8:
      return 4;
    case MatmulScheme::Int8WeightOnly:
    case MatmulScheme::Int4WeightOnly:
    case MatmulScheme::MxFp4A16:
      return 5;
    default:
      return 0;
  }
}

// Which of kBuilds a kernel is; nothing for kernels of other operators.
std::optional<std::size_t> build_index(KnownKernel kernel) {
  switch (kernel) {
    case KnownKernel::MoeTriton:
      return 0;
    case KnownKernel::MoeCutlass:
      return 1;
    case KnownKernel::MoeFlashinferCutlass:
      return 2;
    case KnownKernel::MoeTrtllmGen:
      return 3;
    case KnownKernel::MoeMinLatency:
      return 4;
    case KnownKernel::MoeDeepGemm:
      return 5;
    case KnownKernel::MoeCuteDsl:
      return 6;
    case KnownKernel::MoeMarlin:
      return 7;
    case KnownKernel::MoeTrtllm:
      return 8;
    case KnownKernel::None:
    case KnownKernel::BlockScaledFp8Hopper:
    case KnownKernel::CollectorPrefill:
    case KnownKernel::CollectorDecode:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::span<const ConstantSpec> moe_constants() { return kTable; }

MoeConstants moe_constants_of(KnownKernel kernel, MatmulScheme scheme, const BaseConstants& fitted) {
  MoeConstants c{fitted[0],  fitted[1],  fitted[2],  fitted[3],  fitted[4],  fitted[5],  fitted[6],
                 fitted[7],  fitted[8],  fitted[9],  fitted[10], fitted[11], fitted[12], fitted[13],
                 fitted[14], fitted[15], fitted[16], fitted[17], fitted[18]};
  if (const auto build = build_index(kernel)) {
    const std::size_t at = kShared.size() + *build * kPerBuild;
    c.launch_cycles *= fitted[at];
    c.rate_share *= fitted[at + 1];
    c.dram_share *= fitted[at + 2];
    c.feed_bytes *= fitted[at + 3];
    c.prologue_cycles *= fitted[at + 4];
    c.pair_hidden *= fitted[at + 5];
    c.pair_width *= fitted[at + 6];
    c.choice_hidden *= fitted[at + 7];
    c.choice_width *= fitted[at + 8];
  }
  const std::size_t at = kShared.size() + kBuilds.size() * kPerBuild + scheme_index(scheme) * kPerScheme;
  c.launch_cycles *= fitted[at];
  c.rate_share *= fitted[at + 1];
  c.prologue_cycles *= fitted[at + 2];
  c.pair_hidden *= fitted[at + 3];
  // Generated kernels fuse the activation into the first product, but for block-scaled fp8: a kernel of its
  // own reads both halves, writes and scales them.
  if (kernel == KnownKernel::MoeTrtllmGen && scheme == MatmulScheme::Fp8Block) {
    c.launch_cycles *= kApartLaunch;
    c.pair_width *= kApartWidth;
  }
  return c;
}

}  // namespace warploom
