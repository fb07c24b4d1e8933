#include "warploom/learning/deflate.h"

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <limits>
#include <utility>

#include "warploom/base/byte_stream.h"
#include "warploom/base/error.h"

namespace warploom {
namespace {

constexpr int kEffort = 9;  // of zlib's levels the one that packs best
constexpr int kMemory = 8;  // zlib's default: blocks of 16,384 symbols
constexpr std::array kStrategies{Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY};

// One zlib stream in the making.
class Deflater {
 public:
  explicit Deflater(std::size_t bytes) : packed_(compressBound(uLong(bytes)) + kBlockHeads, '\0') {
    if (deflateInit2(&stream_, kEffort, Z_DEFLATED, MAX_WBITS, kMemory, Z_DEFAULT_STRATEGY) != Z_OK)
      throw Error("deflating: zlib does not start");
    stream_.next_out = reinterpret_cast<Bytef*>(packed_.data());
    stream_.avail_out = uInt(packed_.size());
  }
  ~Deflater() { deflateEnd(&stream_); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  // The bytes in blocks of their own.
  void add(std::string_view bytes, int strategy) {
    deflateParams(&stream_, kEffort, strategy);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = uInt(bytes.size());
    check(deflate(&stream_, Z_BLOCK) == Z_OK);
  }
  std::string finish() {
    check(deflate(&stream_, Z_FINISH) == Z_STREAM_END);
    packed_.resize(stream_.total_out);
    return std::move(packed_);
  }

 private:
  static constexpr std::size_t kBlockHeads = 4096;  // more than the ends of some ten blocks take

  void check(bool well) const {
    if (!well || stream_.avail_in != 0) throw Error("deflating: zlib failed");
  }

  z_stream stream_{};
  std::string packed_;
};

int best_strategy(const std::string& part) {
  int best = Z_DEFAULT_STRATEGY;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const int strategy : kStrategies) {
    Deflater alone(part.size());
    alone.add(part, strategy);
    if (const std::size_t size = alone.finish().size(); size < least) {
      least = size;
      best = strategy;
    }
  }
  return best;
}

}  // namespace

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

std::string deflate_parts(std::span<const std::string> parts) {
  std::size_t bytes = 0;
  for (const std::string& part : parts) bytes += part.size();
  Deflater together(bytes);
  for (const std::string& part : parts)
    if (!part.empty()) together.add(part, best_strategy(part));
  ByteWriter out;
  out.put(std::uint32_t(bytes));
  out.put_bytes(together.finish());
  return out.bytes();
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
