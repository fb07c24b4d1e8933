// The formula file of the tuner, "<kind>[_fp8].wlf": what the wave model's coefficients were, configuration
// by configuration, on the GPU whose shapes the correction was learned from. A fit on another GPU begins
// there.
//
// A framed file (base/framed_file.h). Head: kind, operand_bytes, gpu. Records: u32 count; of each
// configuration u16 tile_m, tile_n, tile_k, u8 warps, stages, split_k, slots, 18 i16 of 1/1024 (logarithms,
// log-odds; known_formulas.h) and 18 u8 of 1/255 (how firmly held).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "warploom/tuner/known_formulas.h"
#include "warploom/tuner/tile_kernel.h"

namespace warploom {

inline constexpr std::uint32_t kFormulaFileMajor = 1;
inline constexpr std::uint32_t kFormulaFileMinor = 0;

struct FormulaFile {
  TileKernelKind kind = TileKernelKind::Gemm;
  bool one_byte = false;
  std::string gpu;  // measured on, a name of the catalogue
  KnownFormulas formulas;

  std::string file_name() const;
};

std::string formulas_to_bytes(const FormulaFile& file);
// Throws as open_framed_file does.
FormulaFile formulas_from_bytes(std::string_view bytes, std::string_view where);

// The built-in formulas; nothing for a kind and operand size that none were measured for.
std::optional<FormulaFile> built_in_formulas(const TileKernel& kernel);

}  // namespace warploom
