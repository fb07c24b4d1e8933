// One list of fields per configuration struct drives JSON, range checks, unknown-key errors, command-line
// options, documentation and language bindings.
//
//   struct Limits {
//     std::int64_t max_num_seqs = 256;
//     Seconds timeout{1.0};
//     static FieldTable describe() {
//       return FieldList<Limits>("limits")
//           .add("max_num_seqs", &Limits::max_num_seqs, {.doc = "sequences in a batch", .min = 1})
//           .add("timeout_ms", &Limits::timeout, {.unit = "ms", .scale = 1e-3, .min = 0})
//           .table();
//     }
//   };
//
// A key carries the unit of its JSON value; `scale` times that value is the SI value of the member. min and
// max bound the JSON value, as does what a narrow integer member can hold. Members may be bool, integers,
// double, Quantity, std::string, enums that have a static EnumNames table, std::optional of those (absent =
// no value), std::vector of integers, doubles or strings, other described structs and vectors of them.
// Defaults stand only in the struct.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "warploom/base/error.h"
#include "warploom/base/units.h"

namespace warploom {

// The spellings of an enum: specialise with
//   static constexpr std::array<std::pair<E, std::string_view>, N> kNames{...};
template <class E>
struct EnumNames;

template <class E>
concept NamedEnum = std::is_enum_v<E> && requires {
  EnumNames<E>::kNames;
};

// The spelling of an enum value; empty for a value outside the table.
template <NamedEnum E>
constexpr std::string_view name_of(E value) {
  for (const auto& [candidate, name] : EnumNames<E>::kNames) {
    if (candidate == value) return name;
  }
  return {};
}

// The value with this spelling, if any.
template <NamedEnum E>
constexpr std::optional<E> enum_from_name(std::string_view name) {
  for (const auto& [candidate, candidate_name] : EnumNames<E>::kNames) {
    if (candidate_name == name) return candidate;
  }
  return std::nullopt;
}

// Every spelling, in table order.
template <NamedEnum E>
std::vector<std::string> names_of() {
  std::vector<std::string> names;
  for (const auto& entry : EnumNames<E>::kNames) names.emplace_back(entry.second);
  return names;
}

// The value with this spelling; throws InvalidInput "<where>: '<name>' ..." that lists the choices.
[[noreturn]] void throw_unknown_choice(std::string_view where, std::string_view name,
                                       const std::vector<std::string>& choices);
template <NamedEnum E>
E parse_enum(std::string_view name, std::string_view where) {
  if (const auto value = enum_from_name<E>(name)) return *value;
  throw_unknown_choice(where, name, names_of<E>());
}

struct FieldTable;

enum class FieldKind { Boolean, Integer, Real, Text, IntegerList, RealList, TextList, Object, ObjectList };

// monostate: no value (an empty optional).
using FieldValue = std::variant<std::monostate, bool, std::int64_t, double, std::string,
                                std::vector<std::int64_t>, std::vector<double>, std::vector<std::string>>;

struct FieldOptions {
  std::string_view unit = "";  // of the JSON value; empty for counts and names
  std::string_view doc = "";   // one line, no full stop
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  double scale = 1.0;     // SI value = scale * JSON value
  bool required = false;  // reading fails when the key is absent
  // The values that a text, or each of a list, takes; empty: any. Those of an enum come from its EnumNames.
  std::span<const std::string_view> choices = {};
  std::string_view topic = "";  // one word that fields about the same thing share
  // Who has the field, in a struct that serves several; empty: all of them.
  std::span<const std::string_view> owners = {};
  // Fields of which one must differ from its default, or this one changes nothing; empty: it stands alone.
  std::span<const std::string_view> needs = {};
};

// One field, with its member's type erased. `object` is the struct that the table describes.
struct Field {
  std::string name;
  FieldKind kind = FieldKind::Real;
  FieldOptions options;
  double held_min = -std::numeric_limits<double>::infinity();  // what an integer member can hold,
  double held_max = std::numeric_limits<double>::infinity();   // whatever `options` allows
  bool optional = false;                                       // the member is a std::optional
  std::vector<std::string> choices;                            // the spellings of an enum
  std::function<FieldValue(const void* object)> get;
  std::function<void(void* object, FieldValue value)> set;
  // Object and ObjectList only.
  std::shared_ptr<const FieldTable> nested;
  std::function<std::size_t(const void* object)> size;
  std::function<void(void* object, std::size_t size)> resize;
  std::function<void*(void* object, std::size_t index)> element;
};

struct FieldTable {
  std::string type_name;
  std::vector<Field> fields;

