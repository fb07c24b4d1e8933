#include "warploom/app/plan/support_matrix.h"

#include <array>
#include <mutex>

#include "warploom/app/predict/latency_models.h"
#include "warploom/app/serving/price_step.h"
#include "warploom/app/serving/required_tier.h"
#include "warploom/base/error.h"
#include "warploom/base/parallel.h"
#include "warploom/base/request_fields.h"
#include "warploom/models/model_catalog.h"

namespace warploom {
namespace {

constexpr std::array<std::int64_t, 4> kSupportSizes{1, 2, 4, 8};

void fill_shares(const StepBreakdown& step, SupportRow& row) {
  double all = 0;
  std::array<double, EnumNames<Tier>::kNames.size()> seconds{};
  for (const KernelRow& kernel : step.kernels) {
    seconds[std::size_t(kernel.source.tier)] += kernel.p50.value();
    all += kernel.p50.value();
  }
  if (!(all > 0)) return;
  row.measured = seconds[std::size_t(Tier::Measured)] / all;
  row.cross_gpu = seconds[std::size_t(Tier::CrossGpu)] / all;
  row.roofline = seconds[std::size_t(Tier::Roofline)] / all;
}

// On the fewest GPUs that hold the model; the last refusal stands where none does.
void price_support(SupportRow& row, const FileScope& files,
                   const std::shared_ptr<const LatencyModel>& latency) {
  for (const std::int64_t tp : kSupportSizes) {
    StepRequest request;
    request.prefill = "1x2000";
    request.decode = "32x1000";
    request.setup.model = row.model;
    request.setup.gpu = row.gpu;
    request.setup.files = files;
    request.setup.config.engine = row.engine;
    request.setup.config.tensor_parallel_size = tp;
    try {
      fill_shares(price_step(request, latency), row);
      row.tensor_parallel = tp;
      row.refused.clear();
      return;
    } catch (const Error& error) {
      row.refused = error.what();
    }
  }
}

std::vector<std::string> model_names(const std::vector<std::string>& asked) {
  if (!asked.empty()) return asked;
  return ModelCatalog().names();
}

}  // namespace

FieldTable SupportRequest::describe() {
  using R = SupportRequest;
  return RequestFields<R>("support")
      .add("supported_models", &R::models, {.doc = "names or paths; none: every known model"})
      .add("supported_gpus", &R::gpus, {.doc = "names or paths; none: every known GPU"})
      .add("supported_engines", &R::engines, {.doc = "none: every engine"})
      .add("predictor", &R::predictor, {.doc = "a folder that `train` wrote, or roofline"})
      .add("threads", &R::threads, {.doc = "0: as many as the machine has. No effect on results"})
      .table();
}

bool SupportRow::is_measured() const { return refused.empty() && measured >= kMeasuredShare; }

std::vector<SupportRow> support_matrix(const SupportRequest& request,
                                       std::shared_ptr<const LatencyModel> latency) {
  if (request.models.empty() && request.gpus.empty())
    throw InvalidInput(
        "supported_models: neither a model nor a GPU is named, expected `supported_models` or "
        "`supported_gpus`");
  GpuCatalog catalog;
  for (const std::string& gpu : request.gpus) (void)catalog.load_gpu(gpu, request.files);
  for (const std::string& model : request.models) (void)load_model(model, request.files);
  for (const std::string& engine : request.engines) check_simulated_engine(engine);
  std::vector<SupportRow> rows;
  for (const std::string& model : model_names(request.models))
    for (const std::string& gpu : request.gpus.empty() ? catalog.names() : request.gpus)
      for (const std::string& engine : request.engines.empty() ? engine_names() : request.engines)
        rows.push_back({.model = model, .gpu = gpu, .engine = engine});
  std::mutex reporting;
  std::int64_t done = 0;
  parallel_for(rows.size(), request.threads, [&](std::size_t i) {
    price_support(rows[i], request.files, latency);
    const std::scoped_lock lock(reporting);
    if (request.on_progress) request.on_progress(++done, std::ssize(rows));
  });
  return rows;
}

std::vector<SupportRow> support_matrix(const SupportRequest& request) {
  return support_matrix(request, open_latency_model(request.predictor, request.files));
}

}  // namespace warploom
