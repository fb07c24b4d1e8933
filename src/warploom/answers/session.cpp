#include "warploom/answers/session.h"

#include <utility>

#include "warploom/app/predict/latency_models.h"

namespace warploom {

Session::Session(std::string predictor) : predictor_(std::move(predictor)) { (void)model(); }

Session::Session(const Session& other, FileScope files)
    : predictor_(other.predictor_), files_(std::move(files)), model_(other.model()) {}

// What another session read is not read again.
const std::shared_ptr<const LatencyModel>& Session::model() const {
  std::call_once(opened_, [this] {
    if (model_ == nullptr) model_ = open_latency_model(predictor_, files_);
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
