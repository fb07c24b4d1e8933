// One operator on one GPU, checked once and asked again and again with other sizes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "warploom/answers/answer_watch.h"
#include "warploom/answers/session.h"
#include "warploom/app/predict/predict_operator.h"
#include "warploom/base/json.h"
#include "warploom/serving/pricing/kernel_names.h"

namespace warploom {

// One size of many operators. `field` as PreparedQuestion::set takes it; the values must outlive their use.
struct SizeColumn {
  std::string field;
  std::span<const std::int64_t> values;
};

// Called once for each row, from any thread.
using SeeEstimate = std::function<void(std::size_t row, const LatencyEstimate& estimate)>;

// The session must outlive it. Const methods may run concurrently.
class PreparedQuestion {
 public:
  // `asked`: the fields of `predict` as answer() takes them. Throws what `predict` throws.
  // `watch` is told what `predict` notes of this question, by the sizes that it comes with.
  PreparedQuestion(const Session& session, const Json& asked, const AnswerWatch& watch = {});

  // `field`: a whole number of the operator's family, or `batch`, `tokens` and `context` of requests that
  // are alike. Throws InvalidInput on any other, and on a value out of its range.
  void set(std::string_view field, std::int64_t value);

  const Operator& op() const { return request_.op; }
  // What LatencyModel::estimate says; throws the same.
  LatencyEstimate estimate() const;
  // Answers `rows` operators, each with sizes from the columns and the rest from this question. `threads`: 0
  // as many as the machine has; no effect on results. Throws InvalidInput on a column that is no size or
  // has another length, and one that names the first row that is no operator; what the model throws.
  void estimate_rows(std::span<const SizeColumn> columns, std::size_t rows, std::size_t threads,
                     const SeeEstimate& see) const;
  // What `predict` notes of such rows: each word once, with how many rows it is of and the first of them.
  // Throws as estimate_rows does.
  std::vector<std::string> notes_of_rows(std::span<const SizeColumn> columns, std::size_t rows) const;

 private:
  struct Size {
    const Field* field;
    bool of_requests;  // of the one group of requests that are alike
  };
  struct Column {
    Size size;
    std::span<const std::int64_t> values;
  };
  Size size_of(std::string_view name) const;
  std::vector<Column> columns_of(std::span<const SizeColumn> named, std::size_t rows) const;
  // The question with the sizes of a row. Throws InvalidInput, with the row, on one that is no operator.
  void set_row(PredictRequest& request, std::span<const Column> columns, std::size_t row) const;
  void estimate_part(std::span<const Operator> operators, std::span<LatencyEstimate> results) const;
  void check_rows(std::span<const Column> columns, std::size_t begin, std::size_t end) const;

  PredictRequest request_;
  std::shared_ptr<const LatencyModel> model_;
  const GpuSpec* gpu_;
  KernelNames engine_;
};

}  // namespace warploom
