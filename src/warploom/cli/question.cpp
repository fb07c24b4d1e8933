#include "warploom/cli/question.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "warploom/answers/session.h"
#include "warploom/app/serving/setup_scope.h"
#include "warploom/cli/command.h"
#include "warploom/cli/flag_names.h"
#include "warploom/cli/interrupt_watch.h"
#include "warploom/cli/progress.h"

namespace warploom {
namespace {

// The lines on standard error of one answer on its way.
class Lines {
 public:
  explicit Lines(const CommandQuestion& question) : question_(question) {}

  AnswerWatch watch() {
    AnswerWatch watch;
    watch.said = [this](std::string_view line) {
      line_.reset();
      print_note(in_flags(line, question_.has));
    };
    watch.crew = question_.crew;
    if (!question_.counted.empty()) {
      watch.progress = [this](double done, double total) { count(done, total); };
      watch.at = [this](std::string_view place) { place_ = place; };
    }
    return watch;
  }

 private:
  // The parts of a plan are counted apart; a run's clock stands behind its count.
  void count(double done, double total) {
    const bool staged = question_.counted.ends_with(' ');
    const std::string counted = staged ? question_.counted + place_ : question_.counted;
    if (!line_ || counted != counted_) {
      line_.reset();
      line_.emplace(counted);
      counted_ = counted;
    }
    line_->at(std::int64_t(done), std::int64_t(total), staged ? std::string_view() : place_);
  }

  const CommandQuestion& question_;
  std::optional<Progress> line_;
  std::string counted_, place_;
};

}  // namespace

void GivenNames::add(const std::vector<std::pair<std::string, std::string>>& given,
                     const std::string& place) {
  for (const auto& [option, field] : given) names_.push_back({place, field, option});
}

std::string GivenNames::option_of(std::string_view place, std::string_view field) const {
  const auto found = std::find_if(names_.begin(), names_.end(), [&](const Name& name) {
    return name.field == field && (name.place == place || name.place.empty());
  });
  return found == names_.end() ? std::string() : found->option;
}

void throw_in_options(const FieldRefusal& refusal, const GivenNames& names) {
  const std::string option = names.option_of(refusal.place(), refusal.field());
  throw InvalidInput((option.empty() ? refusal.field() : option) + refusal.reason());
}

Json ask(const CommandQuestion& question, const Json& asked, AnswerText* text) {
  const Session session{Session::OpenedLater()};
  Lines lines(question);
  AnswerWatch watch = lines.watch();
  std::optional<InterruptWatch> interrupt;
  if (question.stops) watch.cancelled = &interrupt.emplace().interrupted();
  try {
    const Json fields = question.as_text ? parse_json(asked.dump(), question.request) : asked;
    Json document = answer_here(session, question.request, fields, watch, text);
    if (interrupt && question.interrupted != nullptr) *question.interrupted = interrupt->interrupted();
    return document;
  } catch (const FieldRefusal& refusal) {
    throw_in_options(refusal, question.names);
  }
}

}  // namespace warploom
