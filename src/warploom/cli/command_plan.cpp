#include <fmt/format.h>
#include <fmt/ranges.h>

#include <exception>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "warploom/app/plan/check_plan.h"
#include "warploom/app/plan/emit_plan.h"
#include "warploom/app/plan/make_plan.h"
#include "warploom/app/validate/measured_requests.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/cli/command.h"
#include "warploom/cli/field_options.h"
#include "warploom/cli/help.h"
#include "warploom/cli/html_option.h"
#include "warploom/cli/interrupt_watch.h"
#include "warploom/cli/options.h"
#include "warploom/cli/progress.h"
#include "warploom/cli/workload_options.h"
#include "warploom/report/plan_front.h"
#include "warploom/report/plan_report.h"

namespace warploom {
namespace {

struct PlanOptions {
  std::shared_ptr<FieldOptionValues> fields;
  std::string svg, emit, output, check;
  std::optional<HtmlOption> html;
  bool json = false;
};

PlanResult timed_plan(PlanRequest& request) {
  if (request.crew != nullptr && !request.crew->is_first()) return make_plan(request);
  const InterruptWatch watch;
  request.cancelled = &watch.interrupted();
  std::optional<Progress> screening, deciding;
  request.on_progress = [&](const PlanProgress& at) {
    const bool first = at.stage == "screened";
    std::optional<Progress>& line = first ? screening : deciding;
    if (!line) {
      screening.reset();
      line.emplace(fmt::format("configurations {}", at.stage));
    }
    line->at(at.done, at.total);
  };
  return make_plan(request);
}

// Files that start the best deployment. plan.json is written last: where it stands, the others are whole.
void write_emitted(const PlanOptions& options, const PlanRequest& request, const PlanResult& result,
                   Json& document, std::string& text) {
  const std::filesystem::path folder(options.output), mark = folder / "plan.json";
  const std::vector<EmittedFile> files = emit_plan(request, result, options.emit);
  std::error_code none;
  std::filesystem::remove(mark, none);
  std::vector<std::string> written;
  for (const EmittedFile& file : files) {
    write_file_atomically(folder / file.name, file.contents);
    written.push_back((folder / file.name).string());
  }
  write_file_atomically(mark, json_text(document));
  document["files"] = written;
  text += fmt::format("\nwrote {}\nwrote {}\n", fmt::join(written, "\nwrote "), mark.string());
}

void write_files(const PlanOptions& options, const PlanRequest& request, const PlanResult& result,
                 Json& document, std::string& text) {
  if (!options.svg.empty())
    write_file_atomically(options.svg, plots_svg({speed_plot(result), cost_plot(result)}));
  if (!options.emit.empty()) write_emitted(options, request, result, document, text);
  options.html->write_answer(request, document);
}

// What can be refused before the search. Of several processes, the result that is checked may lie with one.
void check_outputs(const PlanOptions& options, const PlanRequest& request) {
  if (!options.emit.empty()) check_emit_format(request, options.emit);
  if (!options.check.empty() && request.crew == nullptr) (void)read_measured_requests(options.check);
}

void run_plan(const PlanOptions& options, const WorkloadOptions& workload, PlanCrew* crew) {
  PlanRequest request;
  request.crew = crew;
  options.fields->apply(&request);
  SimulateRequest load;
  const std::string note = workload.apply(load);
  request.source = std::move(load.source);
  check_outputs(options, request);
  const PlanResult result = timed_plan(request);
  if (crew != nullptr && !crew->is_first()) return;
  if (!note.empty()) print_note(note);
  Json document = plan_json(result);
  std::string text = plan_text(result);
  // A file that cannot be written or compared does not cost the answer of a long search.
  std::exception_ptr failure;
  std::string unwritten = result.store_failure;
  try {
    if (!options.check.empty()) {
      const PlanCheck check = check_plan(result, options.check);
      document["check"] = plan_check_json(check);
      text += "\n" + plan_check_text(check);
    }
    write_files(options, request, result, document, text);
  } catch (const IoError& error) {
    unwritten += (unwritten.empty() ? "" : "; ") + std::string(error.what());
  } catch (const Error&) {
    failure = std::current_exception();
  }
  print(options.json ? json_text(document) : text);
  if (!unwritten.empty()) throw std::runtime_error(unwritten);  // exit status 1
  if (failure) std::rethrow_exception(failure);
}

std::string group_of_plan(std::string_view field) {
  const Field* space = fields_of<SearchSpace>().find(field);
  return space == nullptr ? std::string() : std::string(kSpaceGroup);
}

}  // namespace

void add_plan_command(Command& app, PlanCrew* crew) {
  const auto options = std::make_shared<PlanOptions>();
  Command* command = app.add_subcommand("plan", "which GPUs, how many, how configured, at what cost");
  options->fields =
      add_request_options<PlanRequest>(*command, {.skipped = {"source"}, .group_of = group_of_plan});
  const WorkloadOptions workload(*command, WorkloadUse::Plan);
  {
    const OptionGroup group(*command, kOutputGroup);
    command->add_option("--svg", options->svg, "writes both fronts as a picture");
    Option* output = command->add_option("--output", options->output, "folder for what --emit writes");
    Option* emit = command->add_option(
        "--emit", options->emit,
        fmt::format("writes what starts the best deployment: {}", fmt::join(emit_formats(), ", ")));
    emit->needs(output);
    output->needs(emit);
    command->add_option("--check", options->check, "a benchmark's result, compared with the promise");
    options->html.emplace(*command, "plan");
    add_json_option(*command, options->json);
  }
  command->callback([options, workload, crew] { run_plan(*options, workload, crew); });
}

}  // namespace warploom
