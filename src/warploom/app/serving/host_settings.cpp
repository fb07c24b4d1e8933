#include "warploom/app/serving/host_settings.h"

#include <fmt/format.h>

#include "warploom/base/error.h"
#include "warploom/serving/field_topics.h"

namespace warploom {

void HostSettings::apply(HostModel& host, const ClientWay& way) const {
  const bool client = measured_at == MeasuredAt::Client;
  host.frontend_latency = client ? way.latency : Seconds(0.0);
  host.frontend_per_token = client ? way.per_token : Seconds(0.0);
  for (const char* const field : {"frontend_latency_ms", "frontend_per_token_us"})
    if (!client && values.contains(field))
      throw InvalidInput(fmt::format("{}: is the way from a client, expected `measured_at` client", field));
  for (const Field& field : fields_of<HostModel>().fields)
    if (const auto found = values.find(field.name); found != values.end()) field.set(&host, found->second);
  // Whoever says what a launch takes knows it.
  if (values.contains("launch_kernels_ms")) host.prompt_launch = host.decode_launch = Seconds(0.0);
}

FieldTable HostSettings::describe() {
  FieldTable table = FieldList<HostSettings>("host_settings")
                         .add("host_profile", &HostSettings::profile,
                              {.doc = "the machine that runs the engine: public_fleet, xeon_16_cores or a "
                                      "file that calibrate-host wrote"})
                         .add("machine", &HostSettings::machine,
                              {.doc = "your machine as it was measured: a file that calibrate-machine wrote; "
                                      "it scales the host's constants and the GPU's kernels"})
                         .add("measured_at", &HostSettings::measured_at,
                              {.doc = "where latencies count from: client, its way to the engine's queue "
                                      "included, or engine",
                               .topic = kQueueTopic})
                         .table();
  for (const Field& constant : fields_of<HostModel>().fields) {
    Field field = constant;
    field.optional = true;
    field.get = [name = constant.name](const void* object) -> FieldValue {
      const auto& values = static_cast<const HostSettings*>(object)->values;
      const auto found = values.find(name);
      return found == values.end() ? FieldValue{} : FieldValue{found->second};
    };
    field.set = [name = constant.name](void* object, FieldValue&& value) {
      auto& values = static_cast<HostSettings*>(object)->values;
      if (const auto* number = std::get_if<double>(&value))
        values[name] = *number;
      else
        values.erase(name);
    };
    table.fields.push_back(std::move(field));
  }
  return table;
}

}  // namespace warploom
