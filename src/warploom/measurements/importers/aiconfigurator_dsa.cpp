// Blocks of DeepSeek sparse attention: batches of equal sequences, one file for prompts and one for new
// tokens.
//
// Some collectors launch a block's kernels one by one from the host. Small rows of theirs are the host's
// time, whatever the size: such a row is recognised by the floor that the smallest rows of its kernel stand
// on, and left out.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "warploom/hardware/gpu_class.h"
#include "warploom/measurements/internal/aiconfigurator.h"
#include "warploom/measurements/internal/aiconfigurator_collectors.h"

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

// Small: rows of at most this many new tokens after at most this long a context. Rows up to this many floors
// are the host's; both set by eye on SGLang 0.5.14 and TensorRT-LLM 1.3.0 (the floors' own spread is a
// tenth).
constexpr std::int64_t kSmallTokens = 64, kSmallContext = 16384;
constexpr double kFloorBand = 1.25;
constexpr std::string_view kHostFloor = "a host floor of kernels launched one by one: no kernel's time";

struct DsaColumns {
  DsaColumns(const Table& table, bool decode)
      : op_name(table.column("op_name")),
        kernel(table.column("kernel_source")),
        model(table.column("model")),
        dtype(table.column("mla_dtype")),
        kv_dtype(table.column("kv_cache_dtype")),
        gemm_type(table.column("gemm_type")),
        heads(table.column("num_heads")),
        batch(table.column("batch_size")),
        step(table.column("step")) {
    if (!decode) length = table.column("isl");
  }
  std::int64_t new_tokens(const Table& table) const {
    return table.positive(batch) * (length ? table.positive(*length) : 1);
  }
  // What shares a floor: all but the sizes.
  std::string kernel_of(const Table& table, const AiconfiguratorColumns& columns) const {
    std::string key;
    for (const std::size_t column :
         {columns.framework, columns.version, op_name, kernel, model, dtype, kv_dtype, gemm_type})
      key.append(table.text(column)).append("/");
    return key;
  }

  std::size_t op_name, kernel, model, dtype, kv_dtype, gemm_type, heads, batch, step;
  std::optional<std::size_t> length;  // new tokens of a prompt
};

bool launches_from_host(std::string_view framework, const GpuSpec& gpu, bool decode) {
  const AiconfiguratorCollector& collector = collector_of(framework);
  return (collector.launches_prompts && !decode) || (collector.launches_older && !has_tensor_memory(gpu));
}

// The least over numbers of heads of the median small row, by kernel_of. A pass over the file of its own.
std::map<std::string, double> host_floors(const Table& of, bool decode) {
  Table table(of.path(), habits_of(Layout::Aiconfigurator));
  const AiconfiguratorColumns columns(table);
  const DsaColumns dsa(table, decode);
  std::map<std::pair<std::string, std::int64_t>, std::vector<double>> small;
  while (table.next())
    if (dsa.new_tokens(table) <= kSmallTokens && table.not_negative(dsa.step) <= kSmallContext)
      small[{dsa.kernel_of(table, columns), table.positive(dsa.heads)}].push_back(
          table.latency_us(columns.latency).value());
  std::map<std::string, double> floors;
  for (auto& [key, latencies] : small) {
    const auto middle = latencies.begin() + std::ptrdiff_t(latencies.size() / 2);
    std::nth_element(latencies.begin(), middle, latencies.end());
    const auto [at, fresh] = floors.try_emplace(key.first, *middle);
    if (!fresh) at->second = std::min(at->second, *middle);
  }
  return floors;
}

void read_dsa(Table& table, RowSink& sink, bool decode) {
  const AiconfiguratorColumns columns(table);
  const DsaColumns dsa(table, decode);
  std::optional<std::map<std::string, double>> floors;
  for_each_row(table, sink, columns, [&](const AiconfiguratorRow& row) {
    const auto* model = std::find_if(kModels.begin(), kModels.end(), [&](const ModelOfTable& each) {
      return table.text(dsa.model).starts_with(each.prefix);
    });
    if (model == kModels.end()) {
      sink.skip("a block of a model whose dimensions the table does not give", table);
      return;
    }
    if (launches_from_host(row.context.framework, row.gpu, decode)) {
      if (!floors) floors = host_floors(table, decode);
      const auto floor = floors->find(dsa.kernel_of(table, columns));
      if (floor != floors->end() && row.latency().value() <= kFloorBand * floor->second) {
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
