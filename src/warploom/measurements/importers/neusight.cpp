// Tables of the neusight layout: fp32 operators, each one eager PyTorch call, so launch cost is inside.
#include <array>
#include <utility>

#include "warploom/measurements/internal/table_format.h"

namespace warploom {
namespace {

constexpr KernelContext kContext{"pytorch", "2.1.0", "eager"};
constexpr std::int64_t kTimings = 5;  // the mean of the 5 fastest

Marks marks_of(const Table& table, std::size_t split) {
  return {.launch_bound = true, .source_test = table.text(split) == "test"};
}

void read_gemm(Table& table, RowSink& sink) {
  const std::size_t gpu_column = table.column("gpu"), split = table.column("split"),
                    batch = table.column("B"), m = table.column("M"), n = table.column("N"),
                    k = table.column("K"), latency = table.column("latency_us");
  while (table.next()) {
    const GpuSpec* gpu = sink.gpu(table.text(gpu_column), table);
    if (gpu == nullptr) continue;
    const Gemm gemm{.scheme = MatmulScheme::Fp32,
                    .m = table.positive(m),
                    .n = table.positive(n),
                    .k = table.positive(k),
                    .batch = table.positive(batch),
                    .residency = Residency::Warm,
                    .weight_copies = 1};
    sink.add({.op = gemm,
              .gpu = *gpu,
              .context = kContext,
              .latency = table.latency_us(latency),
              .n_samples = kTimings,
              .marks = marks_of(table, split)},
             table);
  }
}

// A final 'u' means that the second operand is a scalar.
Operator vector_operator(const Table& table, std::size_t name_column, std::int64_t rows, std::int64_t width) {
  static constexpr std::array<std::pair<std::string_view, ElementwiseKind>, 8> kKinds{
      {{"add", ElementwiseKind::Add},
       {"mul", ElementwiseKind::Multiply},
       {"div", ElementwiseKind::Divide},
       {"pow", ElementwiseKind::Power},
       {"relu", ElementwiseKind::Relu},
       {"gelu", ElementwiseKind::Gelu},
       {"tanh", ElementwiseKind::Tanh},
       {"softmax", ElementwiseKind::Softmax}}};
  std::string_view name = table.text(name_column);
  if (name == "ln")
    return RmsNorm{.type = DataType::Fp32, .tokens = rows, .width = width, .layer_norm = true};
  std::int64_t inputs = 1;
  if (name.size() == 4 && name.back() == 'u' && name != "relu" && name != "gelu")
    name.remove_suffix(1);
  else if (name.size() == 3)
    inputs = 2;
  for (const auto& [known, kind] : kKinds) {
    if (known == name) {
      return Elementwise{
          .kind = kind, .type = DataType::Fp32, .rows = rows, .width = width, .inputs = inputs};
    }
  }
  table.refuse(name_column, "ln, softmax, relu, gelu, tanh, add, mul, div, pow or one of these with 'u'");
}

void read_vector(Table& table, RowSink& sink) {
  const std::size_t gpu_column = table.column("gpu"), name = table.column("op"),
                    split = table.column("split"), rows = table.column("B"), width = table.column("H"),
                    latency = table.column("latency_us");
  while (table.next()) {
    const GpuSpec* gpu = sink.gpu(table.text(gpu_column), table);
    if (gpu == nullptr) continue;
    const Operator op = vector_operator(table, name, table.positive(rows), table.positive(width));
    if (!sink.wants(family_of(op))) {
      sink.skip_unwanted();
      continue;
    }
    sink.add({.op = op,
              .gpu = *gpu,
              .context = kContext,
              .latency = table.latency_us(latency),
              .n_samples = kTimings,
              .marks = marks_of(table, split)},
             table);
  }
}

}  // namespace

const std::vector<TableFormat>& neusight_formats() {
  static const std::vector<TableFormat> formats{
      {.name = "fp32 gemm",
       .folder = {},
       .columns = {"gpu", "op", "split", "B", "M", "N", "K", "latency_us"},
       .families = {Family::Gemm},
       .read = read_gemm,
       .skip_reason = {}},
      {.name = "fp32 vector",
       .folder = {},
       .columns = {"gpu", "op", "split", "set", "B", "H", "latency_us"},
       .families = {Family::RmsNorm, Family::Elementwise},
       .read = read_vector,
       .skip_reason = {}}};
  return formats;
}

}  // namespace warploom
