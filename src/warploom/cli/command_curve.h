// `warploom curve`, made of the options of `simulate` and of lists.
#pragma once

namespace warploom {

class Command;

void add_curve_command(Command& app);

}  // namespace warploom
