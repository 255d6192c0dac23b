// store_outputs() of tile.inl for sixteen lanes: all outputs of a row at once.

/// Lane i of the result is the sum over the lanes of v[i].
KV_INLINE __m256 sum_each_of_eight(const Vec (&v)[8]) {
  const Vec parts = add_parts(sum_quarters({v[0], v[1], v[2], v[3]}), sum_quarters({v[4], v[5], v[6], v[7]}));
  const __m512 even = _mm512_shuffle_f32x4(parts.v, parts.v, _MM_SHUFFLE(2, 0, 2, 0)),
               odd = _mm512_shuffle_f32x4(parts.v, parts.v, _MM_SHUFFLE(3, 1, 3, 1));
  return _mm256_add_ps(_mm512_castps512_ps256(even), _mm512_castps512_ps256(odd));
}

/// To nearest, ties to even; the only NaN is the quiet one of store_outputs().
KV_INLINE __m128i to_bf16_of_eight(__m256 numbers) {
#ifdef KV_MULTIPLIES_BF16
  return reinterpret_cast<__m128i>(_mm256_cvtneps_pbh(numbers));
#else
  const __m256i bits = _mm256_castps_si256(numbers);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  const __m256i rounded = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)), odd);
  return _mm256_cvtepi32_epi16(_mm256_srli_epi32(rounded, 16));
#endif
}

template <int Outputs>
KV_INLINE void store_outputs(const Vec (&sums)[Outputs], const OutputPlace& place) {
  static_assert(Outputs <= 8);
  constexpr auto present = static_cast<__mmask8>((1U << Outputs) - 1U);
  Vec all[8];
#pragma GCC unroll 8
  for (int n = 0; n < 8; ++n) all[n] = n < Outputs ? sums[n < Outputs ? n : 0] : Vec::zero();
  __m256 totals = sum_each_of_eight(all);
  if (!place.first) totals = _mm256_add_ps(_mm256_maskz_loadu_ps(present, place.partial), totals);
  if (!place.last) return _mm256_mask_storeu_ps(place.partial, present, totals);
  if (place.bias != nullptr) totals = _mm256_add_ps(totals, _mm256_maskz_loadu_ps(present, place.bias));
  const __mmask8 nan = _mm256_cmp_ps_mask(totals, totals, _CMP_UNORD_Q);
  totals = _mm256_mask_mov_ps(totals, nan, _mm256_set1_ps(__builtin_nanf("")));
  if (place.type == Element::bf16)
    _mm_mask_storeu_epi16(place.output, present, to_bf16_of_eight(totals));
  else
    _mm256_mask_storeu_ps(place.output, present, totals);
}
