#include "warploom/app/serving/forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "warploom/app/serving/serving_engines.h"
#include "warploom/base/error.h"
#include "warploom/base/parallel.h"
#include "warploom/base/request_fields.h"
#include "warploom/serving/simulation.h"

namespace warploom {
namespace {

// How far the means may be off before the forecast says that it does not know this server.
constexpr double kTtftLimit = 0.20, kTpotLimit = 0.08, kE2elLimit = 0.10;
// A residual beyond this factor is no error of prices: another deployment than the one named.
constexpr double kMostResidual = 2;

// The figures of one run, in the engine's clock.
struct RunFigures {
  std::vector<double> ttft, tpot, e2el;  // s, of the requests after the first tenth
  double ttft_mean = 0, tpot_mean = 0, itl_mean = 0, e2el_mean = 0, output_throughput = 0;
  bool keeps_up = true;
};

double mean_of(const std::vector<double>& values, std::size_t begin = 0, std::size_t end = SIZE_MAX) {
  end = std::min(end, values.size());
  double sum = 0;
  for (std::size_t i = begin; i < end; ++i) sum += values[i];
  return end > begin ? sum / double(end - begin) : 0;
}

double quantile_of(std::vector<double> values, double fraction) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1, std::size_t(fraction * double(values.size())))];
}

RunFigures figures_of(const SimulationResult& run) {
  RunFigures figures;
  double decoding = 0, gaps = 0;
  for (std::size_t i = run.requests.size() / 10; i < run.requests.size(); ++i) {
    const RequestRecord& record = run.requests[i];
    if (!record.completed()) continue;
    figures.ttft.push_back(record.engine_ttft().seconds().value());
    figures.e2el.push_back((record.last_token - record.queued).seconds().value());
    if (record.output_tokens < 2) continue;
    figures.tpot.push_back(record.tpot().value());
    decoding += (record.last_token - record.first_token).seconds().value();
    gaps += double(record.output_tokens - 1);
  }
  if (figures.ttft.empty())
    throw InvalidInput(
        "forecast: no simulated request was completed, expected a `max_model_len` that holds "
        "the lengths of the metrics");
  figures.ttft_mean = mean_of(figures.ttft);
  figures.tpot_mean = mean_of(figures.tpot);
  figures.itl_mean = gaps > 0 ? decoding / gaps : 0;
  figures.e2el_mean = mean_of(figures.e2el);
  figures.output_throughput = run.metrics.output_throughput;
  // A queue that grows makes each quarter of the run wait longer than the one before.
  const std::size_t n = figures.ttft.size();
  const double second = mean_of(figures.ttft, n / 4, n / 2), last = mean_of(figures.ttft, 3 * n / 4);
  figures.keeps_up = last < 1.5 * second || last < 1;
  return figures;
}

// Everything of a forecast that its parts share.
class Forecaster {
 public:
  Forecaster(const ForecastRequest& request, const std::shared_ptr<const LatencyModel>& latency)
      : request_(request),
        latency_(latency),
        load_(observe_load(request.metrics, request.metrics_before, request.window)) {
    if (load_.engine != request.setup.config.engine)
      throw InvalidInput(fmt::format("{}: holds metrics of {}, expected those of `engine` {}",
                                     request.metrics.string(), load_.engine, request.setup.config.engine));
    scales_ = request.scale;
    if (scales_.empty()) scales_.assign(kUsualScales.begin(), kUsualScales.end());
    for (const double scale : scales_)
      if (!(scale > 0 && scale <= 100))
        throw InvalidInput(fmt::format("scale: {} is out of range, expected above 0 and at most 100", scale));
    total_ = std::int64_t(scales_.size()) + 1;
  }

  ForecastResult result() {
    ForecastResult result;
    result.load = load_;
    const ServingEngines engines = engines_for(request_.setup);
    name(result, engines);
    const std::array<RunFigures, 3> now = runs(engines, 1);
    compare(result, now[1]);
    result.now = point(result, 1, now);
    for (const double scale : scales_) result.points.push_back(point(result, scale, runs(engines, scale)));
    if (request_.levers) add_levers(result, engines.setups.front());
    return result;
  }

 private:
  ServingEngines engines_for(const ServingSetupRequest& setup) const {
    SimulateRequest simulated;
    simulated.setup = setup;
    return engines_of(simulated, latency_);
  }
  Workload workload(double scale) const {
    return load_workload(load_, load_.rate * scale, request_.requests, request_.seed);
  }
  static RunFigures run(const ServingEngines& engines, const Workload& workload, StepTime step_time) {
    SimulationOptions options;
    options.step_time = step_time;
    options.timeline_samples = 0;
    return figures_of(simulate(engines.deployment, workload, options));
  }
  std::array<RunFigures, 3> runs(const ServingEngines& engines, double scale) {
    constexpr std::array<StepTime, 3> kTimes{StepTime::Low, StepTime::Mid, StepTime::High};
    const Workload requests = workload(scale);
    std::array<RunFigures, 3> figures;
    parallel_for(kTimes.size(), kTimes.size(),
                 [&](std::size_t i) { figures[i] = run(engines, requests, kTimes[i]); });
    report();
    return figures;
  }
  void report() {
    if (request_.on_progress) request_.on_progress(++done_, total_);
  }

