// From the fields of a request to the options of its command.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "warploom/answers/answer.h"
#include "warploom/answers/flat_operator.h"
#include "warploom/answers/flat_request.h"
#include "warploom/answers/request_schema.h"
#include "warploom/app/serving/setup_scope.h"
#include "warploom/app/serving/simulate_serving.h"
#include "warploom/base/error.h"
#include "warploom/cli/command_index.h"
#include "warploom/cli/engine_flag_options.h"
#include "warploom/cli/flag_names.h"
#include "warploom/cli/page_words.h"

namespace warploom {
namespace {

using CommandWordList = std::vector<std::string>;

// Objects whose options have the plain names of their fields (add_fields_of, not add_request_options).
constexpr std::array<std::string_view, 9> kPlainlyNamed{
    "config", "host", "autoscaling", "transfer", "random", "sessions", "kernel", "operator", "shape"};

std::string scalar_text(const Json& value, std::string_view field) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  if (value.is_number()) return value.dump();
  throw InvalidInput(
      fmt::format("{}: no option takes a value like this, expected a text or a number", field));
}

// Adds options to a command as fields are given.
class OptionWriter {
 public:
  OptionWriter(const IndexedCommand& command, CommandWordList& words) : command_(command), words_(words) {}

  void add_object(const Json& object, bool plain) {
    for (const auto& [field, value] : object.items()) {
      if (value.is_null() || handled_.contains(field)) continue;
      if (value.is_object()) {
        const bool inside =
            plain || std::find(kPlainlyNamed.begin(), kPlainlyNamed.end(), field) != kPlainlyNamed.end();
        add_object(value, inside);
      } else {
        add_field(field, value, plain);
      }
    }
  }

  void add_field(const std::string& field, const Json& value, bool plain) {
    const auto has = [this](const std::string& option) { return command_.has(option); };
    const std::string option = plain ? option_name(field) : known_flag(field, has);
    if (option.empty() || !has(option)) {
      if (is_inherited(field, value)) return;
      throw InvalidInput(
          fmt::format("{}: no option of `warploom {}` says it", field, fmt::join(command_.words(), " ")));
    }
    if (!said_.emplace(option, value.dump()).second) return;
    add_option(option, field, value);
  }

  void add_option(const std::string& option, std::string_view field, const Json& value) {
    if (value.is_boolean()) {
      words_.push_back(value.get<bool>() ? option : "--no-" + option.substr(2));
      return;
    }
    CommandWordList values;
    if (value.is_array())
      for (const Json& each : value) values.push_back(scalar_text(each, field));
    else
      values.push_back(scalar_text(value, field));
    if (values.empty()) return;
    if (!command_.takes_words(option)) values = {fmt::format("{}", fmt::join(values, ","))};
    for (const std::string& text : values) {
      if (!option.starts_with("--")) {
        words_.push_back(text);
      } else if (text.starts_with('-')) {
        words_.push_back(fmt::format("{}={}", option, text));
      } else {
        words_.push_back(option);
        words_.push_back(text);
      }
    }
  }

  // Fields that are said otherwise, or bear on nothing.
  void leave_out(const std::string& field) { handled_.insert(field); }

 private:
  // What nested_request puts into several objects at once is said where one of them has an option.
  bool is_inherited(const std::string& field, const Json& value) const {
    return std::any_of(said_.begin(), said_.end(), [&](const auto& said) {
      return said.first == flag_of(field) && said.second == value.dump();
    });
  }

  const IndexedCommand& command_;
  CommandWordList& words_;
  std::set<std::string> handled_;
  std::set<std::pair<std::string, std::string>> said_;
};

const DescribedRequest* described(std::string_view request) {
  const auto& all = described_requests();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == request; });
  return found == all.end() ? nullptr : &*found;
}

// {"count": 4, "query_tokens": 1024} -> "4x1024"
std::string request_groups_text(const Json& groups) {
  std::string text;
  for (const Json& group : groups) {
    text += fmt::format("{}{}x{}", text.empty() ? "" : ",", group.value("count", 1),
                        group.value("query_tokens", 1));
    if (const std::int64_t context = group.value("context_tokens", std::int64_t{0}); context > 0)
      text += fmt::format("+{}", context);
  }
  return text;
}

