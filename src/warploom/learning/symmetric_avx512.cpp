// AVX-512 with byte permutes: 64 rows, or 64 trees of one row, at a time.
#include "warploom/learning/symmetric_ensemble.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define WARPLOOM_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")))

namespace warploom::symmetric {
namespace {

// Numbers of cuts at or below each of 64 values.
WARPLOOM_AVX512 inline __m512i count_cuts(const float* values, const float* cuts, std::size_t count) {
  const __m512 a = _mm512_load_ps(values), b = _mm512_load_ps(values + 16), c = _mm512_load_ps(values + 32),
               d = _mm512_load_ps(values + 48);
  const __m512i one = _mm512_set1_epi8(1);
  __m512i bins = _mm512_setzero_si512();
  for (std::size_t i = 0; i < count; ++i) {
    const __m512 cut = _mm512_set1_ps(cuts[i]);
    const __mmask64 low =
        _mm512_kunpackw(_mm512_cmp_ps_mask(b, cut, _CMP_GE_OQ), _mm512_cmp_ps_mask(a, cut, _CMP_GE_OQ));
    const __mmask64 high =
        _mm512_kunpackw(_mm512_cmp_ps_mask(d, cut, _CMP_GE_OQ), _mm512_cmp_ps_mask(c, cut, _CMP_GE_OQ));
    bins = _mm512_mask_add_epi8(bins, _mm512_kunpackd(high, low), bins, one);
  }
  return bins;
}

// The leaf of each of 64 numbers.
WARPLOOM_AVX512 inline __m512i look_up(const std::int8_t* leaves, __m512i number) {
  const __m512i low =
      _mm512_permutex2var_epi8(_mm512_loadu_si512(leaves), number, _mm512_loadu_si512(leaves + 64));
  const __m512i high =
      _mm512_permutex2var_epi8(_mm512_loadu_si512(leaves + 128), number, _mm512_loadu_si512(leaves + 192));
  return _mm512_mask_blend_epi8(_mm512_movepi8_mask(number), low, high);
}

WARPLOOM_AVX512 inline __m512i leaf_numbers(const __m512i* bins, const SymmetricTree::Question* questions) {
  __m512i number = _mm512_setzero_si512();
  for (std::size_t q = 0; q < kSymmetricDepth; ++q) {
    const __mmask64 yes =
        _mm512_cmpgt_epu8_mask(bins[questions[q].input], _mm512_set1_epi8(char(questions[q].cut)));
    number = _mm512_mask_add_epi8(number, yes, number, _mm512_set1_epi8(char(1 << q)));
  }
  return number;
}

}  // namespace

// Two trees at a time: their leaves interleaved as 16-bit pairs, times their pair of scales, summed to 32
// bits.
WARPLOOM_AVX512 void sum_block_avx512(const Plan& plan, const FeatureBlock& block,
                                      std::span<std::int32_t, kRowBlock> sums) {
  __m512i bins[64];
  for (std::size_t i = 0; i < plan.slots.size(); ++i)
    bins[i] = count_cuts(block.slots[plan.slots[i]].data(), plan.cuts.data() + plan.cut_start[i],
                         plan.cut_start[i + 1] - plan.cut_start[i]);
  __m512i a = _mm512_setzero_si512(), b = a, c = a, d = a;
  const __m512i none = _mm512_setzero_si512();
  for (std::size_t t = 0; t < plan.trees && plan.scales[t] != 0; t += 2) {
    const SymmetricTree::Question* questions = plan.questions.data() + t * kSymmetricDepth;
    const std::int8_t* leaves = plan.leaves.data() + (t << kSymmetricDepth);
    const __m512i first = look_up(leaves, leaf_numbers(bins, questions));
    const __m512i second = look_up(leaves + 256, leaf_numbers(bins, questions + kSymmetricDepth));
    const auto pair =
        std::uint32_t(std::uint16_t(plan.scales[t])) | std::uint32_t(std::uint16_t(plan.scales[t + 1])) << 16;
    const __m512i scale = _mm512_set1_epi32(std::int32_t(pair));
    const __m512i low = _mm512_unpacklo_epi8(first, second), high = _mm512_unpackhi_epi8(first, second);
    // Bytes to 16 bits with their sign: into the upper half, then shifted down.
    const auto widen = [&](__m512i x) WARPLOOM_AVX512 { return _mm512_srai_epi16(x, 8); };
    a = _mm512_add_epi32(a, _mm512_madd_epi16(widen(_mm512_unpacklo_epi8(none, low)), scale));
    b = _mm512_add_epi32(b, _mm512_madd_epi16(widen(_mm512_unpackhi_epi8(none, low)), scale));
    c = _mm512_add_epi32(c, _mm512_madd_epi16(widen(_mm512_unpacklo_epi8(none, high)), scale));
    d = _mm512_add_epi32(d, _mm512_madd_epi16(widen(_mm512_unpackhi_epi8(none, high)), scale));
  }
  // Unpacking worked within quarters of 16 rows: each of a, b, c, d holds four rows of every quarter.
  alignas(64) std::array<std::array<std::int32_t, 16>, 4> quads;
  _mm512_store_si512(quads[0].data(), a);
  _mm512_store_si512(quads[1].data(), b);
  _mm512_store_si512(quads[2].data(), c);
  _mm512_store_si512(quads[3].data(), d);
  for (std::size_t r = 0; r < kRowBlock; ++r) sums[r] = quads[r % 16 / 4][r / 16 * 4 + r % 4];
}

WARPLOOM_AVX512 std::int32_t sum_avx512(const Plan& plan, const FeatureRow& row) {
  alignas(64) Bins counts{};
  for (std::size_t i = 0; i < plan.slots.size(); ++i) {
    const __m512 x = _mm512_set1_ps(row.values[plan.slots[i]]);
    int below = 0;
    for (std::uint32_t c = plan.cut_start[i]; c < plan.cut_start[i + 1]; c += 16)
      below += __builtin_popcount(_mm512_cmp_ps_mask(x, _mm512_loadu_ps(plan.cuts.data() + c), _CMP_GE_OQ));
    counts[i] = std::uint8_t(below);
  }
  const __m512i bins = _mm512_load_si512(counts.data());
  std::int32_t sum = 0, other = 0;
  for (std::size_t t = 0; t < plan.trees; t += 64) {
    const std::uint8_t* inputs = plan.inputs_by_level.data() + t * kSymmetricDepth;
    const std::uint8_t* cuts = plan.cuts_by_level.data() + t * kSymmetricDepth;
    __m512i number = _mm512_setzero_si512();
    for (std::size_t q = 0; q < kSymmetricDepth; ++q) {
      const __m512i bin =
          _mm512_maskz_permutexvar_epi8(~__mmask64(0), _mm512_loadu_si512(inputs + 64 * q), bins);
      const __mmask64 yes = _mm512_cmpgt_epu8_mask(bin, _mm512_loadu_si512(cuts + 64 * q));
      number = _mm512_mask_add_epi8(number, yes, number, _mm512_set1_epi8(char(1 << q)));
    }
    alignas(64) std::array<std::uint8_t, 64> leaf;
    _mm512_store_si512(leaf.data(), number);
    const std::int8_t* leaves = plan.leaves.data() + (t << kSymmetricDepth);
    const std::int16_t* scales = plan.scales.data() + t;
    // Trees worth nothing fill up the last group. Two sums, so that neither waits for the other.
    for (std::size_t part = 0; part < 64 && scales[part] != 0; part += 16) {
#pragma GCC unroll 16
      for (std::size_t i = part; i < part + 16; i += 2) {
        sum += scales[i] * leaves[(i << kSymmetricDepth) + leaf[i]];
        other += scales[i + 1] * leaves[((i + 1) << kSymmetricDepth) + leaf[i + 1]];
      }
    }
  }
  return sum + other;
}

}  // namespace warploom::symmetric

#else

namespace warploom::symmetric {
// Never chosen on other processors.
std::int32_t sum_avx512(const Plan& plan, const FeatureRow& row) { return sum_plain(plan, row); }
void sum_block_avx512(const Plan& plan, const FeatureBlock& block, std::span<std::int32_t, kRowBlock> sums) {
  sum_block_plain(plan, block, sums);
}
}  // namespace warploom::symmetric

#endif
