// Little-endian binary records. Writing appends to a string; reading checks every bound and throws
// InvalidInput naming the source.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "warploom/base/error.h"

namespace warploom {

class ByteWriter {
 public:
  template <class T>
  requires std::is_arithmetic_v<T>
  void put(T value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void put_text(std::string_view text) {
    put(std::uint32_t(text.size()));
    bytes_.append(text);
  }
  template <class T>
  void put_all(const std::vector<T>& values) {
    put(std::uint32_t(values.size()));
    for (const T value : values) put(value);
  }
  void put_bytes(std::string_view bytes) { bytes_.append(bytes); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class ByteReader {
 public:
  ByteReader(std::string_view bytes, std::string_view where) : bytes_(bytes), where_(where) {}

  template <class T>
  requires std::is_arithmetic_v<T> T take() {
    T value;
    std::memcpy(&value, take_bytes(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view take_text() { return take_bytes(take<std::uint32_t>()); }
  template <class T>
  std::vector<T> take_all() {
    const auto count = take<std::uint32_t>();
    const std::string_view raw = take_bytes(std::size_t(count) * sizeof(T));
    std::vector<T> values(count);
    if (count > 0) std::memcpy(values.data(), raw.data(), raw.size());
    return values;
  }
  // A number of records of at least `least_bytes` each. More than the rest can hold is refused.
  std::size_t take_count(std::size_t least_bytes) {
    const std::size_t count = take<std::uint32_t>();
    if (count > (bytes_.size() - position_) / least_bytes)
      throw InvalidInput(std::string(where_) + ": more records than the file has room for, from byte " +
                         std::to_string(position_) + " of its records");
    return count;
  }
  std::string_view take_bytes(std::size_t count) {
    if (count > bytes_.size() - position_)
      throw InvalidInput(std::string(where_) + ": the file ends in the middle of a record, at byte " +
                         std::to_string(position_) + " of its records");
    const std::string_view part = bytes_.substr(position_, count);
    position_ += count;
    return part;
  }
  bool at_end() const { return position_ == bytes_.size(); }
  std::size_t position() const { return position_; }
  std::string_view rest() const { return bytes_.substr(position_); }

 private:
  std::string_view bytes_;
  std::string_view where_;
  std::size_t position_ = 0;
};

}  // namespace warploom
