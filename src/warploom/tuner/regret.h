// How far picks stay behind the best measured configuration of each shape.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "warploom/tuner/runtime_table.h"
#include "warploom/tuner/tile_sample.h"

namespace warploom {

// One shape of an exhaustive measurement.
struct OracleShape {
  TileShape shape;
  std::vector<TileSample> samples;   // every configuration measured there
  std::optional<double> library_us;  // the vendor's library, when measured

  const TileSample& best() const;
  std::optional<double> time_of(const TileConfig& config) const;
};
// Samples grouped by shape, in the order of first appearance. Repeats of one configuration keep the first.
std::vector<OracleShape> oracle_shapes(const TileSamples& samples);

struct ShapeRegret {
  TileShape shape;
  TileConfig picked, best;
  double picked_us = 0, best_us = 0, predicted_us = 0;
  std::optional<double> default_us, library_us;
  double share() const { return best_us / picked_us; }
};

struct RegretSummary {
  std::size_t shapes = 0;
  // best / picked time: 1 = always the best configuration.
  double geo_mean_share = 0, mean_share = 0, worst_share = 0, p10_share = 0;
  double pick_error_median = 0;  // |predicted - measured| / measured of the picked configurations
  // Against the default configuration, where it was measured: default / picked time.
  std::optional<double> geo_mean_speedup, best_speedup, worst_speedup;
};
RegretSummary summarize(std::span<const ShapeRegret> rows);

// Chooses among the configurations measured at the shape: given the shape, the predicted time of each.
using Chooser = std::function<std::vector<double>(const OracleShape&)>;
// Regret of taking the least predicted time.
std::vector<ShapeRegret> regret_of(std::span<const OracleShape> shapes, const Chooser& chooser,
                                   const TileConfig& default_config);

// What answers a shape with a configuration and the time that it predicts.
using Picker = std::function<TilePick(const TileShape&)>;
// Regret of a picker's answers. A pick that the oracle did not measure counts as the worst measured
// configuration. Throws InvalidInput when the oracle measured no configuration that was picked.
std::vector<ShapeRegret> regret_of(const Picker& picker, std::span<const OracleShape> shapes,
                                   const TileConfig& default_config);
// The same, of the table's pick().
std::vector<ShapeRegret> regret_of(const RuntimeTable& table, std::span<const OracleShape> shapes);

// The same, where at most `count` configurations of a shape are timed, as the table's next_to_time() asks for
// them, and its default where it is predicted within kUnsure of the pick, and the fastest is taken. The times
// that choose are those that judge. What the oracle lacks does not run, and does not count.
struct MeasuredRegret {
  std::vector<ShapeRegret> rows;
  double timings = 0;  // in the mean, beside the pick's own; none of a shape where nothing is unsure
};
MeasuredRegret measured_regret_of(const RuntimeTable& table, std::span<const OracleShape> shapes,
                                  std::size_t count);

// Look-up without a model: the best configuration of the nearest shape (logarithmic distance) among those
// measured, as tuned JSON files do.
class NearestShapes {
 public:
  explicit NearestShapes(std::span<const OracleShape> known);

  // The best configuration of the nearest shape whose best one `allowed` lets pass; nothing when none does.
  // O(shapes known).
  template <class Allowed>
  std::optional<TileConfig> pick(const TileShape& shape, const Allowed& allowed) const {
    const Known* nearest = nullptr;
    double least = 0;
    for (const Known& known : known_) {
      const double apart = distance(known, shape);
      if ((nearest == nullptr || apart < least) && allowed(known.best)) {
        least = apart;
        nearest = &known;
      }
    }
    return nearest == nullptr ? std::nullopt : std::optional(nearest->best);
  }

 private:
  struct Known {
    double log_m, log_n, log_k;
    TileConfig best;
  };
  static double distance(const Known& known, const TileShape& shape);

  std::vector<Known> known_;
};
// Throws InvalidInput when no known shape shares a configuration with a judged one.
std::vector<ShapeRegret> nearest_shape_regret(std::span<const OracleShape> known,
                                              std::span<const OracleShape> shapes,
                                              const TileConfig& default_config);

}  // namespace warploom
