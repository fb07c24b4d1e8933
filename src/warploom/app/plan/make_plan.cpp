#include "warploom/app/plan/make_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "warploom/app/plan/configured_setups.h"
#include "warploom/app/plan/plan_labels.h"
#include "warploom/app/plan/plan_load.h"
#include "warploom/app/plan/plan_refusals.h"
#include "warploom/app/plan/simulated_configurations.h"
#include "warploom/app/plan/stop_watch.h"
#include "warploom/app/predict/latency_models.h"
#include "warploom/app/predict/predictor_hash.h"
#include "warploom/app/serving/image_setup.h"
#include "warploom/base/counted.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/hash.h"
#include "warploom/hardware/node_catalog.h"
#include "warploom/models/model_catalog.h"
#include "warploom/planner/configuration_answer.h"
#include "warploom/planner/plan_crew.h"
#include "warploom/planner/plan_search.h"
#include "warploom/planner/run_log.h"
#include "warploom/planner/search_stopped.h"

namespace warploom {
namespace {

ServiceLevel level_of(const PlanRequest& request, const Workload& workload) {
  ServiceLevel level{.limits = parse_limits(request.slo),
                     .goodput = parse_goodput_limits(request.goodput),
                     .goodput_share = request.goodput_share};
  for (std::size_t i = 0; i < workload.classes.size(); ++i) {
    const Slo& limits = workload.class_limits[i];
    if (limits.ttft || limits.tpot || limits.e2el) level.classes.push_back({workload.classes[i], limits});
  }
  if (level.empty())
    throw InvalidInput(
        "slo: no limit is given, expected for example `slo` ttft_p95_ms=800,tpot_p95_ms=40 or `goodput` "
        "ttft:500,tpot:20");
  return level;
}

// A node that is only derived may not be for rent.
NodeSpec recorded_node(const NodeCatalog& nodes, const GpuSpec& gpu) {
  const auto is_it = [&](const NodeSpec& node) { return node.gpu == gpu.name; };
  if (std::none_of(nodes.nodes().begin(), nodes.nodes().end(), is_it))
    throw InvalidInput(fmt::format(
        "whole_nodes: no node of {} is recorded, expected false for GPUs that are rented singly", gpu.name));
  return nodes.node_of(gpu);
}

GpuPrices prices_of(const PlanRequest& request, const GpuCatalog& catalog) {
  GpuPrices prices = GpuPrices::shipped(catalog);
  if (!request.prices.empty())
    prices.add_document(read_json_file(request.prices), request.prices.string(), catalog);
  for (const std::string& text : request.price) prices.add_text(text, catalog);
  return prices;
}

bool is_to_choose(const PlanRequest& request, GpuCatalog& catalog, const std::string& gpu) {
  const auto is_it = [&](const std::string& name) {
    return catalog.load_gpu(name, request.files).name == gpu;
  };
  return std::any_of(request.space.gpus.begin(), request.space.gpus.end(), is_it);
}

std::vector<PriceWindow> windows_of(const PlanRequest& request, GpuCatalog& catalog) {
  std::vector<PriceWindow> windows;
  for (const std::string& text : request.day_price) {
    windows.push_back(price_window_from_text(text, catalog));
    if (!is_to_choose(request, catalog, windows.back().gpu))
      throw InvalidInput(
          fmt::format("day_price: {} is not among the GPUs to choose from, expected one of "
                      "`gpu_names`",
                      windows.back().gpu));
  }
  return windows;
}

// What one part of the rent pays for one GPU.
void add_price(const PlanRequest& request, const NodeCatalog& nodes, const GpuSpec& gpu,
               const std::optional<GpuPrice>& price, RentPart& part) {
  const bool by_node = request.whole_nodes.value_or(price && price->whole_nodes);
  part.node_gpus.push_back(by_node ? recorded_node(nodes, gpu).gpus_per_node : 1);
  part.day_prices.emplace_back().fill(price ? price->usd_per_gpu_hour : 1);
}

// A reservation has one price over the day, where another part has not.
void set_windows(const PlanRequest& request, const std::vector<PriceWindow>& windows, const std::string& gpu,
                 RentPart& part) {
  if (part.kind == PriceKind::Reserved && !request.rent.empty()) return;
  for (const PriceWindow& window : windows)
    if (window.gpu == gpu) set_window(part.day_prices.back(), window);
}

// The task's prices, and those that the result shows.
void set_prices(const PlanRequest& request, GpuCatalog& catalog, PlanTask& task, PlanResult& result) {
  const GpuPrices prices = prices_of(request, catalog);
  const std::vector<PriceWindow> windows = windows_of(request, catalog);
  for (const std::string& text : request.price) {
    const std::string gpu = catalog.load_gpu(gpu_of_price(text), request.files).name;
    if (!is_to_choose(request, catalog, gpu))
      throw InvalidInput(
          fmt::format("price: {} is not among the GPUs to choose from, expected one of `gpu_names`", gpu));
  }
  task.rent = rent_parts(request.rent, request.autoscaling.on());
  if (task.rent.empty()) task.rent = {{.kind = request.price_kind}};
  result.priced = true;
  const NodeCatalog nodes(catalog);
  for (RentPart& part : task.rent) {
    for (const std::string& name : request.space.gpus) {
      const GpuSpec& gpu = catalog.load_gpu(name, request.files);
      auto price = prices.find(gpu.name, part.kind);
      if (!price && (request.objective == Objective::Cost || !request.rent.empty()))
        price = prices.require(gpu.name, part.kind, !request.rent.empty());
      add_price(request, nodes, gpu, price, part);
      set_windows(request, windows, gpu.name, part);
      part.gpu_hour_price.push_back(mean_price(part.day_prices.back()));
      result.priced = result.priced && price.has_value();
      if (!price) continue;
      price->usd_per_gpu_hour = part.gpu_hour_price.back();
      result.prices.push_back(*price);
    }
    if (windows.empty()) part.day_prices.clear();
  }
  if (result.priced) return;
  for (RentPart& part : task.rent) {
    std::fill(part.gpu_hour_price.begin(), part.gpu_hour_price.end(), 1.0);
    part.day_prices.clear();
  }
}

// What a machine room has to have is counted where its limits are asked for.
void set_rooms(const PlanRequest& request, GpuCatalog& catalog, PlanTask& task) {
  task.max_power_kw = request.max_power_kw;
  task.max_racks = request.max_racks;
  if (request.max_power_kw <= 0 && request.max_racks <= 0 && !request.rack_power_kw) return;
  const NodeCatalog nodes(catalog);
  for (const std::string& name : request.space.gpus) {
    const GpuSpec& gpu = catalog.load_gpu(name, request.files);
    const NodeRoom room = node_room(nodes.node_of(gpu), request.rack_power_kw);
    if (!(room.power_kw > 0) && (request.max_power_kw > 0 || request.rack_power_kw))
      throw InvalidInput(
          fmt::format("{}: of {} no node with its power is recorded, expected GPUs of which one is",
                      request.max_power_kw > 0 ? "max_power_kw" : "rack_power_kw", gpu.name));
    if (room.per_rack == 0 && request.max_racks > 0)
      throw InvalidInput(
          fmt::format("max_racks: how many nodes of {} a rack holds follows from its power, expected "
                      "`rack_power_kw` too, for example 40",
                      gpu.name));
    task.rooms.push_back(room);
  }
}

// The contents of every file that a text of `value` names, in order.
std::uint64_t named_files_hash(const Json& value, const FileScope& files, std::uint64_t hash = 0) {
  if (value.is_structured())
    for (const Json& part : value) hash = named_files_hash(part, files, hash);
  if (!value.is_string() || !files.holds(value.get<std::string>())) return hash;
  std::filesystem::path path = value.get<std::string>();
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) path /= "config.json";  // of a model
  return std::filesystem::is_regular_file(path, none) ? hash_combine(hash, hash_bytes(read_file(path)))
                                                      : hash;
}

// Everything that runs depend on: the question, and the bytes of the files that it names and is priced from.
std::uint64_t question_of(const PlanRequest& request) {
  PlanRequest asked = request;
  asked.store.clear();
  asked.views.clear();
  asked.emit.clear();
  asked.top = 1;
  asked.seeds = kPlanSeeds;
  asked.check.clear();
  asked.time_limit_s = 0;
  asked.threads = 0;
  asked.fronts = asked.exhaustive = false;
  asked.objective = Objective::Cost;
  asked.price_kind = PriceKind::OnDemand;
  asked.prices.clear();
  asked.price.clear();
  asked.rent.clear();
  asked.whole_nodes.reset();
  asked.max_power_kw = 0;
  asked.max_racks = 0;
  asked.rack_power_kw.reset();
  asked.day_price.clear();
  asked.power_price = 0;
  asked.kv_store_price = 0;
  asked.predictor.clear();  // the same files elsewhere price alike
  const Json document = to_json(asked);
  return hash_combine(hash_combine(hash_bytes(document.dump()), named_files_hash(document, request.files)),
                      predictor_hash(request.predictor));
}

std::string sizes_words(const PlanRequest& request) {
  const SearchSpace& space = request.space;
  std::string words = fmt::format("tensor_parallel {}", fmt::join(space.tensor_parallel, ", "));
  if (space.pipeline_parallel != std::vector<std::int64_t>{1})
    words += fmt::format("; pipeline_parallel {}", fmt::join(space.pipeline_parallel, ", "));
  return fmt::format("{}; at most {}", words, counted(space.max_gpus, "GPU"));
}

// The fewest GPUs on which an instance can run, of all sizes within a node and over up to eight stages.
std::optional<EngineShape> least_that_fits(const PlanRequest& request, const ConfigurationModel& model) {
  std::optional<EngineShape> least;
  for (std::size_t gpu = 0; gpu < request.space.gpus.size(); ++gpu)
    for (const std::int64_t stages : {1, 2, 4, 8})
      for (const std::int64_t tensor : {1, 2, 4, 8}) {
        const EngineShape shape{.gpu = gpu, .tensor_parallel = tensor, .pipeline_parallel = stages};
        if (least && shape.gpus() >= least->gpus()) continue;
        if (!model.screen({.shape = shape}).refusal) least = shape;
      }
  return least;
}

// The allowed size with the most GPUs, and what it lacks. What its refusal advises looks at memory alone.
std::string memory_words(const PlanRequest& request, const ConfigurationModel& model,
                         const std::string& example) {
  const SearchSpace& space = request.space;
  const auto most = [](const std::vector<std::int64_t>& sizes) {
    return *std::max_element(sizes.begin(), sizes.end());
  };
  const EngineShape largest{.tensor_parallel = most(space.tensor_parallel),
                            .pipeline_parallel = most(space.pipeline_parallel)};
  std::optional<Refusal> refusal;
  if (largest.gpus() <= space.max_gpus) refusal = model.screen({.shape = largest}).refusal;
  const bool lacks = refusal && refusal->reason == kNoMemory;
  std::string text = lacks ? refusal->text : example;
  if (const std::size_t advice = text.rfind("; "); advice != std::string::npos) text.resize(advice);
  const std::string shape =
      lacks ? fmt::format("{}, {}: ", shape_words(request, largest), space.gpus[0]) : "";
  const auto fits = least_that_fits(request, model);
  return fmt::format("{}{}; {}", shape, text,
                     fits ? fmt::format("expected sizes such as tensor_parallel {} with pipeline_parallel {} "
                                        "on {}, which fits",
                                        fits->tensor_parallel, fits->pipeline_parallel, space.gpus[fits->gpu])
                          : std::string("expected GPUs with more memory"));
}

// The limit that leaves no fleet.
std::string_view room_field(const PlanTask& task) {
  if (task.max_power_kw > 0) return "max_power_kw";
  if (task.max_racks > 0) return "max_racks";
  return task.gpu_count > 0 ? "gpu_count" : "max_gpus";
}

// Where nothing can run at all for want of memory, that is the user's question.
void refuse_if_nothing_fits(const PlanRequest& request, const PlanTask& task, const SearchResult& search,
                            const ConfigurationModel& model) {
  if (search.with_point > 0) return;
  const auto refused = [&](std::string_view reason) {
    return std::find_if(search.without_point.begin(), search.without_point.end(),
                        [&](const PlanCount& count) { return count.reason == reason; });
  };
  const auto memory = refused(kNoMemory);
  std::int64_t cannot_run = 0;
  for (const std::string_view reason : {kNoMemory, kNoSplit, kNoEngine, kNoKernels, kNoTier, kNoFleet})
    if (const auto found = refused(reason); found != search.without_point.end())
      cannot_run += found->configurations;
  if (cannot_run < search.configurations) return;
  if (memory != search.without_point.end())
    throw InvalidInput(fmt::format("gpu_names: the model fits on none of them at any size allowed ({}): {}",
                                   sizes_words(request), memory_words(request, model, memory->example)));
  if (const auto fleets = refused(kNoFleet); fleets != search.without_point.end())
    throw InvalidInput(fmt::format("{}: {}", room_field(task), fleets->example));
  throw InvalidInput(fmt::format("gpu_names: nothing in the space can run ({}): {}",
                                 search.without_point[0].reason, search.without_point[0].example));
}

std::string contradiction_of(const PlanTask& task, const PlanResult& result) {
  if (!result.search.points.empty()) return {};
  const double most = result.search.most_rate, asked = task.load.rate * (1 - task.unserved_share);
  if (!task.find_max_rate && most > 0 && asked >= most)
    return fmt::format(
        "{:.3g} requests/s are more than any deployment of the space can serve: at most {:.3g}; expected "
        "about {:.0f} times as many GPUs, or a lower rate",
        asked, most, std::ceil(asked / most));
  for (const LimitUse& least : result.search.least_possible)
    if (least.use > 1)
      return fmt::format(
          "{} cannot be kept below {:.3g} ms by anything in the space, even without load: at least "
          "{:.3g} ms is needed",
          least.name, least.limit, least.figure);
  return {};
}

PlanTask task_of(const PlanRequest& request, const Workload& workload) {
  PlanTask task{.space = request.space, .objective = request.objective};
  task.load = plan_profile(request, workload, false);
  if (request.find_max_rate) task.load.rate = 0;
  task.gpu_count = request.gpu_count;
  task.find_max_rate = request.find_max_rate;
  task.finalists = request.emit.empty() ? 1 : request.top;
  task.spare_instances = request.spare_instances;
  task.unserved_share = request.unserved_share;
  task.autoscaling = request.autoscaling;
  task.fronts = request.fronts;
  task.exhaustive = request.exhaustive;
  task.every_point = request.every_point;
  task.threads = request.threads;
  task.time_limit = request.time_limit_s;
  task.cancelled = request.cancelled;
  task.crew = request.crew;
  task.on_progress = request.on_progress;
  return task;
}

// The log of runs. Of several processes the first one reads and writes it, and the others hear what it holds.
std::unique_ptr<const LoggedRuns> open_runs(const PlanRequest& request, const ConfigurationModel& model,
                                            std::uint64_t question) {
  PlanCrew* crew = request.crew;
  const bool first = crew == nullptr || crew->is_first();
  const auto open = [&] {
    return std::make_unique<const LoggedRuns>(model, first ? request.store : std::filesystem::path(),
                                              question, fmt::format("warploom {}", WARPLOOM_VERSION));
  };
  if (crew == nullptr || request.store.empty()) return open();
  std::unique_ptr<const LoggedRuns> runs;
  std::exception_ptr refusal;
  try {
    runs = open();
  } catch (const Error&) {
    refusal = std::current_exception();
  }
  // Nothing at all from the first one says that it refuses the file.
  const CrewMessage held = crew->exchange(first && runs ? Json::to_cbor(runs->all()) : CrewMessage()).front();
  if (refusal) std::rethrow_exception(refusal);
  if (held.empty()) throw InvalidInput("store: the first process refuses it");
  if (!first) runs->learn(Json::from_cbor(held));
  return runs;
}

void add_labels(const PlanRequest& request, GpuCatalog& catalog, PlanResult& result) {
  for (const PlanPoint& point : result.search.points)
    result.labels.push_back(label_of_plan(request, catalog, point.configuration));
  for (const WhatIf& answer : result.what_ifs)
    result.what_if_labels.push_back(label_of_plan(request, catalog, answer.point->configuration));
  if (result.search.nearest)
    result.nearest_label = label_of_plan(request, catalog, result.search.nearest->configuration);
}

// Shares of each point; those of one configuration have one.
void add_measured_shares(const SimulatedConfigurations& simulated, PlanResult& result) {
  std::map<Configuration, double> shares;
  for (std::size_t i = 0; i < result.search.points.size(); ++i) {
    const Configuration& configuration = result.search.points[i].configuration;
    const auto found = shares.find(configuration);
    const double share = found != shares.end() ? found->second : simulated.measured_share(configuration);
    shares.emplace(configuration, share);
    result.labels[i].measured_share = share;
  }
  if (result.search.best) result.best_measured_share = result.labels[*result.search.best].measured_share;
}

// What says which images a plan's prompts have.
SimulateRequest image_request_of(const PlanRequest& request) {
  SimulateRequest images;
  images.setup.model = request.model;
  images.setup.files = request.files;
  images.setup.vision_encoder = request.vision_encoder;
  images.source = request.source;
  return images;
}

// A request that was read and checked, before anything is searched.
struct PreparedPlan {
  PlanRequest request;
  Workload workload;
  PlanTask task;
  PlanResult result;
  void stop_with(const StopWatch& watch) { request.cancelled = task.cancelled = &watch.stopped(); }
};

// Latent attention has one head of keys, so that ranks of one group all hold the same cache. Eight groups,
// one for each GPU of a node, is what recipes of vLLM and SGLang begin with: chosen, not fitted.
constexpr std::int64_t kLatentGroups = 8;

std::vector<std::int64_t> groups_of(const SearchSpace& space, const ModelArchitecture& model) {
  if (!space.data_parallel.empty()) return space.data_parallel;
  const bool latent = model.layers_of<LatentAttention>() + model.layers_of<SparseLatentAttention>() > 0;
  return latent && model.mixture() != nullptr ? std::vector<std::int64_t>{1, kLatentGroups}
                                              : std::vector<std::int64_t>{1};
}

PreparedPlan prepare_plan(const PlanRequest& asked, GpuCatalog& catalog) {
  PreparedPlan plan{.request = asked, .workload = {}, .task = {}, .result = {}};
  PlanRequest& request = plan.request;
  request.files.check_writes(request.store, "store");
  const bool timed = request.source.rate || request.source.request_rate || request.source.concurrency ||
                     request.source.max_concurrency || request.source.sessions ||
                     !request.source.trace.empty() || !request.source.clients.empty();
  if (request.gpu_count > 0 && !timed) request.find_max_rate = true;
  if (!request.shared_kv.any()) {
    if (request.space.shared_caches == Tried::Both)
      throw InvalidInput(
          "shared_caches changes nothing by itself, expected `kv_store_size` or `kv_peers` too");
    request.space.shared_caches = Tried::Off;
  }
  request.source.image_draws = image_draws_of(image_request_of(request));
  plan.workload = plan_workload(request);
  const ModelArchitecture model = load_model(request.model, request.files);
  request.space.data_parallel = groups_of(request.space, model);
  check_plan_request(request, plan.workload, model);
  PlanResult& result = plan.result;
  result = {.model = model.name,
            .workload = plan.workload.name,
            .host_profile = request.machine.empty() ? request.host_profile : request.machine,
            .measured_at = request.measured_at,
            .level = level_of(request, plan.workload),
            .objective = request.objective,
            .find_max_rate = request.find_max_rate,
            .exhaustive = request.exhaustive,
            .spare_instances = request.spare_instances,
            .growth = request.growth,
            .gpus = request.space.gpus.size()};
  plan.task = task_of(request, plan.workload);
  plan.task.level = result.level;
  plan.task.draws = is_drawn(request, plan.workload) ? request.seeds : 1;
  result.first_seed = request.source.seed;
  plan.task.mixture = model.mixture() != nullptr;
  result.load = plan.task.load;
  set_prices(request, catalog, plan.task, result);
  set_rooms(request, catalog, plan.task);
  plan.task.power_price = result.priced ? request.power_price : 0;
  plan.task.store_rent =
      result.priced ? request.kv_store_price * request.shared_kv.store_size.value_or(0) : 0;
  return plan;
}

}  // namespace