  void name(ForecastResult& result, const ServingEngines& engines) const {
    const ServingSetup& setup = engines.setups.front();
    result.model = setup.model.name;
    result.gpu = setup.gpu->name;
    result.engine = setup.engine_text();
    result.host_profile = setup.host_profile;
    result.gpus = setup.config.instances * setup.sharding.gpus_per_replica() * setup.sharding.data_parallel;
  }

  // The simulated samples in the buckets of the measured ones, so that quantiles have one coarseness.
  static Seconds p50_by(const MetricHistogram& buckets, const std::vector<double>& samples) {
    MetricHistogram simulated;
    simulated.count = double(samples.size());
    for (const auto& [bound, count] : buckets.cumulative)
      simulated.cumulative[bound] =
          double(std::count_if(samples.begin(), samples.end(), [&](double x) { return x <= bound; }));
    return Seconds(simulated.quantile(0.5));
  }
  void compare(ForecastResult& result, const RunFigures& now) const {
    const auto add = [&](std::string metric, const MetricHistogram& measured, double mean,
                         const std::vector<double>& samples, double limit) {
      result.agreement.push_back({.metric = std::move(metric),
                                  .measured = Seconds(measured.mean()),
                                  .simulated = Seconds(mean),
                                  .measured_p50 = Seconds(measured.quantile(0.5)),
                                  .simulated_p50 = p50_by(measured, samples),
                                  .limit = limit});
      return measured.mean() / mean;
    };
    result.ttft_residual = add("TTFT", load_.ttft, now.ttft_mean, now.ttft, kTtftLimit);
    result.tpot_residual = add(load_.tpot_is_itl ? "ITL" : "TPOT", load_.tpot,
                               load_.tpot_is_itl ? now.itl_mean : now.tpot_mean, now.tpot, kTpotLimit);
    add("E2EL", load_.e2el, now.e2el_mean, now.e2el, kE2elLimit);
    const auto usable = [](double residual) {
      return std::isfinite(residual) && residual < kMostResidual && residual > 1 / kMostResidual;
    };
    result.calibrated = request_.calibrate && usable(result.ttft_residual) && usable(result.tpot_residual);
  }

  // A residual that was found at the load as it is holds at another one by half at least: so wide is what it
  // adds to the interval of the kernels.
  static ForecastFigure figure(double residual, double low, double mid, double high) {
    const double width = std::exp(std::abs(std::log(residual)) / 2);
    const auto [least, most] = std::minmax({low, mid, high});
    return {Seconds(mid * residual), Seconds(least * residual / width), Seconds(most * residual * width)};
  }
  static ForecastPoint at(double scale, double rate, double ttft, double tpot,
                          const std::array<RunFigures, 3>& runs) {
    const auto& [low, mid, high] = runs;
    const auto of = [&](double residual, auto&& get) {
      return figure(residual, get(low), get(mid), get(high));
    };
    ForecastPoint point{.scale = scale, .rate = rate};
    point.ttft_mean = of(ttft, [](const RunFigures& f) { return f.ttft_mean; });
    point.ttft_p50 = of(ttft, [](const RunFigures& f) { return quantile_of(f.ttft, 0.5); });
    point.ttft_p90 = of(ttft, [](const RunFigures& f) { return quantile_of(f.ttft, 0.9); });
    point.tpot_mean = of(tpot, [](const RunFigures& f) { return f.tpot_mean; });
    // Most of a request's time is decoding.
    point.e2el_mean = of(tpot, [](const RunFigures& f) { return f.e2el_mean; });
    point.output_throughput = mid.output_throughput;
    point.keeps_up = mid.keeps_up;
    return point;
  }
  ForecastPoint point(const ForecastResult& result, double scale,
                      const std::array<RunFigures, 3>& runs) const {
    const double ttft = result.calibrated ? result.ttft_residual : 1;
    const double tpot = result.calibrated ? result.tpot_residual : 1;
    return at(scale, load_.rate * scale, ttft, tpot, runs);
  }