CommandWordList predict_words(const CommandIndex& index, const Json& asked) {
  const PredictRequest checked = read_predict_request(asked);
  Json fields = asked;
  if (fields.contains("operator")) {
    const Json op = fields["operator"];
    fields.erase("operator");
    fields.update(op);
  }
  const IndexedCommand command = index.command("predict " + std::string(name_of(family_of(checked.op))));
  CommandWordList words = command.words();
  OptionWriter writer(command, words);
  if (fields.contains("gpu")) writer.add_field("gpu", fields["gpu"], true);
  for (const char* said : {"family", "gpu"}) writer.leave_out(said);
  if (fields.contains("requests") && fields["requests"].is_array()) {
    writer.leave_out("requests");
    writer.add_option("--requests", "requests", request_groups_text(fields["requests"]));
  }
  writer.add_object(fields, true);
  return words;
}

// Fields of the engine that bear on nothing that the command asks; its options are refused there.
void leave_out_of_scope(OptionWriter& writer, std::string_view request, const Json& setup) {
  if (!setup.is_object()) return;
  const Json given = setup.value("config", Json::object());
  const auto config = object_from_json<ServingConfig>(given, "config");
  const SetupUse use = request == "step"       ? SetupUse::Step
                       : request == "static"   ? SetupUse::StaticBatch
                       : request == "diagnose" ? SetupUse::Diagnosis
                       : request == "forecast" ? SetupUse::Forecast
                                               : SetupUse::Run;
  for (const Json& part : {given, setup.value("host", Json::object())})
    for (const auto& [field, value] : part.items()) {
      if (value.is_structured() && !value.is_array()) continue;
      try {
        if (fields_of<ServingConfig>().find(field) != nullptr) check_field_engine(config, field, field);
        check_given_field(use, config, field, field);
      } catch (const InvalidInput&) {
        writer.leave_out(field);
      }
    }
}

// What differs from the engines of the whole, with --prefill-... or --decode-... .
void add_pool(OptionWriter& writer, const std::string& pool, const Json& base, const Json& setup) {
  const auto whole = object_from_json<ServingSetupRequest>(base, "setup");
  const auto own = object_from_json<ServingSetupRequest>(setup, pool);
  writer.add_field(pool + "_instances", own.config.instances, true);
  if (own.gpu != whole.gpu) writer.add_field(pool + "_gpu", own.gpu, true);
  if (own.model != whole.model || own.quantization != whole.quantization)
    throw InvalidInput(fmt::format("{}: model and quantization are those of setup in every pool", pool));
  for (const Field& field : fields_of<ServingConfig>().fields) {
    if (field.nested != nullptr || field.name == "instances") continue;
    if (field.get(&own.config) == field.get(&whole.config)) continue;
    const Json all = write_fields(fields_of<ServingConfig>(), &own.config);
    writer.add_field(pool + "_" + field.name, all.value(field.name, Json()), true);
  }
}

void add_run_parts(OptionWriter& writer, const Json& fields) {
  if (const Json pools = fields.value("disaggregation", Json()); pools.is_object()) {
    const Json base = fields.value("setup", Json::object());
    for (const char* pool : {"prefill", "decode"})
      add_pool(writer, pool, base, pools.value(pool, Json::object()));
    writer.add_object(pools.value("transfer", Json::object()), true);
  }
  for (const Json& failure : fields.value("failures", Json::array())) {
    const std::string pool = failure.value("pool", std::string());
    std::string text = fmt::format("{}{}{}@{}", pool, pool.empty() ? "" : ":", failure.value("instance", 0),
                                   failure.value("at_s", 0.0));
    if (failure.contains("down_s") && !failure["down_s"].is_null())
      text += fmt::format("+{}", failure["down_s"].get<double>());
    writer.add_option("--fail-at", "failures", text);
  }
  for (const char* said : {"disaggregation", "failures"}) writer.leave_out(said);
}

// Prompts and sessions that are given by an empty object have its defaults, which options must say.
void spell_out_workload(Json& fields) {
  if (!fields.contains("source") || !fields["source"].is_object()) return;
  Json& source = fields["source"];
  if (source.contains("random") && source["random"].is_object()) {
    const auto random = object_from_json<RandomPrompts>(source["random"], "random");
    source["random"]["random_input_len"] = random.input_len;
  }
  if (source.contains("sessions") && source["sessions"].is_object()) {
    const auto sessions = object_from_json<SessionShape>(source["sessions"], "sessions");
    source["sessions"]["sessions"] = sessions.sessions;
  }
}

