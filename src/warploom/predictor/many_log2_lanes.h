// The logarithms of many_log2.h in vectors of WARPLOOM_LANES floats; WARPLOOM_TARGET is the attribute of
// functions that may use their instructions. Included once per set of instructions, inside a namespace.

// x = 2^e m with m in [0.7, 1.4]; log2 m = 2 / ln 2 * artanh(t), t = (m - 1) / (m + 1), |t| < 0.172: five
// terms.
WARPLOOM_TARGET void log2_lanes(float* values, std::size_t count) {
  using Floats = float __attribute__((vector_size(4 * WARPLOOM_LANES)));
  using Ints = std::int32_t __attribute__((vector_size(4 * WARPLOOM_LANES)));
  for (std::size_t i = 0; i < count; i += WARPLOOM_LANES) {
    Ints bits;
    __builtin_memcpy(&bits, values + i, sizeof bits);
    Ints exponent = (bits >> 23) - 127;
    bits = (bits & 0x7FFFFF) | 0x3F800000;
    Floats m;
    __builtin_memcpy(&m, &bits, sizeof m);
    const Ints large = m > 1.41421356F;
    exponent -= large;
    m = large ? m * 0.5F : m;
    const Floats t = (m - 1.0F) / (m + 1.0F), square = t * t;
    const Floats series =
        2.88539008F +
        square * (0.961796694F + square * (0.577078016F + square * (0.412198583F + square * 0.320598898F)));
    const Floats result = __builtin_convertvector(exponent, Floats) + t * series;
    __builtin_memcpy(values + i, &result, sizeof result);
  }
}
