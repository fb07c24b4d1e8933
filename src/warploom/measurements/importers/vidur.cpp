// Tables of the vidur layout: the operators of a transformer block outside attention, and collectives.
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "warploom/measurements/internal/table_format.h"

namespace warploom {
namespace {

struct ModelShape {
  std::int64_t heads = 1, kv_heads = 1, head_dim = 1, vocabulary = 1;
  bool gated = true;
};

// model_shapes.csv beside the table; empty when there is none. Rotary and embedding rows need it.
std::map<std::string, ModelShape, std::less<>> read_model_shapes(const std::filesystem::path& table_path) {
  std::map<std::string, ModelShape, std::less<>> shapes;
  const std::filesystem::path path = table_path.parent_path() / "model_shapes.csv";
  if (!std::filesystem::exists(path)) return shapes;
  Table table(path);
  const std::size_t model = table.column("model"), heads = table.column("n_head"),
                    kv_heads = table.column("n_kv_head"), width = table.column("n_embd"),
                    vocabulary = table.column("vocab_size"), gated = table.column("use_gated_mlp");
  while (table.next()) {
    ModelShape shape{.heads = table.positive(heads),
                     .kv_heads = table.positive(kv_heads),
                     .vocabulary = table.positive(vocabulary),
                     .gated = table.text(gated) == "True"};
    shape.head_dim = table.positive(width) / shape.heads;
    if (shape.head_dim < 1) table.refuse(width, "at least n_head");
    shapes.insert_or_assign(std::string(table.text(model)), shape);
  }
  return shapes;
}

struct BlockColumns {
  explicit BlockColumns(const Table& table)
      : gpu(table.column("gpu")),
        model(table.column("model")),
        tp(table.column("tp")),
        op(table.column("op")),
        kind(table.column("kind")),
        m(table.column("M")),
        n(table.column("N")),
        k(table.column("K")),
        latency(table.column("latency_us_median")),
        runs(table.column("n_runs")) {}
  std::size_t gpu, model, tp, op, kind, m, n, k, latency, runs;
};

// phi-2 is the one model there with LayerNorm, an ungated MLP and a residual sum of three.
Operator block_operator(const Table& table, const BlockColumns& c, const ModelShape& model) {
  const std::string_view kind = table.text(c.kind);
  const std::int64_t rows = table.positive(c.m), width = table.positive(c.n);
  if (kind == "gemm") {
    return Gemm{.scheme = MatmulScheme::Fp16,
                .m = rows,
                .n = width,
                .k = table.positive(c.k),
                .residency = Residency::Warm,
                .weight_copies = 1};
  }
  if (kind == "norm")
    return RmsNorm{.type = DataType::Fp16, .tokens = rows, .width = width, .layer_norm = !model.gated};
  if (kind == "activation") {
    return Activation{.type = DataType::Fp16, .tokens = rows, .width = width, .gated = model.gated};
  }
  if (kind == "elementwise") {
    return Elementwise{.kind = ElementwiseKind::Add,
                       .type = DataType::Fp16,
                       .rows = rows,
                       .width = width,
                       .inputs = model.gated ? 2 : 3};
  }
  const std::int64_t tp = table.positive(c.tp);
  if (kind == "rope") {
    // The table's width is that of queries and keys together.
    const std::int64_t heads = width / model.head_dim,
                       kv_heads = std::max<std::int64_t>(1, model.kv_heads / tp);
    return Rope{.type = DataType::Fp16,
                .tokens = rows,
                .heads = heads - kv_heads,
                .kv_heads = kv_heads,
                .head_dim = model.head_dim};
  }
  if (kind == "embedding") {
    return Embedding{.type = DataType::Fp16,
                     .tokens = rows,
                     .hidden = width,
                     .vocabulary = std::max<std::int64_t>(1, model.vocabulary / tp)};
  }
  table.refuse(c.kind, "gemm, norm, activation, elementwise, rope or embedding");
}

void read_block(Table& table, RowSink& sink) {
  const BlockColumns c(table);
  const auto models = read_model_shapes(table.path());
  constexpr std::int64_t kRepeats = 20;
  while (table.next()) {
    const GpuSpec* gpu = sink.gpu(table.text(c.gpu), table);
    if (gpu == nullptr) continue;
    const auto model = models.find(table.text(c.model));
    const std::string_view kind = table.text(c.kind);
    if (model == models.end() && kind != "gemm") {
      sink.skip("model_shapes.csv beside the table does not list the model", table);
      continue;
    }
    const Operator op = block_operator(table, c, model == models.end() ? ModelShape{} : model->second);
    if (!sink.wants(family_of(op))) {
      sink.skip_unwanted();
      continue;
    }
    if (table.real(c.latency) == 0) {
      sink.skip("shorter than the timer's step: reads 0 us", table);
      continue;
    }
    sink.add({.op = op,
              .gpu = *gpu,
              .context = {"pytorch", "", "vidur"},
              .latency = table.latency_us(c.latency),
              .n_samples = table.positive(c.runs) * kRepeats},
             table);
  }
}

}  // namespace

const std::vector<TableFormat>& vidur_formats() {
  static const std::vector<TableFormat> formats{
      {.name = "block operators",
       .folder = {},
       .columns = {"gpu", "model", "tp", "num_tokens", "op", "kind", "M", "N", "K", "latency_us_median"},
       .families = {Family::Gemm, Family::RmsNorm, Family::Activation, Family::Elementwise, Family::Rope,
                    Family::Embedding},
       .read = read_block,
       .skip_reason = {}},
      collective_format()};
  return formats;
}

}  // namespace warploom
