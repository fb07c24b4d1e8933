// A question of another program, answered: the other end of answers/judge_process.h.
#pragma once

namespace warploom {

// Reads the question of standard input, writes the lines of its answer to standard output. The exit status.
int serve_question();

}  // namespace warploom
