// gdn, kda and mamba2 tables: one row per kernel of the layer.
#include "warploom/measurements/internal/aiconfigurator.h"
#include "warploom/measurements/internal/aiconfigurator_collectors.h"

namespace warploom {
namespace {

LinearAttentionStage stage_of(std::string_view kernel, std::string_view phase) {
  if (kernel.find("conv1d") != std::string_view::npos) return LinearAttentionStage::Convolution;
  // vLLM 0.31.0 sends prompts of one token through the kernels of decoding.
  const bool recurrent = kernel.find("recurrent") != std::string_view::npos;
  return phase == "context" && !recurrent ? LinearAttentionStage::Scan : LinearAttentionStage::StateUpdate;
}

// Convolutions of up to so many sequences are suspect (AiconfiguratorCollector::too_fast_convolution).
constexpr std::int64_t kFewSequences = 4;
constexpr std::string_view kTooFast = "a convolution faster than its bytes allow: not what it says";
bool is_too_fast(const KernelContext& context, std::int64_t sequences) {
  return !context.version.empty() &&
         context.version == collector_of(context.framework).too_fast_convolution &&
         context.kernel == "causal_conv1d_fn" && sequences <= kFewSequences;
}

void read_linear_attention(Table& table, RowSink& sink) {
  const AiconfiguratorColumns columns(table);
  const bool kimi = table.path().parent_path().filename() == "kda";
  const std::size_t phase = table.column("phase"), convolution = table.column("d_conv"),
                    key_heads = table.column("num_k_heads"), key_dim = table.column("head_k_dim"),
                    value_heads = table.column("num_v_heads"), value_dim = table.column("head_v_dim"),
                    batch = table.column("batch_size"), length = table.column("seq_len");
  for_each_row(table, sink, columns, [&](const AiconfiguratorRow& row) {
    if (kimi && is_too_fast(row.context, table.positive(batch))) {
      sink.skip(kTooFast, table);
      return;
    }
    const LinearAttention op{
        .kind = kimi ? LinearAttentionKind::KimiDelta : LinearAttentionKind::GatedDeltaNet,
        .stage = stage_of(row.context.kernel, table.text(phase)),
        .sequences = table.positive(batch),
        .tokens_per_sequence = table.positive(length),
        .key_heads = table.positive(key_heads),
        .key_dim = table.positive(key_dim),
        .value_heads = table.positive(value_heads),
        .value_dim = table.positive(value_dim),
        .convolution_width = table.positive(convolution),
        .state_size = table.positive(key_dim)};
    row.add(op);
  });
}

// Mamba-2 in the terms of linear attention: B and C groups are the keys, heads are the values.
void read_mamba2(Table& table, RowSink& sink) {
  const AiconfiguratorColumns columns(table);
  const std::size_t phase = table.column("phase"), convolution = table.column("d_conv"),
                    state = table.column("d_state"), heads = table.column("nheads"),
                    head_dim = table.column("head_dim"), groups = table.column("n_groups"),
                    batch = table.column("batch_size"), length = table.column("seq_len");
  for_each_row(table, sink, columns, [&](const AiconfiguratorRow& row) {
    const LinearAttention op{.kind = LinearAttentionKind::Mamba2,
                             .stage = stage_of(row.context.kernel, table.text(phase)),
                             .sequences = table.positive(batch),
                             .tokens_per_sequence = table.positive(length),
                             .key_heads = table.positive(groups),
                             .key_dim = table.positive(state),
                             .value_heads = table.positive(heads),
                             .value_dim = table.positive(head_dim),
                             .convolution_width = table.positive(convolution),
                             .state_size = table.positive(state)};
    row.add(op);
  });
}

std::vector<TableFormat> tables() {
  return {aiconfigurator_table("gdn", {Family::LinearAttention}, read_linear_attention),
          aiconfigurator_table("kda", {Family::LinearAttention}, read_linear_attention),
          aiconfigurator_table("mamba2", {Family::LinearAttention}, read_mamba2)};
}

}  // namespace

constinit const AiconfiguratorTables kLinearAttentionTables{tables};

}  // namespace warploom
