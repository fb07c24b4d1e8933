// Which host a request means: a profile, and what it changes of the constants made from it.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "warploom/serving/host/host_profile.h"

namespace warploom {

// Where latencies count from: at the client, as `vllm bench serve` measures them, with its way to the
// engine's queue simulated; or at that queue, which requests then reach when they are sent.
enum class MeasuredAt { Client, Engine };
template <>
struct EnumNames<MeasuredAt> {
  static constexpr std::array<std::pair<MeasuredAt, std::string_view>, 2> kNames{
      {{MeasuredAt::Client, "client"}, {MeasuredAt::Engine, "engine"}}};
};

struct HostSettings {
  MeasuredAt measured_at = MeasuredAt::Client;
  std::string profile = std::string(kDefaultHostProfile);  // as load_host_profile takes it
  std::string machine;  // a file of load_machine_profile, in place of the profile; empty: none
  std::map<std::string, double, std::less<>> values;  // by the names of HostModel's fields, in their units

  // Puts the client before the host where it is asked for, then sets `values`. Throws InvalidInput on a way
  // of the client's where there is no client.
  void apply(HostModel& host, const ClientWay& way) const;
  // The profile and the fields of HostModel, each of which may be absent.
  static FieldTable describe();
};

}  // namespace warploom
