// What `validate ceilings` found.
#pragma once

#include <string>

#include "warploom/app/validate/ceiling_validation.h"
#include "warploom/base/json.h"

namespace warploom {

std::string ceiling_validation_text(const CeilingValidation& validation);
Json ceiling_validation_json(const CeilingValidation& validation);

}  // namespace warploom