// Keys of `simulate` that answers/answer.h takes beside the request's.
void add_run_output(OptionWriter& writer, const Json& goodput, const Json& details) {
  if (goodput.is_object() && !goodput.empty()) {
    std::string limits;
    for (const auto& [name, limit] : goodput.items())
      limits += fmt::format("{}{}:{}", limits.empty() ? "" : ",", name, scalar_text(limit, "goodput"));
    writer.add_option("--goodput", "goodput", limits);
  }
  if (details == Json(true)) {
    writer.add_option("--json", "details", true);
    writer.add_option("--details", "details", true);
  }
}

Json taken(Json& fields, const char* key) {
  const auto at = fields.find(key);
  if (at == fields.end()) return {};
  Json value = *at;
  fields.erase(at);
  return value;
}

CommandWordList described_words(const CommandIndex& index, const DescribedRequest& request, Json asked) {
  const std::string& name = request.name;
  Json goodput, details;
  if (name == "simulate" && asked.is_object()) {
    goodput = taken(asked, "goodput");
    details = taken(asked, "details");
  }
  Json fields = nested_request(asked, *request.table, name);
  const std::shared_ptr<void> checked = request.make();
  // A diagnosis takes its GPU for its batch too.
  if (name == "diagnose" && fields.contains("workload") && fields.contains("gpu"))
    if (Json& setup = fields["workload"]["setup"]; !setup.contains("gpu")) setup["gpu"] = fields["gpu"];
  read_fields(fields, *request.table, checked.get(), name);
  const bool cross_gpu = name == "tune_fit_cross_gpu";
  const IndexedCommand command = index.command(cross_gpu                      ? "tune_fit"
                                               : name == "validate_leave_out" ? "validate_kernels"
                                                                              : name);
  CommandWordList words = command.words();
  OptionWriter writer(command, words);
  spell_out_workload(fields);
  // How an answer is shown is no part of its question; what starts a deployment needs a folder.
  writer.leave_out("views");
  if (!fields.value("emit", std::string()).empty()) writer.add_option("--output", "emit", "deployment");
  if (fields.contains("setup")) leave_out_of_scope(writer, name, fields["setup"]);
  if (name == "diagnose" && fields.contains("workload"))
    leave_out_of_scope(writer, name, fields["workload"].value("setup", Json()));
  // The model and its GPU come first, as people write them.
  if (fields.contains("setup")) writer.add_object(Json{{"setup", fields["setup"]}}, false);
  if (name == "simulate") add_run_parts(writer, fields);
  fields.erase("setup");
  writer.add_object(fields, false);
  if (cross_gpu && !fields.contains("from_table")) words.emplace_back("--cross-gpu");
  add_run_output(writer, goodput, details);
  return words;
}

// `gpus`, `gpu`, `models` and `schema`: at most a name.
CommandWordList named_words(std::string_view request, const Json& asked) {
  CommandWordList words{std::string(request)};
  if (request == "gpu") words.emplace_back("show");
  for (const auto& [key, value] : asked.items()) {
    if (key != "name" || request == "gpus" || !value.is_string())
      throw InvalidInput(fmt::format("{}: '{}' is unknown here", request, key));
    words.push_back(value.get<std::string>());
  }
  if (words.size() == 2 && request == "gpu") throw InvalidInput("gpu: name is missing");
  return words;
}

}  // namespace

std::vector<std::string> command_words(const CommandIndex& index, std::string_view request,
                                       const Json& asked) {
  if (!asked.is_object())
    throw InvalidInput(fmt::format("{}: is {}, expected an object of fields", request, asked.type_name()));
  for (const std::string_view named : {"gpus", "gpu", "models", "schema"})
    if (request == named) return named_words(request, asked);
  if (request == "predict") return predict_words(index, asked);
  if (const DescribedRequest* known = described(request)) return described_words(index, *known, asked);
  throw NotFound(fmt::format("request: '{}' is unknown", request));
}

}  // namespace warploom
