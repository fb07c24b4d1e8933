// What the handles of the C interface stand for.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "warploom/answers/prepared_question.h"
#include "warploom/answers/session.h"
#include "warploom/answers/step_prices.h"
#include "warploom/capi/handles.h"

namespace warploom {

struct OpenSession {
  std::shared_ptr<const Session> session;
};
struct OpenQuestion {
  std::shared_ptr<const Session> session;
  PreparedQuestion question;
};
struct OpenStep {
  std::shared_ptr<const Session> session;
  StepPrices prices;
};

using SessionHandles = HandleTable<OpenSession, HandleKind::Session>;
using QuestionHandles = HandleTable<OpenQuestion, HandleKind::Question>;
using StepHandles = HandleTable<OpenStep, HandleKind::Step>;

// The session, which lives on when the handle is closed meanwhile: a caller may do so from its own progress.
inline std::shared_ptr<const Session> session_of(const void* handle) {
  return SessionHandles::of_all().get(handle, "session", HandleUse::Shared)->session;
}

}  // namespace warploom