bool gives_answer(const PlanRequest& request) { return request.crew == nullptr || request.crew->is_first(); }

void check_plan_request(const PlanRequest& request) {
  GpuCatalog catalog;
  (void)prepare_plan(request, catalog);
}

PlanResult make_plan(const PlanRequest& asked, std::shared_ptr<const LatencyModel> latency) {
  GpuCatalog catalog;
  PreparedPlan plan = prepare_plan(asked, catalog);
  const PlanRequest& request = plan.request;
  const PlanTask& task = plan.task;
  PlanResult& result = plan.result;
  const std::uint64_t question = request.store.empty() ? 0 : question_of(request);
  // Members of a crew stop together, between rounds.
  std::optional<StopWatch> stop;
  if (request.crew == nullptr) plan.stop_with(stop.emplace(request.cancelled, request.time_limit_s));
  const SimulatedConfigurations simulated(request, latency, plan.workload, result.level);
  const std::unique_ptr<const LoggedRuns> runs = open_runs(request, simulated, question);
  result.search = search_plan(task, *runs);
  refuse_if_nothing_fits(request, task, result.search, simulated);
  try {
    if (!result.search.partial && gives_answer(request))
      result.what_ifs = what_ifs(task, *runs, result.search);
  } catch (const SearchStopped&) {
    result.search.partial = true;
  }
  try {
    runs->write();
  } catch (const IoError& unwritten) {  // which costs the runs, not the answer
    result.store_failure = unwritten.what();
  }
  add_labels(request, catalog, result);
  add_measured_shares(simulated, result);
  result.contradiction = contradiction_of(task, result);
  return std::move(result);
}

PlanResult make_plan(const PlanRequest& request) {
  return make_plan(request, open_latency_model(request.predictor, request.files));
}

}  // namespace warploom
