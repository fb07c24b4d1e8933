#include "warploom/report/deployment_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/report/afd_report.h"
#include "warploom/report/number_text.h"

namespace warploom {
namespace {

constexpr double kMegabyte = 1e6;

double share(double part, double whole) { return whole > 0 ? part / whole : 0.0; }

// Tokens that a verifying step yields, the sure one included.
double acceptance_length(const SpeculationCounts& counts) {
  return 1 + share(double(counts.accepted_tokens), double(counts.drafts));
}

double energy_of(const RunLabel& label) {
  double sum = 0;
  for (const PoolLabel& pool : label.pools) sum += pool.energy_j;
  if (label.encoders) sum += label.encoders->energy_j;
  return sum;
}

std::string milliseconds_each(Seconds sum, std::int64_t count) {
  return fixed_text(to_milliseconds(sum) / double(std::max<std::int64_t>(1, count)), 2);
}

Json pools_json(const RunLabel& label, const SimulationResult& result) {
  Json list = Json::array();
  for (std::size_t i = 0; i < label.pools.size() && i < result.pools.size(); ++i) {
    const PoolLabel& pool = label.pools[i];
    const PoolTotals& totals = result.pools[i];
    list.push_back({{"name", pool.name},
                    {"gpu", pool.gpu},
                    {"instances", pool.instances},
                    {"most_instances", totals.most_instances},
                    {"gpus_per_instance", pool.gpus_per_instance},
                    {"tp", pool.tensor_parallel},
                    {"pp", pool.pipeline_parallel},
                    {"dp", pool.data_parallel},
                    {"ep", pool.expert_parallel},
                    {"steps", totals.steps.steps},
                    {"tokens", totals.steps.tokens},
                    {"gpu_p50_s", totals.steps.gpu_p50.value()},
                    {"host_s", totals.steps.host.value()},
                    {"gpu_time_s", totals.gpu_time.value()},
                    {"energy_j", pool.energy_j > 0 ? Json(pool.energy_j) : Json()}});
    if (pool.afd) list.back()["afd"] = afd_json(*pool.afd);
  }
  return list;
}

std::string shared_kv_text(const SharedKvTotals& shared) {
  if (!shared.any()) return {};
  std::string text = fmt::format(
      "shared caches: {} tokens read of the store, {} of other instances, {} ms of "
      "waiting in all, {} of it for links\n",
      count_text(shared.store_read_tokens), count_text(shared.peer_tokens), milliseconds_each(shared.wait, 1),
      percent_text(share(shared.link_wait.value(), shared.wait.value())));
  if (shared.store_capacity_units > 0)
    text += fmt::format("store: {} units written, {} evicted, {} full at the end\n",
                        count_text(shared.store_written_units), count_text(shared.store_evicted_units),
                        percent_text(share(double(shared.store_units), double(shared.store_capacity_units))));
  return text;
}

Json shared_kv_json(const SharedKvTotals& shared) {
  return {{"store_capacity_units", shared.store_capacity_units},
          {"store_units", shared.store_units},
          {"store_written_units", shared.store_written_units},
          {"store_evicted_units", shared.store_evicted_units},
          {"store_dropped_units", shared.store_dropped_units},
          {"store_read_tokens", shared.store_read_tokens},
          {"store_read_bytes", shared.store_read_bytes.value()},
          {"store_written_bytes", shared.store_written_bytes.value()},
          {"peer_tokens", shared.peer_tokens},
          {"peer_bytes", shared.peer_bytes.value()},
          {"lost_tokens", shared.lost_tokens},
          {"wait_s", shared.wait.value()},
          {"link_wait_s", shared.link_wait.value()}};
}

}  // namespace

std::string hardware_text(const RunLabel& label) {
  if (label.pools.size() < 2) return fmt::format("{} x {}", label.gpus, label.gpu);
  std::string text;
  for (const PoolLabel& pool : label.pools)
    text += fmt::format("{}{} {} x {} x {}", text.empty() ? "" : " + ", pool.name, pool.instances,
                        pool.gpus_per_instance, pool.gpu);
  return text;
}

std::string deployment_text(const RunLabel& label, const SimulationResult& result) {
  std::string text;
  for (const PoolLabel& pool : label.pools)
    if (pool.afd) text += (label.pools.size() > 1 ? pool.name + ": " : std::string()) + afd_text(*pool.afd);
  const SpeculationCounts& drafts = result.speculation;
  if (drafts.drafts > 0)
    text += fmt::format("speculative decoding: {} drafts, {} of {} tokens accepted ({}), {} tokens a step\n",
                        count_text(drafts.drafts), count_text(drafts.accepted_tokens),
                        count_text(drafts.draft_tokens),
                        percent_text(share(double(drafts.accepted_tokens), double(drafts.draft_tokens))),
                        fixed_text(acceptance_length(drafts), 2));
  const TransferTotals& transfers = result.transfers;
  if (transfers.count > 0)
    text += fmt::format(
        "KV transfer over {}: {} of {} MB in the mean, {} ms each, {} of it waiting for the link\n",
        label.kv_transfer, count_text(transfers.count),
        fixed_text(transfers.bytes.value() / kMegabyte / double(transfers.count), 1),
        milliseconds_each(transfers.wait, transfers.count),
        percent_text(share(transfers.link_wait.value(), transfers.wait.value())));
  if (result.rejected + result.cut > 0)
    text += fmt::format("longer than the engine takes: {} requests rejected, {} outputs cut\n",
                        count_text(result.rejected), count_text(result.cut));
  if (result.turned_away + result.timed_out > 0)
    text += fmt::format("{} requests turned away, {} timed out\n", count_text(result.turned_away),
                        count_text(result.timed_out));
  if (result.offloaded_units > 0)
    text += fmt::format("KV tiers: {} units offloaded, {} tokens reloaded\n",
                        count_text(result.offloaded_units), count_text(transfers.reloaded_tokens));
  text += shared_kv_text(result.shared_kv);
  if (result.restarts > 0)
    text += fmt::format("failures: {} requests started over\n", count_text(result.restarts));
  const std::int64_t refused = result.rejected + result.turned_away + result.timed_out;
  if (const std::int64_t left = result.metrics.failed - refused; left > 0 && !result.partial)
    text += fmt::format("{} requests were never served: no instance was left\n", count_text(left));
  const double energy = energy_of(label);
  if (energy > 0 && result.metrics.total_output_tokens > 0)
    text += fmt::format("energy, estimated from power limits: {} J per output token\n",
                        fixed_text(energy / double(result.metrics.total_output_tokens), 3));
  return text.empty() ? text : text + "\n";
}

void add_deployment(Json& document, const RunLabel& label, const SimulationResult& result) {
  document["pools"] = pools_json(label, result);
  const double energy = energy_of(label);
  document["energy_j"] = energy > 0 ? Json(energy) : Json();
  document["energy_per_output_token_j"] = energy > 0 && result.metrics.total_output_tokens > 0
                                              ? Json(energy / double(result.metrics.total_output_tokens))
                                              : Json();
  document["restarts"] = result.restarts;
  const SpeculationCounts& drafts = result.speculation;
  if (drafts.drafts > 0) {
    document["spec_decode_num_drafts"] = drafts.drafts;
    document["spec_decode_draft_tokens"] = drafts.draft_tokens;
    document["spec_decode_accepted_tokens"] = drafts.accepted_tokens;
    document["spec_decode_acceptance_rate"] =
        100.0 * share(double(drafts.accepted_tokens), double(drafts.draft_tokens));
    document["spec_decode_acceptance_length"] = acceptance_length(drafts);
    Json rates = Json::array();
    for (const std::int64_t accepted : drafts.accepted_at)
      rates.push_back(share(double(accepted), double(drafts.drafts)));
    document["spec_decode_per_position_acceptance_rates"] = std::move(rates);
  }
  const TransferTotals& transfers = result.transfers;
  document["disagg"] = label.pools.size() > 1;
  if (label.pools.size() > 1) {
    const PoolLabel &prefill = label.pools[0], &decode = label.pools[1];
    document["num_prefill_gpu"] = prefill.instances * prefill.gpus_per_instance;
    document["num_decode_gpu"] = decode.instances * decode.gpus_per_instance;
    document["prefill_tp"] = prefill.tensor_parallel;
    document["decode_tp"] = decode.tensor_parallel;
    document["kv_transfer"] = {{"path", label.kv_transfer},
                               {"transfers", transfers.count},
                               {"bytes", transfers.bytes.value()},
                               {"wait_s", transfers.wait.value()},
                               {"link_wait_s", transfers.link_wait.value()}};
  }
  if (result.rejected + result.cut > 0)
    document["max_model_len"] = {{"rejected", result.rejected}, {"cut", result.cut}};
  if (result.turned_away + result.timed_out > 0)
    document["unserved"] = {{"turned_away", result.turned_away}, {"timed_out", result.timed_out}};
  if (result.offloaded_units > 0)
    document["kv_tiers"] = {{"offloaded_units", result.offloaded_units},
                            {"reloaded_tokens", transfers.reloaded_tokens},
                            {"reload_wait_s", transfers.reload_wait.value()}};
  if (result.shared_kv.any()) document["shared_kv"] = shared_kv_json(result.shared_kv);
}

}  // namespace warploom
