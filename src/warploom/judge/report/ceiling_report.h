// What `validate ceilings` found.
#pragma once

#include <string>

#include "warploom/base/json.h"
#include "warploom/judge/validate/ceiling_validation.h"

namespace warploom {

std::string ceiling_validation_text(const CeilingValidation& validation);
Json ceiling_validation_json(const CeilingValidation& validation);

}  // namespace warploom
