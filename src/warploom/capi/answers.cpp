#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <nlohmann/json.hpp>

#include "warploom/answers/answer.h"
#include "warploom/capi/capi_objects.h"
#include "warploom/capi/status.h"
#include "warploom/capi/warploom.h"

using warploom::guarded;
using warploom::SessionHandles;
using warploom::told;

namespace {

// Texts of C as those of C++; NULL is refused by name.
std::string_view text_of(const char* text, const char* what) {
  if (text == nullptr) throw warploom::InvalidInput(std::string(what) + " is NULL, expected a text");
  return text;
}

warploom::AnswerWatch watch_of(const warploom_watch* watch, std::atomic<bool>& stopped) {
  warploom::AnswerWatch result;
  if (watch == nullptr) return result;
  if (watch->progress != nullptr)
    result.progress = [watch, &stopped](double done, double total) {
      if (watch->progress(watch->user, done, total) != 0) stopped = true;
    };
  if (watch->said != nullptr)
    result.said = [watch](std::string_view line) { watch->said(watch->user, std::string(line).c_str()); };
  result.cancelled = &stopped;
  return result;
}

char* copied(const std::string& text) {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

}  // namespace

const char* warploom_version(void) { return WARPLOOM_VERSION; }

warploom_status warploom_open(const char* predictor, warploom_session** session, char* message,
                              size_t message_size) {
  if (session == nullptr)
    return told(WARPLOOM_BAD_INPUT, "warploom_open: session must not be NULL", message, message_size);
  *session = nullptr;
  return guarded(message, message_size, [&] {
    auto opened = std::make_unique<warploom::OpenSession>(warploom::OpenSession{
        std::make_shared<const warploom::Session>(predictor == nullptr ? "" : predictor)});
    *session = static_cast<warploom_session*>(SessionHandles::of_all().open(std::move(opened)));
  });
}

void warploom_close(warploom_session* session) { SessionHandles::of_all().close(session); }

warploom_status warploom_answer(const warploom_session* session, const char* request, const char* fields,
                                const warploom_watch* watch, char** answer, char* message,
                                size_t message_size) {
  if (answer == nullptr)
    return told(WARPLOOM_BAD_INPUT, "warploom_answer: answer must not be NULL", message, message_size);
  *answer = nullptr;
  return guarded(message, message_size, [&] {
    const auto held = warploom::session_of(session);
    const std::string_view name = text_of(request, "warploom_answer: request");
    const warploom::Json asked = warploom::parse_json(text_of(fields, "warploom_answer: fields"), name);
    std::atomic<bool> stopped = false;
    *answer = copied(warploom::json_text(warploom::answer(*held, name, asked, watch_of(watch, stopped))));
  });
}

void warploom_free_text(char* text) { std::free(text); }
