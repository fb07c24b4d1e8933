// A command that asks one request: options in, fields in JSON to answers/answer.h, the answer out.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "warploom/cli/field_options.h"
#include "warploom/cli/question.h"

namespace warploom {

class Command;
class PlanCrew;

class RequestCommand {
 public:
  // Turns what was given into fields. Throws InvalidInput.
  using WriteFields = std::function<void(Json& asked, GivenNames& names)>;
  // Sees the answer before it is printed, for example to write a part of it to a file.
  using SeeAnswer = std::function<void(const Json& asked, Json& document, std::string& text)>;

  // `command` outlives the building of the program; what it runs is set by runs().
  RequestCommand(Command& command, std::string request);

  // Options of the fields of R, which the request has at its top.
  template <Described R>
  std::shared_ptr<FieldOptionValues> add_fields(FieldOptionStyle style = {}) {
    auto values = add_request_options<R>(command_, std::move(style));
    write([values](Json& asked, GivenNames&) { values->write(asked); });
    return values;
  }
  RequestCommand& write(WriteFields write);
  // Another name for the request, once the fields are written; empty: the usual one.
  RequestCommand& named(std::function<std::string(const Json& asked)> name);
  RequestCommand& html();
  RequestCommand& charts();
  // Whether charts were asked for; to be called while the program lives.
  std::function<bool()> charts_asked() const;
  // What its progress counts, as CommandQuestion::counted says.
  RequestCommand& counts(std::string counted);
  RequestCommand& stops_on_interrupt();
  RequestCommand& crew(PlanCrew* crew);
  RequestCommand& see(SeeAnswer see);
  // The answer is printed also where a file beside it cannot be written. `then` runs after it, is told why
  // (empty: all were written), and throws what the command ends with.
  RequestCommand& then(std::function<void(const std::string& unwritten)> then);
  // Why an answer that was printed is a failure nevertheless, exit status 1; empty: it is none. Asked unless
  // the run was interrupted.
  RequestCommand& fails(std::function<std::string()> why);
  // What only the page of --html shows: how it is asked for, what of it the page's document keeps, and how it
  // leaves the document that is printed.
  struct PageAlone {
    std::function<void(Json& asked)> ask;
    std::function<void(Json&document)> trim, forget;
  };
  RequestCommand& page_alone(PageAlone page);
  // An option that bears on JSON alone: `given` names it, empty where it was not given. `or_page`: or on
  // --html.
  RequestCommand& needs_json(std::function<std::string()> given, bool or_page = false);
  // Adds --json, last, and sets what the command does.
  void runs();

  Command& command() { return command_; }

 private:
  struct State;
  static void run(const State& state);
  static void check_json_option(const State& state);
  static void write_files(const State& state, const CommandQuestion& question, const Json& asked,
                          Json& document, std::string& text);
  static void write_page(const State& state, const std::string& request, const Json& asked, Json& document);

  Command& command_;
  std::shared_ptr<State> state_;
};

}  // namespace warploom
