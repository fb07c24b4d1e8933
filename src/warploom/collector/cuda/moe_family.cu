// The mixture of experts of one rank: routing made on the host, then the launches of one layer.
#include <algorithm>
#include <vector>

#include "warploom/collector/cuda/check.cuh"
#include "warploom/collector/cuda/families.cuh"
#include "warploom/collector/cuda/grouped_moe.cuh"

namespace warploom::collector {
namespace {

struct Sizes {
  int tokens, hidden, intermediate, experts, top_k, local_experts;
};

Sizes sizes_of(const OperatorText& op) {
  Sizes s{};
  const std::int64_t tp = op.integer("tensor_parallel", 1), ep = op.integer("expert_parallel", 1);
  s.tokens = int(op.integer("tokens"));
  s.hidden = int(op.integer("hidden"));
  s.intermediate = int(op.integer("intermediate") / tp);
  s.experts = int(op.integer("experts"));
  s.top_k = int(op.integer("top_k"));
  s.local_experts = int(s.experts / ep);
  if (op.word("scheme", "bf16") != "bf16") throw Unmeasurable("moe: the own kernel takes bf16 alone");
  if (!op.flag("gated", true) || op.word("pass", "both") != "both")
    throw Unmeasurable("moe: only both products of gated experts are swept");
  if (op.word("routing", "balanced") != "balanced") throw Unmeasurable("moe: only balanced routing is swept");
  if (s.hidden % 64 != 0 || s.intermediate % 64 != 0 || op.integer("intermediate") % tp != 0 ||
      s.experts % ep != 0)
    throw Unmeasurable("moe: widths must be multiples of 64 and split evenly");
  return s;
}

// Tokens by expert on the device.
struct Routing {
  ~Routing() { cudaFree(memory); }
  int* memory = nullptr;
  int *source = nullptr, *places = nullptr;
  float* weights = nullptr;
  GroupedRows tiles;
  int rows = 0, tile_rows = 64, experts_hit = 0;
};

// Balanced: with s = ceil(E / k), slot j of token t goes to expert (t + j s) mod E; with fewer tokens than s,
// to floor(t s / T) + j s mod E. This rank holds the first experts.
int expert_of(const Sizes& s, int token, int slot) {
  const int stride = (s.experts + s.top_k - 1) / s.top_k;
  const long long first = s.tokens < stride ? (long long)(token)*stride / s.tokens : token;
  return int((first + (long long)(slot)*stride) % s.experts);
}

std::shared_ptr<Routing> route(const Sizes& s) {
  std::vector<std::vector<std::pair<int, int>>> of_expert(std::size_t(s.local_experts));  // token, slot
  for (int t = 0; t < s.tokens; ++t)
    for (int j = 0; j < s.top_k; ++j)
      if (const int e = expert_of(s, t, j); e < s.local_experts) of_expert[std::size_t(e)].push_back({t, j});
  auto routing = std::make_shared<Routing>();
  std::vector<int> source, places(std::size_t(s.tokens) * s.top_k, -1), expert, first, rows;
  std::size_t most = 0;
  for (const auto& list : of_expert) most = std::max(most, list.size());
  routing->tile_rows = most > 64 ? 128 : 64;
  for (int e = 0; e < s.local_experts; ++e) {
    const auto& list = of_expert[std::size_t(e)];
    routing->experts_hit += list.empty() ? 0 : 1;
    for (std::size_t at = 0; at < list.size(); at += std::size_t(routing->tile_rows)) {
      expert.push_back(e);
      first.push_back(int(source.size() + at));
      rows.push_back(int(std::min(list.size() - at, std::size_t(routing->tile_rows))));
    }
    for (const auto& [token, slot] : list) {
      places[std::size_t(token) * s.top_k + slot] = int(source.size());
      source.push_back(token);
    }
  }
  routing->rows = int(source.size());
  routing->tiles.tiles = int(expert.size());
  std::vector<int> all;
  for (const auto* part : {&expert, &first, &rows, &source, &places})
    all.insert(all.end(), part->begin(), part->end());
  std::vector<float> weights(places.size(), 1.0F / float(s.top_k));
  check(cudaMalloc(&routing->memory, all.size() * 4 + weights.size() * 4), "reserving a routing table");
  check(cudaMemcpy(routing->memory, all.data(), all.size() * 4, cudaMemcpyHostToDevice),
        "copying a routing table");
  routing->weights = reinterpret_cast<float*>(routing->memory + all.size());
  check(cudaMemcpy(routing->weights, weights.data(), weights.size() * 4, cudaMemcpyHostToDevice),
        "copying a routing table");
  routing->tiles.tile_expert = routing->memory;
  routing->tiles.tile_row = routing->memory + expert.size();
  routing->tiles.tile_rows = routing->tiles.tile_row + expert.size();
  routing->source = routing->memory + 3 * expert.size();
  routing->places = routing->source + source.size();
  return routing;
}

}  // namespace

Recipe grouped_moe(const OperatorText& op, Workbench& bench) {
  if (bench.compute_capability < 80) throw Unmeasurable("moe: bf16 tensor cores need compute capability 8.0");
  const Sizes s = sizes_of(op);
  const std::shared_ptr<Routing> routing = route(s);
  if (routing->rows == 0) throw Unmeasurable("moe: this rank gets no token");
  const std::size_t expert_bytes = std::size_t(3) * s.hidden * s.intermediate * sizeof(Bf16);
  const std::size_t rows = std::size_t(routing->rows);
  const auto* x =
      static_cast<const Bf16*>(bench.arena.bf16.take(std::size_t(s.tokens) * s.hidden * sizeof(Bf16)));
  Recipe recipe;
  recipe.cold_bytes = expert_bytes * std::size_t(routing->experts_hit);
  recipe.algorithm = "tile=" + std::to_string(routing->tile_rows) +
                     "x128x64 stages=3 tiles=" + std::to_string(routing->tiles.tiles);
  recipe.hold = routing;
  recipe.launch = [=, &bench, r = routing.get()](cudaStream_t stream) {
    Pool &values = bench.arena.bf16, &scratch = bench.arena.scratch;
    const auto* weights = static_cast<const Bf16*>(values.take(expert_bytes * std::size_t(s.local_experts)));
    const Bf16* down = weights + std::size_t(2) * s.hidden * s.intermediate * s.local_experts;
    auto* gate_up = static_cast<Bf16*>(scratch.take(rows * 2 * s.intermediate * sizeof(Bf16)));
    auto* active = static_cast<Bf16*>(scratch.take(rows * s.intermediate * sizeof(Bf16)));
    auto* back = static_cast<Bf16*>(scratch.take(rows * s.hidden * sizeof(Bf16)));
    auto* out = static_cast<Bf16*>(scratch.take(std::size_t(s.tokens) * s.hidden * sizeof(Bf16)));
    launch_grouped({x, weights, r->source, gate_up, 2 * s.intermediate, s.hidden, r->tiles}, r->tile_rows,
                   stream);
    launch_silu_and_mul(gate_up, active, r->rows, s.intermediate, stream);
    launch_grouped({active, down, nullptr, back, s.hidden, s.intermediate, r->tiles}, r->tile_rows, stream);
    launch_weighted_sum(back, r->places, r->weights, out, s.tokens, s.top_k, s.hidden, stream);
    check(cudaGetLastError(), "mixture of experts");
  };
  return recipe;
}

}  // namespace warploom::collector
