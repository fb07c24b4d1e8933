// A command line that only the program warploom-judge can answer.
#pragma once

#include "warploom/base/judging.h"

namespace warploom {

// The program takes the place of this one, with the same words. Returns the exit status where it cannot, and
// says why.
int hand_to_judge(const JudgingElsewhere& needed, char** argv);

}  // namespace warploom
