#include "warploom/app/tune/tune_profile.h"

#include <fmt/format.h>

#include <chrono>
#include <vector>

#include "warploom/app/tune/kernel_scope.h"
#include "warploom/app/tune/python_profiler.h"
#include "warploom/app/tune/tune_plan.h"
#include "warploom/base/error.h"
#include "warploom/base/request_fields.h"

namespace warploom {

FieldTable TuneProfileRequest::describe() {
  using R = TuneProfileRequest;
  return RequestFields<R>("tune_profile")
      .add("kernel", &R::kernel, {.doc = "the tile kernel"})
      .add("gpu", &R::gpu, {.doc = "this machine's GPU", .required = true})
      .add("output", &R::output, {.doc = "samples, CSV; goes on where a run was stopped", .required = true})
      .add("seconds", &R::seconds, {.unit = "s", .doc = "stop after", .min = 0})
      .add("split_k", &R::split_k,
           {.doc = "gemm: also loops over k in so many parts (2 4 8)", .min = 2, .max = 64})
      .add("narrow_rows", &R::narrow_rows, {.doc = "products: also rows of K that wide loads cannot read"})
      .add("all_anchors", &R::all_anchors, {.doc = "every anchor of every configuration, not two rounds"})
      .add("python", &R::python, {.doc = "with torch and triton"})
      .add("package", &R::package, {.doc = "folder of the Python package warploom"})
      .table();
}

namespace {

// True when the plan was measured to its end.
bool measure(const TuneProfileRequest& request, const std::filesystem::path& plan, double seconds) {
  const TileKernel& kernel = request.kernel;
  const ProfilerRun run{.python = request.python,
                        .program = request.package / "warploom" / "profile.py",
                        .arguments = {{"kind", std::string(name_of(kernel.kind))},
                                      {"plan", plan.string()},
                                      {"output", request.output.string()},
                                      {"seconds", fmt::format("{:.0f}", seconds)},
                                      {"operand-bytes", std::to_string(kernel.operand_bytes)},
                                      {"experts", std::to_string(kernel.experts)},
                                      {"top-k", std::to_string(kernel.top_k)},
                                      {"expert-skew", fmt::format("{}", kernel.expert_skew)},
                                      {"head-dim", std::to_string(kernel.head_dim)},
                                      {"head-group", std::to_string(kernel.head_group)},
                                      {"causal", kernel.causal ? "1" : "0"}}};
  return run_profiler(run, "tune profile");
}

}  // namespace

TuneProfileResult tune_profile(const TuneProfileRequest& request) {
  if (request.kernel.kind == TileKernelKind::PagedDecode || request.kernel.window > 0)
    throw Unsupported(
        "tune profile: no reference kernel decodes from pages or has a window; times of your own kernel at "
        "the anchors of `tune plan` can be fitted");
  check_kernel_scope(request.kernel, TileKernelUse::Profile, "tune profile");
  require_profiler(request.package, "profile.py");
  const auto start = std::chrono::steady_clock::now();
  TunePlanRequest plan{.kernel = request.kernel, .gpu = request.gpu};
  plan.split_k = request.split_k;
  plan.narrow_rows = request.narrow_rows;
  TuneProfileResult result;
  const auto round = [&](AnchorRound which, const char* name) {
    plan.round = which;
    plan.output = request.output.string() + name;
    const TunePlanResult planned = write_anchors(plan);
    result.rows += planned.rows;
    result.configs = planned.configs;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    result.complete = measure(request, plan.output, request.seconds - spent.count());
  };
  if (request.all_anchors) {
    round(AnchorRound::All, ".plan.csv");
    return result;
  }
  round(AnchorRound::First, ".first.csv");
  if (!result.complete) return result;
  plan.samples = {request.output};
  // The second round follows from the first alone, so that a run that was stopped goes on with the same plan.
  if (!std::filesystem::exists(request.output.string() + ".second.csv")) {
    round(AnchorRound::Second, ".second.csv");
  } else {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    result.complete =
        measure(request, request.output.string() + ".second.csv", request.seconds - spent.count());
  }
  return result;
}

}  // namespace warploom
