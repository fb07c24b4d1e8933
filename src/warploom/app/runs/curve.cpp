#include "warploom/app/runs/curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "warploom/app/runs/measured_metrics.h"
#include "warploom/app/runs/measured_requests.h"
#include "warploom/app/serving/simulate_serving.h"
#include "warploom/base/error.h"
#include "warploom/base/parallel.h"
#include "warploom/base/request_fields.h"

namespace warploom {
namespace {

double per_user(const ServingMetrics& metrics) {
  return metrics.tpot.mean.value() > 0 ? 1 / metrics.tpot.mean.value() : 0;
}

// The places before, each with every value of a list.
template <class Value, class Member>
void multiply(std::vector<CurvePlace>& places, const std::vector<Value>& values,
              std::optional<Member> CurvePlace::*member) {
  if (values.empty()) return;
  std::vector<CurvePlace> more;
  for (const CurvePlace& place : places)
    for (const Value& value : values) {
      more.push_back(place);
      more.back().*member = value;
    }
  places = std::move(more);
}

template <class Value>
void check_values(const std::vector<Value>& values, std::string_view name) {
  for (const Value& value : values) {
    if (!(value > 0) || !std::isfinite(double(value)))
      throw InvalidInput(fmt::format("{}: {}, expected numbers above 0", name, value));
    if (std::count(values.begin(), values.end(), value) > 1)
      throw InvalidInput(fmt::format("{}: {} stands there twice", name, value));
  }
}

// How far all runs are, in requests. All have as many.
class CurveProgress {
 public:
  CurveProgress(std::size_t runs, const std::function<void(double, double)>& tell)
      : completed_(runs), tell_(tell) {}
  void at(std::size_t run, const SimulationProgress& progress) {
    const std::lock_guard lock(mutex_);
    done_ += double(progress.completed) - completed_[run];
    completed_[run] = double(progress.completed);
    tell_(done_, double(progress.total) * double(completed_.size()));
  }

