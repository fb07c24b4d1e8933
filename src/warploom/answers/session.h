// What stays open between the questions of one caller: a predictor, the GPUs that were asked for, and
// which files the caller may name.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "warploom/base/file_scope.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/latency_model.h"

namespace warploom {

// Thread-safe.
class Session {
 public:
  // As open_latency_model takes it, and throws; a published method is opened by the program that judges
  // alone, with what is asked of it. The caller is at this machine.
  explicit Session(std::string predictor = {});
  // The shipped predictor, read when it is asked for.
  struct OpenedLater {};
  explicit Session(OpenedLater) {}
  // The same predictor for another caller, who may name files of `files` alone.
  Session(const Session& other, FileScope files);

  // Handed on with every request, to where files are opened.
  const FileScope& files() const { return files_; }
  const std::string& predictor() const { return predictor_; }
  // The same for another program: of a folder or file the whole path, as it was when the session began.
  const std::string& predictor_elsewhere() const { return predictor_elsewhere_; }
  const std::shared_ptr<const LatencyModel>& model() const;
  // A request's model: the session's where the request names none or the same, else opened if the caller may.
  std::shared_ptr<const LatencyModel> model_of(const std::string& predictor) const;

  // Valid while the session lives. Throws as GpuCatalog::load_gpu.
  const GpuSpec& gpu(std::string_view name_or_path) const;

 private:
  std::string predictor_, predictor_elsewhere_;
  FileScope files_ = FileScope::machine();
  mutable std::once_flag opened_;
  mutable std::shared_ptr<const LatencyModel> model_;
  mutable std::mutex catalog_mutex_;
  mutable GpuCatalog catalog_;
};

}  // namespace warploom
