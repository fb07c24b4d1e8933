// Multi-head latent attention of single new tokens: kernels/attention/ prices it.
#include "warploom/kernels/attention/attention_base.h"
#include "warploom/kernels/attention/attention_tiling.h"
#include "warploom/kernels/define_family.h"

namespace warploom {
namespace {

struct MlaDecodeFamily : AttentionFamily<MlaDecodeFamily, MlaDecode> {
  static constexpr std::span<const GridMove> kMoves = kMlaMoves;

  template <class List>
  static List& list_fields(List& list) {
    return list.add("compute", &MlaDecode::compute, {.doc = "type of queries and products"})
        .add("kv_cache", &MlaDecode::kv_cache, {.doc = "type of the cached latent"})
        .add("shape", &MlaDecode::shape, {.doc = "head counts and widths"})
        .add("requests", &MlaDecode::requests, {.doc = "groups of alike requests", .required = true});
  }
  static void check(OperatorChecker& c, const MlaDecode& op) { c.mla(op.shape, op.requests, true); }
  static void hash(ShapeHasher& hasher, const MlaDecode& op) {
    hasher.mix(op.compute, op.kv_cache, op.shape, op.requests);
  }
  static bool decodes(const MlaDecode&) { return true; }

  static std::span<const ConstantSpec> constants() { return decode_base_constants(); }
  static StructuralPrice price(const MlaDecode& op, const GpuSpec& gpu, const ContextKernel& kernel,
                               const BaseConstants& fitted) {
    return attention_price(view_of(op), KnownKernel::None, gpu, kernel.hints, fitted);
  }

  static GridPoint grid(const MlaDecode& op) {
    if (op.requests.size() != 1) return {};
    const RequestGroup& r = op.requests[0];
    return at_grid(grid_group(grid_group(op.shape), r.query_tokens),
                   {r.context_tokens, r.count, op.shape.heads});
  }
  static void coordinates(OperatorCoordinates& list, const MlaDecode& op) {
    list.add_variant(op.compute, op.kv_cache);
    list.add_latent(op.shape);
    list.add_requests(op.requests);
  }
};

}  // namespace

FieldTable MlaDecode::describe() { return described<MlaDecodeFamily>(); }
constinit const OperatorFamily MlaDecode::kFamily = define<MlaDecodeFamily>();

}  // namespace warploom
