// What a matrix library chooses for a product: its tile, split and cluster, asked without timing anything,
// and for a few products how long its next choices take.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/collector/device.h"
#include "warploom/collector/sampler.h"

namespace warploom::collector {

// Y[m, n] = X[m, k] W; "tn": W is stored [n, k], as engines do; "nn": [k, n].
struct TileQuery {
  std::string scheme = "bf16", layout = "tn";
  std::int64_t m = 1, n = 1, k = 1;
  friend bool operator==(const TileQuery&, const TileQuery&) = default;
};

// One algorithm of the library. Rows of a tile are rows of Y, whatever the library calls them.
struct TileChoice {
  int rank = 0;  // 0: what the library would run
  int algorithm = 0;
  std::int64_t tile_m = 0, tile_n = 0;
  std::string stages;  // "64x4": inner length of a stage x stages; AUTO where the library does not say
  int cluster_m = 1, cluster_n = 1, split_k = 1, swizzle = 0, custom = 0;
  double waves = 0;                // as the library counts them
  std::string kernel;              // names of the kernels it launches, joined by '+'; "" when not looked up
  std::string grid;                // blocks of the first, "x*y*z"
  std::shared_ptr<const void> id;  // for TileLibrary::prepare
};

class TileLibrary {
 public:
  virtual ~TileLibrary() = default;
  // The library's first `most` choices, best first, as if the GPU had `sms` SMs (0: all it has). Throws
  // Unmeasurable when the library has none.
  virtual std::vector<TileChoice> choices(const TileQuery& query, int sms, int most) = 0;
  // Fills kernel and grid; leaves them empty where the driver does not tell.
  virtual void name_kernels(const TileQuery& query, TileChoice& choice) = 0;
  // Weights cold, inputs warm, as in a sweep. Throws Unmeasurable.
  virtual std::unique_ptr<PreparedCase> prepare(const TileQuery& query, const TileChoice& choice) = 0;
};

// Sizes spread evenly over their logarithms, and layers of language models cut for 1 to 8 GPUs, by turns;
// types and layouts as often as engines use them. Equal seeds give equal queries; none comes twice.
std::vector<TileQuery> tile_queries(std::size_t count, std::uint64_t seed);

struct TileDumpOptions {
  std::vector<int> sms;     // counts to ask for besides that of the GPU
  std::size_t timed = 400;  // queries, the first, of which choices are timed
  int ranks = 8;            // different (tile, split) timed of each
  double seconds = 600;
  SamplingOptions sampling;
};

struct TileDumpSummary {
  std::size_t rows = 0, timings = 0;
  bool complete = false;
  std::map<std::string, std::size_t> without;  // queries by the reason why the library has nothing
};

// Writes the CSV `path`: a line of names, then a row for each query and count of SMs (latency_us empty), then
// those of the timed queries. Columns: gpu, sms (asked for), library, scheme, layout, m, n, k, rank, tile_m,
// tile_n, stages, cluster_m, cluster_n, split_k, swizzle, algorithm, custom, library_waves, kernel, grid,
// latency_us, half_width (of the median's 95 % interval over it). Throws FileFailure, DeviceLost.
TileDumpSummary dump_tiles(TileLibrary& library, const DeviceFacts& facts, const std::string& version,
                           const std::vector<TileQuery>& queries, const TileDumpOptions& options,
                           const std::filesystem::path& path, const std::atomic<bool>& stop,
                           const std::function<void(std::string_view)>& note);

}  // namespace warploom::collector