  void add_lever(ForecastResult& result, const Workload& requests, std::string change,
                 const std::function<void(ServingConfig&)>& set) const {
    ForecastLever lever{
        .change = std::move(change), .refused = {}, .ttft_mean = {}, .tpot_mean = {}, .e2el_mean = {}};
    ServingSetupRequest setup = request_.setup;
    set(setup.config);
    try {
      const RunFigures figures = run(engines_for(setup), requests, StepTime::Mid);
      const double ttft = result.calibrated ? result.ttft_residual : 1;
      const double tpot = result.calibrated ? result.tpot_residual : 1;
      lever.ttft_mean = Seconds(figures.ttft_mean * ttft);
      lever.tpot_mean = Seconds(figures.tpot_mean * tpot);
      lever.e2el_mean = Seconds(figures.e2el_mean * tpot);
    } catch (const Error& error) {
      lever.refused = error.what();
    }
    result.levers.push_back(std::move(lever));
  }
  void add_levers(ForecastResult& result, const ServingSetup& setup) const {
    const Workload requests = workload(*std::max_element(scales_.begin(), scales_.end()));
    const auto add = [&](std::string change, const std::function<void(ServingConfig&)>& set) {
      add_lever(result, requests, std::move(change), set);
    };
    const std::int64_t budget = max_num_batched_tokens_of(setup.config);
    const std::int64_t seqs = max_num_seqs_of(setup.config), tp = setup.config.tensor_parallel_size;
    const std::int64_t instances = setup.config.instances;
    add("as it is", [](ServingConfig&) {});
    if (const std::int64_t tokens = setup.config.chunked_prefill_size.value_or(0); tokens > 0) {
      for (const std::int64_t size : {2 * tokens, tokens / 2})
        add(fmt::format("chunked_prefill_size {}", size),
            [=](ServingConfig& config) { config.chunked_prefill_size = size; });
    } else {
      for (const std::int64_t most : {2 * budget, budget / 2})
        add(fmt::format("max_num_batched_tokens {}", most),
            [=](ServingConfig& config) { config.max_num_batched_tokens = most; });
      const bool chunked = setup.config.enable_chunked_prefill.value_or(true);
      add(fmt::format("enable_chunked_prefill {}", !chunked),
          [=](ServingConfig& config) { config.enable_chunked_prefill = !chunked; });
    }
    for (const std::int64_t most : {2 * seqs, seqs / 2})
      if (most > 0)
        add(fmt::format("max_num_seqs {}", most), [=](ServingConfig& config) { config.max_num_seqs = most; });
    if (load_.hit_rate > 0)
      add(fmt::format("enable_prefix_caching {}", !setup.config.enable_prefix_caching),
          [](ServingConfig& config) { config.enable_prefix_caching = !config.enable_prefix_caching; });
    add(fmt::format("tensor_parallel_size {}", 2 * tp),
        [=](ServingConfig& config) { config.tensor_parallel_size = 2 * tp; });
    add(fmt::format("instances {}", instances + 1),
        [=](ServingConfig& config) { config.instances = instances + 1; });
    std::stable_sort(result.levers.begin(), result.levers.end(),
                     [](const ForecastLever& a, const ForecastLever& b) {
                       if (a.refused.empty() != b.refused.empty()) return a.refused.empty();
                       return a.e2el_mean < b.e2el_mean;
                     });
  }

  const ForecastRequest& request_;
  const std::shared_ptr<const LatencyModel>& latency_;
  ObservedLoad load_;
  std::vector<double> scales_;
  std::int64_t done_ = 0, total_ = 0;
};

}  // namespace

FieldTable ForecastRequest::describe() {
  using R = ForecastRequest;
  return RequestFields<R>("forecast")
      .add("setup", &R::setup, {.doc = "model, GPU and engine of the server"})
      .add("metrics", &R::metrics, {.doc = "the server's Prometheus metrics, as its /metrics writes them"})
      .add("metrics_before", &R::metrics_before,
           {.doc = "the same earlier; absent: counters since the server's start"})
      .add("window_s", &R::window,
           {.unit = "s", .doc = "over which counters grew; absent: by the files' times", .min = 0})
      .add("scale", &R::scale, {.doc = "factors of the load to forecast; default 1.5 and 2"})
      .add("requests", &R::requests, {.doc = "of each run", .min = 20, .max = 1'000'000})
      .add("calibrate", &R::calibrate, {.doc = "scale by what the simulation misses at the load as it is"})
      .add("levers", &R::levers, {.doc = "also which flag would help most, by simulation"})
      .add("seed", &R::seed, {.doc = "of what is drawn"})
      .table();
}

ForecastResult forecast(const ForecastRequest& request, const std::shared_ptr<const LatencyModel>& latency) {
  if (request.metrics.empty()) throw InvalidInput("forecast: 'metrics' is missing, expected a file");
  return Forecaster(request, latency).result();
}

}  // namespace warploom
