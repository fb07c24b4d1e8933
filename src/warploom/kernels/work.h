// What an operator must do, whatever the GPU and the implementation: arithmetic and unique bytes.
#pragma once

#include "warploom/kernels/attention_view.h"
#include "warploom/kernels/moe_routing.h"
#include "warploom/kernels/operator.h"

namespace warploom {

// All of one call on one GPU. Bytes are unique: each operand counts once, however often a kernel reads it.
struct Work {
  Flop matrix_flop;          // products that a matrix unit can form; a multiply-add counts two
  Flop fma_flop;             // other arithmetic, an estimate of the usual implementation
  double special_ops = 0;    // exponentials, reciprocals, square roots
  Bytes weight_bytes;        // weights that are touched
  Bytes least_weight_bytes;  // of FusedMoe: of the fewest experts that an actual routing is likely to hit
  Bytes cache_bytes;         // KV cache or recurrent state that is read
  Bytes input_bytes;
  Bytes output_bytes;
  Bytes
      scratch_bytes;  // written and read again inside the call (quantised activations, expert intermediates)
  Bytes network_bytes;  // that leave one GPU (equal to what enters)
  double launches = 1;  // kernels of the usual implementation

  Work& operator+=(const Work& other);
  Bytes unique_bytes() const { return weight_bytes + cache_bytes + input_bytes + output_bytes; }
};

// `routing` is needed for FusedMoe alone; without it the load is computed anew. Expects a checked operator.
// O(groups of requests); no allocation but for the load of FusedMoe.
Work work_of(const Operator& op, const RoutingCache* routing = nullptr);
// The same with the load of a FusedMoe, when it is one.
Work work_of(const Operator& op, const RoutingLoad& load);

// What families make their work of. Element-wise and row-wise kernels: `reads` and `writes` in elements,
// arithmetic per element written.
Work streaming_work(double reads, double writes, DataType type, double fma, double special);
Work gemm_work(const Gemm& op);
Work attention_work(const AttentionView& view);
Work moe_work(const FusedMoe& op, const RoutingLoad& load);

// The projections of an MLA module as products, in order of execution.
struct MlaProjections {
  std::array<Gemm, 5> products;
  std::size_t size = 0;
};
MlaProjections mla_projections(const MlaModule& op);

// FLOP of one pass of a mixture of experts: widths of its grouped products on this GPU (0 = pass not run).
struct MoeWidths {
  double gate_up = 0;       // columns of the first product
  double intermediate = 0;  // inner length of the second product
};
MoeWidths moe_widths(const FusedMoe& op);

}  // namespace warploom
