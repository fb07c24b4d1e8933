// AVX2: 32 rows, or 32 trees of one row, at a time.
#include "warploom/learning/symmetric_ensemble.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define WARPLOOM_AVX2 __attribute__((target("avx2")))

namespace warploom::symmetric {
namespace {

// bin > cut, unsigned: all ones where bin <= cut.
WARPLOOM_AVX2 inline __m256i at_most(__m256i bin, __m256i cut) {
  return _mm256_cmpeq_epi8(_mm256_min_epu8(bin, cut), bin);
}

// Numbers of cuts at or below each of 32 values.
WARPLOOM_AVX2 inline __m256i count_cuts(const float* values, const float* cuts, std::size_t count) {
  const __m256 a = _mm256_load_ps(values), b = _mm256_load_ps(values + 8), c = _mm256_load_ps(values + 16),
               d = _mm256_load_ps(values + 24);
  __m256i p = _mm256_setzero_si256(), q = p, r = p, s = p;
  for (std::size_t i = 0; i < count; ++i) {
    const __m256 cut = _mm256_set1_ps(cuts[i]);
    p = _mm256_sub_epi32(p, _mm256_castps_si256(_mm256_cmp_ps(a, cut, _CMP_GE_OQ)));
    q = _mm256_sub_epi32(q, _mm256_castps_si256(_mm256_cmp_ps(b, cut, _CMP_GE_OQ)));
    r = _mm256_sub_epi32(r, _mm256_castps_si256(_mm256_cmp_ps(c, cut, _CMP_GE_OQ)));
    s = _mm256_sub_epi32(s, _mm256_castps_si256(_mm256_cmp_ps(d, cut, _CMP_GE_OQ)));
  }
  // Packing works within halves; the permutation puts groups of four back in order.
  const __m256i bytes = _mm256_packus_epi16(_mm256_packs_epi32(p, q), _mm256_packs_epi32(r, s));
  return _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

WARPLOOM_AVX2 inline void leaf_numbers(const __m256i (*bins)[2], const SymmetricTree::Question* questions,
                                       std::uint8_t* numbers) {
  __m256i low = _mm256_setzero_si256(), high = low;
  for (std::size_t q = 0; q < kSymmetricDepth; ++q) {
    const __m256i cut = _mm256_set1_epi8(char(questions[q].cut)), bit = _mm256_set1_epi8(char(1 << q));
    const __m256i* bin = bins[questions[q].input];
    low = _mm256_or_si256(low, _mm256_andnot_si256(at_most(bin[0], cut), bit));
    high = _mm256_or_si256(high, _mm256_andnot_si256(at_most(bin[1], cut), bit));
  }
  _mm256_store_si256(reinterpret_cast<__m256i*>(numbers), low);
  _mm256_store_si256(reinterpret_cast<__m256i*>(numbers + 32), high);
}

}  // namespace

// Two trees at a time: their leaves as 16-bit pairs, times their pair of scales, summed to 32 bits.
WARPLOOM_AVX2 void sum_block_avx2(const Plan& plan, const FeatureBlock& block,
                                  std::span<std::int32_t, kRowBlock> sums) {
  __m256i bins[64][2];
  for (std::size_t i = 0; i < plan.slots.size(); ++i)
    for (std::size_t half = 0; half < 2; ++half)
      bins[i][half] =
          count_cuts(block.slots[plan.slots[i]].data() + 32 * half, plan.cuts.data() + plan.cut_start[i],
                     plan.cut_start[i + 1] - plan.cut_start[i]);
  __m256i totals[kRowBlock / 8] = {};
  alignas(32) std::uint8_t first[kRowBlock], second[kRowBlock];
  alignas(32) std::int16_t pairs[kRowBlock][2];
  for (std::size_t t = 0; t < plan.trees && plan.scales[t] != 0; t += 2) {
    const SymmetricTree::Question* questions = plan.questions.data() + t * kSymmetricDepth;
    const std::int8_t* leaves = plan.leaves.data() + (t << kSymmetricDepth);
    leaf_numbers(bins, questions, first);
    leaf_numbers(bins, questions + kSymmetricDepth, second);
    for (std::size_t r = 0; r < kRowBlock; ++r) {
      pairs[r][0] = leaves[first[r]];
      pairs[r][1] = leaves[256 + second[r]];
    }
    const auto scales =
        std::uint32_t(std::uint16_t(plan.scales[t])) | std::uint32_t(std::uint16_t(plan.scales[t + 1])) << 16;
    const __m256i scale = _mm256_set1_epi32(std::int32_t(scales));
    for (std::size_t i = 0; i < kRowBlock / 8; ++i) {
      const __m256i eight = _mm256_load_si256(reinterpret_cast<const __m256i*>(pairs[8 * i]));
      totals[i] = _mm256_add_epi32(totals[i], _mm256_madd_epi16(eight, scale));
    }
  }
  for (std::size_t i = 0; i < kRowBlock / 8; ++i)
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums.data() + 8 * i), totals[i]);
}

