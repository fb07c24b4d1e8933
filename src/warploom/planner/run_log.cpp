#include "warploom/planner/run_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "warploom/base/error.h"
#include "warploom/base/hash.h"
#include "warploom/base/json_members.h"

namespace warploom {
namespace {

constexpr std::string_view kLogSchema = "warploom_plan_runs";
// 2: runs at p90 hold what lies beyond the kernels; 3: runs until they are steady; 4: each run has its hash;
// 5: of pools that scale, how long at least so many instances were held.
constexpr std::int64_t kLogVersion = 5;
// What a kill may cost: a second, or of a log that takes long to write so much that writing is a twentieth.
constexpr std::chrono::seconds kBetweenWrites{1};
constexpr int kWritesApart = 20;  // times that the last write took

std::string shape_key(const EngineShape& shape) {
  std::string key = fmt::format("{}.{}.{}.{}.{}", shape.gpu, shape.tensor_parallel, shape.pipeline_parallel,
                                shape.data_parallel, shape.expert_parallel ? 1 : 0);
  // Keys of logs that were written before these were chosen stay as they are.
  if (shape.redundant_experts > 0) key += fmt::format(".r{}", shape.redundant_experts);
  if (shape.feed_forward_ranks > 0)
    key += fmt::format(".f{}.m{}", shape.feed_forward_ranks, shape.micro_batches);
  if (shape.exchange > 0) key += fmt::format(".x{}", shape.exchange);
  return key;
}

}  // namespace

std::string run_key(const Configuration& configuration, const Fleet& fleet, const RunQuestion& question) {
  const Configuration& c = configuration;
  std::string further = c.routing > 0 ? fmt::format("|router {}", c.routing) : std::string();
  if (c.encoders > 0) further += fmt::format("|encoders {}", c.encoders);
  if (c.shared_caches) further += "|shared";
  if (question.draw > 0) further += fmt::format("|draw {}", question.draw);
  if (question.requests > 0) further += fmt::format("|requests {}", question.requests);
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}{}", c.engine, c.quantization,
                     c.speculation, c.max_num_seqs, c.max_num_batched_tokens, c.prefix_caching ? 1 : 0,
                     c.kv_offloading_gib, shape_key(c.shape), c.decode ? shape_key(*c.decode) : "",
                     fleet.instances, fleet.decode, int(question.step_time), question.rate,
                     question.whole ? 1 : 0, int(question.kind), further);
}

namespace {

// Every latency of the metrics in seconds, which come back as they were; in ms they would be rounded.
template <class Metrics, class See>
void each_latency(Metrics& metrics, const See& see) {
  for (auto* summary : {&metrics.ttft, &metrics.engine_ttft, &metrics.tpot, &metrics.itl, &metrics.e2el})
    for (auto* value : {&summary->mean, &summary->median, &summary->std, &summary->p50, &summary->p90,
                        &summary->p95, &summary->p99})
      see(*value);
}
constexpr std::size_t kLatencies = 35;

// The same for a document that was written and read again.
std::string hash_of_run(std::string_view key, const Json& figures) {
  return fmt::format("{:016x}", hash_bytes(figures.dump(), hash_bytes(key)));
}

}  // namespace

Json run_figures_to_json(const RunFigures& figures) {
  Json document = to_json(figures);
  document["metrics"] = to_json(figures.metrics);
  document["length"] = to_json(figures.length);
  Json latencies = Json::array();
  each_latency(figures.metrics, [&](const Seconds& value) { latencies.push_back(value.value()); });
  document["latencies_s"] = std::move(latencies);
  return document;
}

RunFigures run_figures_from_json(const Json& document, std::string_view where) {
  for (const char* part : {"metrics", "length"})
    if (!document.is_object() || !document.contains(part))
      throw InvalidInput(fmt::format("{}: '{}' is missing, expected the figures of a run", where, part));
  Json own = document;
  own.erase("metrics");
  own.erase("length");
  own.erase("latencies_s");
  auto figures = object_from_json<RunFigures>(own, where);
  figures.metrics = object_from_json<ServingMetrics>(document["metrics"], where);
  figures.length = object_from_json<RunLength>(document["length"], where);
  const Json& latencies = member_or_null(document, "latencies_s");
  const bool numbers = latencies.is_array() && std::all_of(latencies.begin(), latencies.end(),
                                                           [](const Json& one) { return one.is_number(); });
  if (!numbers || latencies.size() != kLatencies)
    throw InvalidInput(fmt::format("{}: 'latencies_s' is no list of {} numbers", where, kLatencies));
  std::size_t at = 0;
  each_latency(figures.metrics, [&](Seconds& value) { value = Seconds(latencies[at++].get<double>()); });
  return figures;
}

