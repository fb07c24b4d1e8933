// NCCL, loaded when the program runs, so that it builds and runs on machines without it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace warploom::collector {

// Functions and numbers of nccl.h (2.7 and newer).
struct NcclLibrary {
  using Comm = void*;
  using Stream = void*;  // cudaStream_t
  static constexpr int kSuccess = 0, kInvalidArgument = 4, kInvalidUsage = 5;
  static constexpr int kBfloat16 = 9, kSum = 0;

  // nullptr when this machine has no libnccl.so.2 where the loader looks, or an older one than 2.10 (bf16).
  static std::shared_ptr<const NcclLibrary> open();
  NcclLibrary(const NcclLibrary&) = delete;
  NcclLibrary& operator=(const NcclLibrary&) = delete;

  std::string version;  // "2.28.9"
  int (*init_all)(Comm* comms, int count, const int* devices) = nullptr;
  int (*destroy)(Comm) = nullptr;
  int (*group_start)() = nullptr;
  int (*group_end)() = nullptr;
  int (*all_reduce)(const void*, void*, std::size_t count, int type, int sum, Comm, Stream) = nullptr;
  int (*all_gather)(const void*, void*, std::size_t sent, int type, Comm, Stream) = nullptr;
  int (*reduce_scatter)(const void*, void*, std::size_t received, int type, int sum, Comm, Stream) = nullptr;
  int (*send)(const void*, std::size_t count, int type, int peer, Comm, Stream) = nullptr;
  int (*receive)(void*, std::size_t count, int type, int peer, Comm, Stream) = nullptr;
  const char* (*error_text)(int) = nullptr;

  // Throws Unmeasurable on a call that NCCL does not take, DeviceLost on every other failure.
  void check(int status, const char* what) const;

 private:
  NcclLibrary() = default;
  bool find_all();
  void* handle_ = nullptr;  // never closed: threads of the library outlive its last call
};

}  // namespace warploom::collector
