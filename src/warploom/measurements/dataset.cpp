#include "warploom/measurements/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "warploom/base/error.h"
#include "warploom/base/hash.h"

namespace warploom {
namespace {

// shape_hash leaves the residency out, yet a warm and a cold GEMM are different operators.
std::uint64_t identity_hash(const Operator& op, std::uint64_t shape) {
  const auto* gemm = std::get_if<Gemm>(&op);
  if (gemm == nullptr || gemm->residency == Residency::Cold) return shape;
  return hash_combine(hash_combine(shape, 1), std::bit_cast<std::uint64_t>(gemm->weight_copies));
}

}  // namespace

Measurement Dataset::measurement(std::size_t row) const {
  const KernelContext where = context(row);
  return {.op = op(row),
          .gpu = gpu(row),
          .framework = std::string(where.framework),
          .version = std::string(where.version),
          .kernel = std::string(where.kernel),
          .latency = latency(row),
          .n_samples = n_samples(row),
          .layout = layout(row),
          .marks = marks(row)};
}

KernelContext Dataset::context_at(std::uint32_t index) const {
  const ContextEntry& entry = contexts_[index];
  return {entry.framework, entry.version, entry.kernel, /*as_collected=*/true};
}

std::uint64_t Dataset::operator_identity(std::uint32_t index) const {
  return identity_hash(operators_[index].op, operators_[index].shape);
}

std::vector<std::uint32_t> Dataset::rows_of(Family wanted) const {
  return rows_where([&](std::size_t row) { return family(row) == wanted; });
}

std::vector<std::uint32_t> Dataset::rows_where(const std::function<bool(std::size_t)>& test) const {
  std::vector<std::uint32_t> rows;
  for (std::size_t row = 0; row < size(); ++row) {
    if (test(row)) rows.push_back(static_cast<std::uint32_t>(row));
  }
  return rows;
}

std::uint32_t Dataset::intern_operator(const Operator& op, std::string_view where) {
  const std::uint64_t shape = shape_hash(op);
  const auto [entry, inserted] =
      operator_by_hash_.try_emplace(identity_hash(op, shape), static_cast<std::uint32_t>(operators_.size()));
  if (!inserted) return entry->second;
  try {
    check_operator(op, where);
  } catch (...) {
    operator_by_hash_.erase(entry);
    throw;
  }
  operators_.push_back({op, shape, family_of(op)});
  return entry->second;
}

std::uint32_t Dataset::intern_gpu(std::string_view name) {
  const auto [entry, inserted] =
      gpu_by_name_.try_emplace(std::string(name), static_cast<std::uint32_t>(gpus_.size()));
  if (inserted) gpus_.emplace_back(name);
  return entry->second;
}

std::uint32_t Dataset::intern_context(const KernelContext& context) {
  const auto [entry, inserted] = context_by_text_.try_emplace(
      fmt::format("{}\n{}\n{}", context.framework, context.version, context.kernel),
      static_cast<std::uint32_t>(contexts_.size()));
  if (inserted) {
    if (contexts_.size() > std::numeric_limits<std::uint16_t>::max()) {
      throw InvalidInput(fmt::format("more than {} different (framework, version, kernel) in one data set",
                                     contexts_.size()));
    }
    contexts_.push_back(
        {std::string(context.framework), std::string(context.version), std::string(context.kernel)});
  }
  return entry->second;
}

void Dataset::add_row(const RowValues& row, std::string_view where) {
  if (!(row.latency.value() > 0) || !std::isfinite(row.latency.value())) {
    throw InvalidInput(
        fmt::format("{}: latency of {} us, expected a positive number", where, to_microseconds(row.latency)));
  }
  if (row.n_samples < 1 || row.n_samples > std::numeric_limits<std::uint32_t>::max()) {
    throw InvalidInput(fmt::format("{}: n_samples is {}, expected at least 1", where, row.n_samples));
  }
  rows_.push_back({.latency_s = row.latency.value(),
                   .op = row.op,
                   .n_samples = static_cast<std::uint32_t>(row.n_samples),
                   .context = static_cast<std::uint16_t>(row.context),
                   .gpu = static_cast<std::uint16_t>(row.gpu),
                   .layout = static_cast<std::uint8_t>(row.layout),
                   .marks = row.marks.bits()});
}

void Dataset::add(const Measurement& m, std::string_view where) {
  add_row({.op = intern_operator(m.op, where),
           .gpu = intern_gpu(m.gpu),
           .context = intern_context({m.framework, m.version, m.kernel}),
           .latency = m.latency,
           .n_samples = m.n_samples,
           .layout = m.layout,
           .marks = m.marks},
          where);
}

namespace {
constexpr std::uint32_t kUnset = std::numeric_limits<std::uint32_t>::max();
}

Dataset Dataset::subset(const std::vector<std::uint32_t>& rows) const {
  Dataset result;
  std::vector<std::uint32_t> operators(operators_.size(), kUnset), contexts(contexts_.size(), kUnset);
  result.rows_.reserve(rows.size());
  for (const std::uint32_t index : rows) {
    Row row = rows_[index];
    std::uint32_t& op = operators[row.op];
    if (op == kUnset) op = result.intern_operator(operators_[row.op].op, "subset");
    std::uint32_t& context = contexts[row.context];
    if (context == kUnset) context = result.intern_context(context_at(row.context));
    row.op = op;
    row.context = static_cast<std::uint16_t>(context);
    row.gpu = static_cast<std::uint16_t>(result.intern_gpu(gpus_[row.gpu]));
    result.rows_.push_back(row);
  }
  return result;
}

void Dataset::append(const Dataset& other) {
  std::vector<std::uint32_t> operators(other.operators_.size(), kUnset),
      contexts(other.contexts_.size(), kUnset);
  rows_.reserve(rows_.size() + other.rows_.size());
  for (Row row : other.rows_) {
    std::uint32_t& op = operators[row.op];
    if (op == kUnset) op = intern_operator(other.operators_[row.op].op, "append");
    std::uint32_t& context = contexts[row.context];
    if (context == kUnset) context = intern_context(other.context_at(row.context));
    row.op = op;
    row.context = static_cast<std::uint16_t>(context);
    row.gpu = static_cast<std::uint16_t>(intern_gpu(other.gpus_[row.gpu]));
    rows_.push_back(row);
  }
}

void Dataset::set_latency(std::size_t row, Seconds latency, std::int64_t n_samples) {
  WARPLOOM_ASSERT(latency.value() > 0 && n_samples > 0);
  rows_[row].latency_s = latency.value();
  rows_[row].n_samples = static_cast<std::uint32_t>(
      std::min<std::int64_t>(n_samples, std::numeric_limits<std::uint32_t>::max()));
}

void Dataset::retain(const std::vector<bool>& keep) {
  WARPLOOM_ASSERT(keep.size() == rows_.size());
  std::size_t kept = 0;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    if (keep[row]) rows_[kept++] = rows_[row];
  }
  rows_.resize(kept);
}

}  // namespace warploom
