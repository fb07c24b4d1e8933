#include "warploom/answers/session.h"

#include <utility>

#include "warploom/app/predict/latency_models.h"

namespace warploom {

Session::Session(std::string predictor) : predictor_(std::move(predictor)) { (void)model(); }

const std::shared_ptr<const LatencyModel>& Session::model() const {
  std::call_once(opened_, [this] { model_ = open_latency_model(predictor_); });
  return model_;
}

std::shared_ptr<const LatencyModel> Session::model_of(const std::string& predictor) const {
  if (predictor.empty() || predictor == predictor_) return model();
  return open_latency_model(predictor);
}

const GpuSpec& Session::gpu(std::string_view name_or_path) const {
  const std::scoped_lock lock(catalog_mutex_);
  return catalog_.load_gpu(name_or_path);
}

}  // namespace warploom
