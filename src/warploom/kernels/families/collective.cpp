// Communication: kernels/collectives/ and the base of kernels/rows/row_base.h price it.
#include <cmath>

#include "warploom/hardware/node_spec.h"
#include "warploom/kernels/collectives/across_nodes.h"
#include "warploom/kernels/define_family.h"

namespace warploom {
namespace {

constexpr double kMostPeersPerToken = 8;  // pairs of one token that one copy over the network can serve

// As NodeNetwork has it: one doc, one range.
FieldOptions network_field(std::string_view name) { return fields_of<NodeNetwork>().find(name)->options; }

// The kinds stand in the order of their families.
CollectiveKind kind_of(Family family) {
  return CollectiveKind(std::size_t(family) - std::size_t(Collective::kNames[0].family));
}

struct CollectiveFamily : FamilyOf<CollectiveFamily, Collective> {
  static constexpr std::string_view kTitle = "collective";
  static constexpr FamilyKind kKind = FamilyKind::Collective;

  template <class List>
  static List& list_fields(List& list) {
    return list
        .add("size_bytes", &Collective::size,
             {.unit = "B", .doc = "buffer", .min = 1, .max = kMostCollectiveBytes})
        .add("ranks", &Collective::ranks, {.doc = "GPUs", .min = 2, .max = double(kMostRanks)})
        .add("ranks_per_node", &Collective::ranks_per_node,
             at_least_none("GPUs that share a link domain, 0 = as many as a node or rack joins", kMostRanks))
        .add("top_k", &Collective::top_k,
             at_least_none("experts of a token (dispatch, combine), 0 = unknown", kMostRanks))
        .add("token_bytes", &Collective::token_bytes,
             {.unit = "B",
              .doc = "one token (dispatch, combine), 0 = unknown",
              .min = 0,
              .max = kMostTokenBytes})
        .add("nic_gb_s", &Collective::nic_rate, network_field("nic_gb_s"))
        .add("nics_per_node", &Collective::nics_per_node, network_field("nics_per_node"))
        .add("oversubscription", &Collective::oversubscription, network_field("oversubscription"));
  }
  static Operator standard(Family family) { return Collective{.kind = kind_of(family)}; }
  static std::size_t place(const Collective& op) { return std::size_t(op.kind); }
  static void set_example(Collective& op) {
    op.size = Bytes(1 << 26), op.ranks = 8, op.top_k = 8, op.token_bytes = Bytes(4096);
  }
  static void check(OperatorChecker& c, const Collective& op) {
    c.require(op.size.value() > 0 && op.size.value() <= kMostCollectiveBytes,
              "'size_bytes' must be above 0 and at most 1e15");
    c.require(op.ranks >= 2 && op.ranks <= kMostRanks, "'ranks' must be 2 to 1e6");
    c.not_negative("ranks_per_node", op.ranks_per_node, kMostRanks);
    c.not_negative("top_k", op.top_k, kMostRanks);
    c.require(op.token_bytes.value() >= 0 && op.token_bytes.value() <= kMostTokenBytes,
              "'token_bytes' must be 0 to 1e9");
    const auto from_to = [](const auto& value, double least, double most) {
      return !value || (*value >= least && *value <= most);
    };
    const std::optional<double> nic = op.nic_rate ? std::optional(op.nic_rate->value()) : std::nullopt;
    c.require(from_to(nic, kSlowestNic, kFastestNic), "'nic_gb_s' must be 0.01 to 10000");
    c.require(!op.nics_per_node || (*op.nics_per_node >= 1 && *op.nics_per_node <= kMostNics),
              "'nics_per_node' must be 1 to 1024");
    c.require(from_to(op.oversubscription, 1, kMostOversubscription), "'oversubscription' must be 1 to 1000");
  }
  static void hash(ShapeHasher& hasher, const Collective& op) {
    hasher.mix(op.kind, op.size.value(), op.ranks, op.ranks_per_node);
    if (op.top_k > 0) hasher.mix(op.top_k, op.token_bytes.value());
    // Measured rows have none of these.
    if (op.nic_rate) hasher.mix(op.nic_rate->value());
    if (op.nics_per_node) hasher.mix(*op.nics_per_node);
    if (op.oversubscription) hasher.mix(*op.oversubscription);
  }

