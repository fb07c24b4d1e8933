#include "warploom/collector/cuda/nccl_library.h"

#include <dlfcn.h>

#include <type_traits>

#include "warploom/collector/failure.h"

namespace warploom::collector {
namespace {

constexpr int kOldestVersion = 21000;  // 2.10: bf16

std::string version_text(int version) {
  return std::to_string(version / 10000) + "." + std::to_string(version % 10000 / 100) + "." +
         std::to_string(version % 100);
}

}  // namespace

std::shared_ptr<const NcclLibrary> NcclLibrary::open() {
  std::shared_ptr<NcclLibrary> library(new NcclLibrary);
  library->handle_ = dlopen("libnccl.so.2", RTLD_NOW);
  if (library->handle_ == nullptr || !library->find_all()) return nullptr;
  return library;
}

bool NcclLibrary::find_all() {
  bool all = true;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle_, name));
    all = all && function != nullptr;
  };
  int (*get_version)(int*) = nullptr;
  find(get_version, "ncclGetVersion");
  find(init_all, "ncclCommInitAll");
  find(destroy, "ncclCommDestroy");
  find(group_start, "ncclGroupStart");
  find(group_end, "ncclGroupEnd");
  find(all_reduce, "ncclAllReduce");
  find(all_gather, "ncclAllGather");
  find(reduce_scatter, "ncclReduceScatter");
  find(send, "ncclSend");
  find(receive, "ncclRecv");
  find(error_text, "ncclGetErrorString");
  int number = 0;
  if (!all || get_version(&number) != kSuccess || number < kOldestVersion) return false;
  version = version_text(number);
  return true;
}

void NcclLibrary::check(int status, const char* what) const {
  if (status == kSuccess) return;
  const std::string text = std::string(what) + ": NCCL says: " + error_text(status);
  if (status == kInvalidArgument || status == kInvalidUsage) throw Unmeasurable(text);
  throw DeviceLost(text + " (NCCL_DEBUG=WARN tells more)");
}

}  // namespace warploom::collector
