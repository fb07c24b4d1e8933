// A plan as JSON.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/report/plan_report.h"
#include "warploom/report/plan_words.h"

namespace warploom {
namespace {

Json money_or_null(const PlanResult& plan, double value) { return plan.priced ? Json(value) : Json(nullptr); }

Json use_json(const LimitUse& use) {
  Json document = {{"name", use.name}, {"figure", use.figure}, {"limit", use.limit}, {"use", use.use}};
  const bool told = use.high > use.low;
  document["low"] = told ? Json(use.low) : Json(nullptr);
  document["high"] = told ? Json(use.high) : Json(nullptr);
  return document;
}

Json uses_json(const PlanResult& plan, const RunFigures& figures) {
  Json list = Json::array();
  for (const LimitUse& use : limit_uses(plan.level, figures)) list.push_back(use_json(use));
  return list;
}

Json shape_json(const std::string& gpu, const EngineShape& shape, std::int64_t instances) {
  Json document = {{"gpu", gpu},
                   {"instances", instances},
                   {"tensor_parallel", shape.tensor_parallel},
                   {"pipeline_parallel", shape.pipeline_parallel},
                   {"data_parallel", shape.data_parallel},
                   {"expert_parallel", shape.expert_parallel}};
  if (shape.redundant_experts > 0) document["num_redundant_experts"] = shape.redundant_experts;
  if (shape.feed_forward_ranks > 0) {
    document["num_ffn_ranks"] = shape.feed_forward_ranks;
    document["num_afd_stages"] = shape.micro_batches;
    document["compute_gate_on_attention"] = true;
  }
  return document;
}

Json deployment_json(const PlanLabel& label, const Configuration& configuration, const Fleet& fleet) {
  Json document = {{"words", deployment_words(label, configuration, fleet)},
                   {"engine", label.engine},
                   {"engine_version", label.version},
                   {"quantization", label.quantization},
                   {"max_num_seqs", nullptr},
                   {"max_num_batched_tokens", nullptr},
                   {"prefix_caching", configuration.prefix_caching},
                   {"speculation", label.speculation},
                   {"kv_offloading_gib", configuration.kv_offloading_gib}};
  if (configuration.max_num_seqs > 0) document["max_num_seqs"] = configuration.max_num_seqs;
  if (configuration.max_num_batched_tokens > 0)
    document["max_num_batched_tokens"] = configuration.max_num_batched_tokens;
  const bool apart = configuration.decode.has_value();
  document[apart ? "prefill" : "pool"] = shape_json(label.gpu, configuration.shape, fleet.instances);
  if (configuration.shape.exchange > 0) document[apart ? "prefill" : "pool"]["moe_exchange"] = label.exchange;
  if (configuration.encoders > 0) document["encoder_instances"] = configuration.encoders;
  if (!label.shared_caches.empty()) document["shared_caches"] = label.shared_caches;
  if (!label.router.empty()) document["routing_policy"] = label.router;
  if (!apart) return document;
  document["decode"] = shape_json(label.decode_gpu, *configuration.decode, fleet.decode);
  if (configuration.decode->exchange > 0) document["decode"]["moe_exchange"] = label.decode_exchange;
  return document;
}

Json shares_json(const PlanResult& plan, const PlanPoint& point) {
  Json list = Json::array();
  for (const RentedShare& share : point.shares)
    list.push_back({{"price_kind", name_of(share.kind)},
                    {"instances", share.fleet.instances},
                    {"decode_instances", share.fleet.decode},
                    {"gpus", share.rented.gpus()},
                    {"usd_per_hour", money_or_null(plan, share.dollars)}});
  return list;
}

Json room_json(const std::optional<FleetRoom>& room) {
  if (!room) return nullptr;
  return {{"nodes", room->nodes},
          {"racks", room->racks ? Json(*room->racks) : Json(nullptr)},
          {"power_kw", room->power_kw ? Json(*room->power_kw) : Json(nullptr)}};
}

// What its figures rest on beside measured kernels.
Json rests_json(const PlanLabel& label) {
  Json list = Json::array();
  if (label.measured_share < 1) list.push_back("kernels that were not measured on this GPU");
  if (label.by_structure) list.push_back(kAfdRestsOn);
  if (label.encodes) list.push_back(kEncoderRestsOn);
  return list;
}

Json spread_json(const PlanResult& plan, const std::optional<LoadSpread>& spread) {
  if (!spread) return nullptr;
  Json document = {{"first", plan.first_seed},
                   {"count", spread->draws},
                   {"figures", Json::array()},
                   {"instances", nullptr}};
  for (const DrawnFigure& each : spread->figures)
    document["figures"].push_back({{"name", each.name},
                                   {"low", each.low},
                                   {"mean", each.mean},
                                   {"high", each.high},
                                   {"sure", each.sure},
                                   {"limit", each.limit > 0 ? Json(each.limit) : Json(nullptr)}});
  if (const auto& each = spread->instances)
    document["instances"] = {{"low", each->low}, {"high", each->high}};
  return document;
}

Json point_json(const PlanResult& plan, const PlanLabel& label, const PlanPoint& point) {
  const LimitUse binding = binding_limit(plan.level, point.figures);
  Json document = {
      {"deployment", deployment_json(label, point.configuration, point.fleet)},
      {"gpus", point.gpus},
      {"rented_gpus", point.rented.gpus()},
      {"rented_nodes", point.rented.nodes > 0 ? Json(point.rented.nodes) : Json(nullptr)},
      {"rent", shares_json(plan, point)},
      {"room", room_json(point.room)},
      {"request_rate", point.rate},
      {"served_request_rate", point.figures.metrics.request_throughput},
      {"saturated_request_rate", point.saturated_rate > 0 ? Json(point.saturated_rate) : Json(nullptr)},
      {"usd_per_hour", money_or_null(plan, point.dollars_per_hour)},
      {"usd_per_million_output_tokens", money_or_null(plan, point.dollars_per_million_output)},
      {"usd_per_million_input_by_gpu_time", money_or_null(plan, point.input_price)},
      {"usd_per_million_output_by_gpu_time", money_or_null(plan, point.output_price)},
      {"output_tokens_per_s", point.output_tokens_per_s},
      {"tokens_per_s_per_gpu", point.tokens_per_s_per_gpu},
      {"tokens_per_s_per_user", point.tokens_per_s_per_user},
      {"measured_share", label.measured_share},
      {"rests_on", rests_json(label)},
      {"objective", point.objective},
      {"limits", uses_json(plan, point.figures)},
      {"binding", use_json(binding)},
      {"relaxed_by", relaxing_advice(point.figures, binding)},
      {"confident", point.confident},
      {"pessimistic", nullptr},
      {"seeds", spread_json(plan, point.spread)},
      {"pessimistic_seeds", spread_json(plan, point.pessimistic_spread)},
      {"queue_share", point.figures.queue_share},
      {"preemptions", point.figures.preemptions},
      {"energy_j", point.figures.energy_j},
      {"run", to_json(point.figures.length)},
      {"metrics", to_json(point.figures.metrics)}};
  if (point.pessimistic) document["pessimistic"] = uses_json(plan, *point.pessimistic);
  const double slow = point.pessimistic ? point.pessimistic->metrics.tpot.mean.value() : 0;
  document["least_tokens_per_s_per_user"] = slow > 0 ? Json(1 / slow) : Json(nullptr);
  return document;
}

Json rank_or_null(const std::optional<std::size_t>& index) {
  return index ? Json(*index + 1) : Json(nullptr);
}

Json ranks(const std::vector<std::size_t>& indices) {
  Json list = Json::array();
  for (const std::size_t index : indices) list.push_back(index + 1);
  return list;
}

Json search_json(const SearchResult& search) {
  Json document = {{"configurations", search.configurations},
                   {"candidates", search.candidates},
                   {"with_point", search.with_point},
                   {"without_point", Json::array()},
                   {"short_runs", search.short_runs},
                   {"whole_runs", search.whole_runs},
                   {"partial", search.partial}};
  for (const PlanCount& count : search.without_point)
    document["without_point"].push_back(
        {{"reason", count.reason}, {"configurations", count.configurations}, {"example", count.example}});
  return document;
}

}  // namespace

Json plan_json(const PlanResult& plan) {
  Json document = {
      {"model", plan.model},
      {"workload", plan.workload},
      {"host_profile", plan.host_profile},
      {"measured_at", name_of(plan.measured_at)},
      {"objective", name_of(plan.objective)},
      {"requests", plan.load.requests},
      {"request_rate", plan.find_max_rate ? Json(nullptr) : Json(plan.load.rate)},
      {"concurrency", plan.load.in_flight > 0 ? Json(plan.load.in_flight) : Json(nullptr)},
      {"mean_input_tokens", plan.load.mean_input},
      {"mean_output_tokens", plan.load.mean_output},
      {"growth", plan.growth},
      {"spare_instances", plan.spare_instances},
      {"limits", Json::array()},
      {"search", search_json(plan.search)},
      {"best", rank_or_null(plan.search.best)},
      {"best_confident", rank_or_null(plan.search.best_confident)},
      {"measured_share", plan.best_measured_share},
      {"points", Json::array()},
      {"fronts", {{"speed", ranks(plan.search.speed_front)}, {"cost", ranks(plan.search.cost_front)}}},
      {"what_if", Json::array()},
      {"prices", Json::array()},
      {"nearest", nullptr},
      {"contradiction", plan.contradiction},
      {"store_failure", plan.store_failure}};
  for (const SloLimit& limit : plan.level.limits)
    document["limits"].push_back({{"name", limit.name()}, {"limit", to_milliseconds(limit.limit)}});
  if (plan.level.has_goodput()) {
    document["goodput"] = to_json(plan.level.goodput);
    document["goodput_share"] = plan.level.goodput_share;
  }
  for (const ClassLimits& each : plan.level.classes)
    document["slo_classes"][each.name] = to_json(each.limits);
  for (std::size_t i = 0; i < plan.search.points.size(); ++i)
    document["points"].push_back(point_json(plan, plan.labels[i], plan.search.points[i]));
  for (std::size_t i = 0; i < plan.what_ifs.size(); ++i) {
    const WhatIf& answer = plan.what_ifs[i];
    document["what_if"].push_back({{"question", answer.question},
                                   {"meets", answer.meets},
                                   {"binding", use_json(answer.binding)},
                                   {"point", point_json(plan, plan.what_if_labels[i], *answer.point)}});
  }
  for (const GpuPrice& price : plan.prices) document["prices"].push_back(to_json(price));
  if (const auto& near = plan.search.nearest)
    document["nearest"] = {
        {"deployment", deployment_json(plan.nearest_label, near->configuration, near->fleet)},
        {"binding", use_json(near->binding)}};
  return document;
}

}  // namespace warploom
