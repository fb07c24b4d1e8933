// Which host a request means: a profile, and what it changes of the constants made from it.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "warploom/serving/host/host_profile.h"

namespace warploom {

struct HostSettings {
  std::string profile = std::string(kDefaultHostProfile);  // as load_host_profile takes it
  std::map<std::string, double, std::less<>> values;  // by the names of HostModel's fields, in their units

  void apply(HostModel& host) const;
  // The profile and the fields of HostModel, each of which may be absent.
  static FieldTable describe();
};

}  // namespace warploom
