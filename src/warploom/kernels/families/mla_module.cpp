// A block of multi-head latent attention: kernels/attention/mla_module_base.h prices it.
#include "warploom/kernels/attention/mla_module_base.h"
#include "warploom/kernels/define_family.h"

namespace warploom {
namespace {

struct MlaModuleFamily : RequestFamily<MlaModuleFamily, MlaModule> {
  static constexpr bool kCallsLibraryProducts = true;
  static constexpr auto kScheme = &MlaModule::projections;
  static constexpr std::span<const GridMove> kMoves = kMlaMoves;

  template <class List>
  static List& list_fields(List& list) {
    return list.add("projections", &MlaModule::projections, {.doc = "scheme of the linear layers"})
        .add("compute", &MlaModule::compute, {.doc = "type of queries and products"})
        .add("kv_cache", &MlaModule::kv_cache, {.doc = "type of the cached latent"})
        .add("decode", &MlaModule::decode, {.doc = "absorbed decode form instead of prefill"})
        .add("hidden", &MlaModule::hidden, product_side("width of the model"))
        .add("q_lora_rank", &MlaModule::q_lora_rank,
             at_least_none("width of the query latent, 0 = none", kLargestSide))
        .add("shape", &MlaModule::shape, {.doc = "head counts and widths"})
        .add("requests", &MlaModule::requests, {.doc = "groups of alike requests", .required = true});
  }
  static void check(OperatorChecker& c, const MlaModule& op) {
    c.mla(op.shape, op.requests, op.decode);
    c.side("hidden", op.hidden).not_negative("q_lora_rank", op.q_lora_rank, kLargestSide);
    const MlaShape& s = op.shape;
    const double widest = double(s.nope_head_dim + s.rope_head_dim + s.value_head_dim);
    c.amount("heads x width of a head", double(s.heads) * widest, double(kLargestSide), "columns");
    c.side("kv_lora_rank", s.kv_lora_rank);
    const MlaProjections projections = mla_projections(op);
    for (std::size_t i = 0; i < projections.size; ++i) c.gemm(projections.products[i]);
  }
  static void hash(ShapeHasher& hasher, const MlaModule& op) {
    hasher.mix(op.projections, op.compute, op.kv_cache, op.decode, op.hidden, op.q_lora_rank, op.shape,
               op.requests);
  }
  static bool decodes(const MlaModule& op) { return op.decode; }

  static Work work(const MlaModule& op) {
    Work work = attention_work(view_of(op));
    const MlaProjections projections = mla_projections(op);
    for (std::size_t i = 0; i < projections.size; ++i) work += gemm_work(projections.products[i]);
    // Two norms, rotary embedding and cache write; their bytes pass within the module.
    work.launches += 4;
    return work;
  }
  static void raise_compute(BoundLimit& limit, const MlaModule& op, const GpuSpec& gpu, const Work&) {
    const MlaProjections projections = mla_projections(op);
    double seconds = 0;
    for (std::size_t i = 0; i < projections.size; ++i)
      seconds += fastest_product_seconds(projections.products[i], gpu);
    seconds += fastest_attention_seconds(view_of(op), gpu);
    limit.raise(seconds, Bound::Tensor);
  }

  static std::span<const ConstantSpec> constants() { return mla_module_constants(); }
  static StructuralPrice price(const MlaModule& op, const GpuSpec& gpu, const ContextKernel&,
                               const BaseConstants& fitted) {
    const MlaModuleBase base = mla_module_base(op, gpu, fitted);
    return {.seconds = base.seconds,
            .launch = base.launch,
            .passes = base.projections,
            .compute = base.compute,
            .memory = base.streamed,
            .overlap = kMlaModuleOverlap,
            .balance = base.balance,
            .tasks = base.tasks,
            .waves = base.tasks / double(gpu.sm_count)};
  }
  static void profile(ProfileBuilder& builder, const MlaModule& op) {
    const MlaProjections projections = mla_projections(op);
    for (std::size_t i = 0; i < projections.size; ++i) builder.add_projection(projections.products[i]);
    builder.add_attention(view_of(op));
  }

  static std::uint32_t kind_in(const MlaModule& op, MatmulScheme scheme) {
    const std::uint32_t types = kind_pair(half_as_one(op.compute), half_as_one(op.kv_cache));
    return (types * 16 + std::uint32_t(half_as_one(scheme))) * 2 + (op.decode ? 1 : 0);
  }
  static std::uint32_t kind_code(const MlaModule& op) { return kind_in(op, op.projections); }
  static NearKinds near(const MlaModule& op, const GpuSpec& gpu) {
    return near_schemes(op.projections, gpu, [&](MatmulScheme scheme) { return kind_in(op, scheme); });
  }
  static GridPoint grid(const MlaModule& op) {
    if (op.requests.size() != 1) return {};
    const RequestGroup& r = op.requests[0];
    const std::uint64_t group = grid_group(grid_group(op.shape), op.hidden, op.q_lora_rank);
    if (op.decode)
      return at_grid(hash_combine(group, std::uint64_t(r.query_tokens)),
                     {r.context_tokens, r.count, op.shape.heads});
    return at_grid(hash_combine(group, std::uint64_t(r.context_tokens)),
                   {r.query_tokens, r.count, op.shape.heads});
  }
  static void coordinates(OperatorCoordinates& list, const MlaModule& op) {
    list.add_variant(op.projections, op.compute, op.kv_cache, op.decode);
    list.add_sizes(op.hidden, op.q_lora_rank);
    list.add_latent(op.shape);
    list.add_requests(op.requests);
  }
};

}  // namespace

FieldTable MlaModule::describe() { return described<MlaModuleFamily>(); }
constinit const OperatorFamily MlaModule::kFamily = define<MlaModuleFamily>();

}  // namespace warploom
