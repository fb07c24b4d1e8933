#include <nlohmann/json.hpp>

#include "warploom/capi/capi_objects.h"
#include "warploom/capi/status.h"
#include "warploom/capi/warploom.h"

using warploom::guarded;
using warploom::HandleUse;
using warploom::QuestionHandles;
using warploom::told;

namespace {

warploom_prediction prediction_of(const warploom::LatencyEstimate& estimate) {
  return {.p10_us = to_microseconds(estimate.p10),
          .p50_us = to_microseconds(estimate.p50),
          .p90_us = to_microseconds(estimate.p90),
          .physical_bound_us = to_microseconds(estimate.physical_bound),
          .bound = static_cast<int32_t>(estimate.bound),
          .tier = static_cast<int32_t>(estimate.tier),
          .extrapolated = estimate.extrapolated ? 1 : 0,
          .stands_in = estimate.stands_in ? 1 : 0,
          .in_step = estimate.in_step ? 1 : 0};
}

}  // namespace

warploom_status warploom_question_open(const warploom_session* session, const char* fields,
                                       warploom_question** question, char* message, size_t message_size) {
  if (question != nullptr) *question = nullptr;
  if (question == nullptr || fields == nullptr)
    return told(WARPLOOM_BAD_INPUT, "warploom_question_open: fields and question must not be NULL", message,
                message_size);
  return guarded(message, message_size, [&] {
    const auto held = warploom::session_of(session);
    auto opened = std::make_unique<warploom::OpenQuestion>(warploom::OpenQuestion{
        held, warploom::PreparedQuestion(*held, warploom::parse_json(fields, "predict"))});
    *question = static_cast<warploom_question*>(QuestionHandles::of_all().open(std::move(opened)));
  });
}

void warploom_question_close(warploom_question* question) { QuestionHandles::of_all().close(question); }

warploom_status warploom_question_set(warploom_question* question, const char* field, int64_t value,
                                      char* message, size_t message_size) {
  if (field == nullptr)
    return told(WARPLOOM_BAD_INPUT, "warploom_question_set: field must not be NULL", message, message_size);
  return guarded(message, message_size, [&] {
    QuestionHandles::of_all().get(question, "question", HandleUse::Exclusive)->question.set(field, value);
  });
}

warploom_status warploom_predict(const warploom_question* question, warploom_prediction* prediction,
                                 char* message, size_t message_size) {
  if (prediction == nullptr)
    return told(WARPLOOM_BAD_INPUT, "warploom_predict: prediction must not be NULL", message, message_size);
  return guarded(message, message_size, [&] {
    *prediction = prediction_of(
        QuestionHandles::of_all().get(question, "question", HandleUse::Shared)->question.estimate());
  });
}

warploom_status warploom_predict_rows(const warploom_question* question, const warploom_column* columns,
                                      size_t column_count, size_t rows, size_t threads,
                                      warploom_prediction* predictions, char* message, size_t message_size) {
  if (predictions == nullptr || (columns == nullptr && column_count > 0))
    return told(WARPLOOM_BAD_INPUT, "warploom_predict_rows: columns and predictions must not be NULL",
                message, message_size);
  return guarded(message, message_size, [&] {
    const auto held = QuestionHandles::of_all().get(question, "question", HandleUse::Shared);
    const auto& asked = held->question;
    std::vector<warploom::SizeColumn> sizes;
    for (std::size_t i = 0; i < column_count; ++i) {
      if (columns[i].field == nullptr || columns[i].values == nullptr)
        throw warploom::InvalidInput(
            "warploom_predict_rows: a column is NULL, expected its field and values");
      sizes.push_back({columns[i].field, {columns[i].values, rows}});
    }
    asked.estimate_rows(sizes, rows, threads, [&](std::size_t row, const warploom::LatencyEstimate& one) {
      predictions[row] = prediction_of(one);
    });
  });
}
