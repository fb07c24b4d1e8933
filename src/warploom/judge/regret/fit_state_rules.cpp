#include "warploom/judge/regret/fit_state_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "warploom/base/csv.h"
#include "warploom/base/error.h"
#include "warploom/base/json_members.h"
#include "warploom/base/statistics.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/tuned_files/state_launches.h"
#include "warploom/tuner/pick_share.h"

namespace warploom {
namespace {

constexpr const char* kAbout = "measured.json";  // what the times were measured with
// Rules are fitted to states so wide; others judge.
constexpr std::int64_t kFittedState = 128;
// Configurations beyond this factor of a state's best say nothing of a pick.
constexpr double kNear = 1.5;
// Errors that are stated are so many times those of all states together, since other GPUs were not seen.
constexpr double kUnseenGpus = 1.5;
// Searches start at these rules, and steps end at a value's resolution.
constexpr std::array<double, 3> kLaunches{1, 1.5, 2}, kOperationsTried{2, 8, 16};
constexpr std::array<double, 2> kWarpsTried{200, 280};
constexpr double kMemoryTried = 0.8, kSharpnessTried = 4;
// Rules whose shares differ by less than this are alike; of those the one of least errors is taken.
constexpr double kAlike = 0.002;
struct Searched {
  double StateRules::*value;
  double step, resolution;
};
constexpr std::array<Searched, 5> kSearched{{{&StateRules::launch_us, 0.4, 0.05},
                                             {&StateRules::memory_reached, 0.08, 0.01},
                                             {&StateRules::operations, 0.8, 0.1},
                                             {&StateRules::warp_instructions, 80, 10},
                                             {&StateRules::sharpness, 2, 0.5}}};

struct Launch {
  TileConfig config;
  double us = 0;
};

struct State {
  StateUpdate sizes;
  std::int64_t pairs = 0;
  std::vector<Launch> launches;

