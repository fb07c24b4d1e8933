#include "warploom/learning/deflate.h"

#include <fmt/format.h>
#include <zlib.h>

#include "warploom/base/byte_stream.h"
#include "warploom/base/error.h"

namespace warploom {

std::string deflate_bytes(std::string_view bytes) {
  uLongf length = compressBound(uLong(bytes.size()));
  std::string packed(length, '\0');
  const int status = compress2(reinterpret_cast<Bytef*>(packed.data()), &length,
                               reinterpret_cast<const Bytef*>(bytes.data()), uLong(bytes.size()), 9);
  if (status != Z_OK) throw Error(fmt::format("deflating {} bytes failed", bytes.size()));
  ByteWriter out;
  out.put(std::uint32_t(bytes.size()));
  return out.bytes() + packed.substr(0, length);
}

std::string inflate_bytes(std::string_view deflated, std::size_t most, std::string_view where) {
  ByteReader in(deflated, where);
  const auto expected = in.take<std::uint32_t>();
  if (expected > most)
    throw InvalidInput(fmt::format("{}: a record of {} bytes, expected at most {}", where, expected, most));
  const std::string_view packed = deflated.substr(sizeof expected);
  std::string bytes(expected, '\0');
  uLongf length = expected;
  const int status = uncompress(reinterpret_cast<Bytef*>(bytes.data()), &length,
                                reinterpret_cast<const Bytef*>(packed.data()), uLong(packed.size()));
  if (status != Z_OK || length != expected)
    throw InvalidInput(fmt::format("{}: a deflated record is damaged", where));
  return bytes;
}

}  // namespace warploom
