// The correction file of the tuner, "<kind>[_fp8][_unaligned].wlc": trees for one kind of kernel.
//
// A framed file (base/framed_file.h). Head: kind, operand_bytes, rows ("aligned" or "unaligned"),
// feature_version and, since version 1.1, gpus. Records: the trees (encode_symmetric).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/learning/symmetric_trees.h"
#include "warploom/tuner/tile_kernel.h"

namespace warploom {

inline constexpr std::uint32_t kCorrectionFileMajor = 1;
inline constexpr std::uint32_t kCorrectionFileMinor = 1;

// What a correction file is for. Operands of one byte move and multiply at other rates, and rows without any
// alignment load otherwise: both have files of their own.
struct CorrectionKind {
  TileKernelKind kind = TileKernelKind::Gemm;
  bool one_byte = false, unaligned = false;

  std::string file_name() const;
};

struct CorrectionFile {
  std::vector<std::string> gpus;  // measured on, by names of the catalogue; none in files of version 1.0
  SymmetricTrees trees;
};

std::string correction_to_bytes(const CorrectionKind& kind, const CorrectionFile& file);
// Throws as open_framed_file does, InvalidInput on a file for another kind, Unsupported on other features.
CorrectionFile correction_from_bytes(std::string_view bytes, const CorrectionKind& kind,
                                     std::string_view where);

}  // namespace warploom
