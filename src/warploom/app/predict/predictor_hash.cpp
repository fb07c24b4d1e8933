#include "warploom/app/predict/predictor_hash.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "warploom/base/file.h"
#include "warploom/base/framed_file.h"
#include "warploom/base/hash.h"
#include "warploom/predictor/predictor.h"

namespace warploom {

std::uint64_t predictor_hash(const std::string& predictor) {
  if (predictor.empty()) return shipped_files_hash();
  const std::filesystem::path path = predictor;
  if (std::filesystem::is_regular_file(path)) return hash_bytes(read_file(path));
  if (!std::filesystem::is_directory(path)) return hash_bytes(predictor);  // roofline
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(path))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::uint64_t hash = files.size();
  for (const auto& file : files) {
    hash = hash_combine(hash, hash_bytes(file.filename().string()));
    hash = hash_combine(hash, hash_bytes(read_file(file)));
  }
  return hash;
}

std::string predictor_hash_text(const std::string& predictor) { return hash_text(predictor_hash(predictor)); }

}  // namespace warploom
