#include "warploom/hardware/old_gpu_record.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/base/error.h"

namespace warploom {
namespace {

constexpr std::int64_t kFirstVersionWithKinds = 2;
constexpr std::int64_t kGa100 = 80;  // compute capability of Ampere's data-centre part

// What was true of every part of a generation when version 1 was written.
struct Usual {
  Generation generation;
  GpuClass gpu_class;
  MemoryKind memory;
  MatrixInstruction instruction;
  std::int64_t sm_design;  // 0: the compute capability
  std::int64_t year, process_nm;
  std::string_view largest_part;
  Seconds link_hop;
  bool link_reduces;
};
constexpr Seconds kHop = microseconds(0.9), kHopperHop = microseconds(0.8), kBlackwellHop = microseconds(1.3);
constexpr std::array kUsual{
    Usual{Generation::Pascal, GpuClass::DataCentre, MemoryKind::Hbm, MatrixInstruction::None, 0, 2016, 16, "",
          kHop, false},
    Usual{Generation::Volta, GpuClass::DataCentre, MemoryKind::Hbm, MatrixInstruction::Mma, 70, 2018, 12, "",
          kHop, false},
    Usual{Generation::Turing, GpuClass::Graphics, MemoryKind::Gddr, MatrixInstruction::Mma, 75, 2018, 12, "",
          kHop, false},
    Usual{Generation::Ampere, GpuClass::DataCentre, MemoryKind::Hbm, MatrixInstruction::Mma, 80, 2020, 7,
          "a100_sxm", kHop, false},
    Usual{Generation::Ada, GpuClass::Graphics, MemoryKind::Gddr, MatrixInstruction::Mma, 89, 2022, 5, "",
          kHop, false},
    Usual{Generation::Hopper, GpuClass::DataCentre, MemoryKind::Hbm, MatrixInstruction::Wgmma, 90, 2022, 5,
          "h100_sxm", kHopperHop, true},
    Usual{Generation::Blackwell, GpuClass::DataCentre, MemoryKind::Hbm, MatrixInstruction::Tcgen05, 100, 2024,
          4, "b200_sxm", kBlackwellHop, true},
    Usual{Generation::BlackwellRtx, GpuClass::Graphics, MemoryKind::Gddr, MatrixInstruction::MmaScaled, 120,
          2025, 5, "", kHop, false},
    Usual{Generation::Cdna3, GpuClass::DataCentre, MemoryKind::Hbm, MatrixInstruction::Mfma, 1003, 0, 5, "",
          kHop, false},
    Usual{Generation::Cdna4, GpuClass::DataCentre, MemoryKind::Hbm, MatrixInstruction::Mfma, 1004, 0, 3, "",
          kHop, false},
};
// GA10x: a graphics die of the Ampere generation whose SM is Ada's.
constexpr Usual kGraphicsAmpere{Generation::Ampere,
                                GpuClass::Graphics,
                                MemoryKind::Gddr,
                                MatrixInstruction::Mma,
                                89,
                                2022,
                                8,
                                "",
                                kHop,
                                false};

const Usual& usual_of(const GpuSpec& gpu) {
  if (gpu.generation == Generation::Ampere && gpu.compute_capability > kGa100) return kGraphicsAmpere;
  for (const Usual& usual : kUsual)
    if (usual.generation == gpu.generation) return usual;
  return kUsual.back();  // not reached: the table holds every generation, as a test checks
}

void require_kinds(const Json& document, std::string_view where) {
  const auto version = document.find("version");
  if (version == document.end() || version->get<std::int64_t>() < kFirstVersionWithKinds) return;
  for (const char* key : {"class", "memory_kind", "matrix_instruction", "sm_design"})
    if (!document.contains(key))
      throw InvalidInput(fmt::format("{}: '{}' is missing, expected in a record of version {}", where, key,
                                     version->get<std::int64_t>()));
}

}  // namespace

void complete_old_record(GpuSpec& gpu, const Json& document, std::string_view where) {
  require_kinds(document, where);
  const Usual& usual = usual_of(gpu);
  const auto lacks = [&](const char* key) { return !document.contains(key); };
  const bool old = lacks("class") && lacks("sm_design");
  if (lacks("class")) gpu.gpu_class = usual.gpu_class;
  if (lacks("memory_kind")) gpu.memory_kind = usual.memory;
  if (lacks("matrix_instruction")) gpu.matrix_instruction = usual.instruction;
  if (lacks("sm_design")) gpu.sm_design = usual.sm_design > 0 ? usual.sm_design : gpu.compute_capability;
  if (!old) return;
  if (lacks("sm_design_year")) gpu.sm_design_year = usual.year;
  if (lacks("process_nm")) gpu.process_nm = double(usual.process_nm);
  if (lacks("largest_part")) gpu.largest_part = usual.largest_part;
  if (gpu.link_kind == LinkKind::None) return;
  if (lacks("link_hop_us")) gpu.link_hop = usual.link_hop;
  if (lacks("link_reduces")) gpu.link_reduces = usual.link_reduces && gpu.link_kind == LinkKind::NvLink;
}

}  // namespace warploom
