#include "warploom/judge/regret/fit_record_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/json_members.h"
#include "warploom/base/statistics.h"
#include "warploom/fused_moe/engine_default.h"
#include "warploom/fused_moe/voted_configs.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/tuned_files/timed_rows.h"
#include "warploom/tuner/block_scales.h"
#include "warploom/tuner/legality.h"
#include "warploom/tuner/modelled_times.h"
#include "warploom/tuner/pick_share.h"
#include "warploom/tuner/record_model.h"
#include "warploom/tuner/regret.h"

namespace warploom {
namespace {

constexpr std::int64_t kBlock = 128;
// Rules tried: us, and operations of an element.
constexpr double kMostLoad = 1.5, kLoadStep = 0.125;
constexpr double kFewestOperations = 2, kMostOperations = 6, kOperationStep = 0.5;
// Rules whose shares differ by less than this are alike; of those the least residual is taken.
constexpr double kAlike = 0.002;
// Errors that a rule is tried with.
constexpr std::array<TimeErrors, 4> kTriedErrors{{{0.05, 0.03}, {0.08, 0.05}, {0.11, 0.07}, {0.14, 0.09}}};
// Configurations beyond this factor of a shape's best say nothing of a pick.
constexpr double kNear = 1.5;
// Scales of the errors tried, and the share of shapes that p10 and p90 should hold.
constexpr double kLeastScale = 0.4, kMostScale = 2.5, kScaleStep = 0.05, kHeld = 0.8;

// One shape: each configuration's ln(us), measured and estimated.
struct Shape {
  std::vector<TileConfig> configs;
  std::vector<double> measured, estimated;
  std::size_t usual = std::numeric_limits<std::size_t>::max();  // what is launched without a file, if here