  static Work work(const Collective& op) {
    const double size = op.size.value(), ranks = double(op.ranks);
    const double others = (ranks - 1) / ranks;
    double moved = size * others;
    if (op.kind == CollectiveKind::AllReduce) moved = 2 * size * others;
    if (op.kind == CollectiveKind::SendRecv) moved = size;
    const bool full_buffer = op.kind == CollectiveKind::AllGather || op.kind == CollectiveKind::ReduceScatter;
    Work work;
    work.network_bytes = Bytes(moved);
    work.input_bytes = Bytes(op.kind == CollectiveKind::AllGather ? size / ranks : size);
    work.output_bytes = Bytes(op.kind == CollectiveKind::ReduceScatter ? size / ranks : size);
    if (full_buffer || op.kind == CollectiveKind::AllReduce) work.fma_flop = Flop(size * others / 2);
    return work;
  }
  // The network alone.
  static void bound(BoundLimit& limit, const Collective& op, const GpuSpec& gpu, const Work&, Residency) {
    const double size = op.size.value(), others = double(op.ranks - 1) / double(op.ranks);
    double moved = size * others;
    if (op.kind == CollectiveKind::AllReduce || op.kind == CollectiveKind::SendRecv) moved = size;
    if (op.kind == CollectiveKind::Dispatch || op.kind == CollectiveKind::Combine)
      moved = size * others / kMostPeersPerToken;
    const double bandwidth =
        gpu.link_bandwidth.value() > 0 ? gpu.link_bandwidth.value() : gpu.pcie_bandwidth.value();
    if (bandwidth > 0) limit.raise(moved / bandwidth, Bound::Network);
    if (const auto across = price_across_nodes(op, gpu)) limit.raise(across->least.value(), Bound::Network);
  }

  static std::span<const ConstantSpec> constants() { return collective_constants(); }
  static StructuralPrice price(const Collective& op, const GpuSpec& gpu, const ContextKernel&,
                               const BaseConstants& fitted) {
    if (const auto across = price_across_nodes(op, gpu))
      return {.seconds = across->time.value(),
              .launch = across->latency.value(),
              .network = across->transfer.value(),
              .network_rate = (work(op).network_bytes / across->least).value()};
    const CollectiveBase base = collective_base(op, gpu, fitted);
    return {.seconds = base.seconds,
            .launch = base.launch,
            .network = base.transfer,
            .network_rate = base.bandwidth};
  }
  static void profile(ProfileBuilder& builder, const Collective& op) {
    builder.add_stream(work(op), "collective");
    TaskGrid& grid = builder.parts.sequence.kernels[0];
    grid.per_task.l2_bytes = grid.per_task.dram_bytes = 0;
    builder.parts.network_bandwidth = builder.price.network_rate;
  }

  static std::uint32_t kind_code(const Collective&) { return 0; }
  static GridPoint grid(const Collective& op) {
    return at_grid(grid_group(op.ranks_per_node, op.top_k, std::llround(op.token_bytes.value())),
                   {std::llround(op.size.value()), op.ranks});
  }
  static void coordinates(OperatorCoordinates& list, const Collective& op) {
    list.add_variant(op.kind);
    list.add_sizes(op.size.value(), op.ranks, op.ranks_per_node, op.top_k, op.token_bytes.value());
  }
};

}  // namespace

FieldTable Collective::describe() { return described<CollectiveFamily>(); }
constinit const OperatorFamily Collective::kFamily = define<CollectiveFamily>();

}  // namespace warploom
