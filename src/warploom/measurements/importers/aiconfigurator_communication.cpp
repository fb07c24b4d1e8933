// allreduce, nccl, deepep_* and trtllm_alltoall tables.
#include <fmt/format.h>

#include <string>

#include "warploom/measurements/internal/aiconfigurator.h"

namespace warploom {
namespace {

// Sizes of these two tables count elements.
Bytes message_bytes(const Table& table, std::size_t elements, std::size_t dtype) {
  return Bytes(double(table.positive(elements)) * bytes_per_element(aiconfigurator_type(table, dtype)));
}

CollectiveKind nccl_kind(const Table& table, std::size_t column) {
  const std::string_view name = table.text(column);
  if (name == "all_reduce") return CollectiveKind::AllReduce;
  if (name == "all_gather") return CollectiveKind::AllGather;
  if (name == "reduce_scatter") return CollectiveKind::ReduceScatter;
  if (name == "alltoall") return CollectiveKind::AllToAll;
  table.refuse(column, "all_reduce, all_gather, reduce_scatter or alltoall");
}

constexpr std::int64_t kDeepEpRanksPerNode = 8;          // assumed by the publisher
constexpr double kDispatchBytes = 1, kCombineBytes = 2;  // DeepEP sends fp8 and takes back bf16

struct DeepEpColumns {
  explicit DeepEpColumns(const Table& table)
      : nodes(table.column("node_num")),
        hidden(table.column("hidden_size")),
        top_k(table.column("num_topk")),
        tokens(table.column("num_token")) {}
  // Bytes of one rank's tokens, each sent top_k times.
  Collective collective(const Table& table, CollectiveKind kind) const {
    const std::int64_t choices = table.positive(top_k);
    const double token =
        double(table.positive(hidden)) * (kind == CollectiveKind::Dispatch ? kDispatchBytes : kCombineBytes);
    return {.kind = kind,
            .size = Bytes(double(table.positive(tokens)) * double(choices) * token),
            .ranks = table.positive(nodes) * kDeepEpRanksPerNode,
            .ranks_per_node = kDeepEpRanksPerNode,
            .top_k = choices,
            .token_bytes = Bytes(token)};
  }
  std::size_t nodes, hidden, top_k, tokens;
};

void read_allreduce(Table& table, RowSink& sink) {
  const AiconfiguratorColumns columns(table);
  const std::size_t dtype = table.column("dtype"), ranks = table.column("num_gpus"),
                    size = table.column("message_size");
  for_each_row(table, sink, columns, [&](const AiconfiguratorRow& row) {
    const Collective op{.kind = CollectiveKind::AllReduce,
                        .size = message_bytes(table, size, dtype),
                        .ranks = table.positive(ranks)};
    row.add(op, {.marks = {.launch_bound = row.context.kernel.ends_with("_eager")}});
  });
}

void read_nccl(Table& table, RowSink& sink) {
  const AiconfiguratorColumns columns(table, "");
  const std::size_t name = table.column("op_name"), dtype = table.column("dtype"),
                    ranks = table.column("num_gpus"), size = table.column("message_size");
  for_each_row(table, sink, columns, [&](const AiconfiguratorRow& row) {
    const Collective op{.kind = nccl_kind(table, name),
                        .size = message_bytes(table, size, dtype),
                        .ranks = table.positive(ranks)};
    if (!sink.wants(family_of(op))) return sink.skip_unwanted();
    row.add(op, {.kernel = "NCCL"});
  });
}

void read_deepep_low_latency(Table& table, RowSink& sink) {
  const AiconfiguratorColumns columns(table, "");
  const DeepEpColumns deepep(table);
  const std::size_t combine = table.column("combine_latency_us");
  for_each_row(table, sink, columns, [&](const AiconfiguratorRow& row) {
    constexpr std::string_view kKernel = "deepep_low_latency";
    if (sink.wants(Family::MoeDispatch))
      row.add(deepep.collective(table, CollectiveKind::Dispatch), {.kernel = kKernel});
    if (sink.wants(Family::MoeCombine))
      row.add(deepep.collective(table, CollectiveKind::Combine),
              {.kernel = kKernel, .latency = table.latency_us(combine)});
  });
}

// Dispatch and combine take the transfer and, across nodes, the exchange of counts before it.
void read_deepep_normal(Table& table, RowSink& sink) {
  const AiconfiguratorColumns columns(table, "");
  const DeepEpColumns deepep(table);
  const std::size_t dispatch_notify = table.column("dispatch_notify_us"),
                    combine = table.column("combine_latency_us"),
                    combine_notify = table.column("combine_notify_us"),
                    dispatch_sms = table.column("dispatch_sms"), combine_sms = table.column("combine_sms");
  const auto notify = [&table](std::size_t column) {
    if (table.real(column) < 0) table.refuse(column, "at least 0 microseconds");
    return microseconds(table.real(column));
  };
  for_each_row(table, sink, columns, [&](const AiconfiguratorRow& row) {
    if (sink.wants(Family::MoeDispatch)) {
      const std::string kernel = fmt::format("deepep_normal_sms{}", table.positive(dispatch_sms));
      row.add(deepep.collective(table, CollectiveKind::Dispatch),
              {.kernel = kernel, .latency = row.latency() + notify(dispatch_notify)});
    }
    if (sink.wants(Family::MoeCombine)) {
      const std::string kernel = fmt::format("deepep_normal_sms{}", table.positive(combine_sms));
      row.add(deepep.collective(table, CollectiveKind::Combine),
              {.kernel = kernel, .latency = table.latency_us(combine) + notify(combine_notify)});
    }
  });
}

// Tokens are those of one rank: only then do the largest rows stay within the link rate and near it.
void read_trtllm_alltoall(Table& table, RowSink& sink) {
  const AiconfiguratorColumns columns(table);
  const std::size_t name = table.column("op_name"), dtype = table.column("moe_dtype"),
                    distribution = table.column("distribution"), hidden = table.column("hidden_size"),
                    top_k = table.column("topk"), ranks = table.column("moe_ep_size"),
                    tokens = table.column("num_tokens");
  for_each_row(table, sink, columns, [&](const AiconfiguratorRow& row) {
    const std::string_view op_name = table.text(name);
    if (op_name == "alltoall_prepare") {
      sink.skip("all-to-all preparation moves no payload: not modelled", table);
      return;
    }
    if (table.positive(ranks) < 2) {
      sink.skip("a collective of one rank", table);
      return;
    }
    const bool dispatch = op_name == "alltoall_dispatch";
    const bool low_precision = op_name == "alltoall_combine_low_precision";
    if (!dispatch && !low_precision && op_name != "alltoall_combine") {
      table.refuse(name,
                   "alltoall_prepare, alltoall_dispatch, alltoall_combine or alltoall_combine_low_precision");
    }
    double element = 2;  // combine returns bf16 unless told otherwise
    if (dispatch) element = bytes_per_element(aiconfigurator_type(table, dtype));
    if (low_precision) element = 1;
    const std::int64_t choices = table.positive(top_k);
    const double token = double(table.positive(hidden)) * element;
    const Collective op{.kind = dispatch ? CollectiveKind::Dispatch : CollectiveKind::Combine,
                        .size = Bytes(double(table.positive(tokens)) * double(choices) * token),
                        .ranks = table.positive(ranks),
                        .top_k = choices,
                        .token_bytes = Bytes(token)};
    if (!sink.wants(family_of(op))) return sink.skip_unwanted();
    const std::string kernel = fmt::format("{}_{}{}", row.context.kernel, table.text(distribution),
                                           low_precision ? "_low_precision" : "");
    row.add(op, {.kernel = kernel});
  });
}

std::vector<TableFormat> tables() {
  return {
      aiconfigurator_table("allreduce", {Family::AllReduce}, read_allreduce),
      aiconfigurator_table(
          "nccl", {Family::AllReduce, Family::AllGather, Family::ReduceScatter, Family::AllToAll}, read_nccl),
      aiconfigurator_table("deepep_ll", {Family::MoeDispatch, Family::MoeCombine}, read_deepep_low_latency),
      aiconfigurator_table("deepep_normal", {Family::MoeDispatch, Family::MoeCombine}, read_deepep_normal),
      aiconfigurator_table("trtllm_alltoall", {Family::MoeDispatch, Family::MoeCombine},
                           read_trtllm_alltoall)};
}

}  // namespace

constinit const AiconfiguratorTables kCommunicationTables{tables};

}  // namespace warploom