  void add(const TileConfig& config, double us, double estimate) {
    configs.push_back(config);
    measured.push_back(std::log(us));
    estimated.push_back(std::log(estimate));
  }
  // As rows of tuned files choose (tuned_files/sure_rows.cpp).
  std::size_t pick(const TimeErrors& errors) const {
    const auto least = std::size_t(std::min_element(estimated.begin(), estimated.end()) - estimated.begin());
    if (usual >= configs.size()) return least;
    const double gain = estimated[usual] - estimated[least];
    return clearly_faster(gain, configs[least], configs[usual], errors) ? least : usual;
  }
  double best() const { return *std::min_element(measured.begin(), measured.end()); }
  double share(const TimeErrors& errors) const { return std::exp(best() - measured[pick(errors)]); }
  std::vector<std::size_t> near() const {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < measured.size(); ++i)
      if (measured[i] <= best() + std::log(kNear)) places.push_back(i);
    return places;
  }
  // measured - estimated of the near ones, less its mean.
  std::vector<double> deviations(const std::vector<std::size_t>& places) const {
    std::vector<double> left;
    for (const std::size_t i : places) left.push_back(measured[i] - estimated[i]);
    const double centre = mean(left);
    for (double& one : left) one -= centre;
    return left;
  }
};

// us of every configuration of a product, by shape.
using BlockTimes = std::map<TileShape, std::vector<LaunchTime>>;

BlockTimes block_times(const std::filesystem::path& path, const GpuSpec& gpu) {
  BlockTimes found;
  for (const LaunchTime& time : read_launch_times(path, gpu.device_name))
    if (time.kernel == TunedKernel::BlockProduct) found[{time.tokens, time.n, time.k}].push_back(time);
  return found;
}

// As a row of a tuned file estimates: the geometric mean over the token counts that look its key up.
std::vector<double> key_times(const WaveModel& model, const TileShape& at) {
  const auto place = std::find(kMoeLadder.begin(), kMoeLadder.end(), at.m);
  if (place == kMoeLadder.end())
    throw InvalidInput(fmt::format("block products: {} tokens, expected a key of tuned files", at.m));
  const std::vector<std::int64_t> counts = judged_tokens(std::size_t(place - kMoeLadder.begin()));
  std::vector<double> logs(model.configs.size(), 0.0);
  for (const std::int64_t tokens : counts) {
    const std::vector<double> us = modelled_times(model, {tokens, at.n, at.k});
    for (std::size_t i = 0; i < us.size(); ++i) logs[i] += std::log(us[i]) / double(counts.size());
  }
  for (double& one : logs) one = std::exp(one);
  return logs;
}

std::vector<Shape> block_shapes(const BlockTimes& times, const GpuSpec& gpu, const BlockScaleRule& rule) {
  const MoeConfig usual = product_default(MoeEngine::Vllm, kBlock, kBlock);
  const TileKernel kernel{.name = "block_fp8_product", .operand_bytes = 1, .group_rows = usual.group_m};
  WaveModel model = model_from_record(
      kernel, gpu, legal_space(kernel, TileGpu::from(gpu), default_axes(TileKernelKind::Gemm)));
  add_block_scales(model, gpu, kBlock, rule);
  std::vector<Shape> shapes;
  for (const auto& [at, of_shape] : times) {
    const std::vector<double> us = key_times(model, at);
    Shape shape;
    for (std::size_t i = 0; i < us.size(); ++i)
      for (const LaunchTime& time : of_shape)
        if (time.config.tile == model.configs[i].config) {
          if (time.config == usual) shape.usual = shape.configs.size();
          shape.add(time.config.tile, time.us, us[i]);
        }
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

std::vector<Shape> plain_shapes(const std::filesystem::path& path, const TileKernel& kernel,
                                const GpuSpec& gpu) {
  const WaveModel model =
      model_from_record(kernel, gpu, legal_space(kernel, TileGpu::from(gpu), default_axes(kernel.kind)));
  const std::vector<std::filesystem::path> paths{path};
  std::vector<Shape> shapes;
  for (const OracleShape& oracle : oracle_shapes(read_tile_samples(paths))) {
    Shape shape;
    const std::vector<double> us = modelled_times(model, oracle.shape);
    for (std::size_t i = 0; i < us.size(); ++i)
      if (const auto time = oracle.time_of(model.configs[i].config))
        shape.add(model.configs[i].config, *time, us[i]);
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

// Every configuration of some shapes on one GPU.
struct GpuSets {
  const GpuSpec* gpu = nullptr;
  BlockTimes blocks;
  std::vector<Shape> plain;
};

GpuSets read_sets(const std::filesystem::path& fixtures, const Json& sets, const GpuCatalog& catalog) {
  const std::string where = "record_sets.json";
  const TileKernel narrow{.operand_bytes = 1},
      grouped{.kind = TileKernelKind::GroupedGemm, .experts = 16, .top_k = 2};
  GpuSets found{.gpu = &catalog.get(required_text(sets, "gpu", where)), .blocks = {}, .plain = {}};
  found.blocks = block_times(fixtures / required_text(sets, "block_products", where), *found.gpu);
  const Json& plain = required_member(sets, "plain", where);
  const auto add = [&](std::string_view name, const TileKernel& kernel) {
    for (Shape& shape : plain_shapes(fixtures / required_text(plain, name, where), kernel, *found.gpu))
      found.plain.push_back(std::move(shape));
  };
  add("gemm", {});
  add("gemm_fp8", narrow);
  add("grouped", grouped);
  return found;
}

// Root mean squares of what tiles deviate by, and configurations from their tile.
TimeErrors deviations(const std::vector<Shape>& shapes) {
  double tile_sum = 0, tile_count = 0, knob_sum = 0, knob_count = 0;
  for (const Shape& shape : shapes) {
    const std::vector<std::size_t> near = shape.near();
    const std::vector<double> left = shape.deviations(near);
    std::vector<bool> done(near.size(), false);
    for (std::size_t i = 0; i < near.size(); ++i) {
      if (done[i]) continue;
      std::vector<double> of_tile;
      for (std::size_t k = i; k < near.size(); ++k)
        if (same_macro(shape.configs[near[i]], shape.configs[near[k]])) {
          of_tile.push_back(left[k]);
          done[k] = true;
        }
      const double centre = mean(of_tile);
      tile_sum += centre * centre;
      ++tile_count;
      for (const double one : of_tile) knob_sum += (one - centre) * (one - centre);
      knob_count += double(of_tile.size() - 1);
    }
  }
  return {.tile = std::sqrt(tile_sum / tile_count), .knob = std::sqrt(knob_sum / std::max(1.0, knob_count))};
}

RecordJudged judged(const std::vector<Shape>& shapes, const TimeErrors& errors) {
  RecordJudged found{.shapes = shapes.size()};
  double log_share = 0, squares = 0, count = 0;
  for (const Shape& shape : shapes) {
    const double share = shape.share(errors);
    log_share += std::log(share);
    found.worst_share = std::min(found.worst_share, share);
    for (const double left : shape.deviations(shape.near())) {
      squares += left * left;
      ++count;
    }
    const PickShare said = share_of_best(shape.configs, shape.estimated, shape.pick(errors), errors);
    found.inside += share >= said.p10 && share <= said.p90 ? 1 : 0;
    found.above_p10 += share >= said.p10 ? 1 : 0;
  }
  const auto shapes_count = double(shapes.size());
  found.geo_mean_share = std::exp(log_share / shapes_count);
  found.residual = std::sqrt(squares / count);
  found.inside /= shapes_count;
  found.above_p10 /= shapes_count;
  return found;
}

// By the share that rows of files reach, which leave the default only where it is clearly slower: the least
// estimate alone does not say by how much the default's two stages are slower. A rule must do well whatever
// errors are fitted to it later.
BlockScaleRule fitted_rule(const BlockTimes& times, const GpuSpec& gpu) {
  struct Tried {
    BlockScaleRule rule;
    double share = 0, residual = 0;
  };
  std::vector<Tried> all;
  double most = 0;
  for (double load = 0; load <= kMostLoad; load += kLoadStep)
    for (double operations = kFewestOperations; operations <= kMostOperations; operations += kOperationStep) {
      Tried tried{.rule = {.load_us = load, .tile_operations = operations}};
      const std::vector<Shape> shapes = block_shapes(times, gpu, tried.rule);
      for (const TimeErrors& errors : kTriedErrors) {
        const RecordJudged found = judged(shapes, errors);
        tried.share += found.geo_mean_share / double(kTriedErrors.size());
        tried.residual = found.residual;
      }
      most = std::max(most, tried.share);
      all.push_back(tried);
    }
  std::erase_if(all, [&](const Tried& tried) { return tried.share < most - kAlike; });
  return std::min_element(all.begin(), all.end(),
                          [](const Tried& a, const Tried& b) { return a.residual < b.residual; })
      ->rule;
}

double rounded(double value) { return std::round(value * 1e3) / 1e3; }

// The deviations, scaled until their intervals hold as many shares as they say. p90 is 1 nearly everywhere,
// so that as many lie inside as above p10: scales between what the one and the other ask for are alike, and
// the middle one is taken.
TimeErrors fitted_errors(const std::vector<Shape>& shapes) {
  const TimeErrors raw = deviations(shapes);
  std::vector<TimeErrors> alike;
  double least = std::numeric_limits<double>::infinity();
  for (double scale = kLeastScale; scale <= kMostScale; scale += kScaleStep) {
    const TimeErrors errors{.tile = rounded(scale * raw.tile), .knob = rounded(scale * raw.knob)};
    const RecordJudged found = judged(shapes, errors);
    const double off = std::abs(found.inside - kHeld) + std::abs(found.above_p10 - (1 + kHeld) / 2);
    if (off > least + 1e-9) continue;
    if (off < least - 1e-9) alike.clear();
    least = std::min(least, off);
    alike.push_back(errors);
  }
  return alike[alike.size() / 2];
}

Json judged_json(std::string_view gpu, const RecordJudged& found) {
  return {{"gpu", gpu},
          {"shapes", found.shapes},
          {"geo_mean_share", rounded(found.geo_mean_share)},
          {"worst_share", rounded(found.worst_share)},
          {"residual", rounded(found.residual)},
          {"inside", rounded(found.inside)},
          {"above_p10", rounded(found.above_p10)}};
}

Json errors_json(const RecordFit& fit, const TimeErrors& errors, const RecordJudged& fitted,
                 const RecordJudged& unseen) {
  return {{"tile", errors.tile},
          {"knob", errors.knob},
          {"fitted_on", judged_json(fit.fitted_gpu, fitted)},
          {"unseen", judged_json(fit.unseen_gpu, unseen)}};
}

}  // namespace

RecordFit fit_record_rules(const std::filesystem::path& fixtures) {
  const GpuCatalog catalog;
  const Json sets = read_json_file(fixtures / "record_sets.json");
  const GpuSets fitted = read_sets(fixtures, required_member(sets, "fitted", "record_sets.json"), catalog),
                unseen = read_sets(fixtures, required_member(sets, "unseen", "record_sets.json"), catalog);
  RecordFit fit;
  fit.fitted_gpu = fitted.gpu->name;
  fit.unseen_gpu = unseen.gpu->name;
  RecordRules& rules = fit.rules;
  rules.plain = fitted_errors(fitted.plain);
  rules.block_scales = fitted_rule(fitted.blocks, *fitted.gpu);
  const std::vector<Shape> blocks = block_shapes(fitted.blocks, *fitted.gpu, rules.block_scales);
  rules.block_products = fitted_errors(blocks);
  fit.plain_fitted = judged(fitted.plain, rules.plain);
  fit.plain_unseen = judged(unseen.plain, rules.plain);
  fit.blocks_fitted = judged(blocks, rules.block_products);
  fit.blocks_unseen =
      judged(block_shapes(unseen.blocks, *unseen.gpu, rules.block_scales), rules.block_products);
  return fit;
}

Json record_rules_json(const RecordFit& fit, const std::filesystem::path& fixtures) {
  const RecordRules& rules = fit.rules;
  return {
      {"schema", "warploom_record_rules"},
      {"version", 1},
      {"created_by", "warploom-judge --fit-record-rules"},
      {"block_scales",
       {{"load_us", rules.block_scales.load_us},
        {"tile_operations", rules.block_scales.tile_operations},
        {"measured", read_json_file(fixtures / "block_products/measured.json")}}},
      {"errors",
       {{"plain", errors_json(fit, rules.plain, fit.plain_fitted, fit.plain_unseen)},
        {"block_products", errors_json(fit, rules.block_products, fit.blocks_fitted, fit.blocks_unseen)}}}};
}

std::string record_fit_text(const RecordFit& fit) {
  const RecordRules& rules = fit.rules;
  std::string text = fmt::format("blocks: load {} us, {} operations an element\n", rules.block_scales.load_us,
                                 rules.block_scales.tile_operations);
  const auto add = [&](std::string_view name, const TimeErrors& errors, const RecordJudged& found) {
    text += fmt::format(
        "{}: tiles {:.3f}, knobs {:.3f}; {} shapes, share of the best {:.1f} %, worst {:.1f}, residual "
        "{:.3f}, {:.0f} % inside p10 and p90, {:.0f} % above p10\n",
        name, errors.tile, errors.knob, found.shapes, 100 * found.geo_mean_share, 100 * found.worst_share,
        found.residual, 100 * found.inside, 100 * found.above_p10);
  };
  add("blocks, fitted on " + fit.fitted_gpu, rules.block_products, fit.blocks_fitted);
  add("blocks, unseen, " + fit.unseen_gpu, rules.block_products, fit.blocks_unseen);
  add("plain, fitted on " + fit.fitted_gpu, rules.plain, fit.plain_fitted);
  add("plain, unseen, " + fit.unseen_gpu, rules.plain, fit.plain_unseen);
  return text;
}

}  // namespace warploom
