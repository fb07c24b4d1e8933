// The list of requests, and what each holds: from the field lists that all else about them is made from.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/base/json.h"

namespace warploom {

struct DescribedRequest {
  std::string name;
  std::string_view about;  // one line, no full stop
  // Null where warploom-judge alone knows the fields (judged_answers.h).
  const FieldTable* table = nullptr;
  std::function<std::shared_ptr<void>()> make = {};  // one with every default
};

// Every request of a use case, in the order of the commands.
const std::vector<DescribedRequest>& described_requests();

// Draft 2020-12. Throws NotFound with the nearest name; JudgingElsewhere where the fields are not known here.
Json request_schema(std::string_view name);
// {name: schema} of all requests, in their order; those of warploom-judge are asked there, and left out where
// it is missing.
Json request_schemas();

}  // namespace warploom
