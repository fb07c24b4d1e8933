// The prices of gemm_tile_prices.h in vectors of WARPLOOM_LANES floats; WARPLOOM_TARGET is the attribute of
// functions that may use their instructions. Included once per set of instructions, inside a namespace: a
// template cannot carry the attribute into what it calls.

using Floats = float __attribute__((vector_size(4 * WARPLOOM_LANES)));
using Ints = std::int32_t __attribute__((vector_size(4 * WARPLOOM_LANES)));
constexpr std::size_t kLanes = WARPLOOM_LANES;
static_assert(kMostGemmTiles % kLanes == 0);

WARPLOOM_TARGET inline Floats at(const GemmTileValues& values, std::size_t i) {
  Floats lanes;
  __builtin_memcpy(&lanes, values.data() + i, sizeof lanes);
  return lanes;
}
WARPLOOM_TARGET inline void put(GemmTileValues& values, std::size_t i, const Floats& lanes) {
  __builtin_memcpy(values.data() + i, &lanes, sizeof lanes);
}
WARPLOOM_TARGET inline Floats most(const Floats& a, const Floats& b) { return a > b ? a : b; }
WARPLOOM_TARGET inline Floats least(const Floats& a, const Floats& b) { return a < b ? a : b; }
WARPLOOM_TARGET inline Floats all(float value) { return Floats{} + value; }
WARPLOOM_TARGET inline float least_lane(const Floats& lanes) {
  float result = lanes[0];
  for (std::size_t i = 1; i < kLanes; ++i) result = lanes[i] < result ? lanes[i] : result;
  return result;
}

// Of positive numbers below 2^31; one part in four million above a whole number counts as that number.
WARPLOOM_TARGET inline Floats ceil_of(const Floats& x) {
  const Floats slightly_less = x * (1 - 2.4e-7F);
  const Floats whole = __builtin_convertvector(__builtin_convertvector(slightly_less, Ints), Floats);
  return whole + (slightly_less > whole ? all(1) : all(0));
}

// Rounds of the SMs, less `tail` of the part of the last that is empty.
WARPLOOM_TARGET inline Floats effective_waves(const Floats& waves, float tail) {
  const Floats rounds = ceil_of(waves);
  return rounds - (waves > 1 ? tail * (rounds - waves) : all(0));
}

// Seconds of tiles i.. with `steps` steps a tile and `waves` waves.
WARPLOOM_TARGET inline Floats tile_seconds(const GemmTileTerms& terms, std::size_t i, float steps,
                                           const Floats& waves) {
  const Floats effective = effective_waves(waves, terms.tail);
  return steps * most(effective * at(terms.step_seconds, i), waves * at(terms.busy_seconds, i)) +
         at(terms.fixed_seconds, i) * (1 + (effective - 1) * terms.shown);
}

WARPLOOM_TARGET void price_lanes(const GemmTileTerms& terms, const GemmTileReciprocals& reciprocals, double m,
                                 double n, double k, double batch, GemmTilePrices& prices) {
  const auto rows = float(m), columns = float(n), products = float(batch);
  const float steps = __builtin_ceilf(float(k) / terms.depth), per_sm = 1 / terms.sms,
              most_split_blocks = 2 * terms.sms;
  const std::size_t padded = (terms.tiles + kLanes - 1) / kLanes * kLanes;
  alignas(64) GemmTileValues blocks, splits, offered;
  Floats fewest = all(3e38F);
  for (std::size_t i = 0; i < padded; i += kLanes) {
    const Floats grid = ceil_of(rows * at(reciprocals.per_row, i)) *
                        ceil_of(columns * at(reciprocals.per_column, i)) * at(terms.blocks, i) * products;
    const Floats count = least(grid, all(1e9F)), waves = count * per_sm;
    put(blocks, i, count);
    put(prices.wave_count, i, waves);
    put(prices.by_tile, i, tile_seconds(terms, i, steps, waves));
    put(splits, i, all(1));
    fewest = least(count, fewest);
  }
  const float fewest_blocks = least_lane(fewest);
  const double partial_sums = 8.0 * m * n * batch / terms.l2_rate;
  for (float s = 2; terms.may_split && s <= 8 && steps >= 2 * s && fewest_blocks * s <= most_split_blocks;
       s *= 2) {
    const auto extra = float(terms.split_seconds + double(s) * partial_sums);
    const float part = __builtin_ceilf(steps / s);
    for (std::size_t i = 0; i < padded; i += kLanes) {
      const Floats count = at(blocks, i) * s, waves = count * per_sm, before = at(prices.by_tile, i);
      const Floats time = tile_seconds(terms, i, part, waves) + extra;
      const auto better = (time < before) & (count <= most_split_blocks);
      put(prices.by_tile, i, better ? time : before);
      put(prices.wave_count, i, better ? waves : at(prices.wave_count, i));
      put(splits, i, better ? all(s) : at(splits, i));
    }
  }
  Floats lowest = all(__builtin_inff());
  for (std::size_t i = 0; i < padded; i += kLanes) {
    const Floats time = at(prices.by_tile, i) + at(terms.offered, i);
    put(offered, i, time);
    lowest = least(time, lowest);
  }
  const float best = least_lane(lowest);
  prices.tile = 0;
  while (prices.tile < terms.tiles && offered[prices.tile] != best) ++prices.tile;
  if (prices.tile == terms.tiles) prices.tile = 0;
  prices.tile_seconds = double(best);
  prices.splits = int(splits[prices.tile]);
  prices.waves = double(prices.wave_count[prices.tile]);
}
