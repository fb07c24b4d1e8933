// Which tile and split of the inner length a matrix library chooses for a product, ranked by what each would
// cost, with constants learned from the library's own choices (predictor/tile_ranking_fit.h).
//
//   blocks = ceil(m / tile_m) ceil(n / tile_n) splits batch      w = blocks / SMs, W = ceil(w), f = min(1, w)
//   steps  = ceil(ceil(k / depth) / splits)                      depth: 128 bytes of an operand row
//   cost   = sum of constants (>= 0) times
//              W steps * {2 tile_m tile_n depth / rate, tile_m, tile_n, 1}    rounds of the SMs
//              w steps * {the same}, w steps f (tile_m + tile_n)              work, feed where SMs are busy
//              W * {1, tile_m tile_n}                                         prologue, epilogue
//              memory * {1, f^-1/2, f^-1}                                     clocks of DRAM, few SMs pull
//              less splits > 1: {1, splits, 8 splits m n batch / SMs}              reduction
//   score  = taste - sharpness ln(cost)
//
// Every term is a count of clocks or of SMs, so constants learned at some counts of SMs hold at others. Taste
// is what the library prefers whatever it costs: sides in multiples of 16 or 64, tall or wide, splits. The
// chance of a choice is the softmax of the scores over all candidates.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/base/json.h"
#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/operator.h"

namespace warploom {

// Kernels of a library that share tiles and constants.
enum class TileFamily { Half, Fp8, Fp8Block, Int8 };
template <>
struct EnumNames<TileFamily> {
  static constexpr std::array<std::pair<TileFamily, std::string_view>, 4> kNames{
      {{TileFamily::Half, "half"},
       {TileFamily::Fp8, "fp8"},
       {TileFamily::Fp8Block, "fp8_block"},
       {TileFamily::Int8, "int8"}}};
};
inline constexpr std::size_t kTileFamilies = 4;
// The tile family of a product of this scheme; none where the library has no such kernels.
std::optional<TileFamily> tile_family(MatmulScheme scheme);

struct LibraryTile {
  std::int64_t tile_m = 128, tile_n = 128;  // rows and columns of the result
  std::int64_t splits = 1;                  // of the inner length
  friend bool operator==(const LibraryTile&, const LibraryTile&) = default;
};

// A product as the ranking sees it: what of the operator and of the GPU the terms need.
struct TileProblem {
  TileFamily family = TileFamily::Half;
  double m = 1, n = 1, k = 1, batch = 1;
  double operand_bytes = 2, output_bytes = 2;
  double sms = 1;
  double rate = 1;          // FLOP per clock per SM
  double memory_bytes = 1;  // of DRAM per clock, whole GPU

  double steps() const;
  double waves(const LibraryTile& tile) const;  // not rounded
};
// None for schemes without a family. `sms`: as if the GPU had so many, 0 for all it has.
std::optional<TileProblem> tile_problem(const Gemm& op, const GpuSpec& gpu, std::int64_t sms = 0);

inline constexpr std::size_t kTileCosts = 17, kTileTastes = 32;
struct TileTerms {
  std::array<float, kTileCosts> cost{};
  std::array<float, kTileTastes> taste{};
};
extern const std::array<std::string_view, kTileCosts> kTileCostNames;
extern const std::array<std::string_view, kTileTastes> kTileTasteNames;

TileTerms tile_terms(const TileProblem& problem, const LibraryTile& tile);
// What the library offers for the problem: on Hopper one side of 64 to 512 and any multiple of 8 for the
// other (half, fp8), powers of two (int8), 128 x 128 (block scales); splits that leave at least 20 steps
// each. Several hundred; appended to `tiles`.
void add_tile_candidates(const TileProblem& problem, std::vector<LibraryTile>& tiles);

struct TileConstants {
  double sharpness = 30;
  std::array<double, kTileCosts> cost = typical_costs();
  std::array<double, kTileTastes> taste{};

  double score(const TileTerms& terms) const;
  static std::array<double, kTileCosts> typical_costs();
};

struct RankedTile {
  LibraryTile tile;
  double chance = 0;  // that the library chooses it
  double waves = 0;   // not rounded
};

// Constants of every family. Immutable; may be shared by threads.
class TileRanking {
 public:
  // cublasLt 13 as observed on Hopper, linked into the program (data/tiles).
  static const TileRanking& cublas();
  // Throws InvalidInput naming `where` on a document that is no ranking, NotFound in the message what misses.
  static TileRanking from_json(const Json& document, std::string_view where);
  Json to_json() const;
  // Whose choices it was learned from, as a driver names it; empty: not known.
  const std::string& gpu() const { return gpu_; }

  TileConstants& operator[](TileFamily family) { return constants_[std::size_t(family)]; }
  const TileConstants& operator[](TileFamily family) const { return constants_[std::size_t(family)]; }

  // The `most` likeliest, best first; at least one. About 100 us.
  std::vector<RankedTile> rank(const TileProblem& problem, std::size_t most = 1) const;

 private:
  std::array<TileConstants, kTileFamilies> constants_;
  std::string gpu_;
};

// The likeliest tile where cuBLAS serves the product: on Hopper, 16-bit products whose kernel is unknown or a
// plain linear layer of PyTorch, and all whose kernel is named after cuBLAS. None elsewhere.
std::optional<RankedTile> cublas_tile(const Gemm& op, const GpuSpec& gpu, std::string_view kernel = {});

}  // namespace warploom