LoggedRuns::LoggedRuns(const ConfigurationModel& model, std::filesystem::path path, std::uint64_t question,
                       std::string version)
    : model_(model),
      path_(std::move(path)),
      question_(fmt::format("{:016x}", question)),
      version_(std::move(version)),
      written_(std::chrono::steady_clock::now()) {
  if (path_.empty()) return;
  std::error_code unseen;
  const bool exists = std::filesystem::exists(path_, unseen);
  if (unseen) throw IoError(fmt::format("{}: cannot be read: {}", path_.string(), unseen.message()));
  if (!exists) return;
  const Json document = read_json_file(path_);
  const std::string where = path_.string();
  if (!document.is_object() || text_member_or(document, "schema", "") != kLogSchema)
    throw InvalidInput(fmt::format("{}: is no log of a search, expected a file that `plan` wrote", where));
  const std::string by = text_member_or(document, "created_by", "?");
  if (document_version(document) != kLogVersion || by != version_)
    throw Unsupported(fmt::format(
        "{}: was written by {}, whose runs may differ from those of {}; expected another `store`, "
        "or the file "
        "deleted",
        where, by, version_));
  if (text_member_or(document, "question", "") != question_)
    throw InvalidInput(fmt::format(
        "{}: belongs to another question (space, workload or limits), expected another `store`, or the file "
        "deleted",
        where));
  if (!document.contains("runs") || !document["runs"].is_object())
    throw InvalidInput(fmt::format("{}: 'runs' is missing, expected an object", where));
  for (const auto& [key, run] : document["runs"].items()) {
    const std::string place = fmt::format("{}: run '{}'", where, key);
    Json figures = run;
    if (figures.is_object()) figures.erase("hash");
    if (text_member_or(run, "hash", "") != hash_of_run(key, figures))
      throw InvalidInput(fmt::format(
          "{}: is damaged (its hash does not match), expected a copy of the file, or another `store`",
          place));
    runs_.emplace(key, run_figures_from_json(figures, place));
  }
}

Json ConfigurationModel::take_news() const { return Json::object(); }
void ConfigurationModel::learn(const Json&) const {}

RunFigures LoggedRuns::run(const Configuration& configuration, const Fleet& fleet,
                           const RunQuestion& question) const {
  const std::string key = run_key(configuration, fleet, question);
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = runs_.find(key); found != runs_.end()) return found->second;
  }
  RunFigures figures = model_.run(configuration, fleet, question);
  const std::scoped_lock lock(mutex_);
  if (runs_.emplace(key, figures).second) news_.push_back(key);
  const auto since = std::chrono::steady_clock::now() - written_;
  if (!path_.empty() && since > kBetweenWrites && since > kWritesApart * write_took_) {
    try {
      write_locked();
    } catch (const IoError&) {  // the last write says it, and no search is lost
      written_ = std::chrono::steady_clock::now();
    }
  }
  return figures;
}

void LoggedRuns::write() const {
  const std::scoped_lock lock(mutex_);
  if (!path_.empty()) write_locked();
}

Json LoggedRuns::take_news() const {
  const std::scoped_lock lock(mutex_);
  Json news = Json::object();
  for (const std::string& key : std::exchange(news_, {})) news[key] = run_figures_to_json(runs_.at(key));
  return news;
}

Json LoggedRuns::all() const {
  const std::scoped_lock lock(mutex_);
  Json runs = Json::object();
  for (const auto& [key, figures] : runs_) runs[key] = run_figures_to_json(figures);
  return runs;
}

void LoggedRuns::learn(const Json& news) const {
  const std::scoped_lock lock(mutex_);
  for (const auto& [key, figures] : news.items())
    runs_.emplace(key, run_figures_from_json(figures, "another process"));
}

std::size_t LoggedRuns::known() const {
  const std::scoped_lock lock(mutex_);
  return runs_.size();
}

void LoggedRuns::write_locked() const {
  const auto begin = std::chrono::steady_clock::now();
  Json document;
  document["schema"] = kLogSchema;
  document["version"] = kLogVersion;
  document["created_by"] = version_;
  document["question"] = question_;
  document["runs"] = Json::object();
  for (const auto& [key, figures] : runs_) {
    Json run = run_figures_to_json(figures);
    run["hash"] = hash_of_run(key, run);
    document["runs"][key] = std::move(run);
  }
  write_json_file(path_, document);
  written_ = std::chrono::steady_clock::now();
  write_took_ = written_ - begin;
}

}  // namespace warploom
