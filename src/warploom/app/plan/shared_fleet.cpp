#include "warploom/app/plan/shared_fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>
#include <map>
#include <numeric>

#include "warploom/app/plan/configured_setups.h"
#include "warploom/base/error.h"
#include "warploom/base/request_fields.h"
#include "warploom/hardware/node_catalog.h"
#include "warploom/planner/node_room.h"

namespace warploom {
namespace {

constexpr std::int64_t kMostTries = 2'000'000;  // combinations that are looked at: a second or two

// Instances of one size on one kind of GPU.
struct Held {
  std::size_t kind = 0;
  std::int64_t gpus = 0, instances = 0;
};

struct Option {
  std::size_t point = 0;
  std::vector<Held> pools;
  std::vector<std::int64_t> rented;  // by kind, as whole nodes; 0: singly
  double dollars = 0, least = 0;     // least: without what shared nodes might save
};

struct Kind {
  std::string gpu;
  std::int64_t there = 0;
  NodeRoom room;
  double price = 0;  // $ of a GPU, where it is known
};

std::int64_t divided_up(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

// First fit, the largest first: nodes that hold all instances, none of them in more than it must.
std::int64_t nodes_of(std::vector<Held> pools, std::int64_t node) {
  std::sort(pools.begin(), pools.end(), [](const Held& a, const Held& b) { return a.gpus > b.gpus; });
  std::int64_t nodes = 0;
  std::map<std::int64_t, std::int64_t, std::greater<>> room;  // free GPUs of a node: so many nodes
  for (const Held& pool : pools)
    for (std::int64_t i = 0; i < pool.instances; ++i) {
      if (pool.gpus >= node) {
        nodes += divided_up(pool.gpus, node);
        continue;
      }
      const auto fits =
          std::find_if(room.rbegin(), room.rend(), [&](const auto& each) { return each.first >= pool.gpus; });
      std::int64_t left = node;
      if (fits != room.rend()) {
        left = fits->first;
        if (--room[left] == 0) room.erase(left);
      } else {
        ++nodes;
      }
      if (left > pool.gpus) ++room[left - pool.gpus];
    }
  return nodes;
}

class FleetChoice {
 public:
  FleetChoice(const FleetLimits& limits, const std::vector<PlanResult>& plans, bool sure)
      : limits_(limits), nodes_(catalog_) {
    for (const std::string& text : limits.gpus) add_limit(text);
    for (const PlanResult& plan : plans) {
      options_.emplace_back();
      for (std::size_t i = 0; i < plan.search.points.size(); ++i) {
        const PlanPoint& point = plan.search.points[i];
        if (sure ? point.confident : point.median_least) add_option(plan, i);
      }
      std::stable_sort(options_.back().begin(), options_.back().end(),
                       [](const Option& a, const Option& b) { return a.least < b.least; });
    }
  }

  SharedFleet answer() {
    for (std::size_t i = 0; i < options_.size(); ++i)
      if (options_[i].empty()) {
        result_.why_none = fmt::format("plan {} has no deployment that meets its limits there", i + 1);
        return result_;
      }
    rest_.assign(options_.size() + 1, 0);
    for (std::size_t i = options_.size(); i-- > 0;) rest_[i] = rest_[i + 1] + options_[i].front().least;
    choose(0, 0);
    result_.all_seen = tries_ < kMostTries;
    if (result_.chosen.empty()) result_.why_none = "no combination of their deployments fits into the fleet";
    return result_;
  }

 private:
  void add_limit(const std::string& text) {
    const std::size_t equals = text.find('=');
    std::int64_t count = 0;
    const char* end = text.data() + text.size();
    if (equals == std::string::npos || equals + 1 == text.size() ||
        std::from_chars(text.data() + equals + 1, end, count).ptr != end || count < 1)
      throw InvalidInput(
          fmt::format("fleet: '{}' is no number of GPUs, expected GPU=COUNT, for example H100-SXM=16", text));
    kinds_[kind_of(text.substr(0, equals))].there += count;
  }

  std::size_t kind_of(const std::string& name) {
    const GpuSpec& gpu = catalog_.get(name);
    for (std::size_t i = 0; i < kinds_.size(); ++i)
      if (kinds_[i].gpu == gpu.name) return i;
    Kind kind{.gpu = gpu.name, .room = node_room(nodes_.node_of(gpu), limits_.rack_power_kw)};
    if (limits_.max_power_kw > 0 && !(kind.room.power_kw > 0))
      throw InvalidInput(
          fmt::format("fleet: max_power_kw: of {} no node with its power is recorded", gpu.name));
    if (limits_.max_racks > 0 && kind.room.per_rack == 0)
      throw InvalidInput(
          fmt::format("fleet: max_racks: how many nodes of {} a rack holds follows from its power, expected "
                      "`rack_power_kw` too",
                      gpu.name));
    kinds_.push_back(std::move(kind));
    return kinds_.size() - 1;
  }

  void add_option(const PlanResult& plan, std::size_t index) {
    const PlanPoint& point = plan.search.points[index];
    Option option{.point = index, .dollars = point.dollars_per_hour, .least = point.dollars_per_hour};
    const auto add = [&](const std::string& gpu, const EngineShape& shape, std::int64_t instances,
                         std::int64_t rented) {
      const std::size_t kind = kind_of(gpu);
      for (const GpuPrice& price : plan.prices)
        if (price.gpu == kinds_[kind].gpu) kinds_[kind].price = price.usd_per_gpu_hour;
      option.pools.push_back({kind, shape.gpus(), instances});
      const std::int64_t encoders =
          computes_prompts(point.configuration, shape) ? point.configuration.encoders : 0;
      if (encoders > 0) option.pools.push_back({kind, 1, encoders});
      if (point.rented.nodes == 0) return;
      option.rented.resize(std::max(option.rented.size(), kind + 1), 0);
      option.rented[kind] += rented;
      option.least -= kinds_[kind].price * double(rented - shape.gpus() * instances - encoders);
    };
    const PlanLabel& label = plan.labels[index];
    add(label.gpu, point.configuration.shape, point.fleet.instances, point.rented.first);
    if (point.configuration.decode)
      add(label.decode_gpu, *point.configuration.decode, point.fleet.decode, point.rented.decode);
    options_.back().push_back(std::move(option));
  }

  void choose(std::size_t plan, double least) {
    if (tries_ >= kMostTries || (found_ && least + rest_[plan] >= result_.dollars_per_hour)) return;
    if (plan == options_.size()) {
      take();
      return;
    }
    for (const Option& option : options_[plan]) {
      ++tries_;
      chosen_.push_back(&option);
      if (gpus_fit()) choose(plan + 1, least + option.least);
      chosen_.pop_back();
    }
  }

  bool gpus_fit() const {
    std::int64_t all = 0;
    std::vector<std::int64_t> used(kinds_.size(), 0);
    for (const Option* option : chosen_)
      for (const Held& pool : option->pools) used[pool.kind] += pool.gpus * pool.instances;
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      if (!limits_.gpus.empty() && used[i] > kinds_[i].there) return false;
      all += used[i];
    }
    return limits_.max_gpus <= 0 || all <= limits_.max_gpus;
  }

  FleetUse use_of(std::size_t kind, std::int64_t& rented) const {
    FleetUse use{.gpu = kinds_[kind].gpu, .there = kinds_[kind].there};
    std::vector<Held> pools;
    for (const Option* option : chosen_) {
      if (kind < option->rented.size()) rented += option->rented[kind];
      for (const Held& pool : option->pools)
        if (pool.kind == kind) pools.push_back(pool);
    }
    for (const Held& pool : pools) use.gpus += pool.gpus * pool.instances;
    const NodeRoom& room = kinds_[kind].room;
    use.nodes = nodes_of(std::move(pools), room.gpus);
    if (room.per_rack > 0) use.racks = divided_up(use.nodes, room.per_rack);
    if (room.power_kw > 0)
      use.power_kw = room.power_kw * double(room.whole_racks ? *use.racks * room.per_rack : use.nodes);
    return use;
  }

  void take() {
    std::vector<FleetUse> uses;
    double dollars = 0, power = 0;
    std::int64_t racks = 0;
    for (const Option* option : chosen_) dollars += option->dollars;
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
      std::int64_t rented = 0;
      FleetUse use = use_of(kind, rented);
      if (use.gpus == 0) continue;
      const std::int64_t node = kinds_[kind].room.gpus;
      if (use.there > 0 && use.nodes > divided_up(use.there, node)) return;  // they do not pack
      if (rented > use.nodes * node) dollars -= kinds_[kind].price * double(rented - use.nodes * node);
      power += use.power_kw.value_or(0);
      racks += use.racks.value_or(0);
      uses.push_back(std::move(use));
    }
    if (limits_.max_power_kw > 0 && power > limits_.max_power_kw) return;
    if (limits_.max_racks > 0 && racks > limits_.max_racks) return;
    if (found_ && dollars >= result_.dollars_per_hour) return;
    found_ = true;
    result_.dollars_per_hour = dollars;
    result_.use = std::move(uses);
    result_.chosen.clear();
    for (const Option* option : chosen_) result_.chosen.push_back(option->point);
  }