WARPLOOM_AVX2 std::int32_t sum_avx2(const Plan& plan, const FeatureRow& row) {
  alignas(64) Bins counts{};
  for (std::size_t i = 0; i < plan.slots.size(); ++i) {
    const __m256 x = _mm256_set1_ps(row.values[plan.slots[i]]);
    int below = 0;
    for (std::uint32_t c = plan.cut_start[i]; c < plan.cut_start[i + 1]; c += 8)
      below += __builtin_popcount(
          unsigned(_mm256_movemask_ps(_mm256_cmp_ps(x, _mm256_loadu_ps(plan.cuts.data() + c), _CMP_GE_OQ))));
    counts[i] = std::uint8_t(below);
  }
  __m256i quarters[4];  // 16 bins each, in both halves
  for (std::size_t i = 0; i < 4; ++i)
    quarters[i] =
        _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(counts.data() + 16 * i)));
  std::int32_t sum = 0;
  for (std::size_t t = 0; t < plan.trees && plan.scales[t] != 0; t += 32) {
    const std::size_t group = t / 64 * 64 * kSymmetricDepth + t % 64;
    __m256i number = _mm256_setzero_si256();
    for (std::size_t q = 0; q < kSymmetricDepth; ++q) {
      const __m256i input =
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(plan.inputs_by_level.data() + group + 64 * q));
      const __m256i cut =
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(plan.cuts_by_level.data() + group + 64 * q));
      // A byte shuffle answers 16 bins and gives zero where the index has its top bit set: 0x70 added with
      // saturation sets it unless the input lies in this quarter.
      __m256i bin = _mm256_setzero_si256();
      for (std::size_t i = 0; i < 4; ++i) {
        const __m256i index =
            _mm256_adds_epu8(_mm256_sub_epi8(input, _mm256_set1_epi8(char(16 * i))), _mm256_set1_epi8(0x70));
        bin = _mm256_or_si256(bin, _mm256_shuffle_epi8(quarters[i], index));
      }
      number =
          _mm256_or_si256(number, _mm256_andnot_si256(at_most(bin, cut), _mm256_set1_epi8(char(1 << q))));
    }
    alignas(32) std::uint8_t leaf[32];
    _mm256_store_si256(reinterpret_cast<__m256i*>(leaf), number);
    const std::int8_t* leaves = plan.leaves.data() + (t << kSymmetricDepth);
    for (std::size_t i = 0; i < 32; ++i) sum += plan.scales[t + i] * leaves[(i << kSymmetricDepth) + leaf[i]];
  }
  return sum;
}

}  // namespace warploom::symmetric

#else

namespace warploom::symmetric {
// Never chosen on other processors.
std::int32_t sum_avx2(const Plan& plan, const FeatureRow& row) { return sum_plain(plan, row); }
void sum_block_avx2(const Plan& plan, const FeatureBlock& block, std::span<std::int32_t, kRowBlock> sums) {
  sum_block_plain(plan, block, sums);
}
}  // namespace warploom::symmetric

#endif
