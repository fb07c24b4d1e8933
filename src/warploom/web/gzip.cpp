#include "warploom/web/gzip.h"

#include <zlib.h>

#include <array>
#include <new>

#include "warploom/base/error.h"

namespace warploom {
namespace {

constexpr int kGzipWindow = 15 + 16;  // zlib's number for the largest window with gzip's head
constexpr int kMemory = 8;            // zlib's own choice
// Answers are made for one reader: the least effort takes a third of the usual time for a fifth more bytes.
constexpr int kEffort = 1;

// zlib does not write through its input.
Bytef* input_of(std::string_view bytes) { return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data())); }

}  // namespace

std::string gzipped(std::string_view text) {
  z_stream stream{};
  if (deflateInit2(&stream, kEffort, Z_DEFLATED, kGzipWindow, kMemory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::string bytes(deflateBound(&stream, uLong(text.size())), '\0');
  stream.next_in = input_of(text);
  stream.avail_in = uInt(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = uInt(bytes.size());
  const int status = deflate(&stream, Z_FINISH);
  bytes.resize(bytes.size() - stream.avail_out);
  deflateEnd(&stream);
  WARPLOOM_ASSERT(status == Z_STREAM_END);  // the bound holds what any text becomes
  return bytes;
}

std::string unzipped(std::string_view bytes) {
  z_stream stream{};
  if (inflateInit2(&stream, kGzipWindow) != Z_OK) throw std::bad_alloc();
  stream.next_in = input_of(bytes);
  stream.avail_in = uInt(bytes.size());
  std::string text;
  std::array<char, 1 << 16> part{};
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = uInt(part.size());
    status = inflate(&stream, Z_NO_FLUSH);
    text.append(part.data(), part.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  WARPLOOM_ASSERT(status == Z_STREAM_END);  // written by the build
  return text;
}

}  // namespace warploom
