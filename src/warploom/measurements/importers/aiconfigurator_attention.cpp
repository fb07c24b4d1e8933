// Attention and MLA tables: batches of equal sequences.
#include "warploom/measurements/internal/aiconfigurator.h"
#include "warploom/measurements/internal/aiconfigurator_collectors.h"

namespace warploom {
namespace {

struct AttentionColumns {
  explicit AttentionColumns(const Table& table)
      : dtype(table.column("attn_dtype")),
        kv_dtype(table.column("kv_cache_dtype")),
        head_dim(table.column("head_dim")),
        window(table.column("window_size")),
        heads(table.column("num_heads")),
        kv_heads(table.column("num_key_value_heads")),
        batch(table.column("batch_size")) {}
  std::size_t dtype, kv_dtype, head_dim, window, heads, kv_heads, batch;
};

struct MlaColumns {
  explicit MlaColumns(const Table& table)
      : dtype(table.column("mla_dtype")),
        kv_dtype(table.column("kv_cache_dtype")),
        heads(table.column("num_heads")),
        batch(table.column("batch_size")) {}
  std::size_t dtype, kv_dtype, heads, batch;
};

// The cached length, whether or not the collector passes the length with the current token.
std::int64_t cached_tokens_of_module(const Table& table, const KernelContext& context, std::size_t step) {
  const std::int64_t length = table.positive(step);
  return collector_of(context.framework).counts_the_current_token ? length - 1 : length;
}

void read_mla_module(Table& table, RowSink& sink, bool decode) {
  const AiconfiguratorColumns columns(table);
  const MlaColumns mla(table);
  const std::size_t model = table.column("model"), gemm_type = table.column("gemm_type"),
                    length = table.column(decode ? "step" : "isl");
  for_each_row(table, sink, columns, [&](const AiconfiguratorRow& row) {
    // The operator's default dimensions are this model's; the table does not list dimensions.
    if (table.text(model) != "deepseek-ai/DeepSeek-V3") {
      sink.skip("MLA module of a model whose dimensions the table does not give", table);
      return;
    }
    MlaModule op{.projections = aiconfigurator_scheme(table, gemm_type),
                 .compute = aiconfigurator_type(table, mla.dtype),
                 .kv_cache = aiconfigurator_type(table, mla.kv_dtype),
                 .decode = decode};
    op.shape.heads = table.positive(mla.heads);
    RequestGroup group{.count = table.positive(mla.batch)};
    if (decode)
      group.context_tokens = cached_tokens_of_module(table, row.context, length);
    else
      group.query_tokens = table.positive(length);
    op.requests = {group};
    row.add(op);
  });
}

void read_attention_context(Table& table, RowSink& sink) {
  const AiconfiguratorColumns columns(table);
  const AttentionColumns attention(table);
  const std::size_t length = table.column("isl");
  for_each_row(table, sink, columns, [&](const AiconfiguratorRow& row) {
    AttentionPrefill op{.compute = aiconfigurator_type(table, attention.dtype),
                        .kv_cache = aiconfigurator_type(table, attention.kv_dtype),
                        .heads = table.positive(attention.heads),
                        .kv_heads = table.positive(attention.kv_heads),
                        .head_dim = table.positive(attention.head_dim),
                        .window = table.not_negative(attention.window)};
    op.requests = {{.count = table.positive(attention.batch), .query_tokens = table.positive(length)}};
    row.add(op);
  });
}

void read_attention_generation(Table& table, RowSink& sink) {
  const AiconfiguratorColumns columns(table);
  const AttentionColumns attention(table);
  const std::size_t step = table.column("step");
  for_each_row(table, sink, columns, [&](const AiconfiguratorRow& row) {
    AttentionDecode op{.compute = aiconfigurator_type(table, attention.dtype),
                       .kv_cache = aiconfigurator_type(table, attention.kv_dtype),
                       .heads = table.positive(attention.heads),
                       .kv_heads = table.positive(attention.kv_heads),
                       .head_dim = table.positive(attention.head_dim),
                       .window = table.not_negative(attention.window)};
    op.requests = {{.count = table.positive(attention.batch), .context_tokens = table.not_negative(step)}};
    row.add(op);
  });
}

void read_encoder_attention(Table& table, RowSink& sink) {
  const AiconfiguratorColumns columns(table);
  const std::size_t dtype = table.column("attn_dtype"), head_dim = table.column("head_dim"),
                    heads = table.column("num_heads"), batch = table.column("batch_size"),
                    length = table.column("isl");
  for_each_row(table, sink, columns, [&](const AiconfiguratorRow& row) {
    AttentionPrefill op{
        .compute = aiconfigurator_type(table, dtype), .head_dim = table.positive(head_dim), .causal = false};
    op.heads = op.kv_heads = table.positive(heads);
    op.requests = {{.count = table.positive(batch), .query_tokens = table.positive(length)}};
    row.add(op);
  });
}

void read_mla_context(Table& table, RowSink& sink) {
  const AiconfiguratorColumns columns(table);
  const MlaColumns mla(table);
  const std::size_t length = table.column("isl");
  for_each_row(table, sink, columns, [&](const AiconfiguratorRow& row) {
    MlaPrefill op{.compute = aiconfigurator_type(table, mla.dtype),
                  .kv_cache = aiconfigurator_type(table, mla.kv_dtype)};
    op.shape.heads = table.positive(mla.heads);
    op.requests = {{.count = table.positive(mla.batch), .query_tokens = table.positive(length)}};
    row.add(op);
  });
}

void read_mla_generation(Table& table, RowSink& sink) {
  const AiconfiguratorColumns columns(table);
  const MlaColumns mla(table);
  const std::size_t step = table.column("step");
  for_each_row(table, sink, columns, [&](const AiconfiguratorRow& row) {
    MlaDecode op{.compute = aiconfigurator_type(table, mla.dtype),
                 .kv_cache = aiconfigurator_type(table, mla.kv_dtype)};
    op.shape.heads = table.positive(mla.heads);
    op.requests = {{.count = table.positive(mla.batch), .context_tokens = table.not_negative(step)}};
    row.add(op);
  });
}

void read_mla_context_module(Table& table, RowSink& sink) { read_mla_module(table, sink, false); }
void read_mla_generation_module(Table& table, RowSink& sink) { read_mla_module(table, sink, true); }

std::vector<TableFormat> tables() {
  return {aiconfigurator_table("attention_context", {Family::AttentionPrefill}, read_attention_context),
          aiconfigurator_table("attention_generation", {Family::AttentionDecode}, read_attention_generation),
          aiconfigurator_table("encoder_attention", {Family::AttentionPrefill}, read_encoder_attention),
          aiconfigurator_table("mla_context", {Family::MlaPrefill}, read_mla_context),
          aiconfigurator_table("mla_generation", {Family::MlaDecode}, read_mla_generation),
          aiconfigurator_table("mla_context_module", {Family::MlaModule}, read_mla_context_module),
          aiconfigurator_table("mla_generation_module", {Family::MlaModule}, read_mla_generation_module)};
}

}  // namespace

constinit const AiconfiguratorTables kAttentionTables{tables};

}  // namespace warploom
