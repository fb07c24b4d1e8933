// GLM-5.3-Flash's layers of sparse latent attention with pooled index keys: GPU time under graphs, one table
// for prompts and new tokens.
#include <algorithm>

#include "warploom/measurements/internal/aiconfigurator.h"

namespace warploom {
namespace {

// From GLM-5.3-Flash's config.json.
Dsa layer() {
  return {.hidden = 4096,
          .q_lora_rank = 1536,
          .shape = {.rope_head_dim = 0, .nope_head_dim = 256, .value_head_dim = 256},
          .index_heads = 32,
          .index_pool = 4};
}

// "framework|class|indexer|layers": the name of the indexer stands for the block's kernels, as the layers'
// schemes have a column of their own.
std::string_view indexer_of(std::string_view source) {
  for (int field = 0; field < 2; ++field) source.remove_prefix(std::min(source.find('|') + 1, source.size()));
  return source.substr(0, source.find('|'));
}

void read_layer(Table& table, RowSink& sink) {
  const AiconfiguratorColumns columns(table);
  const std::size_t scheme = table.column("projection_quant_mode"), kv_dtype = table.column("kv_cache_dtype"),
                    heads = table.column("num_heads"), prompts = table.column("is_context"),
                    in_graph = table.column("used_cuda_graph"), batch = table.column("batch_size"),
                    prefix = table.column("prefix"), tokens = table.column("x");
  for_each_row(table, sink, columns, [&](const AiconfiguratorRow& row) {
    if (table.not_negative(in_graph) == 0) {
      sink.skip("an eager launch of a whole layer: the host's time", table);
      return;
    }
    Dsa op = layer();
    op.projections = aiconfigurator_scheme(table, scheme);
    op.kv_cache = aiconfigurator_type(table, kv_dtype);
    op.shape.heads = table.positive(heads);
    op.decode = table.not_negative(prompts) == 0;
    RequestGroup group{.count = table.positive(batch)};
    if (op.decode)
      group.context_tokens = table.positive(tokens) - 1;  // the length holds the new token
    else
      group.query_tokens = table.positive(tokens), group.context_tokens = table.not_negative(prefix);
    op.requests = {group};
    row.add(op, {.kernel = indexer_of(row.context.kernel)});
  });
}

std::vector<TableFormat> tables() {
  return {aiconfigurator_table("glm53_attention_module", {Dsa::kNames[0].family}, read_layer)};
}

}  // namespace

constinit const AiconfiguratorTables kPooledDsaTables{tables};

}  // namespace warploom
