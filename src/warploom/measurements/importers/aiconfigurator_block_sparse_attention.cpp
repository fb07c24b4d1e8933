// Blocks of MiniMax-M3's block-sparse attention: batches of equal sequences, one file for prompts and one for
// new tokens. Rows of the host are left out (host_floors.h).
#include <algorithm>
#include <array>
#include <optional>

#include "warploom/hardware/gpu_class.h"
#include "warploom/measurements/internal/aiconfigurator.h"
#include "warploom/measurements/internal/aiconfigurator_collectors.h"
#include "warploom/measurements/internal/host_floors.h"

namespace warploom {
namespace {

// Query heads of a key and value head, of MiniMax-M3's config.json. With fewer on a GPU the head is copied;
// each key and value head has one of the indexer's.
constexpr std::int64_t kGroup = 16;

constexpr std::array<std::string_view, 7> kKernelColumns{
    "framework", "version", "kernel_source", "model", "mla_dtype", "kv_cache_dtype", "gemm_type"};

// TensorRT-LLM 1.3.0rc23 has kernels for it on Blackwell's data-centre parts alone, and even there no rows of
// them: prompts up to 32,768 tokens take 2 to 8 ms of the host in no order, and new tokens copy the whole
// index cache of the pool.
constexpr std::string_view kReferencePath = "a reference path without kernels of its own, up to 50 s a layer";
constexpr std::string_view kHostPrompts = "2 to 8 ms of the host in prompts of any size: no kernel's time";
constexpr std::string_view kCopiesCache = "copies the index cache of the whole pool: no kernel's time";

// SGLang chooses entries of new tokens in one of two ways, by their number: one kernel.
constexpr std::string_view kSglangDecode = "sglang_minimax_decode_triton_sparse";
std::string_view kernel_of(std::string_view source) {
  return source.starts_with(kSglangDecode) ? kSglangDecode : source;
}

std::optional<std::string_view> refusal(const AiconfiguratorRow& row, bool decode) {
  if (collector_of(row.context.framework).times_block_sparse) return std::nullopt;
  if (!has_tensor_memory(row.gpu)) return kReferencePath;
  return decode ? kCopiesCache : kHostPrompts;
}

void read_block(Table& table, RowSink& sink, bool decode) {
  const AiconfiguratorColumns columns(table);
  const std::size_t dtype = table.column("mla_dtype"), kv_dtype = table.column("kv_cache_dtype"),
                    gemm_type = table.column("gemm_type"), heads = table.column("num_heads"),
                    batch = table.column("batch_size"), step = table.column("step");
  std::optional<std::size_t> length;
  if (!decode) length = table.column("isl");
  std::optional<HostFloors> floors;
  for_each_row(table, sink, columns, [&](const AiconfiguratorRow& row) {
    if (const auto reason = refusal(row, decode)) {
      sink.skip(*reason, table);
      return;
    }
    if (!decode && collector_of(row.context.framework).launches_prompts) {
      if (!floors) floors.emplace(table, kKernelColumns);
      if (floors->hold(table)) {
        sink.skip(kHostFloor, table);
        return;
      }
    }
    BlockSparseAttention op{.projections = aiconfigurator_scheme(table, gemm_type),
                            .compute = aiconfigurator_type(table, dtype),
                            .kv_cache = aiconfigurator_type(table, kv_dtype),
                            .decode = decode,
                            .heads = table.positive(heads)};
    op.kv_heads = (op.heads + kGroup - 1) / kGroup;
    op.index_heads = op.kv_heads;
    RequestGroup group{.count = table.positive(batch), .context_tokens = table.not_negative(step)};
    if (length) group.query_tokens = table.positive(*length);
    op.requests = {group};
    row.add(op, {.kernel = kernel_of(row.context.kernel)});
  });
}

void read_prompts(Table& table, RowSink& sink) { read_block(table, sink, false); }
void read_new_tokens(Table& table, RowSink& sink) { read_block(table, sink, true); }

std::vector<TableFormat> tables() {
  const Family family = BlockSparseAttention::kNames[0].family;
  return {aiconfigurator_table("msa_context_module", {family}, read_prompts),
          aiconfigurator_table("msa_generation_module", {family}, read_new_tokens)};
}

}  // namespace

constinit const AiconfiguratorTables kBlockSparseAttentionTables{tables};

}  // namespace warploom
