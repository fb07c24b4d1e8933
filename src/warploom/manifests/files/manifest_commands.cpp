// Words of containers and scripts as the commands that start engines and routers.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "warploom/app/serving/engine_manifests.h"
#include "warploom/base/error.h"
#include "warploom/manifests/files/manifest_readers.h"
#include "warploom/manifests/lines/shell_words.h"

namespace warploom {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kFrontend = "dynamo.frontend";
constexpr const char* kPrefillRole = "prefill";
constexpr const char* kDecodeRole = "decode";

std::string_view base_name(std::string_view word) { return word.substr(word.find_last_of('/') + 1); }

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The value of a flag, in the next word or behind '='.
std::optional<std::string> value_of_flag(const Words& words, std::string_view flag) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == flag && i + 1 < words.size()) return words[i + 1];
    if (words[i].starts_with(flag) && words[i].size() > flag.size() && words[i][flag.size()] == '=')
      return words[i].substr(flag.size() + 1);
  }
  return {};
}

// Takes the first run of such words out. Whether there was one.
bool take_out(Words& words, std::string_view text) {
  const Words wanted = plain_words(text);
  if (wanted.empty()) return false;
  const auto found = std::search(words.begin(), words.end(), wanted.begin(), wanted.end());
  if (found == words.end()) return false;
  words.erase(found, found + std::ptrdiff_t(wanted.size()));
  return true;
}

// A worker of Dynamo as its engine's own command. Whether it is one.
bool as_own_command(Words& words) {
  for (const EngineSpec* engine : all_engines()) {
    const EngineManifests& manifests = engine->manifests;
    const auto module = std::find(words.begin(), words.end(), manifests.dynamo_module);
    if (module == words.end()) continue;
    Words own;
    for (const std::string& word : plain_words(engine->command_line.example)) {
      if (word == "MODEL" || word.starts_with("-")) break;
      own.push_back(word);
    }
    for (auto word = module + 1; word != words.end(); ++word) {
      const auto renamed =
          std::find_if(manifests.dynamo_flags.begin(), manifests.dynamo_flags.end(),
                       [&word = *word](const RenamedFlag& flag) { return flag.there == word; });
      own.emplace_back(renamed == manifests.dynamo_flags.end() ? *word : std::string(renamed->own));
    }
    words = std::move(own);
    return true;
  }
  return false;
}

// What a worker's connector keeps elsewhere is not modelled; pools fetch through these.
void check_connector(const Words& words, const std::string& place) {
  const std::optional<std::string> connector = value_of_flag(words, "--connector");
  if (!connector || *connector == "none" || *connector == "nixl") return;
  throw Unsupported(fmt::format(
      "{}: --connector {} keeps caches elsewhere, which is not read from a manifest, expected none or nixl",
      place, *connector));
}

// Takes a flag and its value out; absent where it does not stand there.
std::optional<std::string> take_value(Words& words, std::string_view flag) {
  std::optional<std::string> value = value_of_flag(words, flag);
  if (!value) return {};
  const auto at = std::find_if(words.begin(), words.end(), [&](const std::string& word) {
    return word == flag || (word.starts_with(flag) && word[flag.size()] == '=');
  });
  words.erase(at, at + (*at == flag ? 2 : 1));
  return value;
}

// The role that words of before `--disaggregation-mode` say, which are taken out.
std::string old_role(Words& words) {
  for (const EngineSpec* engine : all_engines()) {
    const EngineManifest& known = engine_manifest(engine->name);
    if (take_out(words, known.dynamo_old_prefill)) return kPrefillRole;
    if (take_out(words, known.dynamo_old_decode)) return kDecodeRole;
  }
  return {};
}

// The role that flags say. An instance that fetches from any other (kv_both) says none.
std::string role_of(Words& words) {
  if (const auto mode = take_value(words, "--disaggregation-mode"))
    return *mode == kPrefillRole || *mode == kDecodeRole ? *mode : "";
  if (std::string role = old_role(words); !role.empty()) return role;
  const auto transfer = value_of_flag(words, "--kv-transfer-config");
  if (!transfer) return {};
  if (transfer->find("kv_producer") != std::string::npos) return kPrefillRole;
  return transfer->find("kv_consumer") != std::string::npos ? kDecodeRole : "";
}

// Another rank of an instance that its first rank says all of.
bool is_later_rank(const Words& words) {
  for (const std::string_view flag : {"--node-rank", "--node_rank"})
    if (const auto rank = value_of_flag(words, flag); rank && *rank != "0" && !rank->starts_with('$'))
      return true;
  return std::find(words.begin(), words.end(), "--headless") != words.end();
}

bool starts_router(const Words& words) {
  for (const EngineSpec* engine : all_engines()) {
    const auto& program = engine_manifest(engine->name).router_program;
    if (program.empty()) continue;
    if (std::any_of(words.begin(), words.end(),
                    [&](const std::string& word) { return base_name(word) == program.back(); }))
      return true;
  }
  return false;
}

