#include "warploom/app/serving/forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "warploom/app/serving/forecast_levers.h"
#include "warploom/app/serving/required_tier.h"
#include "warploom/app/serving/serving_engines.h"
#include "warploom/app/serving/step_factors.h"
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
// The search for step factors: how near both means must come, how often it runs, how far it goes.
constexpr double kNearEnough = 0.005;
constexpr int kMostFits = 10;
constexpr double kMostFactor = 3;

// The figures of one run, in the engine's clock.
struct RunFigures {
  std::vector<double> ttft, tpot, e2el;  // s, of the requests after the first tenth
  double ttft_mean = 0, tpot_mean = 0, itl_mean = 0, e2el_mean = 0, output_throughput = 0;
  bool keeps_up = true;
  KernelTrust trust;
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
  figures.trust = trust_of(run.kernels);
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
    total_ = std::int64_t(scales_.size()) + 2 + (request.levers ? 1 : 0);
  }

  ForecastResult result() {
    ForecastResult result;
    result.load = load_;
    const ServingEngines engines = engines_for(request_.setup);
    name(result, engines);
    compare(result, run(engines, workload(1), StepTime::Mid));
    if (result.calibrated) fit(engines);
    result.prompt_factor = factors_.prompt;
    result.decode_factor = factors_.decode;
    report();
    result.now = point(result, engines, 1);
    for (const double scale : scales_) result.points.push_back(point(result, engines, scale));
    if (request_.levers) add_levers(result, engines);
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
  RunFigures run(const ServingEngines& engines, const Workload& workload, StepTime step_time) const {
    SimulationOptions options;
    options.step_time = step_time;
    options.timeline_samples = 0;
    const ScaledDeployment scaled(at_end(engines, step_time), factors_);
    const SimulationResult result = simulate(scaled.deployment(), workload, options);
    check_required_tier(request_.setup.require_tier, result.kernels);
    return figures_of(result);
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
    result.gpus = gpus_of(setup);
  }
  static std::int64_t gpus_of(const ServingSetup& setup) {
    return setup.config.instances * setup.sharding.gpus_per_replica() * setup.sharding.data_parallel;
  }

  // The simulated samples in the buckets of the measured ones, so that quantiles have one coarseness.
  static Seconds p50_by(const MetricHistogram& buckets, const std::vector<double>& samples) {
    MetricHistogram simulated;
    simulated.count = double(samples.size());
    for (const auto& bucket : buckets.cumulative) {
      const double bound = bucket.first;
      simulated.cumulative[bound] =
          double(std::count_if(samples.begin(), samples.end(), [&](double x) { return x <= bound; }));
    }
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

  // Finds the factors at which the simulation has the measured means. Each goes by its own residual; the way
  // is halved where that led away: near saturation a wait grows by more than its steps.
  void fit(const ServingEngines& engines) {
    const Workload requests = workload(1);
    StepFactors best;
    double best_ttft = 0, best_tpot = 0;
    double least = std::numeric_limits<double>::infinity(), way = 1;
    for (int i = 0; i < kMostFits; ++i) {
      const RunFigures figures = run(engines, requests, StepTime::Mid);
      const double ttft = std::log(load_.ttft.mean() / figures.ttft_mean);
      const double tpot =
          std::log(load_.tpot.mean() / (load_.tpot_is_itl ? figures.itl_mean : figures.tpot_mean));
      const double off = std::abs(ttft) + std::abs(tpot);
      if (off < least) {
        least = off;
        best = factors_;
        best_ttft = ttft;
        best_tpot = tpot;
      } else {
        way /= 2;
      }
      if (off < kNearEnough) break;
      factors_ = {moved(best.prompt, way * best_ttft), moved(best.decode, way * best_tpot)};
    }
    factors_ = best;
  }
  static double moved(double factor, double way) {
    return std::clamp(factor * std::exp(way), 1 / kMostFactor, kMostFactor);
  }

  // What was missed at the load as it is may be missed anew at another one by half: so wide is what it adds
  // to the interval of the kernels.
  static ForecastFigure figure(double residual, double low, double mid, double high) {
    const double width = std::exp(std::abs(std::log(residual)) / 2);
    const auto [least, most] = std::minmax({low, mid, high});
    return {Seconds(mid), Seconds(least / width), Seconds(most * width)};
  }
  ForecastPoint point(const ForecastResult& result, const ServingEngines& engines, double scale) {
    const std::array<RunFigures, 3> at = runs(engines, scale);
    const auto of = [&](double residual, auto&& get) {
      return figure(result.calibrated ? residual : 1, get(at[0]), get(at[1]), get(at[2]));
    };
    const double ttft = result.ttft_residual, tpot = result.tpot_residual;
    ForecastPoint point{.scale = scale, .rate = load_.rate * scale};
    point.ttft_mean = of(ttft, [](const RunFigures& f) { return f.ttft_mean; });
    point.ttft_p50 = of(ttft, [](const RunFigures& f) { return quantile_of(f.ttft, 0.5); });
    point.ttft_p90 = of(ttft, [](const RunFigures& f) { return quantile_of(f.ttft, 0.9); });
    point.tpot_mean = of(tpot, [](const RunFigures& f) { return f.tpot_mean; });
    // Most of a request's time is decoding.
    point.e2el_mean = of(tpot, [](const RunFigures& f) { return f.e2el_mean; });
    point.output_throughput = at[1].output_throughput;
    point.keeps_up = at[1].keeps_up;
    point.trust = at[1].trust;
    return point;
  }

  void add_lever(ForecastResult& result, const Workload& requests, const Lever& change) const {
    ForecastLever lever{
        .change = change.change, .refused = {}, .ttft_mean = {}, .tpot_mean = {}, .e2el_mean = {}};
    ServingSetupRequest setup = request_.setup;
    change.set(setup.config);
    try {
      const ServingEngines engines = engines_for(setup);
      const RunFigures figures = run(engines, requests, StepTime::Mid);
      lever.gpus = gpus_of(engines.setups.front());
      lever.ttft_mean = Seconds(figures.ttft_mean);
      lever.tpot_mean = Seconds(figures.tpot_mean);
      lever.e2el_mean = Seconds(figures.e2el_mean);
      lever.tier = figures.trust.tier;
    } catch (const Error& error) {
      lever.refused = error.what();
    }
    result.levers.push_back(std::move(lever));
  }
  void add_levers(ForecastResult& result, const ServingEngines& engines) {
    const Workload requests = workload(*std::max_element(scales_.begin(), scales_.end()));
    add_lever(result, requests, {std::string(kAsItIs), [](ServingConfig&) {}});
    for (const Lever& lever : levers_of(engines.setups.front().config, load_.hit_rate > 0))
      add_lever(result, requests, lever);
    std::stable_sort(result.levers.begin(), result.levers.end(),
                     [](const ForecastLever& a, const ForecastLever& b) {
                       if (a.refused.empty() != b.refused.empty()) return a.refused.empty();
                       return a.e2el_mean < b.e2el_mean;
                     });
    report();
  }

  const ForecastRequest& request_;
  const std::shared_ptr<const LatencyModel>& latency_;
  ObservedLoad load_;
  std::vector<double> scales_;
  StepFactors factors_;
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
      .add("calibrate", &R::calibrate,
           {.doc = "scale steps so that the simulation has what was measured at the load as it is"})
      .add("levers", &R::levers, {.doc = "also which flag would help most, by simulation"})
      .add("seed", &R::seed, {.doc = "of what is drawn"})
      .table();
}

ForecastResult forecast(const ForecastRequest& request, const std::shared_ptr<const LatencyModel>& latency) {
  if (request.metrics.empty()) throw InvalidInput("forecast: 'metrics' is missing, expected a file");
  return Forecaster(request, latency).result();
}

}  // namespace warploom
