// Blocks of DeepSeek-V4's attention: batches of equal sequences, of layers with an indexer (CSA) and of those
// that attend to all entries (HCA), one file for prompts and one for new tokens.
#include <algorithm>
#include <array>
#include <optional>

#include "warploom/hardware/gpu_class.h"
#include "warploom/measurements/internal/aiconfigurator.h"

namespace warploom {
namespace {

// The dimensions of a model, which the tables do not list. Sources: the models' config.json.
struct ModelOfTable {
  std::string_view word;  // in the model's name
  std::int64_t hidden, q_lora_rank, heads, o_groups, top_k;
};
constexpr std::array<ModelOfTable, 2> kModels{
    {{"DeepSeek-V4-Flash", 4096, 1024, 64, 8, 512}, {"DeepSeek-V4-Pro", 7168, 1536, 128, 16, 1024}}};

// SGLang has no sparse kernel for graphics dies: 0.7 ms a request, whatever its context and heads.
constexpr std::string_view kFallback =
    "a fallback without sparse kernels: 0.7 ms a request, whatever it sees";

void read_block(Table& table, RowSink& sink, bool decode) {
  const AiconfiguratorColumns columns(table);
  const std::size_t name = table.column("model"), dtype = table.column("mla_dtype"),
                    kv_dtype = table.column("kv_cache_dtype"), gemm_type = table.column("gemm_type"),
                    heads = table.column("num_heads"), ratio = table.column("compress_ratio"),
                    batch = table.column("batch_size"), step = table.column("step");
  std::optional<std::size_t> length;
  if (!decode) length = table.column("isl");
  for_each_row(table, sink, columns, [&](const AiconfiguratorRow& row) {
    const auto* model = std::find_if(kModels.begin(), kModels.end(), [&](const ModelOfTable& each) {
      return table.text(name).find(each.word) != std::string_view::npos;
    });
    if (model == kModels.end()) {
      sink.skip("a block of a model whose dimensions the table does not give", table);
      return;
    }
    if (is_graphics_die(row.gpu)) {
      sink.skip(kFallback, table);
      return;
    }
    CompressedAttention op{.projections = aiconfigurator_scheme(table, gemm_type),
                           .compute = aiconfigurator_type(table, dtype),
                           .kv_cache = aiconfigurator_type(table, kv_dtype),
                           .decode = decode,
                           .hidden = model->hidden,
                           .q_lora_rank = model->q_lora_rank,
                           .heads = table.positive(heads),
                           .compress_ratio = table.positive(ratio)};
    op.indexer = op.compress_ratio == CompressedAttention{}.compress_ratio;
    op.top_k = op.indexer ? model->top_k : 0;
    op.o_groups = std::max<std::int64_t>(model->o_groups * op.heads / model->heads, 1);
    RequestGroup group{.count = table.positive(batch), .context_tokens = table.not_negative(step)};
    if (length) group.query_tokens = table.positive(*length);
    op.requests = {group};
    row.add(op);
  });
}

void read_prompts(Table& table, RowSink& sink) { read_block(table, sink, false); }
void read_new_tokens(Table& table, RowSink& sink) { read_block(table, sink, true); }

std::vector<TableFormat> tables() {
  const Family family = CompressedAttention::kNames[0].family;
  return {aiconfigurator_table("dsv4_csa_context_module", {family}, read_prompts),
          aiconfigurator_table("dsv4_csa_generation_module", {family}, read_new_tokens),
          aiconfigurator_table("dsv4_hca_context_module", {family}, read_prompts),
          aiconfigurator_table("dsv4_hca_generation_module", {family}, read_new_tokens)};
}

}  // namespace

constinit const AiconfiguratorTables kCompressedAttentionTables{tables};

}  // namespace warploom