  double best() const {
    return std::min_element(launches.begin(), launches.end(),
                            [](const Launch& a, const Launch& b) { return a.us < b.us; })
        ->us;
  }
};

// "headdim=64 dstate=128 dtype=float32 heads=64 batch=1"
State state_named(const std::string& name, const CsvReader& csv, std::size_t column) {
  int head = 0, state = 0, heads = 0, batch = 0;
  std::array<char, 16> dtype{};
  if (std::sscanf(name.c_str(), "headdim=%d dstate=%d dtype=%15s heads=%d batch=%d", &head, &state,
                  dtype.data(), &heads, &batch) != 5)
    throw InvalidInput(fmt::format("{}: '{}', expected headdim=.. dstate=.. dtype=.. heads=.. batch=..",
                                   csv.where(column), name));
  return {.sizes = {.head_dim = head, .state = state, .state_bytes = dtype[0] == 'f' ? 4 : 2},
          .pairs = std::int64_t{heads} * batch,
          .launches = {}};
}

// Leaves those that rows of a file may have: others keep a state in memory instead of registers.
void keep_launched(State& state, const GpuSpec& gpu) {
  const std::vector<MoeConfig> known = state_launches(state.sizes, gpu).front().configs;
  std::erase_if(state.launches, [&](const Launch& launch) {
    return std::find(known.begin(), known.end(), MoeConfig{.tile = launch.config}) == known.end();
  });
}

std::vector<State> read_states(const std::filesystem::path& path, const GpuSpec& gpu) {
  CsvReader csv(path);
  const std::size_t family = csv.column("family"), subject = csv.column("subject"),
                    config = csv.column("config"), us = csv.column("median_us");
  std::map<std::string, State> states;
  while (csv.next()) {
    if (csv.cell(family) != "state_update" || csv.real(us) <= 0) continue;
    const std::string name(csv.cell(subject)), text(csv.cell(config));
    int rows = 0, warps = 0;
    if (std::sscanf(text.c_str(), "%dx%d", &rows, &warps) != 2)
      throw InvalidInput(fmt::format("{}: '{}', expected ROWSxWARPS", csv.where(config), text));
    State& state = states.try_emplace(name, state_named(name, csv, subject)).first->second;
    const TileConfig tile{.tile_m = rows,
                          .tile_n = static_cast<std::int32_t>(state.sizes.state),
                          .tile_k = 1,
                          .warps = warps,
                          .stages = 1};
    state.launches.push_back({.config = tile, .us = csv.real(us)});
  }
  std::vector<State> found;
  for (auto& [_, state] : states) {
    keep_launched(state, gpu);
    found.push_back(std::move(state));
  }
  if (found.empty()) throw InvalidInput(path.string() + ": no state_update in it, expected some");
  return found;
}

double residual(const State& state, const Launch& launch, const StateRules& rules, const GpuSpec& gpu) {
  return std::log(launch.us / state_update_us(state.sizes, launch.config, state.pairs, gpu, rules));
}

double cost(const std::vector<State>& states, const StateRules& rules, const GpuSpec& gpu) {
  double sum = 0;
  for (const State& state : states) {
    const double most = kNear * state.best();
    for (const Launch& launch : state.launches) {
      if (launch.us > most) continue;
      const double error = residual(state, launch, rules, gpu);
      sum += error * error;
    }
  }
  return sum;
}

// Downhill, one value at a time, by steps that are halved where none helps.
StateRules downhill(const std::vector<State>& states, StateRules best, const GpuSpec& gpu) {
  double least = cost(states, best, gpu);
  for (double scale = 1; scale >= 1.0 / 8;) {
    bool better = false;
    for (const Searched& one : kSearched)
      for (const double sign : {-1.0, 1.0}) {
        StateRules tried = best;
        tried.*one.value += sign * std::max(one.resolution, scale * one.step);
        if (tried.*one.value <= 0) continue;
        const double found = cost(states, tried, gpu);
        if (found < least) least = found, best = tried, better = true;
      }
    if (!better) scale /= 2;
  }
  for (const Searched& one : kSearched)
    best.*one.value = std::round(best.*one.value / one.resolution) * one.resolution;
  return best;
}

// As rows of tuned files choose (tuned_files/sure_rows.cpp).
const Launch& pick(const State& state, const StateRules& rules, const GpuSpec& gpu) {
  const auto priced = [&](const Launch& launch) {
    return state_update_us(state.sizes, launch.config, state.pairs, gpu, rules);
  };
  const Launch& least =
      *std::min_element(state.launches.begin(), state.launches.end(),
                        [&](const Launch& a, const Launch& b) { return priced(a) < priced(b); });
  const TileConfig usual = default_state_launch(state.sizes, gpu).tile;
  const auto found = std::find_if(state.launches.begin(), state.launches.end(),
                                  [&](const Launch& launch) { return launch.config == usual; });
  if (found == state.launches.end()) return least;
  const double gain = std::log(priced(*found) / priced(least));
  return clearly_faster(gain, least.config, usual, rules.errors) ? least : *found;
}

StateJudged judged(const std::vector<State>& states, const StateRules& rules, const GpuSpec& gpu) {
  StateJudged found{.states = states.size()};
  double shares = 0, levels = 0, tiles = 0, knobs = 0, tile_count = 0, launch_count = 0;
  for (const State& state : states) {
    std::map<std::int32_t, std::vector<double>> by_rows;
    const double best = state.best();
    const double picked = pick(state, rules, gpu).us;
    std::vector<double> all;
    for (const Launch& launch : state.launches) {
      const double priced = state_update_us(state.sizes, launch.config, state.pairs, gpu, rules);
      if (launch.us > kNear * best) continue;
      all.push_back(std::log(launch.us / priced));
      by_rows[launch.config.tile_m].push_back(all.back());
    }
    const double level = mean(all);
    levels += level * level;
    for (const auto& [_, of_rows] : by_rows) {
      const double here = mean(of_rows);
      tiles += (here - level) * (here - level);
      ++tile_count;
      for (const double one : of_rows) knobs += (one - here) * (one - here), ++launch_count;
    }
    shares += std::log(best / picked);
    found.worst_share = std::min(found.worst_share, best / picked);
  }
  found.geo_mean_share = std::exp(shares / double(states.size()));
  found.level = std::sqrt(levels / double(states.size()));
  found.tile = std::sqrt(tiles / tile_count);
  found.knob = std::sqrt(knobs / launch_count);
  return found;
}

double to_thousandths(double value) { return std::round(value * 1e3) / 1e3; }

void set_errors(StateRules& rules, const std::vector<State>& states, const GpuSpec& gpu) {
  const StateJudged seen = judged(states, rules, gpu);
  rules.errors = {.tile = to_thousandths(kUnseenGpus * seen.tile),
                  .knob = to_thousandths(kUnseenGpus * seen.knob)};
}

// The rules whose rows are the fastest; of those alike the ones that err least.
StateRules best_rules(const std::vector<State>& states, const GpuSpec& gpu) {
  std::vector<std::pair<double, StateRules>> found;  // by share
  for (const double launch : kLaunches)
    for (const double operations : kOperationsTried)
      for (const double warps : kWarpsTried) {
        StateRules rules = downhill(states,
                                    {.launch_us = launch,
                                     .memory_reached = kMemoryTried,
                                     .operations = operations,
                                     .warp_instructions = warps,
                                     .sharpness = kSharpnessTried,
                                     .errors = {}},
                                    gpu);
        set_errors(rules, states, gpu);
        found.emplace_back(judged(states, rules, gpu).geo_mean_share, rules);
      }
  const double most = std::max_element(found.begin(), found.end(), [](const auto& a, const auto& b) {
                        return a.first < b.first;
                      })->first;
  std::erase_if(found, [&](const auto& one) { return one.first < most - kAlike; });
  return std::min_element(found.begin(), found.end(),
                          [&](const auto& a, const auto& b) {
                            return cost(states, a.second, gpu) < cost(states, b.second, gpu);
                          })
      ->second;
}

Json judged_json(const StateJudged& of) {
  return {{"states", of.states},
          {"geo_mean_share", to_thousandths(of.geo_mean_share)},
          {"worst_share", to_thousandths(of.worst_share)},
          {"level", to_thousandths(of.level)},
          {"tile", to_thousandths(of.tile)},
          {"knob", to_thousandths(of.knob)}};
}

}  // namespace

StateFit fit_state_rules(const std::filesystem::path& fixtures) {
  static const GpuCatalog gpus;
  const std::filesystem::path about = fixtures / kAbout;
  const GpuSpec& gpu = gpus.get(required_text(read_json_file(about), "gpu", about.string()));
  std::vector<State> fitted, unseen;
  for (State& state : read_states(fixtures / "times.csv.gz", gpu))
    (state.sizes.state == kFittedState ? fitted : unseen).push_back(std::move(state));
  if (fitted.empty() || unseen.empty())
    throw InvalidInput(fmt::format("{}: expected states of {} and others", fixtures.string(), kFittedState));
  StateFit fit{.rules = best_rules(fitted, gpu), .fitted = {}, .unseen = {}};
  std::vector<State> all = fitted;
  all.insert(all.end(), unseen.begin(), unseen.end());
  set_errors(fit.rules, all, gpu);
  fit.fitted = judged(fitted, fit.rules, gpu);
  fit.unseen = judged(unseen, fit.rules, gpu);
  return fit;
}

Json state_rules_json(const StateFit& fit, const std::filesystem::path& fixtures) {
  Json fitted_on = read_json_file(fixtures / kAbout);
  fitted_on["state"] = kFittedState;
  fitted_on["judged"] = judged_json(fit.fitted);
  return {{"schema", "warploom_state_rules"},
          {"version", 1},
          {"created_by", "warploom-judge --fit-state-rules"},
          {"launch_us", to_thousandths(fit.rules.launch_us)},
          {"memory_reached", to_thousandths(fit.rules.memory_reached)},
          {"operations", to_thousandths(fit.rules.operations)},
          {"warp_instructions", fit.rules.warp_instructions},
          {"sharpness", fit.rules.sharpness},
          {"errors",
           {{"tile", to_thousandths(fit.rules.errors.tile)},
            {"knob", to_thousandths(fit.rules.errors.knob)},
            {"of_those_seen", kUnseenGpus}}},
          {"fitted_on", std::move(fitted_on)},
          {"unseen", judged_json(fit.unseen)}};
}

std::string state_fit_text(const StateFit& fit) {
  const auto line = [](const char* name, const StateJudged& of) {
    return fmt::format(
        "{}: {} states, {:.1f} % of the best (worst {:.1f}); ln: level {:.3f}, rows {:.3f}, warps {:.3f}\n",
        name, of.states, 100 * of.geo_mean_share, 100 * of.worst_share, of.level, of.tile, of.knob);
  };
  return fmt::format(
             "launch {:.2f} us, memory reached {:.2f}, {:.1f} operations, {:.0f} instructions a warp, "
             "sharpness {:.1f}\n",
             fit.rules.launch_us, fit.rules.memory_reached, fit.rules.operations, fit.rules.warp_instructions,
             fit.rules.sharpness) +
         line("fitted", fit.fitted) + line("unseen", fit.unseen);
}

}  // namespace warploom