  // The field of that name; nullptr when there is none, also among nested ones.
  const Field* find(std::string_view name) const;
};

template <class T>
concept Described = requires {
  { T::describe() } -> std::convertible_to<FieldTable>;
};

// The table of T, built once.
template <Described T>
const FieldTable& fields_of() {
  static const FieldTable table = T::describe();
  return table;
}

// Throws InvalidInput "<where>: '<name>' is ..., expected ..." when a number is out of the field's range or
// not finite, or a text is not among its choices.
void check_field_value(const Field& field, const FieldValue& value, std::string_view where);

// Checks every field of an object, nested ones included.
void check_fields(const FieldTable& table, const void* object, std::string_view where);
template <Described T>
void check(const T& object, std::string_view where) {
  check_fields(fields_of<T>(), &object, where);
}

namespace detail {

template <class M>
struct IsOptional : std::false_type {};
template <class M>
struct IsOptional<std::optional<M>> : std::true_type {};
template <class M>
struct IsVector : std::false_type {};
template <class M>
struct IsVector<std::vector<M>> : std::true_type {};
template <class M>
struct IsQuantity : std::false_type {};
template <class D>
struct IsQuantity<Quantity<D>> : std::true_type {};

template <class M>
constexpr FieldKind kind_of() {
  if constexpr (IsOptional<M>::value) {
    return kind_of<typename M::value_type>();
  } else if constexpr (std::is_same_v<M, bool>) {
    return FieldKind::Boolean;
  } else if constexpr (NamedEnum<M> || std::is_same_v<M, std::string>) {
    return FieldKind::Text;
  } else if constexpr (std::is_integral_v<M>) {
    return FieldKind::Integer;
  } else if constexpr (IsVector<M>::value) {
    using E = typename M::value_type;
    if constexpr (std::is_same_v<E, std::string>)
      return FieldKind::TextList;
    else if constexpr (std::is_integral_v<E>)
      return FieldKind::IntegerList;
    else if constexpr (Described<E>)
      return FieldKind::ObjectList;
    else
      return FieldKind::RealList;
  } else if constexpr (Described<M>) {
    return FieldKind::Object;
  } else {
    static_assert(std::is_same_v<M, double> || IsQuantity<M>::value, "unsupported member type");
    return FieldKind::Real;
  }
}

// The range of the integers that a member of type M (or its elements) can hold.
template <class M>
constexpr std::pair<double, double> held_range() {
  if constexpr (IsOptional<M>::value || IsVector<M>::value) {
    return held_range<typename M::value_type>();
  } else if constexpr (std::is_integral_v<M>) {
    return {static_cast<double>(std::numeric_limits<M>::min()),
            static_cast<double>(std::numeric_limits<M>::max())};
  } else {
    return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }
}

template <class M>
FieldValue read_member(const M& member, double scale) {
  if constexpr (IsOptional<M>::value) {
    return member ? read_member(*member, scale) : FieldValue{};
  } else if constexpr (std::is_same_v<M, bool>) {
    return member;
  } else if constexpr (NamedEnum<M>) {
    return std::string(name_of(member));
  } else if constexpr (std::is_integral_v<M>) {
    return static_cast<std::int64_t>(member);
  } else if constexpr (IsQuantity<M>::value) {
    return member.value() / scale;
  } else if constexpr (std::is_same_v<M, double>) {
    return member / scale;
  } else if constexpr (IsVector<M>::value && std::is_integral_v<typename M::value_type>) {
    return std::vector<std::int64_t>(member.begin(), member.end());
  } else {
    return member;
  }
}

template <class M>
void write_member(M& member, FieldValue&& value, double scale) {
  if constexpr (IsOptional<M>::value) {
    if (std::holds_alternative<std::monostate>(value)) {
      member.reset();
      return;
    }
    member.emplace();
    write_member(*member, std::move(value), scale);
  } else if constexpr (std::is_same_v<M, bool>) {
    member = std::get<bool>(value);
  } else if constexpr (NamedEnum<M>) {
    member = enum_from_name<M>(std::get<std::string>(value)).value();
  } else if constexpr (std::is_integral_v<M>) {
    member = static_cast<M>(std::get<std::int64_t>(value));
  } else if constexpr (IsQuantity<M>::value) {
    member = M(std::get<double>(value) * scale);
  } else if constexpr (std::is_same_v<M, double>) {
    member = std::get<double>(value) * scale;
  } else if constexpr (IsVector<M>::value && std::is_integral_v<typename M::value_type>) {
    const auto& list = std::get<std::vector<std::int64_t>>(value);
    member.assign(list.begin(), list.end());
  } else {
    member = std::get<M>(std::move(value));
  }
}

}  // namespace detail

// Builds a FieldTable from pointers to members.
template <class T>
class FieldList {
 public:
  explicit FieldList(std::string_view type_name) { table_.type_name = type_name; }

