// What use cases leave to the program warploom-judge, which is linked with judge/judged_use_cases.cpp in
// place of this.
#include "warploom/app/data/train_method.h"
#include "warploom/app/predict/latency_models.h"
#include "warploom/app/predict/predict_operator.h"
#include "warploom/app/tune/tune_plan.h"
#include "warploom/base/judging.h"

namespace warploom {

std::unique_ptr<const LatencyModel> open_published_method(const std::filesystem::path& file) {
  throw JudgingElsewhere("predictor " + file.string() +
                         ", a file and no folder: the file of a published method");
}

std::vector<std::pair<std::string, double>> published_features(const Operator&, const GpuSpec&,
                                                               const KernelContext&) {
  throw JudgingElsewhere("features of a published method");
}

void check_method(const MethodRequest&) { throw JudgingElsewhere("train with `method`"); }

std::vector<MethodTraining> train_method(const MethodRequest&, const Dataset&, const GpuCatalog&) {
  throw JudgingElsewhere("train with `method`");
}

std::vector<AnchorRow> published_anchors(const TileKernel&, const TileGpu&, const std::vector<TileConfig>&) {
  throw JudgingElsewhere("tune plan with `method` wavetune");
}

}  // namespace warploom
