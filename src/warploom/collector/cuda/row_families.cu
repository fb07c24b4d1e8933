// Operators of the row-wise and element-wise kernels: buffers that rotate, and launches.
#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "warploom/collector/cuda/attention_decode.cuh"
#include "warploom/collector/cuda/check.cuh"
#include "warploom/collector/cuda/families.cuh"
#include "warploom/collector/cuda/row_kernels.cuh"

namespace warploom::collector {
namespace {

void need_bf16(const OperatorText& op, const char* member) {
  if (op.word(member, "bf16") != "bf16")
    throw Unmeasurable(op.family() + ": the own kernel takes bf16 alone");
}

Bf16* read_slice(Workbench& bench, std::size_t elements) {
  return static_cast<Bf16*>(bench.arena.bf16.take(elements * sizeof(Bf16)));
}
Bf16* write_slice(Workbench& bench, std::size_t elements) {
  return static_cast<Bf16*>(bench.arena.scratch.take(elements * sizeof(Bf16)));
}

int count_of(const OperatorText& op, const char* member) {
  const std::int64_t value = op.integer(member);
  if (value < 1 || value > 0x7FFFFFFF / 4)
    throw Unmeasurable(op.family() + ": \"" + member + "\" is out of range");
  return int(value);
}

std::shared_ptr<int> on_device(const std::vector<int>& values) {
  int* memory = nullptr;
  check(cudaMalloc(&memory, values.size() * sizeof(int)), "reserving a table");
  std::shared_ptr<int> table(memory, [](int* m) { cudaFree(m); });
  check(cudaMemcpy(memory, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice),
        "copying a table");
  return table;
}

}  // namespace

Recipe rmsnorm(const OperatorText& op, Workbench& bench) {
  need_bf16(op, "type");
  if (op.flag("layer_norm", false)) throw Unmeasurable("rmsnorm: LayerNorm is not swept");
  const int tokens = count_of(op, "tokens"), width = count_of(op, "width");
  const bool residual = op.flag("residual", false);
  const std::size_t elements = std::size_t(tokens) * width;
  const Bf16* weight = read_slice(bench, std::size_t(width));
  Recipe recipe;
  recipe.cold_bytes = elements * sizeof(Bf16) * (residual ? 2 : 1);
  recipe.launch = [=, &bench](cudaStream_t stream) {
    Bf16* kept = residual ? write_slice(bench, elements) : nullptr;
    launch_rmsnorm(read_slice(bench, elements), kept, weight, write_slice(bench, elements), tokens, width,
                   stream);
  };
  return recipe;
}

Recipe activation(const OperatorText& op, Workbench& bench) {
  need_bf16(op, "type");
  if (!op.flag("gated", true)) throw Unmeasurable("activation: only SiLU-and-mul is swept");
  const int tokens = count_of(op, "tokens"), width = count_of(op, "width");
  const std::size_t elements = std::size_t(tokens) * width;
  Recipe recipe;
  recipe.cold_bytes = 2 * elements * sizeof(Bf16);
  recipe.launch = [=, &bench](cudaStream_t stream) {
    launch_silu_and_mul(read_slice(bench, 2 * elements), write_slice(bench, elements), tokens, width, stream);
  };
  return recipe;
}

Recipe rope(const OperatorText& op, Workbench& bench) {
  need_bf16(op, "type");
  const int tokens = count_of(op, "tokens"), heads = count_of(op, "heads"),
            kv_heads = count_of(op, "kv_heads"), dim = count_of(op, "head_dim");
  const std::size_t queries = std::size_t(tokens) * heads * dim, keys = std::size_t(tokens) * kv_heads * dim;
  // Rotated in place: by an eighth of a turn, which keeps random values as large as they are.
  const auto* table =
      static_cast<const float*>(bench.arena.angles.take(std::size_t(tokens) * dim * sizeof(float)));
  Recipe recipe;
  recipe.cold_bytes = (queries + keys) * sizeof(Bf16);
  recipe.launch = [=, &bench](cudaStream_t stream) {
    launch_rope(read_slice(bench, queries), read_slice(bench, keys), table, tokens, heads, kv_heads, dim,
                stream);
  };
  return recipe;
}

Recipe kv_write(const OperatorText& op, Workbench& bench) {
  need_bf16(op, "type");
  need_bf16(op, "kv_cache");
  const int tokens = count_of(op, "tokens"), width = count_of(op, "kv_heads") * count_of(op, "head_dim");
  const std::size_t elements = std::size_t(tokens) * width;
  std::vector<int> slots(std::size_t(tokens) + std::size_t(tokens) / 2);  // a cache with some free slots
  std::iota(slots.begin(), slots.end(), 0);
  std::shuffle(slots.begin(), slots.end(), std::mt19937_64(slots.size()));
  const std::size_t cache = slots.size() * std::size_t(width);
  const std::shared_ptr<int> table = on_device(slots);
  Recipe recipe;
  recipe.cold_bytes = 2 * elements * sizeof(Bf16);
  recipe.hold = table;
  recipe.launch = [=, &bench, slot = table.get()](cudaStream_t stream) {
    launch_kv_write(read_slice(bench, elements), read_slice(bench, elements), slot, write_slice(bench, cache),
                    write_slice(bench, cache), tokens, width, stream);
  };
  return recipe;
}

Recipe quantize(const OperatorText& op, Workbench& bench) {
  if (op.word("target", "fp8") != "fp8") throw Unmeasurable("quantize: only fp8 is swept");
  const int rows = count_of(op, "rows"), width = count_of(op, "width");
  const bool dynamic = op.flag("dynamic", true);
  const std::size_t elements = std::size_t(rows) * width;
  auto* scales = static_cast<float*>(bench.arena.scratch.take(std::size_t(rows) * sizeof(float)));
  Recipe recipe;
  recipe.cold_bytes = elements * sizeof(Bf16);
  recipe.launch = [=, &bench](cudaStream_t stream) {
    launch_quantize(read_slice(bench, elements),
                    static_cast<__nv_fp8_e4m3*>(bench.arena.scratch.take(elements)), scales, rows, width,
                    dynamic, stream);
  };
  return recipe;
}

Recipe elementwise(const OperatorText& op, Workbench& bench) {
  need_bf16(op, "type");
  if (op.word("kind", "add") != "add" || op.integer("inputs", 2) != 2)
    throw Unmeasurable("elementwise: only the sum of two tensors is swept");
  const std::size_t elements = std::size_t(count_of(op, "rows")) * std::size_t(count_of(op, "width"));
  Recipe recipe;
  recipe.cold_bytes = 2 * elements * sizeof(Bf16);
  recipe.launch = [=, &bench](cudaStream_t stream) {
    launch_add(read_slice(bench, elements), read_slice(bench, elements), write_slice(bench, elements),
               elements, stream);
  };
  return recipe;
}

}  // namespace warploom::collector
