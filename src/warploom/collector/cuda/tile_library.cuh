// The TileLibrary of cublasLt on a CUDA GPU.
#pragma once

#include <memory>

#include "warploom/collector/cuda/families.cuh"
#include "warploom/collector/tile_dump.h"

namespace warploom::collector {

class CublasLtTiles final : public TileLibrary {
 public:
  explicit CublasLtTiles(Workbench& bench);
  ~CublasLtTiles() override;

  std::vector<TileChoice> choices(const TileQuery& query, int sms, int most) override;
  void name_kernels(const TileQuery& query, TileChoice& choice) override;
  std::unique_ptr<PreparedCase> prepare(const TileQuery& query, const TileChoice& choice) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warploom::collector
