#include "warploom/judge/validate/ablation.h"

namespace warploom {

std::vector<FamilyModel> up_to(std::vector<FamilyModel> models, AblationStep last) {
  for (FamilyModel& model : models) {
    if (last < AblationStep::Trees) {
      std::erase_if(model.ensembles,
                    [](const EnsembleRecord& record) { return record.gpu != CellRecord::kAnyGpu; });
      model.shrink_known = model.shrink_unknown = 0;
    }
    if (last < AblationStep::Kernels) {
      for (CellRecord& cell : model.cells) {
        cell.offset = 0;
        cell.overhead = {};
      }
    }
    if (last < AblationStep::Constants) model.constants.clear();
  }
  return models;
}

}  // namespace warploom
