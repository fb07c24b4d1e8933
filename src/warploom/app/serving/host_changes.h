// What a request changes of the constants that an engine's host has by default.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "warploom/serving/host/host_model.h"

namespace warploom {

struct HostChanges {
  std::map<std::string, double, std::less<>> values;  // by the names of HostModel's fields, in their units

  void apply(HostModel& host) const;
  // The fields of HostModel, each of which may be absent.
  static FieldTable describe();
};

}  // namespace warploom
