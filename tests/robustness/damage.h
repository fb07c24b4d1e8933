// Damages inputs at random, from a seed, and watches what a reader does with them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "warploom/base/random.h"

namespace warploom::damage {

enum class Kind { Csv, Json, JsonLines, Binary };

// A copy of `sound` with one to four random damages: bits and bytes, cuts, repeats, numbers far from any
// range, columns and rows of tables, keys, values and levels of JSON.
std::string damaged(std::string_view sound, Kind kind, RandomStream& random);

// What one input does to a reader: an error of the program or a result. `read` gets the damaged bytes.
struct Reader {
  std::string name;
  Kind kind;
  std::string sound;                             // an input that is read without an error
  std::function<void(const std::string&)> read;  // of bytes
  // Mends what would hide the damage (a checksum); applied to half of the inputs. May be empty.
  std::function<void(std::string&)> mend = {};
  int share = 1;  // one in so many of the usual number of inputs
};

// Feeds the sound input, which must be read, and then damaged ones (WARPLOOM_DAMAGED_INPUTS of them where the
// environment says so). Fails on any other exception, on a request for more than a gigabyte at once and on
// more than ten seconds for one input.
void expect_sound_or_refused(const Reader& reader);

// The first `lines` of a text; gzip is undone.
std::string first_lines(const std::filesystem::path& path, std::size_t lines);

// The number of requests for more than a gigabyte that were refused since the last call.
std::size_t take_refused_requests();

}  // namespace warploom::damage
