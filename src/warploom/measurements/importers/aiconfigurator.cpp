#include "warploom/measurements/internal/aiconfigurator.h"

#include <algorithm>
#include <array>
#include <utility>

namespace warploom {
namespace {

template <class Value, std::size_t N>
Value look_up(const std::array<std::pair<std::string_view, Value>, N>& names, const Table& table,
              std::size_t column) {
  const std::string_view text = table.text(column);
  for (const auto& [name, value] : names) {
    if (name == text) return value;
  }
  std::string expected = "one of";
  for (const auto& entry : names) expected.append(" ").append(entry.first);
  table.refuse(column, expected);
}

// Tables that nothing is learned from, and why.
constexpr std::string_view kSparsePart =
    "one kernel of a block that is learned whole: a check on its parts, not learned";
constexpr std::string_view kWide =
    "one rank's part of experts spread over many GPUs: judges their price (tools/judge_wide_experts), not "
    "learned";
constexpr std::string_view kWideLatent =
    "an engine's latent attention beside wide experts, prompts with 0.5 to 0.8 ms of the host (the "
    "publisher's README): the same block is learned from mla_context_module and mla_generation_module";
constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kUnread{
    {{"dsv41_module",
      "parts of DeepSeek-V4.1 launched one by one from the host: 0.4 to 9 ms of it, no kernel's time"},
     {"dsv4_hca_attn", kSparsePart},
     {"dsv4_paged_mqa_logits", kSparsePart},
     {"dsv4_csa_topk", kSparsePart},
     {"glm5_dsa_attn", kSparsePart},
     {"glm5_mqa_logits", kSparsePart},
     {"glm5_topk", kSparsePart},
     {"moe_a2a",
      "DeepEP as vLLM and TensorRT-LLM call it where asked to: fitted as a table by tools/fit_exchange, not "
      "learned, or it would answer for what they run by default (the publisher's README, comm_backend)"},
     {"wideep_mla_context", kWideLatent},
     {"wideep_mla_generation", kWideLatent},
     {"wideep_moe_context", kWide},
     {"wideep_moe_generation", kWide},
     {"wideep_moe_trtllm", kWide},
     {"wideep_mlp",
      "a shared expert's three kernels as one time of 17 sizes a phase: no family is a chain of products"},
     {"dsv4_megamoe",
      "dispatch, experts and combine in one kernel, 56 to 228 rows on two GPUs: family not modelled (the "
      "publisher's README: gate and top-k excluded)"},
     {"moe_dsv41",
      "two kernels of a nightly build, 12 sizes each; one takes 446 us for 1 to 8 tokens alike: the host's "
      "time"}}};

}  // namespace

AiconfiguratorColumns::AiconfiguratorColumns(const Table& table, std::string_view kernel_column)
    : framework(table.column("framework")),
      version(table.column("version")),
      latency(table.column("latency_us")),
      n_samples(table.column("n_samples")),
      gpu(table.file_gpu()) {
  if (!kernel_column.empty()) kernel = table.column(kernel_column);
}

KernelContext AiconfiguratorColumns::context(const Table& table) const {
  return {table.text(framework), table.text(version), kernel ? table.text(*kernel) : std::string_view{}};
}

void AiconfiguratorRow::add(const Operator& op, const Otherwise& otherwise) const {
  Marks added = otherwise.marks;
  added.launch_bound = added.launch_bound || marks.launch_bound;
  sink.add({.op = op,
            .gpu = gpu,
            .context = {context.framework, context.version, otherwise.kernel.value_or(context.kernel)},
            .latency = otherwise.latency ? *otherwise.latency : latency(),
            .n_samples = table.positive(columns.n_samples),
            .marks = added},
           table);
}

MatmulScheme aiconfigurator_scheme(const Table& table, std::size_t column) {
  static constexpr std::array<std::pair<std::string_view, MatmulScheme>, 11> kNames{
      {{"bfloat16", MatmulScheme::Bf16},
       {"fp8", MatmulScheme::Fp8},
       {"fp8_block", MatmulScheme::Fp8Block},
       {"nvfp4", MatmulScheme::NvFp4},
       {"fp8_static", MatmulScheme::Fp8Static},
       {"int8_wo", MatmulScheme::Int8WeightOnly},
       {"int4_wo", MatmulScheme::Int4WeightOnly},
       {"sq", MatmulScheme::Int8},
       {"w4a16_mxfp4", MatmulScheme::MxFp4A16},
       {"w4a8_mxfp4_mxfp8", MatmulScheme::MxFp4A8},
       {"float16", MatmulScheme::Fp16}}};
  return look_up(kNames, table, column);
}

DataType aiconfigurator_type(const Table& table, std::size_t column) {
  static constexpr std::array<std::pair<std::string_view, DataType>, 7> kNames{{{"bfloat16", DataType::Bf16},
                                                                                {"fp8", DataType::Fp8},
                                                                                {"fp8_e4m3", DataType::Fp8},
                                                                                {"half", DataType::Fp16},
                                                                                {"float16", DataType::Fp16},
                                                                                {"int8", DataType::Int8},
                                                                                {"nvfp4", DataType::NvFp4}}};
  return look_up(kNames, table, column);
}

TableFormat aiconfigurator_table(std::string_view folder, std::vector<Family> families,
                                 void (*read)(Table&, RowSink&)) {
  return {.name = folder,
          .folder = folder,
          .columns = {},
          .families = std::move(families),
          .read = read,
          .skip_reason = {},
          .file_names_gpu = true};
}

const std::vector<TableFormat>& aiconfigurator_formats() {
  static const std::vector<TableFormat> formats = [] {
    std::vector<TableFormat> all;
    for (const AiconfiguratorTables& of_file : {WARPLOOM_AICONFIGURATOR_TABLES})
      for (TableFormat& table : of_file.list()) all.push_back(std::move(table));
    for (const auto& [folder, reason] : kUnread) {
      all.push_back(aiconfigurator_table(folder, {}, nullptr));
      all.back().skip_reason = reason;
    }
    std::sort(all.begin(), all.end(),
              [](const TableFormat& a, const TableFormat& b) { return a.folder < b.folder; });
    return all;
  }();
  return formats;
}

}  // namespace warploom
