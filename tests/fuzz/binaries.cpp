// The program's binary files. Half of the inputs get the checksum that would hide what was changed.
#include <cstring>

#include "fuzz_input.h"
#include "warploom/base/hash.h"
#include "warploom/ceiling/ceiling_file.h"
#include "warploom/ceiling/ceiling_model.h"
#include "warploom/fused_moe/config_model.h"
#include "warploom/learning/symmetric_ensemble.h"
#include "warploom/predictor/model/model_file.h"
#include "warploom/predictor/predictor.h"
#include "warploom/tuner/runtime_table.h"

namespace warploom::fuzz {
namespace {

constexpr std::size_t kHash = sizeof(std::uint64_t);

// A framed file's hash of all before stands at its end.
void mend_frame(std::string& bytes) {
  if (bytes.size() < kHash) return;
  const std::uint64_t hash = hash_bytes(std::string_view(bytes).substr(0, bytes.size() - kHash));
  std::memcpy(bytes.data() + bytes.size() - kHash, &hash, kHash);
}

// A tune table's stands behind its size, and covers what follows.
void mend_table(std::string& bytes) {
  constexpr std::size_t kTotal = 16, kChecksum = 24, kChecked = 32;
  if (bytes.size() < kChecked) return;
  const std::uint64_t total = bytes.size();
  std::memcpy(bytes.data() + kTotal, &total, kHash);
  const std::uint64_t hash = hash_bytes(std::string_view(bytes).substr(kChecked));
  std::memcpy(bytes.data() + kChecksum, &hash, kHash);
}

void read_file_of(int kind, const std::string& bytes) {
  switch (kind) {
    case 0: {
      std::vector<FamilyModel> models;
      models.push_back(model_from_bytes(bytes, "input"));
      const Predictor predictor(std::move(models), {});
      break;
    }
    case 1: {
      std::vector<FamilyCeiling> families{ceiling_from_bytes(bytes, "input")};
      const CeilingModel model(std::move(families));
      break;
    }
    case 2: {
      const ConfigModel model(config_model_from_bytes(bytes, "input"));
      break;
    }
    default: {
      const RuntimeTable table = RuntimeTable::from_bytes(bytes, "input");
      (void)table.pick({4096, 4096, 4096});
      (void)table.best({1, 1, 1}, 3);
    }
  }
}

}  // namespace
}  // namespace warploom::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warploom;
  const fuzz::Input input(data, size);
  const int kind = input.choice % 4;
  std::string bytes(input.bytes);
  if (input.choice & 0x80) kind == 3 ? fuzz::mend_table(bytes) : fuzz::mend_frame(bytes);
  fuzz::read_or_refused(input, [&] { fuzz::read_file_of(kind, bytes); });
  return 0;
}
