#include "warploom/kernels/moe/moe_source_tiles.h"

#include "warploom/hardware/gpu_class.h"

namespace warploom {

SourceTile sglang_default_tile(const FusedMoe& op, double tokens, double held) {
  if (op.scheme == MatmulScheme::Fp8Block) return {64, 128, 2.3, 3};
  return tokens <= held ? SourceTile{16, 32, 4.5, 1} : SourceTile{64, 64, 9, 3};
}

SourceTile pipeweave_tile(const FusedMoe& op, const GpuSpec& gpu) {
  const SharedMemorySize shared = shared_memory_size(gpu);
  const bool small = shared == SharedMemorySize::Small, middle = shared == SharedMemorySize::Middle;
  SourceTile tile{128, 128, 1, 4};
  if (op.tokens <= 128)
    tile.rows = 16, tile.block = 1;
  else if (op.tokens <= 256)
    tile.rows = 32, tile.block = 2;
  else if (op.tokens <= 512 || middle || (small && op.tokens > 2048 && op.experts < 64))
    tile.rows = 64, tile.block = 3;
  if (small) tile.columns = op.hidden <= 1536 && op.tokens <= 128 ? 16 : 64;
  return tile;
}

}  // namespace warploom
