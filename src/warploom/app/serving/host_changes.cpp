#include "warploom/app/serving/host_changes.h"

namespace warploom {

void HostChanges::apply(HostModel& host) const {
  for (const Field& field : fields_of<HostModel>().fields)
    if (const auto found = values.find(field.name); found != values.end()) field.set(&host, found->second);
}

FieldTable HostChanges::describe() {
  FieldTable table{.type_name = "host_changes", .fields = {}};
  for (const Field& constant : fields_of<HostModel>().fields) {
    Field field = constant;
    field.optional = true;
    field.get = [name = constant.name](const void* object) -> FieldValue {
      const auto& values = static_cast<const HostChanges*>(object)->values;
      const auto found = values.find(name);
      return found == values.end() ? FieldValue{} : FieldValue{found->second};
    };
    field.set = [name = constant.name](void* object, FieldValue&& value) {
      auto& values = static_cast<HostChanges*>(object)->values;
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
