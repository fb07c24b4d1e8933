#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "bindings.h"
#include "warploom/answers/prepared_question.h"
#include "warploom/base/error.h"

namespace nb = nanobind;

namespace warploom::python {
namespace {

using Sizes = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
struct OwnedColumn {
  explicit OwnedColumn(std::size_t rows) : values(new T[rows]), count(rows) {}
  nb::object array() {
    T* const data = values.release();
    const nb::capsule owner(data, [](void* held) noexcept { delete[] static_cast<T*>(held); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {count}, owner));
  }
  std::unique_ptr<T[]> values;
  std::size_t count;
};

// (p10_us, p50_us, p90_us, physical_bound_us, bound, tier, extrapolated, stands_in, in_step)
using EstimateTuple = std::tuple<double, double, double, double, int, int, bool, bool, bool>;

EstimateTuple estimate_tuple(const PreparedQuestion& question) {
  const LatencyEstimate e = question.estimate();
  return {to_microseconds(e.p10), to_microseconds(e.p50), to_microseconds(e.p90),
          to_microseconds(e.physical_bound), int(e.bound), int(e.tier), e.extrapolated, e.stands_in,
          e.in_step};
}

// The sizes of rows, and the arrays that hold them.
struct SizeArrays {
  explicit SizeArrays(const nb::dict& sizes) {
    for (const auto& [name, values] : sizes) {
      Sizes column;
      if (!nb::try_cast(values, column, false))  // no conversion: it would cut fractions off
        throw nb::type_error("expected a contiguous array of int64 for each size");
      held.push_back(std::move(column));
      columns.push_back({nb::cast<std::string>(name), {held.back().data(), held.back().size()}});
    }
  }
  std::vector<SizeColumn> columns;
  std::vector<Sizes> held;
};

nb::list notes_of_columns(const PreparedQuestion& question, const nb::dict& sizes, std::size_t rows) {
  nb::list notes;
  for (const std::string& line : question.notes_of_rows(SizeArrays(sizes).columns, rows)) notes.append(line);
  return notes;
}

// As estimate_tuple, each an array.
nb::tuple estimate_columns(const PreparedQuestion& question, const nb::dict& sizes, std::size_t rows,
                           std::size_t threads) {
  const SizeArrays given(sizes);
  OwnedColumn<double> p10(rows), p50(rows), p90(rows), physical(rows);
  OwnedColumn<std::uint8_t> bound(rows), tier(rows);
  OwnedColumn<bool> extrapolated(rows), stands_in(rows), in_step(rows);
  {
    const nb::gil_scoped_release unlocked;
    question.estimate_rows(given.columns, rows, threads, [&](std::size_t row, const LatencyEstimate& e) {
      p10.values[row] = to_microseconds(e.p10);
      p50.values[row] = to_microseconds(e.p50);
      p90.values[row] = to_microseconds(e.p90);
      physical.values[row] = to_microseconds(e.physical_bound);
      bound.values[row] = std::uint8_t(e.bound);
      tier.values[row] = std::uint8_t(e.tier);
      extrapolated.values[row] = e.extrapolated;
      stands_in.values[row] = e.stands_in;
      in_step.values[row] = e.in_step;
    });
  }
  return nb::make_tuple(p10.array(), p50.array(), p90.array(), physical.array(), bound.array(), tier.array(),
                        extrapolated.array(), stands_in.array(), in_step.array());
}

template <NamedEnum E>
nb::tuple names_tuple() {
  nb::list names;
  for (const std::string& name : names_of<E>()) names.append(name);
  return nb::tuple(names);
}

}  // namespace

void bind_questions(nb::module_& m) {
  m.attr("bounds") = names_tuple<Bound>();
  m.attr("tiers") = names_tuple<Tier>();
  nb::class_<PreparedQuestion>(m, "Question")
      .def(
          "__init__",
          [](PreparedQuestion* self, const Session& session, const std::string& fields,
             const nb::object& noted) {
            new (self) PreparedQuestion(session, parse_json(fields, "predict"), notes_to(noted));
          },
          nb::arg("session"), nb::arg("fields"), nb::arg("noted") = nb::none(), nb::keep_alive<1, 2>())
      .def("set", &PreparedQuestion::set, nb::arg("field"), nb::arg("value"))
      .def("estimate", &estimate_tuple)
      .def("notes_of_columns", &notes_of_columns, nb::arg("sizes"), nb::arg("rows"))
      .def("estimate_columns", &estimate_columns, nb::arg("sizes"), nb::arg("rows"), nb::arg("threads") = 1);
}

}  // namespace warploom::python
