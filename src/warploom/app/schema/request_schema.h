// Use case `schema`: what requests hold, from the field lists that everything else about them is made from.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/base/json.h"

namespace warploom {

struct DescribedRequest {
  std::string_view about;  // one line, no full stop
  const FieldTable* table = nullptr;
  std::function<std::shared_ptr<void>()> make;  // one with every default
  const std::string& name() const { return table->type_name; }
};

// Every request of a use case, in the order of the commands.
const std::vector<DescribedRequest>& described_requests();

// Draft 2020-12. Throws NotFound with the nearest name.
Json request_schema(std::string_view name);

}  // namespace warploom
