#include "warploom/kernels/frozen/structural_parameters.h"

#include "warploom/hardware/gpu_class.h"

namespace warploom {
namespace {

FieldOptions share(std::string_view doc) { return {.doc = doc, .min = 0.01, .max = 2}; }
FieldOptions amount(std::string_view unit, std::string_view doc) {
  return {.unit = unit, .doc = doc, .min = 0};
}
FieldOptions time_us(std::string_view doc) { return {.unit = "us", .doc = doc, .min = 0, .scale = 1e-6}; }

}  // namespace

FieldTable GemmParameters::describe() {
  using P = GemmParameters;
  return FieldList<P>("gemm_parameters")
      .add("tensor_efficiency", &P::tensor_efficiency, share("of the matrix rate in a large tile"))
      .add("tile_m_exponent", &P::tile_m_exponent, amount("", "loss of short tiles"))
      .add("tile_n_exponent", &P::tile_n_exponent, amount("", "loss of narrow tiles"))
      .add("feed_bytes_per_clock", &P::feed_bytes_per_clock, amount("B", "operands into one SM"))
      .add("step_clocks", &P::step_clocks, amount("clocks", "per 64 of the inner length"))
      .add("prologue_clocks", &P::prologue_clocks, amount("clocks", "per wave"))
      .add("epilogue_clocks_per_byte", &P::epilogue_clocks_per_byte, amount("clocks", "per output byte"))
      .add("split_time_us", &P::split_time, time_us("reduction of a split inner length"))
      .add("dram_efficiency", &P::dram_efficiency, share("of DRAM bandwidth"))
      .add("warm_efficiency", &P::warm_efficiency, share("of L2 bandwidth"))
      .add("cache_fraction", &P::cache_fraction, share("of L2 that keeps weights"))
      .add("cache_sharpness", &P::cache_sharpness, amount("", "of the residency's transition"))
      .add("launch_time_us", &P::launch_time, time_us("launch floor"))
      .add("overlap_power", &P::overlap_power, {.doc = "norm of compute and memory", .min = 1})
      .add("weight_only_efficiency", &P::weight_only_efficiency, share("of the rate with widened weights"))
      .add("quantise_launch_us", &P::quantise_launch, time_us("pass that quantises activations"))
      .add("quantise_efficiency", &P::quantise_efficiency, share("of bandwidth in that pass"))
      .add("core_efficiency", &P::core_efficiency, share("of the fma rate"))
      .table();
}

FieldTable AttentionParameters::describe() {
  using P = AttentionParameters;
  return FieldList<P>("attention_parameters")
      .add("tensor_efficiency", &P::tensor_efficiency, share("of the matrix rate"))
      .add("exponential_share", &P::exponential_share, share("of exponential time not hidden"))
      .add("step_clocks", &P::step_clocks, amount("clocks", "per iteration"))
      .add("task_clocks", &P::task_clocks, amount("clocks", "per block"))
      .add("decode_step_time_us", &P::decode_step_time, time_us("latency of a 128-key iteration"))
      .add("dram_efficiency", &P::dram_efficiency, share("of DRAM bandwidth"))
      .add("warm_efficiency", &P::warm_efficiency, share("of L2 bandwidth"))
      .add("cache_fraction", &P::cache_fraction, share("of L2 that keeps the cache"))
      .add("cache_sharpness", &P::cache_sharpness, amount("", "of the residency's transition"))
      .add("launch_time_us", &P::launch_time, time_us("launch floor"))
      .add("combine_time_us", &P::combine_time, time_us("merging split keys"))
      .add("overlap_power", &P::overlap_power, {.doc = "norm of compute and memory", .min = 1})
      .table();
}

FieldTable MoeParameters::describe() {
  using P = MoeParameters;
  return FieldList<P>("moe_parameters")
      .add("gemm", &P::gemm, {.doc = "of the grouped products"})
      .add("launch_time_us", &P::launch_time, time_us("of all kernels"))
      .add("pair_time_us", &P::pair_time, time_us("per pair and 4,096 of width"))
      .add("dram_efficiency", &P::dram_efficiency, share("of DRAM bandwidth"))
      .table();
}

FieldTable StreamingParameters::describe() {
  using P = StreamingParameters;
  return FieldList<P>("streaming_parameters")
      .add("launch_time_us", &P::launch_time, time_us("launch floor"))
      .add("dram_efficiency", &P::dram_efficiency, share("of DRAM bandwidth"))
      .add("l2_efficiency", &P::l2_efficiency, share("of L2 bandwidth"))
      .add("cache_fraction", &P::cache_fraction, share("of L2 that keeps tensors"))
      .add("cache_sharpness", &P::cache_sharpness, amount("", "of the residency's transition"))
      .add("compute_efficiency", &P::compute_efficiency, share("of fma and special rates"))
      .add("collective_launch_us", &P::collective_launch, time_us("floor of a collective"))
      .add("hop_time_us", &P::hop_time, time_us("per step of a ring or exchange"))
      .add("link_efficiency", &P::link_efficiency, share("of link bandwidth"))
      .add("pcie_efficiency", &P::pcie_efficiency, share("of PCIe bandwidth"))
      .add("node_bandwidth_gb_per_s", &P::node_bandwidth,
           {.unit = "GB/s", .doc = "per GPU between nodes", .min = 0.001, .scale = 1e9})
      .table();
}

FieldTable StructuralParameters::describe() {
  using P = StructuralParameters;
  return FieldList<P>("structural_parameters")
      .add("gemm", &P::gemm, {.doc = "tiled products"})
      .add("prefill", &P::prefill, {.doc = "attention of prompts"})
      .add("decode", &P::decode, {.doc = "attention of single tokens"})
      .add("moe", &P::moe, {.doc = "mixture of experts"})
      .add("streaming", &P::streaming, {.doc = "row-wise kernels and collectives"})
      .table();
}

StructuralParameters default_parameters(const GpuSpec& gpu) {
  StructuralParameters parameters;
  if (has_tensor_memory(gpu)) parameters.gemm.feed_bytes_per_clock = 130;  // 2-SM operand sharing

  AttentionParameters& decode = parameters.decode;
  decode.tensor_efficiency = 0.68;
  decode.exponential_share = 0.62;
  decode.step_clocks = 60;
  decode.task_clocks = 3700;
  decode.dram_efficiency = 0.84;
  decode.warm_efficiency = 0.37;
  decode.cache_fraction = 1.0;
  decode.launch_time = microseconds(8.6);
  decode.overlap_power = 2.1;

  GemmParameters& grouped = parameters.moe.gemm;
  grouped = parameters.gemm;
  grouped.tensor_efficiency = 0.37;
  grouped.tile_m_exponent = 0.19;
  grouped.step_clocks = 22;
  grouped.prologue_clocks = 1750;
  grouped.warm_efficiency = 0.4;
  grouped.overlap_power = 2.1;
  return parameters;
}

}  // namespace warploom
