#include "warploom/manifests/manifest_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "warploom/app/serving/serving_setup.h"
#include "warploom/base/error.h"
#include "warploom/manifests/files/manifest_file.h"
#include "warploom/manifests/internal/manifest_setup.h"

namespace warploom {
namespace {

constexpr const char* kManifest = "manifest";
constexpr const char* kPools = "disaggregation";
constexpr const char* kPrefill = "prefill";
constexpr const char* kDecode = "decode";

bool is_setup(const FieldTable& table) {
  return table.type_name == fields_of<ServingSetupRequest>().type_name;
}

bool names_manifest(const Json& setup) { return setup.is_object() && setup.contains(kManifest); }

// `base` with what is given over it, which names no manifest any more.
Json merged(Json base, const Json& given) {
  base.merge_patch(given);
  base.erase(kManifest);
  return base;
}

// The same of a whole setup, which needs a GPU and a model. Throws InvalidInput where `path` names none.
Json whole(Json base, const Json& given, const Json& path) {
  Json setup = merged(std::move(base), given);
  for (const auto& [field, what] : {std::pair{"gpu", "GPU"}, {"model", "model"}})
    if (!setup.contains(field))
      throw InvalidInput(fmt::format("manifest: {} names no {} that is known, expected `{}` too",
                                     path.get<std::string>(), what, field));
  return setup;
}
Json whole(Json base, const Json& given) { return whole(std::move(base), given, given[kManifest]); }

class RequestReader {
 public:
  RequestReader(SetupUse use, const FileScope& files) : use_(use), files_(files) {}

  std::vector<std::string> read(Json& request, const FieldTable& table) {
    if (is_setup(table) && names_manifest(request)) {
      const Json given = request;
      const ManifestSetup started = setup_of(given);
      if (started.prefill) refuse_pools();
      request = whole(started.setup, given);
    } else {
      read_inside(request, table);
    }
    return std::move(left_out_);
  }

 private:
  void read_inside(Json& request, const FieldTable& table) {
    for (const Field& field : table.fields) {
      if (field.kind != FieldKind::Object || !request.contains(field.name)) continue;
      Json& inside = request[field.name];
      if (!inside.is_object()) continue;
      if (!is_setup(*field.nested))
        read_inside(inside, *field.nested);
      else if (names_manifest(inside))
        take(request, field.name, table);
    }
  }

  void take(Json& request, const std::string& name, const FieldTable& table) {
    const Json given = request[name];
    const ManifestSetup started = setup_of(given);
    put_router(request, started, table);
    if (!started.prefill) {
      request[name] = whole(started.setup, given);
    } else if (name == kPrefill || name == kDecode) {
      request[name] = whole(name == kPrefill ? *started.prefill : *started.decode, given);
    } else {
      const bool has_pools = std::any_of(table.fields.begin(), table.fields.end(), [](const Field& field) {
        return std::string_view(field.name) == kPools;
      });
      if (!has_pools) refuse_pools();
      put_pools(request, started, given);
      request[name] = merged(*started.prefill, given);
    }
  }

  // Where the request has a router at all.
  static void put_router(Json& request, const ManifestSetup& started, const FieldTable& table) {
    for (const Field& field : table.fields) {
      if (field.nested == nullptr || field.nested->type_name != fields_of<FleetRules>().type_name) continue;
      Json rules = started.router;
      rules.merge_patch(request.value(field.name, Json::object()));
      if (!rules.empty()) request[field.name] = std::move(rules);
    }
  }

  static void put_pools(Json& request, const ManifestSetup& started, const Json& given) {
    Json& pools = request[kPools];
    if (!pools.is_object()) pools = Json::object();
    for (const auto& [name, pool] :
         {std::pair{kPrefill, &started.prefill}, std::pair{kDecode, &started.decode}})
      pools[name] = whole(merged(**pool, given), pools.value(name, Json::object()), given[kManifest]);
  }

  ManifestSetup setup_of(const Json& setup) {
    const Json& path = setup[kManifest];
    if (!path.is_string())
      throw InvalidInput(fmt::format("manifest: is {}, expected the path of a file", path.type_name()));
    const auto text = path.get<std::string>();
    if (!files_.holds(text))
      throw Unsupported(
          fmt::format("manifest: '{}' is no file that may be read here, expected one that was sent", text));
    ManifestSetup started = manifest_setup(read_manifest(text), use_);
    for (const std::string& name : started.left_out)
      if (std::find(left_out_.begin(), left_out_.end(), name) == left_out_.end()) left_out_.push_back(name);
    return started;
  }

  [[noreturn]] static void refuse_pools() {
    throw InvalidInput(
        "manifest: has pools for prompts and for tokens, expected `simulate`, `curve` or `mock`, which take "
        "both");
  }

  SetupUse use_;
  const FileScope& files_;
  std::vector<std::string> left_out_;
};

}  // namespace

std::vector<std::string> take_manifests(Json& request, const FieldTable& table, SetupUse use,
                                        const FileScope& files) {
  return RequestReader(use, files).read(request, table);
}

ManifestOutline manifest_outline(const std::string& path, SetupUse use) {
  const ManifestSetup started = manifest_setup(read_manifest(path), use);
  const Json& setup = started.prefill ? *started.prefill : started.setup;
  const auto said = [&](const char* field) {
    return !started.decode || started.decode->contains(field) ? setup.value(field, std::string())
                                                              : std::string();
  };
  return {.engine = setup["config"]["engine"].get<std::string>(),
          .model = said("model"),
          .gpu = said("gpu"),
          .has_pools = started.prefill.has_value()};
}

Json pasted_manifest(std::string_view text) {
  const ManifestSetup read = manifest_setup(parse_manifest(text, "manifest"), SetupUse::Run);
  if (read.prefill)
    throw Unsupported(
        "manifest: has pools for prompts and for tokens, expected one, or `warploom simulate --manifest`");
  Json asked = read.setup.value("config", Json::object());
  for (const auto& [name, value] : read.setup.items())
    if (name != "config") asked[name] = value;
  asked.update(read.router);
  return {{"asked", std::move(asked)}, {"ignored", read.left_out}};
}

}  // namespace warploom
