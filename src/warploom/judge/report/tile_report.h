// How well a tile source guesses what a library chooses: results of `validate tiles` as text and JSON.
#pragma once

#include <string>

#include "warploom/base/json.h"
#include "warploom/judge/validate/tile_validation.h"

namespace warploom {

// {"gpu","library","learned","judged","library_regret":{"mean","median"},
//  "cells":[{"learned","scheme","layout","sms","products","timed_products",
//            "sources":{NAME:{"tile","tile_and_split","waves",
//                             "regret":{"products","mean","median","p90","library_mean"}}}}]};
// null where nothing was timed.
Json tile_validation_json(const TileValidation& result);
std::string tile_validation_text(const TileValidation& result);

}  // namespace warploom
