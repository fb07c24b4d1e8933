#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

#include "warploom/app/plan/plan_request.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/cli/command.h"
#include "warploom/cli/help.h"
#include "warploom/cli/options.h"
#include "warploom/cli/request_command.h"
#include "warploom/cli/view_file.h"
#include "warploom/cli/workload_options.h"

namespace warploom {
namespace {

// What went wrong beside the answer, which is printed nevertheless.
struct Failures {
  std::string unwritten, refused;
  bool none = false;  // no deployment was found
};

// Takes what could not be made out of the document.
bool take_error(Json& document, const char* part, Failures& failures) {
  if (!document.contains(part) || !document[part].is_object() || !document[part].contains("error"))
    return false;
  if (failures.refused.empty()) failures.refused = document[part]["error"].get<std::string>();
  document.erase(part);
  return true;
}

// Files that start the best deployment. plan.json is written last: where it stands, the others are whole.
void write_emitted(const std::filesystem::path& folder, Json& document, std::string& text) {
  const Json files = std::move(document["emit"]);
  document.erase("emit");
  const std::filesystem::path mark = folder / "plan.json";
  std::error_code none;
  std::filesystem::remove(mark, none);
  std::vector<std::string> written;
  for (const Json& file : files) {
    const std::filesystem::path path = folder / file["name"].get<std::string>();
    if (path.parent_path() != folder) std::filesystem::create_directories(path.parent_path(), none);
    written.push_back(path.string());
    write_file_atomically(written.back(), file["contents"].get<std::string>());
  }
  write_file_atomically(mark, json_text(document));
  document["files"] = written;
  text += fmt::format("\nwrote {}\nwrote {}\n", fmt::join(written, "\nwrote "), mark.string());
}

// Exit status 1 for what could not be written, 2 for what was asked and cannot be.
void report_failures(const Failures& failures, const std::string& unwritten) {
  const bool both = !failures.unwritten.empty() && !unwritten.empty();
  const std::string all = failures.unwritten + (both ? "; " : "") + unwritten;
  if (!all.empty()) throw std::runtime_error(all);
  if (!failures.refused.empty()) throw InvalidInput(failures.refused);
}

std::string group_of_plan(std::string_view field) {
  if (field == "emit" || field == "top" || field == "check") return std::string(kOutputGroup);
  return std::string(fields_of<SearchSpace>().find(field) == nullptr ? "" : kSpaceGroup);
}

}  // namespace

void add_plan_command(Command& app, PlanCrew* crew) {
  const auto output = std::make_shared<std::string>();
  const auto failures = std::make_shared<Failures>();
  Command* command = app.add_subcommand("plan", "which GPUs, how many, how configured, at what cost");
  RequestCommand plan(*command, "plan");
  plan.add_fields<PlanRequest>({.skipped = {"source", "views"}, .group_of = group_of_plan});
  const WorkloadOptions workload(*command, WorkloadUse::Plan);
  plan.write([workload](Json& asked, GivenNames&) { workload.write(asked); });
  const OptionGroup group(*command, kOutputGroup);
  add_view_file(plan, "--svg", std::string(kSvgView), "writes both fronts as a picture");
  Option* folder = command->add_option("--output", *output, "folder for what --emit writes");
  Option* emit = command->get_option("--emit");
  emit->needs(folder);
  folder->needs(emit);
  plan.see([output, failures](const Json&, Json& document, std::string& text) {
    failures->unwritten = document.value("store_failure", std::string());
    failures->none = document["best"].is_null() && document["best_confident"].is_null();
    take_error(document, "check", *failures);
    if (failures->none) document.erase("emit");  // there is nothing to start
    if (!document.contains("emit") || take_error(document, "emit", *failures)) return;
    write_emitted(*output, document, text);
  });
  plan.html().counts("configurations ").stops_on_interrupt().crew(crew);
  plan.then([failures](const std::string& unwritten) { report_failures(*failures, unwritten); });
  plan.fails([failures] {
    return std::string(failures->none ? "no deployment that meets the limits was found" : "");
  });
  plan.runs();
}

}  // namespace warploom
