#include "warploom/base/utf8.h"

#include <array>

namespace warploom {
namespace {

// Bytes that begin so are followed by `more` bytes, of which the first is from `least` to `most`.
struct Lead {
  unsigned char from, to;
  std::size_t more;
  unsigned char least, most;
};
constexpr std::array<Lead, 9> kLeads{{{0x00, 0x7F, 0, 0x80, 0xBF},
                                      {0xC2, 0xDF, 1, 0x80, 0xBF},
                                      {0xE0, 0xE0, 2, 0xA0, 0xBF},
                                      {0xE1, 0xEC, 2, 0x80, 0xBF},
                                      {0xED, 0xED, 2, 0x80, 0x9F},
                                      {0xEE, 0xEF, 2, 0x80, 0xBF},
                                      {0xF0, 0xF0, 3, 0x90, 0xBF},
                                      {0xF1, 0xF3, 3, 0x80, 0xBF},
                                      {0xF4, 0xF4, 3, 0x80, 0x8F}}};

// Bytes of the character that begins here; 0 when none does.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (const Lead& lead : kLeads) {
    if (byte(0) < lead.from || byte(0) > lead.to) continue;
    if (text.size() <= lead.more) return 0;
    if (lead.more > 0 && (byte(1) < lead.least || byte(1) > lead.most)) return 0;
    for (std::size_t i = 2; i <= lead.more; ++i)
      if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
    return lead.more + 1;
  }
  return 0;
}

}  // namespace

std::size_t utf8_bytes(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t bytes = character_bytes(text.substr(at));
    if (bytes == 0) return at;
    at += bytes;
  }
  return at;
}

}  // namespace warploom
