// DeepGEMM's MegaMoE: dispatch, experts in mxfp4 and combine in one kernel, on data-centre Blackwell.
//
// data/collectives/mega_moe.json, by tools/fit_megamoe, holds one form for all GPUs and numbers of ranks,
//   time = start + (weights^q + products^q + exchange^q)^(1/q),
// weights: the chosen experts of a rank at the memory's rate; products: its pairs of token and expert at the
// fp8 rate; exchange: its tokens' hidden states, 1 byte out and 2 back, over its link. All ranks wait for the
// busiest, so the load is that rank's. Intervals are those of rows that the fit had not: sizes, numbers of
// ranks, GPUs (each was measured with a layer of its own), skewed choices.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/base/json.h"
#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/operator.h"

namespace warploom {

inline constexpr std::string_view kMegaMoe = "deepgemm_megamoe";

// What a rank is given to do, in seconds at the data sheet's rates.
struct MegaMoeParts {
  double weights = 0, products = 0, exchange = 0;
};
// The experts of `op` by its scheme, tokens, ranks and routing.
MegaMoeParts mega_moe_parts(const FusedMoe& op, const GpuSpec& gpu);

// What was left out of the fit when an interval was found.
enum class MegaMoeLeftOut { Size, Ranks, Gpu, Skew };
inline constexpr std::size_t kMegaMoeLeftOutKinds = 4;

struct MegaMoeAnswer {
  double seconds = 0;
  double low = 0, high = 0;  // ln(p10 / p50), ln(p90 / p50)
  MegaMoeParts parts;        // times the fitted factors
  double start = 0;
  bool measured = false;  // this GPU with this layer and number of ranks was swept
  bool outside = false;   // of the numbers of tokens that were
  std::string_view framework, version;
};

// Immutable.
class MegaMoeTable {
 public:
  // Throws InvalidInput "<where>: ..." on what is missing or does not fit, Unsupported on a newer version.
  MegaMoeTable(const Json& document, std::string_view where);

  // Throws Unsupported by name on a GPU that is no data-centre Blackwell with links, on experts that are not
  // whole on each of several ranks, of another scheme than mxfp4, or too uneven for the kernel. `where`: who
  // asked for the kernel, to begin the message.
  void check(const FusedMoe& op, const GpuSpec& gpu, std::string_view where) const;
  // For what check() lets pass. O(experts).
  MegaMoeAnswer answer(const FusedMoe& op, const GpuSpec& gpu) const;

 private:
  struct Swept {
    std::string gpu, version;
    std::int64_t hidden = 0, intermediate = 0, top_k = 0, experts = 0, ranks = 0;
    std::int64_t least_tokens = 0, most_tokens = 0;  // of a rank
  };
  std::string framework_;
  double start_ = 0, weights_ = 1, products_ = 1, exchange_ = 1, sharpness_ = 1;
  std::array<double, kMegaMoeLeftOutKinds> low_{}, high_{};
  std::vector<Swept> swept_;
};

// As shipped; read once.
const MegaMoeTable& shipped_mega_moe();

}  // namespace warploom
