// Multi-head latent attention of prompts: kernels/attention/ prices it.
#include "warploom/kernels/attention/attention_base.h"
#include "warploom/kernels/attention/attention_tiling.h"
#include "warploom/kernels/define_family.h"

namespace warploom {
namespace {

struct MlaPrefillFamily : AttentionFamily<MlaPrefillFamily, MlaPrefill> {
  static constexpr std::span<const GridMove> kMoves = kMlaMoves;

  template <class List>
  static List& list_fields(List& list) {
    return list.add("compute", &MlaPrefill::compute, {.doc = "type of queries and products"})
        .add("kv_cache", &MlaPrefill::kv_cache, {.doc = "type of the cached latent"})
        .add("shape", &MlaPrefill::shape, {.doc = "head counts and widths"})
        .add("requests", &MlaPrefill::requests, {.doc = "groups of alike requests", .required = true});
  }
  static void check(OperatorChecker& c, const MlaPrefill& op) { c.mla(op.shape, op.requests, false); }
  static void hash(ShapeHasher& hasher, const MlaPrefill& op) {
    hasher.mix(op.compute, op.kv_cache, op.shape, op.requests);
  }

  static std::span<const ConstantSpec> constants() { return prefill_base_constants(); }
  static StructuralPrice price(const MlaPrefill& op, const GpuSpec& gpu, const ContextKernel& kernel,
                               const BaseConstants& fitted) {
    return attention_price(view_of(op), KnownKernel::None, gpu, kernel.hints, fitted);
  }

  static GridPoint grid(const MlaPrefill& op) {
    if (op.requests.size() != 1) return {};
    const RequestGroup& r = op.requests[0];
    return at_grid(grid_group(grid_group(op.shape), r.context_tokens),
                   {r.query_tokens, r.count, op.shape.heads});
  }
  static void coordinates(OperatorCoordinates& list, const MlaPrefill& op) {
    list.add_variant(op.compute, op.kv_cache);
    list.add_latent(op.shape);
    list.add_requests(op.requests);
  }
};

}  // namespace

FieldTable MlaPrefill::describe() { return described<MlaPrefillFamily>(); }
constinit const OperatorFamily MlaPrefill::kFamily = define<MlaPrefillFamily>();

}  // namespace warploom
