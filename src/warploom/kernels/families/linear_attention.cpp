// Linear attention and state space models: the scan of kernels/rows/row_base.h prices it.
#include <algorithm>

#include "warploom/kernels/define_family.h"

namespace warploom {
namespace {

constexpr double kChunkOfLinearAttention = 64;  // tokens that a chunked scan treats as one product

double width_of_state(const LinearAttention& op) {
  return op.kind == LinearAttentionKind::Mamba2 ? double(op.state_size) : double(op.key_dim);
}

struct LinearAttentionFamily : FamilyOf<LinearAttentionFamily, LinearAttention> {
  static constexpr FamilyKind kKind = FamilyKind::Attention;

  template <class List>
  static List& list_fields(List& list) {
    return list.add("kind", &LinearAttention::kind, {.doc = "the recurrence"})
        .add("stage", &LinearAttention::stage, {.doc = "the kernel of the layer"})
        .add("sequences", &LinearAttention::sequences, at_least_one("sequences"))
        .add("tokens_per_sequence", &LinearAttention::tokens_per_sequence, at_least_one("new tokens of each"))
        .add("key_heads", &LinearAttention::key_heads, at_least_one("key heads (Mamba-2: groups)"))
        .add("key_dim", &LinearAttention::key_dim, at_least_one("elements of a key head"))
        .add("value_heads", &LinearAttention::value_heads, at_least_one("value heads"))
        .add("value_dim", &LinearAttention::value_dim, at_least_one("elements of a value head"))
        .add("convolution_width", &LinearAttention::convolution_width,
             at_least_one("taps of the causal convolution"))
        .add("state_size", &LinearAttention::state_size, at_least_one("Mamba-2 state of a head"));
  }
  static void set_example(LinearAttention& op) { op.sequences = 16, op.tokens_per_sequence = 64; }
  static void check(OperatorChecker& c, const LinearAttention& op) {
    c.positive("sequences", op.sequences).positive("tokens_per_sequence", op.tokens_per_sequence);
    c.positive("key_heads", op.key_heads).positive("key_dim", op.key_dim);
    c.positive("value_heads", op.value_heads).positive("value_dim", op.value_dim);
    c.positive("convolution_width", op.convolution_width).positive("state_size", op.state_size);
    c.product("key_heads x key_dim", {op.key_heads, op.key_dim});
    c.product("value_heads x value_dim", {op.value_heads, op.value_dim});
    const double tokens = double(op.sequences) * double(op.tokens_per_sequence);
    const double keys = double(op.key_heads) * double(op.key_dim);
    const double values = double(op.value_heads) * double(op.value_dim);
    c.amount("tokens x channels", tokens * (2 * keys + values), kMostElements, "elements");
    c.amount("channels x convolution_width", (2 * keys + values) * double(op.convolution_width),
             kMostElements, "elements");
    const double state = values * double(std::max(op.key_dim, op.state_size));
    c.amount("sequences x value_heads x value_dim x width of the state", double(op.sequences) * state,
             kMostElements, "elements");
    c.amount("4 x tokens x value_heads x value_dim x width of the state", 4 * tokens * state, kMostFlop,
             "FLOP");
  }
  static void hash(ShapeHasher& hasher, const LinearAttention& op) {
    hasher.mix(op.kind, op.stage, op.sequences, op.tokens_per_sequence, op.key_heads, op.key_dim,
               op.value_heads, op.value_dim, op.convolution_width, op.state_size);
  }
  static std::int64_t* stepped_size(LinearAttention& op, std::size_t number) {
    return numbered_size(number, &op.sequences, &op.tokens_per_sequence);
  }

  static Work work(const LinearAttention& op) {
    const double tokens = double(op.sequences) * double(op.tokens_per_sequence);
    const double keys = double(op.key_heads) * double(op.key_dim);
    const double values = double(op.value_heads) * double(op.value_dim);
    const double channels = 2 * keys + values;
    if (op.stage == LinearAttentionStage::Convolution) {
      Work work = streaming_work(tokens * channels, tokens * channels, DataType::Bf16,
                                 2 * double(op.convolution_width) + 4, tokens * channels);
      work.weight_bytes = Bytes(channels * double(op.convolution_width) * 2);
      return work;
    }
    Work work = streaming_work(tokens * channels, tokens * values, DataType::Bf16, 4, tokens * values);
    const double state =
        double(op.sequences) * double(op.value_heads) * double(op.value_dim) * width_of_state(op);
    work.cache_bytes = Bytes(2 * state);
    work.output_bytes += Bytes(2 * state);
    // Per token and value head: update and query of the state (2 products each 2 d_k d_v FLOP).
    const double recurrent = 4 * tokens * state / double(op.sequences);
    if (op.stage == LinearAttentionStage::StateUpdate) {
      work.fma_flop = Flop(recurrent);
      return work;
    }
    const double chunk = std::min(kChunkOfLinearAttention, double(op.tokens_per_sequence));
    work.matrix_flop = Flop(recurrent + 2 * chunk * tokens * double(op.value_heads) *
                                            (width_of_state(op) + double(op.value_dim)));
    return work;
  }

  static std::span<const ConstantSpec> constants() { return linear_attention_constants(); }
  static StructuralPrice price(const LinearAttention& op, const GpuSpec& gpu, const ContextKernel&,
                               const BaseConstants& fitted) {
    const ScanBase base = scan_base(op, gpu, fitted);
    return {.seconds = base.seconds,
            .launch = base.launch,
            .compute = base.math + base.serial,
            .memory = base.stream};
  }
  static void profile(ProfileBuilder& builder, const LinearAttention& op) {
    const Work work_of_op = work(op);
    builder.add_stream(work_of_op, "stream");
    if (work_of_op.matrix_flop.value() <= 0) return;
    TaskGrid& grid = builder.parts.sequence.kernels[0];
    const GpuSpec& gpu = builder.gpu;
    grid.tensor_rate = gpu.tensor_rates.fp16 > 0 ? gpu.tensor_rates.fp16 : 2 * gpu.fma_lanes;
    grid.per_task.tensor_flop = work_of_op.matrix_flop.value() / grid.tasks();
  }

  static std::uint32_t kind_code(const LinearAttention& op) { return kind_pair(op.kind, op.stage); }
  // The same stage of the other recurrences, which move a state of their own width over the same steps: an
  // octave away each. What has no rows (Mamba-2 but for its convolution) is answered by theirs.
  static NearKinds near(const LinearAttention& op, const GpuSpec&) {
    NearKinds near = own_kind(kind_code(op));
    for (const auto& [kind, name] : EnumNames<LinearAttentionKind>::kNames)
      if (kind != op.kind) near.kinds[near.count++] = {.kind = kind_pair(kind, op.stage), .distance = 1};
    return near;
  }
  static GridPoint grid(const LinearAttention& op) {
    return at_grid(grid_group(op.key_dim, op.value_dim, op.convolution_width, op.state_size),
                   {op.tokens_per_sequence, op.sequences, op.value_heads, op.key_heads});
  }
  static void coordinates(OperatorCoordinates& list, const LinearAttention& op) {
    list.add_variant(op.kind, op.stage);
    list.add_sizes(op.sequences, op.tokens_per_sequence, op.key_heads, op.key_dim, op.value_heads,
                   op.value_dim, op.convolution_width, op.state_size);
  }
};

}  // namespace

FieldTable LinearAttention::describe() { return described<LinearAttentionFamily>(); }
constinit const OperatorFamily LinearAttention::kFamily = define<LinearAttentionFamily>();

}  // namespace warploom
