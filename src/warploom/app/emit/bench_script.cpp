#include "warploom/app/emit/bench_script.h"

#include <fmt/format.h>

#include <algorithm>

#include "warploom/app/emit/emitted_text.h"
#include "warploom/app/plan/plan_load.h"
#include "warploom/base/error.h"
#include "warploom/base/shell_line.h"

namespace warploom {
namespace {

constexpr std::int64_t kMostWarmups = 64;

// As many as fill the fleet for a moment: its instances four times over.
std::int64_t warmups(const EmittedFleet& fleet) { return std::min(kMostWarmups, 4 * fleet.instances()); }

// An endless load is cut to as many requests as the promise rests on, and to what comes in twenty minutes,
// but not below a thousand. Chosen, not measured.
constexpr double kLongestBench = 1200;  // s
constexpr std::int64_t kFewestRequests = 1000;

std::int64_t requests_of(const PlanResult& plan, const EmittedFleet& fleet) {
  if (!plan.load.open_ended) return plan.load.requests;
  const auto most = std::max(kFewestRequests, std::int64_t(fleet.point->rate * kLongestBench));
  return std::min(fleet.point->figures.length.requests, most);
}

std::string random_bench(const PlanRequest& request, const PlanResult& plan, const EmittedFleet& fleet) {
  const RandomPrompts& random = *request.source.random;
  if (random.range == LengthRange::UpTo)
    throw Unsupported(
        "random_range: `vllm bench serve` draws lengths around the stated ones alone, expected around");
  BenchmarkLoad load{.model = fleet.model,
                     .input_tokens = random.input_len,
                     .output_tokens = random.output_len,
                     .requests = requests_of(plan, fleet),
                     .range_ratio = random.range_ratio};
  if (plan.load.in_flight > 0)
    load.concurrency = plan.load.in_flight;
  else
    load.rate = fleet.point->rate;
  return fmt::format("exec {} --base-url \"$BASE_URL\" --num-warmups {}\n", benchmark_command(load),
                     warmups(fleet));
}

Workload bench_load(const PlanRequest& request, const PlanResult& plan, const EmittedFleet& fleet) {
  std::optional<std::int64_t> requests;
  if (plan.load.open_ended) requests = requests_of(plan, fleet);
  const bool searched = request.find_max_rate && plan.load.in_flight == 0;
  return plan_workload(request, requests, searched ? fleet.point->rate : 0, plan.load.per_arrival);
}

std::string trace_bench(const Workload& workload, const EmittedFleet& fleet) {
  std::vector<std::string> words{"aiperf",
                                 "profile",
                                 "--model",
                                 fleet.model,
                                 "--endpoint-type",
                                 "completions",
                                 "--streaming",
                                 "--input-file",
                                 "load.jsonl",
                                 "--custom-dataset-type",
                                 "mooncake_trace",
                                 "--extra-inputs",
                                 "ignore_eos:true",
                                 "--warmup-request-count",
                                 std::to_string(warmups(fleet)),
                                 "--output-artifact-dir",
                                 "bench"};
  if (workload.concurrency)
    words.insert(words.end(), {"--no-fixed-schedule", "--concurrency", std::to_string(*workload.concurrency),
                               "--request-count", std::to_string(workload.requests.size())});
  else
    words.emplace_back("--fixed-schedule");
  return fmt::format(
      "# pip install aiperf; compare with: warploom plan ... --check bench/profile_export.jsonl\n"
      "exec {} --url \"$BASE_URL\"\n",
      shell_line(words));
}

}  // namespace

std::vector<EmittedFile> bench_script(const PlanRequest& request, const PlanResult& plan,
                                      const EmittedFleet& fleet) {
  const std::string head = fmt::format(
      "#!/bin/sh\n# The load that the plan was made for, sent to one address of the whole deployment.\n"
      ": \"${{BASE_URL:=http://localhost:{}}}\"\n",
      kServedPort);
  if (request.source.images)
    return {{"bench.sh",
             "#!/bin/sh\necho 'the load of the plan has images, which no script is written for: see "
             "vllm bench serve --dataset-name random-mm' >&2\nexit 2\n"}};
  if (request.source.random) return {{"bench.sh", head + random_bench(request, plan, fleet)}};
  const Workload workload = bench_load(request, plan, fleet);
  return {{"load.jsonl", mooncake_trace(workload)}, {"bench.sh", head + trace_bench(workload, fleet)}};
}

}  // namespace warploom
