// Measured rows in a compact form: millions fit in memory.
//
// Equal operators, GPUs and contexts are stored once and rows refer to them by index, since the same shapes
// are measured on many GPUs with many libraries. A row takes 24 bytes; an operator is kept once, about 200
// bytes. The indices make cheap caches: what depends on the shape alone needs computing once per
// operator_index.
//
// Value semantics. Const methods may run concurrently; adding rows may not.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "warploom/kernels/latency_model.h"
#include "warploom/measurements/measurement.h"

namespace warploom {

class Dataset {
 public:
  std::size_t size() const { return rows_.size(); }
  bool empty() const { return rows_.empty(); }

  // Accessors of a row, 0 <= row < size(). References and views stay valid until rows are added.
  const Operator& op(std::size_t row) const { return operators_[rows_[row].op].op; }
  Family family(std::size_t row) const { return operators_[rows_[row].op].family; }
  std::uint64_t shape(std::size_t row) const { return operators_[rows_[row].op].shape; }  // shape_hash(op)
  const std::string& gpu(std::size_t row) const { return gpus_[rows_[row].gpu]; }
  KernelContext context(std::size_t row) const { return context_at(rows_[row].context); }
  Seconds latency(std::size_t row) const { return Seconds(rows_[row].latency_s); }
  std::int64_t n_samples(std::size_t row) const { return rows_[row].n_samples; }
  Layout layout(std::size_t row) const { return static_cast<Layout>(rows_[row].layout); }
  Marks marks(std::size_t row) const { return Marks::from_bits(rows_[row].marks); }
  Measurement measurement(std::size_t row) const;  // a copy by value

  // Indices of the row's operator, GPU and context among the distinct ones.
  std::uint32_t operator_index(std::size_t row) const { return rows_[row].op; }
  std::uint32_t gpu_index(std::size_t row) const { return rows_[row].gpu; }
  std::uint32_t context_index(std::size_t row) const { return rows_[row].context; }

  // The distinct ones. Some may be used by no row.
  std::size_t operator_count() const { return operators_.size(); }
  const Operator& operator_at(std::uint32_t index) const { return operators_[index].op; }
  Family operator_family(std::uint32_t index) const { return operators_[index].family; }
  std::uint64_t operator_shape(std::uint32_t index) const { return operators_[index].shape; }
  // shape_hash and residency in one hash: what makes operators equal here.
  std::uint64_t operator_identity(std::uint32_t index) const;
  const std::vector<std::string>& gpus() const { return gpus_; }
  std::size_t context_count() const { return contexts_.size(); }
  KernelContext context_at(std::uint32_t index) const;

  // Rows of a family in order. O(size).
  std::vector<std::uint32_t> rows_of(Family family) const;
  // Rows that satisfy a test, in order.
  std::vector<std::uint32_t> rows_where(const std::function<bool(std::size_t row)>& test) const;
  // A data set of these rows alone.
  Dataset subset(const std::vector<std::uint32_t>& rows) const;

  // Adding. intern_* return the index of an equal entry when there is one.
  // intern_operator throws InvalidInput (naming `where`) when check_operator refuses the operator.
  std::uint32_t intern_operator(const Operator& op, std::string_view where);
  std::uint32_t intern_gpu(std::string_view name);
  std::uint32_t intern_context(const KernelContext& context);
  struct RowValues {
    std::uint32_t op = 0, gpu = 0, context = 0;
    Seconds latency;
    std::int64_t n_samples = 1;
    Layout layout = Layout::Warploom;
    Marks marks;
  };
  // Throws InvalidInput (naming `where`) on a latency that is not positive and finite.
  void add_row(const RowValues& row, std::string_view where);
  void add(const Measurement& measurement, std::string_view where = "measurement");
  void append(const Dataset& other);
  // Rewrites a row's latency and count; used where repeated rows are merged.
  void set_latency(std::size_t row, Seconds latency, std::int64_t n_samples);
  // Drops every row for which keep[row] is false; order stays. keep.size() == size().
  void retain(const std::vector<bool>& keep);

 private:
  struct OperatorEntry {
    Operator op;
    std::uint64_t shape = 0;
    Family family = Family::Gemm;
  };
  struct Row {
    double latency_s = 0;
    std::uint32_t op = 0;
    std::uint32_t n_samples = 1;
    std::uint16_t context = 0;
    std::uint16_t gpu = 0;
    std::uint8_t layout = 0;
    std::uint8_t marks = 0;
  };
  struct ContextEntry {
    std::string framework, version, kernel;
  };

  std::deque<OperatorEntry> operators_;
  std::vector<std::string> gpus_;
  std::deque<ContextEntry> contexts_;
  std::vector<Row> rows_;
  std::unordered_map<std::uint64_t, std::uint32_t> operator_by_hash_;
  std::unordered_map<std::string, std::uint32_t> gpu_by_name_;
  std::unordered_map<std::string, std::uint32_t> context_by_text_;
};

}  // namespace warploom