  template <class M>
  FieldList& add(std::string_view name, M T::*member, FieldOptions options = {}) {
    Field field;
    field.name = name;
    field.kind = detail::kind_of<M>();
    field.options = options;
    std::tie(field.held_min, field.held_max) = detail::held_range<M>();
    field.optional = detail::IsOptional<M>::value;
    if constexpr (detail::IsOptional<M>::value) {
      if constexpr (NamedEnum<typename M::value_type>) field.choices = names_of<typename M::value_type>();
    } else if constexpr (NamedEnum<M>) {
      field.choices = names_of<M>();
    }
    if (field.choices.empty()) field.choices.assign(options.choices.begin(), options.choices.end());
    if constexpr (detail::kind_of<M>() == FieldKind::Object) {
      add_object(field, member);
    } else if constexpr (detail::kind_of<M>() == FieldKind::ObjectList) {
      add_object_list(field, member);
    } else {
      const double scale = options.scale;
      field.get = [member, scale](const void* object) {
        return detail::read_member(static_cast<const T*>(object)->*member, scale);
      };
      field.set = [member, scale](void* object, FieldValue&& value) {
        detail::write_member(static_cast<T*>(object)->*member, std::move(value), scale);
      };
    }
    table_.fields.push_back(std::move(field));
    return *this;
  }

  FieldTable table() { return std::move(table_); }

 private:
  template <class M>
  void add_object(Field& field, M T::*member) {
    if constexpr (detail::IsOptional<M>::value) {
      using Value = typename M::value_type;
      field.nested = std::make_shared<const FieldTable>(Value::describe());
      field.size = [member](const void* object) {
        return std::size_t((static_cast<const T*>(object)->*member) ? 1 : 0);
      };
      field.resize = [member](void* object, std::size_t size) {
        auto& slot = static_cast<T*>(object)->*member;
        if (size == 0)
          slot.reset();
        else if (!slot)
          slot.emplace();
      };
      field.element = [member](void* object, std::size_t) -> void* {
        return &*(static_cast<T*>(object)->*member);
      };
    } else {
      field.nested = std::make_shared<const FieldTable>(M::describe());
      field.size = [](const void*) { return std::size_t(1); };
      field.resize = [](void*, std::size_t) {};
      field.element = [member](void* object, std::size_t) -> void* {
        return &(static_cast<T*>(object)->*member);
      };
    }
  }

  template <class M>
  void add_object_list(Field& field, M T::*member) {
    field.nested = std::make_shared<const FieldTable>(M::value_type::describe());
    field.size = [member](const void* object) { return (static_cast<const T*>(object)->*member).size(); };
    field.resize = [member](void* object, std::size_t size) {
      (static_cast<T*>(object)->*member).resize(size);
    };
    field.element = [member](void* object, std::size_t index) -> void* {
      return &(static_cast<T*>(object)->*member)[index];
    };
  }

  FieldTable table_;
};

}  // namespace warploom
