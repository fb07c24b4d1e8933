#include "warploom/answers/prepared_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "warploom/answers/flat_operator.h"
#include "warploom/answers/internal/request_reading.h"
#include "warploom/answers/internal/version_note.h"
#include "warploom/base/error.h"
#include "warploom/base/nearest_name.h"
#include "warploom/base/parallel.h"
#include "warploom/kernels/alike_requests.h"
#include "warploom/kernels/operator_fields.h"
#include "warploom/serving/engines/engine_kernels.h"
#include "warploom/serving/pricing/step_pricer.h"

namespace warploom {
namespace {

constexpr std::size_t kRowsAtOnce = 1024;  // operators and answers of a part fit into a core's second cache

PredictRequest read_question(const Session& session, const Json& asked, const AnswerWatch& watch) {
  PredictRequest request = read_predict_request(asked);
  hand_on(session.files(), request);
  const auto model = session.model_of(request.predictor);
  request.op = checked_operator(request, *model);
  const GpuSpec& gpu = session.gpu(request.gpu);
  const KernelNames engine = kernels_of(request.framework, request.version);
  const KernelSource priced(model->answer(request.op, gpu, asked_kernel(request, engine, request.op, gpu)),
                            request.op, {request.framework, request.version, request.kernel});
  check_named_kernel(request, priced.framework, priced.kernel);
  if (watch.noted && !request.version.empty())
    if (const std::string note = version_note(request, predict_operator(request, *model)); !note.empty())
      watch.note(note);
  return request;
}

[[noreturn]] void throw_no_size(std::string_view name, Operator op) {
  std::vector<std::string> names;
  for (const Field& field : operator_fields(family_of(op)).fields)
    if (field.kind == FieldKind::Integer) names.push_back(field.name);
  if (requests_of(op) != nullptr)
    for (const Field& field : fields_of<AlikeRequests>().fields) names.push_back(field.name);
  throw InvalidInput(fmt::format("predict: '{}' is no size of {}{}", name, name_of(family_of(op)),
                                 did_you_mean(name, names)));
}

void set_size(Operator& op, const Field& field, bool of_requests, std::int64_t value) {
  void* holder = of_requests ? static_cast<void*>(&requests_of(op)->front()) : operator_object(op);
  field.set(holder, FieldValue(value));
}

}  // namespace

PreparedQuestion::PreparedQuestion(const Session& session, const Json& asked, const AnswerWatch& watch)
    : request_(read_question(session, asked, watch)),
      model_(session.model_of(request_.predictor)),
      gpu_(&session.gpu(request_.gpu)),
      engine_(kernels_of(request_.framework, request_.version)) {}

PreparedQuestion::Size PreparedQuestion::size_of(std::string_view name) const {
  Operator op = request_.op;
  if (const auto* requests = requests_of(op); requests != nullptr && requests->size() == 1)
    if (const Field* field = fields_of<RequestGroup>().find(group_field(name))) return {field, true};
  const Field* field = operator_fields(family_of(op)).find(name);
  if (field == nullptr || field->kind != FieldKind::Integer) throw_no_size(name, op);
  return {field, false};
}

void PreparedQuestion::set(std::string_view name, std::int64_t value) {
  const Size size = size_of(name);
  check_field_value(*size.field, FieldValue(value), fmt::format("predict: {}", name));
  set_size(request_.op, *size.field, size.of_requests, value);
}

LatencyEstimate PreparedQuestion::estimate() const {
  return model_->estimate(request_.op, *gpu_, asked_kernel(request_, engine_, request_.op, *gpu_));
}

void PreparedQuestion::estimate_part(std::span<const Operator> operators,
                                     std::span<LatencyEstimate> results) const {
  // An engine chooses its kernel by the sizes.
  if (engine_.rule == nullptr || !request_.kernel.empty()) {
    model_->estimate_batch(operators, *gpu_, asked_kernel(request_, engine_, request_.op, *gpu_), results);
    return;
  }
  for (std::size_t i = 0; i < operators.size(); ++i)
    results[i] = model_->estimate(operators[i], *gpu_, asked_kernel(request_, engine_, operators[i], *gpu_));
}

void PreparedQuestion::set_row(PredictRequest& request, std::span<const Column> columns,
                               std::size_t row) const {
  const std::string where = fmt::format("predict: row {}", row);
  for (const Column& column : columns) {
    check_field_value(*column.size.field, FieldValue(column.values[row]),
                      fmt::format("{}: {}", where, column.size.field->name));
    set_size(request.op, *column.size.field, column.size.of_requests, column.values[row]);
  }
  check_operator(request.op, where);
}

void PreparedQuestion::check_rows(std::span<const Column> columns, std::size_t begin, std::size_t end) const {
  PredictRequest request = request_;
  for (std::size_t row = begin; row < end; ++row) set_row(request, columns, row);
}

std::vector<PreparedQuestion::Column> PreparedQuestion::columns_of(std::span<const SizeColumn> named,
                                                                   std::size_t rows) const {
  std::vector<Column> columns;
  for (const SizeColumn& column : named) {
    if (column.values.size() != rows)
      throw InvalidInput(fmt::format("predict: column {} has {} rows, expected {}", column.field,
                                     column.values.size(), rows));
    columns.push_back({size_of(column.field), column.values});
  }
  return columns;
}

std::vector<std::string> PreparedQuestion::notes_of_rows(std::span<const SizeColumn> named,
                                                         std::size_t rows) const {
  const std::vector<Column> columns = columns_of(named, rows);
  if (request_.version.empty()) return {};
  struct Said {
    std::string note;
    std::size_t first, count;
  };
  std::vector<Said> said;
  PredictRequest request = request_;
  for (std::size_t row = 0; row < rows; ++row) {
    set_row(request, columns, row);
    std::string note = version_note(request, predict_operator(request, *model_));
    if (note.empty()) continue;
    const auto known =
        std::find_if(said.begin(), said.end(), [&](const Said& each) { return each.note == note; });
    if (known != said.end())
      ++known->count;
    else
      said.push_back({std::move(note), row, 1});
  }
  std::vector<std::string> lines;
  for (const Said& each : said)
    lines.push_back(fmt::format("{} of {} rows, row {} first: {}", each.count, rows, each.first, each.note));
  return lines;
}

void PreparedQuestion::estimate_rows(std::span<const SizeColumn> named, std::size_t rows, std::size_t threads,
                                     const SeeEstimate& see) const {
  const std::vector<Column> columns = columns_of(named, rows);
  const std::size_t parts = (rows + kRowsAtOnce - 1) / kRowsAtOnce;
  parallel_for_each_thread(parts, threads, [&]() -> ParallelTask {
    auto operators = std::make_shared<std::vector<Operator>>(std::min(rows, kRowsAtOnce), request_.op);
    auto answers = std::make_shared<std::vector<LatencyEstimate>>(operators->size());
    return [this, operators, answers, rows, &columns, &see](std::size_t part) {
      const std::size_t begin = part * kRowsAtOnce, count = std::min(kRowsAtOnce, rows - begin);
      for (const Column& column : columns) {
        const bool known = (column.size.of_requests ? set_alike_sizes : set_sizes)(
            {operators->data(), count}, column.size.field->name, column.values.subspan(begin, count));
        WARPLOOM_ASSERT(known);
      }
      try {
        estimate_part({operators->data(), count}, {answers->data(), count});
      } catch (const InvalidInput&) {
        check_rows(columns, begin, begin + count);  // throws, with the row, where a row is wrong
        throw;
      }
      for (std::size_t i = 0; i < count; ++i) see(begin + i, (*answers)[i]);
    };
  });
}

}  // namespace warploom
