#include "warploom/answers/session.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "warploom/app/predict/latency_models.h"
#include "warploom/base/file_system_words.h"
#include "warploom/base/judging.h"

namespace warploom {
namespace {

std::string path_elsewhere(const std::string& predictor) {
  std::error_code none;
  const bool path = !predictor.empty() && std::filesystem::exists(predictor, none);
  return path ? std::filesystem::absolute(predictor).string() : predictor;
}

}  // namespace

Session::Session(std::string predictor)
    : predictor_(std::move(predictor)), predictor_elsewhere_(path_elsewhere(predictor_)) {
  try {
    (void)model();
  } catch (const JudgingElsewhere&) {
    if (judging_program().empty()) throw;
  }
}

Session::Session(const Session& other, FileScope files)
    : predictor_(other.predictor_),
      predictor_elsewhere_(other.predictor_elsewhere_),
      files_(std::move(files)),
      model_(other.model()) {}

// What another session read is not read again.
const std::shared_ptr<const LatencyModel>& Session::model() const {
  std::call_once(opened_, [this] {
    if (model_ == nullptr)
      model_ = with_file_system_words([this] { return open_latency_model(predictor_, files_); });
  });
  return model_;
}

std::shared_ptr<const LatencyModel> Session::model_of(const std::string& predictor) const {
  if (predictor.empty() || predictor == predictor_) return model();
  return open_latency_model(predictor, files_);
}

const GpuSpec& Session::gpu(std::string_view name_or_path) const {
  const std::scoped_lock lock(catalog_mutex_);
  return catalog_.load_gpu(name_or_path, files_);
}

}  // namespace warploom
