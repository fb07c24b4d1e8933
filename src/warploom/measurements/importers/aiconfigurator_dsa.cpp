// Blocks of DeepSeek sparse attention: batches of equal sequences, one file for prompts and one for new
// tokens. Rows of the host are left out (host_floors.h).
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "warploom/hardware/gpu_class.h"
#include "warploom/measurements/internal/aiconfigurator.h"
#include "warploom/measurements/internal/aiconfigurator_collectors.h"
#include "warploom/measurements/internal/host_floors.h"

namespace warploom {
namespace {

// The dimensions of a model, which the tables do not list. Sources: the models' config.json.
struct ModelOfTable {
  std::string_view prefix;  // of the model's name
  std::int64_t hidden, q_lora_rank, nope_head_dim, value_head_dim, index_heads;
};
constexpr std::array<ModelOfTable, 3> kModels{{{"deepseek-ai/DeepSeek-V3.2", 7168, 1536, 128, 128, 64},
                                               {"zai-org/GLM-5", 6144, 2048, 192, 256, 32},
                                               {"nvidia/GLM-5", 6144, 2048, 192, 256, 32}}};
constexpr std::string_view kSkipsIndexer = "_skip_indexer";  // ending of an op_name

// What shares a floor: all but the sizes.
constexpr std::array<std::string_view, 8> kKernelColumns{
    "framework", "version", "op_name", "kernel_source", "model", "mla_dtype", "kv_cache_dtype", "gemm_type"};

struct DsaColumns {
  DsaColumns(const Table& table, bool decode)
      : op_name(table.column("op_name")),
        model(table.column("model")),
        dtype(table.column("mla_dtype")),
        kv_dtype(table.column("kv_cache_dtype")),
        gemm_type(table.column("gemm_type")),
        heads(table.column("num_heads")),
        batch(table.column("batch_size")),
        step(table.column("step")) {
    if (!decode) length = table.column("isl");
  }
  std::size_t op_name, model, dtype, kv_dtype, gemm_type, heads, batch, step;
  std::optional<std::size_t> length;  // new tokens of a prompt
};

bool launches_from_host(std::string_view framework, const GpuSpec& gpu, bool decode) {
  const AiconfiguratorCollector& collector = collector_of(framework);
  return (collector.launches_prompts && !decode) || (collector.launches_older && !has_tensor_memory(gpu));
}

void read_dsa(Table& table, RowSink& sink, bool decode) {
  const AiconfiguratorColumns columns(table);
  const DsaColumns dsa(table, decode);
  std::optional<HostFloors> floors;
  for_each_row(table, sink, columns, [&](const AiconfiguratorRow& row) {
    const auto* model = std::find_if(kModels.begin(), kModels.end(), [&](const ModelOfTable& each) {
      return table.text(dsa.model).starts_with(each.prefix);
    });
    if (model == kModels.end()) {
      sink.skip("a block of a model whose dimensions the table does not give", table);
      return;
    }
    if (launches_from_host(row.context.framework, row.gpu, decode)) {
      if (!floors) floors.emplace(table, kKernelColumns);
      if (floors->hold(table)) {
        sink.skip(kHostFloor, table);
        return;
      }
    }
    Dsa op{.projections = aiconfigurator_scheme(table, dsa.gemm_type),
           .compute = aiconfigurator_type(table, dsa.dtype),
           .kv_cache = aiconfigurator_type(table, dsa.kv_dtype),
           .decode = decode,
           .indexer = !table.text(dsa.op_name).ends_with(kSkipsIndexer),
           .hidden = model->hidden,
           .q_lora_rank = model->q_lora_rank,
           .index_heads = model->index_heads};
    op.shape.heads = table.positive(dsa.heads);
    op.shape.nope_head_dim = model->nope_head_dim;
    op.shape.value_head_dim = model->value_head_dim;
    RequestGroup group{.count = table.positive(dsa.batch), .context_tokens = table.not_negative(dsa.step)};
    if (dsa.length) group.query_tokens = table.positive(*dsa.length);
    // The length of a running request holds its new token.
    if (decode && group.context_tokens > 0 && collector_of(row.context.framework).counts_the_current_token)
      --group.context_tokens;
    op.requests = {group};
    row.add(op);
  });
}

void read_dsa_context(Table& table, RowSink& sink) { read_dsa(table, sink, false); }
void read_dsa_generation(Table& table, RowSink& sink) { read_dsa(table, sink, true); }

std::vector<TableFormat> dsa_tables() {
  const Family family = Dsa::kNames[0].family;
  return {aiconfigurator_table("dsa_context_module", {family}, read_dsa_context),
          aiconfigurator_table("dsa_generation_module", {family}, read_dsa_generation)};
}

}  // namespace

constinit const AiconfiguratorTables kDsaTables{dsa_tables};

}  // namespace warploom
