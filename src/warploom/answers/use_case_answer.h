// From what was asked to a request of a use case, and from its result to the answer.
#pragma once

#include <string>
#include <vector>

#include "warploom/answers/answer_table.h"
#include "warploom/answers/session.h"
#include "warploom/base/file_scope.h"
#include "warploom/base/json.h"

namespace warploom {

// Says in a request, and in the setups inside it, which files whoever asks may name.
template <class Request>
void hand_on(const FileScope& files, Request& request) {
  if constexpr (requires { request.files; }) request.files = files;
  if constexpr (requires { request.setup; }) hand_on(files, request.setup);
  if constexpr (requires { request.workload->setup; })
    if (request.workload) hand_on(files, *request.workload);
  if constexpr (requires { request.disaggregation->prefill; })
    if (request.disaggregation) {
      hand_on(files, request.disaggregation->prefill);
      hand_on(files, request.disaggregation->decode);
    }
}

// Notes what manifests hold that was left out.
void note_left_out(const AnswerWatch& watch, const std::vector<std::string>& left_out);

// Reads flat fields as nested_request takes them, and manifests that they name. Throws InvalidInput.
void read_flat_fields(const Json& asked, const FieldTable& table, void* request, const FileScope& files,
                      const AnswerWatch& watch);

template <Described Request>
Request read_request(const Session& session, const Json& asked, const AnswerWatch& watch = {}) {
  Request request;
  read_flat_fields(asked, fields_of<Request>(), &request, session.files(), watch);
  hand_on(session.files(), request);
  return request;
}

// Hands on how far it is, and words on the way.
template <class Request>
void follow(Request& request, const AnswerWatch& watch) {
  if constexpr (requires { request.progress; }) request.progress = watch.said;
  if constexpr (requires { request.on_progress; })
    if (watch.progress)
      request.on_progress = [&watch](std::int64_t done, std::int64_t total) {
        watch.progress(double(done), double(total));
      };
}

// A text of a result, or of a result and what was asked.
template <auto kText, class Request, class Result>
std::string text_of(const Request& request, const Result& result) {
  if constexpr (requires { kText(request, result); })
    return kText(request, result);
  else
    return kText(result);
}

// A use case that opens what it needs itself.
template <Described Request, auto kUseCase, auto kReport, auto kText, class Document = Json>
Document answer_by(const Question& question) {
  auto request = read_request<Request>(question.session, question.asked, question.watch);
  follow(request, question.watch);
  const auto result = kUseCase(request);
  question.write([&] { return text_of<kText>(request, result); });
  return kReport(result);
}

// A use case that takes the session's model where the request names no other.
template <Described Request, auto kUseCase, auto kReport, auto kText, class Document = Json>
Document answer_with_model(const Question& question) {
  auto request = read_request<Request>(question.session, question.asked, question.watch);
  follow(request, question.watch);
  const auto result = kUseCase(request, question.session.model_of(request.predictor));
  question.write([&] { return text_of<kText>(request, result); });
  return kReport(result);
}

}  // namespace warploom
