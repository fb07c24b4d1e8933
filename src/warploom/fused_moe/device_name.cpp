#include "warploom/fused_moe/device_name.h"

#include <fmt/format.h>

#include <utility>

#include "warploom/base/error.h"

namespace warploom {

std::string engine_device_name(std::string_view gpu) {
  // As torch.cuda.get_device_name prints them, which the engines' own files show; AMD's by the device ids of
  // vllm/platforms/rocm.py.
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"h200_sxm", "NVIDIA_H200"},
      {"mi300a", "AMD_Instinct_MI300A"},
      {"mi300x", "AMD_Instinct_MI300X"},
      {"mi325x", "AMD_Instinct_MI325X"},
      {"mi350x", "AMD_Instinct_MI350X"},
      {"mi355x", "AMD_Instinct_MI355X"},
      {"h100_sxm", "NVIDIA_H100_80GB_HBM3"},
      {"h100_pcie", "NVIDIA_H100_PCIe"},
      {"h800", "NVIDIA_H800"},
      {"h20", "NVIDIA_H20"},
      {"b200_sxm", "NVIDIA_B200"},
      {"b300_sxm", "NVIDIA_B300_SXM6_AC"},
      {"gb200", "NVIDIA_GB200"},
      {"a100_sxm", "NVIDIA_A100-SXM4-80GB"},
      {"a100_sxm_40gb", "NVIDIA_A100-SXM4-40GB"},
      {"a100_pcie_80gb", "NVIDIA_A100_80GB_PCIe"},
      {"a40", "NVIDIA_A40"},
      {"a10", "NVIDIA_A10"},
      {"l40s", "NVIDIA_L40S"},
      {"l40", "NVIDIA_L40"},
      {"l20", "NVIDIA_L20"},
      {"l4", "NVIDIA_L4"},
      {"rtx_4090", "NVIDIA_GeForce_RTX_4090"},
      {"rtx_5090", "NVIDIA_GeForce_RTX_5090"},
      {"rtx_6000_ada", "NVIDIA_RTX_6000_Ada_Generation"},
      {"rtx_pro_6000_server", "NVIDIA_RTX_PRO_6000_Blackwell_Server_Edition"}};
  for (const auto& [ours, theirs] : kNames)
    if (gpu == ours) return std::string(theirs);
  throw Unsupported(
      fmt::format("{}: how its driver spells its name is not known, and engines look for their file by that "
                  "name; expected another GPU, or no `output`",
                  gpu));
}

}  // namespace warploom