  const FleetLimits& limits_;
  GpuCatalog catalog_;
  NodeCatalog nodes_;
  std::vector<Kind> kinds_;
  std::vector<std::vector<Option>> options_;  // of each plan, the least first
  std::vector<double> rest_;                  // the least of the plans from one on
  std::vector<const Option*> chosen_;
  std::int64_t tries_ = 0;
  bool found_ = false;
  SharedFleet result_;
};

}  // namespace

FieldTable FleetLimits::describe() {
  using L = FleetLimits;
  return FieldList<L>("fleet")
      .add("gpus", &L::gpus, {.doc = "GPUs that there are, GPU=COUNT; none: as many as it takes"})
      .add("max_gpus", &L::max_gpus,
           {.doc = "most GPUs of all models together; 0: no limit", .min = 0, .max = 65536})
      .add("max_power_kw", &L::max_power_kw,
           {.unit = "kW", .doc = "most power of all nodes; 0: no limit", .min = 0, .max = 1e6})
      .add("max_racks", &L::max_racks, {.doc = "most racks; 0: no limit", .min = 0, .max = 65536})
      .add("rack_power_kw", &L::rack_power_kw,
           {.unit = "kW", .doc = "that one rack supplies", .min = 0.1, .max = 1e4})
      .table();
}

SharedFleet share_fleet(const FleetLimits& limits, const std::vector<PlanResult>& plans, bool sure) {
  return FleetChoice(limits, plans, sure).answer();
}

}  // namespace warploom