// Dynamo's frontend routes; variables of its environment say how where no flag does.
void take_frontend(Manifest& manifest, const Words& words, const ManifestVariables& variables,
                   const std::string& place) {
  const auto value_of = [&](const std::string& flag, const std::string& variable) {
    const auto set = variables.find(variable);
    return value_of_flag(words, flag).value_or(set == variables.end() ? std::string() : set->second);
  };
  const std::string mode = value_of("--router-mode", "DYN_ROUTER_MODE");
  take_router(manifest, "dynamo", mode.empty() ? "round-robin" : mode, place + ": the router's mode");
  if (manifest.routing_policy != "kv_cost") return;
  for (const Json& flag : manifest_fields_data().at("dynamo_router")) {
    const std::string value =
        value_of(flag.at("flag").get<std::string>(), flag.at("variable").get<std::string>());
    if (!value.empty()) manifest.router_rules[flag.at("field").get<std::string>()] = value;
  }
  const Json& alone = manifest_fields_data().at("dynamo_router_alone");
  for (const auto& [flag, field] : alone.items())
    if (std::find(words.begin(), words.end(), flag) != words.end())
      manifest.router_rules[field.get<std::string>()] = "true";
}

}  // namespace

std::string with_variables(const std::string& text, const ManifestVariables& variables) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '$' || at + 1 == text.size()) {
      out += text[at++];
      continue;
    }
    const char open = text[at + 1], close = open == '(' ? ')' : '}';
    const bool closed = open == '(' || open == '{';
    std::size_t end = at + (closed ? 2 : 1);
    const std::size_t begin = end;
    while (end < text.size() && is_name(text[end])) ++end;
    const std::string name = text.substr(begin, end - begin);
    std::string instead;
    bool has_instead = false;
    if (open == '{' && text.compare(end, 2, ":-") == 0) {
      const std::size_t stop = std::min(text.find('}', end), text.size());
      instead = text.substr(end + 2, stop - end - 2);
      has_instead = true;
      end = stop;
    }
    const auto value = variables.find(name);
    const bool whole = !closed || (end < text.size() && text[end] == close);
    if (name.empty() || !whole || (value == variables.end() && !has_instead)) {
      out += text[at++];
      continue;
    }
    out += value == variables.end() ? instead : value->second;
    at = end + (closed ? 1 : 0);
  }
  return out;
}

std::vector<Words> started_commands(const Words& words, const ManifestVariables& variables,
                                    const std::string& place) {
  std::vector<Words> commands;
  for (std::size_t i = 0; i + 2 < words.size() + 0; ++i) {
    const std::string_view shell = base_name(words[i]);
    if (shell != "sh" && shell != "bash") continue;
    if (!words[i + 1].starts_with('-') || words[i + 1].find('c') == std::string::npos) continue;
    for (Words& inner : shell_commands(words[i + 2], place, LineEnd::Command)) {
      for (std::string& word : inner) word = with_variables(word, variables);
      commands.push_back(std::move(inner));
    }
    return commands;
  }
  commands.push_back(words);
  for (std::string& word : commands.front()) word = with_variables(word, variables);
  return commands;
}

void take_router(Manifest& manifest, std::string_view map, const std::string& name,
                 const std::string& place) {
  manifest.routing_policy = manifest_word("routers", map, name, place);
  manifest.router_rules.clear();
  const Json& all = manifest_fields_data().at("router_rules").at(std::string(map));
  const auto own = all.find(name);
  if (own == all.end()) return;
  for (const auto& [rule, value] : own->at("rules").items()) manifest.router_rules[rule] = value.dump();
  for (const Json& note : own->at("not_modelled")) manifest.left_out.push_back(note.get<std::string>());
}

bool take_commands(Manifest& manifest, ManifestPool pool, std::vector<Words> commands,
                   const ManifestVariables& variables) {
  bool found = false;
  for (Words& words : commands) {
    if (starts_router(words)) {
      if (const auto policy = value_of_flag(words, "--policy"))
        take_router(manifest, "engine", *policy, pool.place + ": the router's --policy");
      found = true;
      continue;
    }
    if (std::find(words.begin(), words.end(), kFrontend) != words.end()) {
      take_frontend(manifest, words, variables, pool.place);
      found = true;
      continue;
    }
    if (as_own_command(words)) check_connector(words, pool.place);
    if (!starts_engine(words)) continue;
    found = true;
    if (is_later_rank(words)) continue;
    ManifestPool started = pool;
    if (const std::string role = role_of(words); !role.empty()) started.role = role;
    for (const auto& [name, flag] : manifest_fields_data().at("environment").items())
      if (const auto value = variables.find(name);
          value != variables.end() && !value_of_flag(words, flag.get<std::string>()))
        words.insert(words.end(), {flag.get<std::string>(), value->second});
    started.commands = {words};
    manifest.pools.push_back(std::move(started));
  }
  return found;
}

}  // namespace warploom
