// What each part of the kernel model buys: a trained predictor with its later parts taken out.
#pragma once

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "warploom/predictor/model/family_model.h"

namespace warploom {

// In order, each with everything before it.
//   structure   tiles, schedule and traffic with the constants that the code has
//   constants   the same with constants fitted to the GPUs that were measured
//   kernels     and what each kernel adds: its offset from the structure, its overhead
//   trees       the whole: trees over features, siblings and cousins
enum class AblationStep { Structure, Constants, Kernels, Trees };
template <>
struct EnumNames<AblationStep> {
  static constexpr std::array<std::pair<AblationStep, std::string_view>, 4> kNames{
      {{AblationStep::Structure, "structure"},
       {AblationStep::Constants, "constants"},
       {AblationStep::Kernels, "kernels"},
       {AblationStep::Trees, "trees"}}};
};

// The models without what comes after `last`.
std::vector<FamilyModel> up_to(std::vector<FamilyModel> models, AblationStep last);

}  // namespace warploom
