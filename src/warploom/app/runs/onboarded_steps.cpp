#include "warploom/app/runs/onboarded_steps.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/app/predict/latency_models.h"
#include "warploom/app/runs/onboarded_rows.h"
#include "warploom/app/runs/validate_serving.h"
#include "warploom/app/serving/host_steps.h"
#include "warploom/app/serving/price_graph.h"
#include "warploom/base/error.h"
#include "warploom/base/json.h"
#include "warploom/serving/engines/engine_defaults.h"

namespace warploom {
namespace {

MeasuredSum sum_of(const ServingSetup& setup, const PricedGraph& priced, const MeasuredStep& step) {
  const KernelContext engine{setup.kernels.framework, setup.kernels.version, {}};
  MeasuredSum sum{.measured = *step.kernels, .measured_rows = step.rows};
  Seconds grouped(0.0);
  for (const PricedNode& node : priced.nodes) {
    const Operator& op = node.node.op;
    const double calls = double(node.node.count);
    const Seconds all = node.one_call.p50 * calls;
    const Seconds rows =
        works_on_rows(op) ? all : quantising_part(*setup.latency, op, *setup.gpu, engine) * calls;
    const std::optional<KernelGroup> group = group_of(op, node.one_call.bound);
    if (!group) {
      sum.other_rows += rows;
      continue;
    }
    sum.predicted[std::size_t(KernelGroup::Rows)] += rows;
    sum.predicted[std::size_t(*group)] += all - rows;
    grouped += all;
  }
  sum.other = priced.gpu.p50 - grouped;  // below zero where kernels run beside others
  return sum;
}

bool is_virtual(const std::filesystem::path& run) {
  const Json machine = read_json_file(run).value("machine", Json::object());
  const Json says = machine.is_object() ? machine.value("virtual", Json(true)) : Json();
  if (!says.is_boolean())
    throw InvalidInput(fmt::format("{}: 'machine' is {}, expected an object whose 'virtual' is true or false",
                                   run.string(), machine.dump()));
  return says.get<bool>();
}

}  // namespace

OnboardedSteps read_onboarded(const std::filesystem::path& folder, const FileScope& files,
                              const std::shared_ptr<const LatencyModel>& latency) {
  const RealRun run = read_real_run(folder / "run.json", files, (folder / "config.json").string());
  const ServingSetup setup = resolve_serving(run.setup, latency, MemoryCheck::None);
  OnboardedSteps steps{.model = setup.model.name,
                       .label = model_label(setup.model),
                       .scheme = scheme_label(setup.model),
                       .kind = std::string(kind_label(setup.model)),
                       .gpu = setup.gpu->name,
                       .engine = setup.config.engine,
                       .version = run.setup.version,
                       .layers = launched_layers(engine_named(setup.config.engine), setup),
                       .virtual_host = is_virtual(folder / "run.json"),
                       .sums = {},
                       .timed = {},
                       .rows = read_onboarded_rows(folder / "rows.csv", setup)};
  const GraphLimits graphs = graph_limits_of(setup.config);
  const std::filesystem::path path = folder / "onboard_steps.csv";
  for (const MeasuredStep& step : read_measured_steps(path)) {
    if (!step.kernels)
      throw InvalidInput(fmt::format("{}: {} has no kernel_sum_ms, expected the sum of its kernels",
                                     path.string(), step.batch));
    const PricedGraph priced = price_graph(setup, step.shape);
    steps.sums.push_back(sum_of(setup, priced, step));
    // A server's core does not make outputs for clients, which a whole step in one process holds.
    steps.timed.push_back({priced.gpu.p50, step.core.value_or(step.wall), step.shape.requests(),
                           graphs.mode(StepShape::tokens_of(step.shape.prefill), step.shape.tokens())});
  }
  return steps;
}

}  // namespace warploom