 private:
  std::mutex mutex_;
  std::vector<double> completed_;
  double done_ = 0;
  const std::function<void(double, double)>& tell_;
};

MeasuredPoint measured_point(const std::filesystem::path& file) {
  const MeasuredRequests measured = read_measured_requests(file);
  MeasuredPoint point{.file = file.filename().string(),
                      .generator = measured.client ? measured.client->generator : "engine's record",
                      .concurrency = {},
                      .metrics = measured_metrics(measured)};
  if (measured.client) point.concurrency = measured.client->max_concurrency;
  return point;
}

// Measured runs say nothing of GPUs: they had as many as the points.
void lay_over(CurveResult& result, std::vector<MeasuredPoint> measured) {
  if (measured.empty() || result.points.empty()) return;
  const std::int64_t gpus = result.points.front().gpus;
  for (const CurvePoint& point : result.points)
    if (point.gpus != gpus)
      throw InvalidInput(fmt::format(
          "measured: the points have {} and {} GPUs, expected one number, which the measured runs had too",
          gpus, point.gpus));
  for (MeasuredPoint& point : measured)
    point.tokens_per_s_per_gpu = point.metrics.output_throughput / double(gpus);
  result.measured = std::move(measured);
}

}  // namespace

double CurvePoint::tokens_per_s_per_user() const { return per_user(metrics); }
double MeasuredPoint::tokens_per_s_per_user() const { return per_user(metrics); }

FieldTable CurveRequest::describe() {
  using R = CurveRequest;
  return RequestFields<R>("curve")
      .add("run", &R::run, {.doc = "the run that is repeated, as `simulate` takes it"})
      .add("max_concurrencies", &R::concurrencies, {.doc = "most requests in flight, of each point"})
      .add("request_rates", &R::rates, {.unit = "requests/s", .doc = "arrivals, of each point"})
      .add("tp_sizes", &R::tensor_parallel, {.doc = "GPUs that share a layer, of each point"})
      .add("quantizations", &R::quantizations, {.doc = "scheme of the linear layers, of each point"})
      .add("engines", &R::engines, {.doc = "engine of each point"})
      .add("measured", &R::measured,
           {.doc = "files of results of vllm bench serve, AIPerf or GuideLLM, laid over the points"})
      .add("views", &R::views, {.doc = "also the curve as a picture or a table", .choices = kCurveViews})
      .table();
}

std::vector<CurvePlace> curve_places(const CurveRequest& request) {
  check_values(request.concurrencies, "max_concurrencies");
  check_values(request.rates, "request_rates");
  check_values(request.tensor_parallel, "tp_sizes");
  const WorkloadRequestSource& source = request.run.source;
  if (!request.concurrencies.empty() && (source.max_concurrency || source.concurrency))
    throw InvalidInput("max_concurrencies: the run says its own concurrency, expected one of them");
  if (!request.rates.empty() && (source.request_rate || source.rate))
    throw InvalidInput("request_rates: the run says its own rate, expected one of them");
  if (!request.run.views.empty() || !request.run.tuned.empty() || request.run.details)
    throw InvalidInput(
        "views, tuned and details of a single run are no curve's, expected them of `simulate`");
  const std::size_t lists =
      std::size_t(!request.concurrencies.empty()) + std::size_t(!request.rates.empty()) +
      std::size_t(!request.tensor_parallel.empty()) + std::size_t(!request.quantizations.empty()) +
      std::size_t(!request.engines.empty());
  if (lists == 0)
    throw InvalidInput(
        "curve: no list is given, expected some of max_concurrencies, request_rates, tp_sizes, "
        "quantizations, engines");
  std::size_t count = 1;
  for (const std::size_t size :
       {request.concurrencies.size(), request.rates.size(), request.tensor_parallel.size(),
        request.quantizations.size(), request.engines.size()})
    if (count *= std::max<std::size_t>(1, size); count > kMostCurvePoints)
      throw InvalidInput(fmt::format("curve: more than {} points", kMostCurvePoints));
  std::vector<CurvePlace> places(1);
  multiply(places, request.engines, &CurvePlace::engine);
  multiply(places, request.quantizations, &CurvePlace::quantization);
  multiply(places, request.tensor_parallel, &CurvePlace::tensor_parallel);
  multiply(places, request.rates, &CurvePlace::rate);
  multiply(places, request.concurrencies, &CurvePlace::concurrency);
  return places;
}

CurveResult simulate_curve(const std::vector<CurveRun>& runs,
                           const std::vector<std::filesystem::path>& measured,
                           const std::shared_ptr<const LatencyModel>& latency,
                           const std::function<void(double, double)>& on_progress,
                           const std::atomic<bool>* cancelled) {
  std::vector<MeasuredPoint> laid_over;  // read first: a file that cannot be read costs no runs
  for (const std::filesystem::path& file : measured) laid_over.push_back(measured_point(file));
  std::vector<std::optional<CurvePoint>> points(runs.size());
  CurveProgress progress(runs.size(), on_progress);
  parallel_for(runs.size(), 0, [&](std::size_t i) {
    if (cancelled != nullptr && *cancelled) return;
    SimulateRequest request = runs[i].request;
    request.cancelled = cancelled;
    if (on_progress) request.on_progress = [&, i](const SimulationProgress& at) { progress.at(i, at); };
    const SimulateResult result = simulate_serving(request, latency);
    if (result.run.partial) return;
    points[i] = CurvePoint{.place = runs[i].place,
                           .model = result.label.model,
                           .gpu = result.label.gpu,
                           .workload = result.label.workload,
                           .gpus = result.label.gpus,
                           .metrics = result.run.metrics,
                           .interval = result.interval,
                           .tier = result.label.trust.tier};
  });
  CurveResult result{.points = {}, .measured = {}, .asked = runs.size()};
  for (std::optional<CurvePoint>& point : points)
    if (point) result.points.push_back(std::move(*point));
  lay_over(result, std::move(laid_over));
  return result;
}

}  // namespace warploom
