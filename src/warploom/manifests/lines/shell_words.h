// A pasted line of a shell as the commands that it holds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warploom {

// Words of each command, split as a shell does: quotes, backslashes, continued lines. `;`, `&`, `&&`, `|` and
// `||` end a command; redirections are left out, and so is a comment to the line's end. Nothing is expanded.
// Throws InvalidInput "<where>: ..." on a quote that is not closed.
// A pasted line may be broken anywhere; in a script the end of a line ends a command.
enum class LineEnd { Blank, Command };
std::vector<std::vector<std::string>> shell_commands(std::string_view text, std::string_view where,
                                                     LineEnd line_end = LineEnd::Blank);

// Words of a text without quotes, between blanks.
std::vector<std::string> plain_words(std::string_view text);

// An integer as vLLM takes it on its command line: 4096, 32k (thousands), 1.5m, 32K (of 1,024), 2M, G, T. The
// text unchanged where it is none of these with a letter.
std::string plain_integer(const std::string& text);

}  // namespace warploom
