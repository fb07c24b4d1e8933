// Collectives over the GPUs of this node through NCCL, from one process.
#pragma once

#include <memory>
#include <string>

#include "warploom/collector/device.h"

namespace warploom::collector {

class NodeCollectives {
 public:
  // Over `device` and the GPUs after it, `gpus` in all. Throws BadInput when there are fewer, when they are
  // of several kinds, or when NCCL is not there.
  NodeCollectives(int device, int gpus);
  ~NodeCollectives();
  NodeCollectives(const NodeCollectives&) = delete;
  NodeCollectives& operator=(const NodeCollectives&) = delete;

  std::string version() const;  // of NCCL
  bool takes(const OperatorText& op) const;
  // Communicators and buffers are made when first needed and kept. Buffers are `size_bytes` of bf16 as
  // nccl-tests counts them: per-rank input of all-reduce, all-to-all and send/recv (every rank sends to the
  // next), the whole gathered buffer of all-gather and reduce-scatter; not in place. Throws Unmeasurable on a
  // size that does not divide, DeviceLost.
  std::unique_ptr<PreparedCase> prepare(const OperatorText& op);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warploom::collector
