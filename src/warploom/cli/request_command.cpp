#include "warploom/cli/request_command.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "warploom/answers/whole_request.h"
#include "warploom/base/error.h"
#include "warploom/cli/charts_option.h"
#include "warploom/cli/command.h"
#include "warploom/cli/html_option.h"
#include "warploom/cli/interrupt_watch.h"
#include "warploom/cli/options.h"
#include "warploom/cli/text_width.h"

namespace warploom {

struct RequestCommand::State {
  CommandQuestion question;
  std::vector<WriteFields> writers;
  std::function<std::string(const Json& asked)> name;
  std::vector<SeeAnswer> seers;
  std::optional<HtmlOption> html;
  std::optional<ChartsOption> charts;
  PageAlone page;
  std::function<void(const std::string& unwritten)> then;
  std::function<std::string()> failure;
  std::function<std::string()> json_option;
  bool or_page = false, json = false;

  bool makes_page() const { return html && html->given(); }
};

RequestCommand::RequestCommand(Command& command, std::string request)
    : command_(command), state_(std::make_shared<State>()) {
  state_->question.request = std::move(request);
  state_->question.has = command.knows();
  state_->question.as_text = command.sends_text();
}

RequestCommand& RequestCommand::write(WriteFields write) {
  state_->writers.push_back(std::move(write));
  return *this;
}

RequestCommand& RequestCommand::named(std::function<std::string(const Json& asked)> name) {
  state_->name = std::move(name);
  return *this;
}

RequestCommand& RequestCommand::html() {
  state_->html.emplace(command_, state_->question.request);
  return *this;
}

RequestCommand& RequestCommand::charts() {
  state_->charts.emplace(command_, state_->json);
  return *this;
}

std::function<bool()> RequestCommand::charts_asked() const {
  return [held = std::weak_ptr(state_)] {
    const std::shared_ptr<State> state = held.lock();
    return state != nullptr && state->charts && state->charts->asked();
  };
}

RequestCommand& RequestCommand::counts(std::string counted) {
  state_->question.counted = std::move(counted);
  return *this;
}

RequestCommand& RequestCommand::stops_on_interrupt() {
  state_->question.stops = true;
  return *this;
}

RequestCommand& RequestCommand::crew(PlanCrew* crew) {
  state_->question.crew = crew;
  return *this;
}

RequestCommand& RequestCommand::see(SeeAnswer see) {
  state_->seers.push_back(std::move(see));
  return *this;
}

RequestCommand& RequestCommand::then(std::function<void(const std::string& unwritten)> then) {
  state_->then = std::move(then);
  return *this;
}

RequestCommand& RequestCommand::page_alone(PageAlone page) {
  state_->page = std::move(page);
  return *this;
}

RequestCommand& RequestCommand::fails(std::function<std::string()> why) {
  state_->failure = std::move(why);
  return *this;
}

RequestCommand& RequestCommand::needs_json(std::function<std::string()> given, bool or_page) {
  state_->json_option = std::move(given);
  state_->or_page = or_page;
  return *this;
}

void RequestCommand::runs() {
  add_json_option(command_, state_->json);
  command_.callback([state = state_] { run(*state); });
}

void RequestCommand::check_json_option(const State& state) {
  if (!state.json_option || state.json || (state.or_page && state.makes_page())) return;
  const std::string option = state.json_option();
  if (!option.empty())
    throw InvalidInput(fmt::format("{} changes nothing by itself, expected {}--json too", option,
                                   state.or_page ? "--html or " : ""));
}

void RequestCommand::write_files(const State& state, const CommandQuestion& question, const Json& asked,
                                 Json& document, std::string& text) {
  for (const SeeAnswer& see : state.seers) see(asked, document, text);
  if (state.makes_page()) write_page(state, question.request, asked, document);
}

void RequestCommand::write_page(const State& state, const std::string& request, const Json& asked,
                                Json& document) {
  if (state.page.trim) state.page.trim(document);
  state.html->of(request).write(whole_request(request, asked), document);
  if (state.page.forget) state.page.forget(document);
}

void RequestCommand::run(const State& state) {
  check_json_option(state);
  AnswerText text;
  if (state.charts) text.charts = state.charts->style();
  Json asked = Json::object();
  CommandQuestion question = state.question;
  bool interrupted = false;
  question.interrupted = &interrupted;
  for (const WriteFields& write : state.writers) write(asked, question.names);
  if (state.name) question.request = state.name(asked);
  if (state.makes_page() && state.page.ask) state.page.ask(asked);
  Json document = ask(question, asked, &text);
  if (document.is_null()) return;  // another process of the crew answers
  std::string unwritten;
  try {
    write_files(state, question, asked, document, text.text);
  } catch (const IoError& error) {
    if (!state.then) throw;
    unwritten = error.what();
  }
  print(state.json ? json_text(document) : fitted_text(text.text, text_width()));
  if (state.then) state.then(unwritten);
  if (interrupted) throw InterruptedRun();
  if (const std::string why = state.failure ? state.failure() : std::string(); !why.empty())
    throw std::runtime_error(why);
}

}  // namespace warploom
