// Attention of one token with bf16 products and fp32 sums, as in a prefill: queries are rounded once per job, weights
// once per tile, and keys and values are multiplied in place. Rows need no widening, and each instruction multiplies
// twice as many numbers as in fp32.
//
// Scores: 16 rows are laid out so that a vector holds 8 elements of four rows, and a query's 8 elements are repeated in
// each quarter of a vector; four lanes per score remain to be added at the end. Values: rows are taken in pairs, their
// elements interleaved, with a pair of weights. The order of additions per lane depends on the row alone, so that a
// query has the same bits alone as within any group.
//
// The two halves of a whole tile are read in parallel, alternating pairs of rows: they are mostly in different blocks
// of a cache, and scattered memory is read faster from two places at once than sequentially.

constexpr int panel_rows = 16;
constexpr int step_elements = 8;  // of a row, per quarter vector
constexpr int step_vectors = panel_rows / 4;
constexpr int chunk_elements = 32;  // of a row, per vector

inline __m512i load_bits(const std::byte* p) { return _mm512_loadu_si512(p); }
inline Vec add_products(const Vec& sum, const __m512i& a, const __m512i& b) {
  return {_mm512_dpbf16_ps(sum.v, reinterpret_cast<__m512bh>(a), reinterpret_cast<__m512bh>(b))};
}

/// Prefetches rows of the next tile, line by line in memory order, a few lines per step of the current tile: memory
/// serves only so many requests at a time, and a burst would delay the products behind it.
struct RowsAhead {
  const std::byte* const* row;
  const std::byte* const* behind;  // the last row
  std::ptrdiff_t row_bytes;
  std::ptrdiff_t line = 0;  // of the row, in bytes

  void ask(int lines) {
    for (int i = 0; i < lines && row != behind; ++i) {
      __builtin_prefetch(*row + line, 0, 2);
      line += 64;
      if (line == row_bytes) {
        line = 0;
        ++row;
      }
    }
  }
};

/// Quarter p of vector i of step s in the panel: elements [8 s, 8 s + 8) of row 4 p + i.
inline void pack_keys(const std::byte* const* rows, int head_dim, std::byte* panel) {
  constexpr int step_bytes = step_vectors * 64;
  for (int i = 0; i < step_vectors; ++i) {
    std::byte* target = panel + i * 64;
    for (int d = 0; d < head_dim; d += chunk_elements, target += chunk_elements / step_elements * step_bytes) {
      const std::ptrdiff_t at = d * static_cast<std::ptrdiff_t>(sizeof(Bf16));
      __m512i row[4];
#pragma GCC unroll 4
      for (int p = 0; p < 4; ++p) row[p] = load_bits(rows[4 * p + i] + at);
      const __m512i low_01 = _mm512_shuffle_i32x4(row[0], row[1], _MM_SHUFFLE(1, 0, 1, 0));
      const __m512i low_23 = _mm512_shuffle_i32x4(row[2], row[3], _MM_SHUFFLE(1, 0, 1, 0));
      const __m512i high_01 = _mm512_shuffle_i32x4(row[0], row[1], _MM_SHUFFLE(3, 2, 3, 2));
      const __m512i high_23 = _mm512_shuffle_i32x4(row[2], row[3], _MM_SHUFFLE(3, 2, 3, 2));
      _mm512_store_si512(target, _mm512_shuffle_i32x4(low_01, low_23, _MM_SHUFFLE(2, 0, 2, 0)));
      _mm512_store_si512(target + step_bytes, _mm512_shuffle_i32x4(low_01, low_23, _MM_SHUFFLE(3, 1, 3, 1)));
      _mm512_store_si512(target + 2 * step_bytes, _mm512_shuffle_i32x4(high_01, high_23, _MM_SHUFFLE(2, 0, 2, 0)));
      _mm512_store_si512(target + 3 * step_bytes, _mm512_shuffle_i32x4(high_01, high_23, _MM_SHUFFLE(3, 1, 3, 1)));
    }
  }
}

/// Scores of `Queries` queries with the rows of a panel; the stride between two queries' scores is key_tile. Each step
/// prefetches `lines` lines of the rows ahead.
template <int Queries>
inline void score_panel(const Bf16* queries, int head_dim, const std::byte* panel, RowsAhead& ahead, int lines,
                        float* scores) {
  Vec sums[Queries][step_vectors];
#pragma GCC unroll 4
  for (int q = 0; q < Queries; ++q)
#pragma GCC unroll 4
    for (int i = 0; i < step_vectors; ++i) sums[q][i] = Vec::zero();
  for (int d = 0; d < head_dim; d += step_elements, panel += step_vectors * 64) {
    ahead.ask(lines);
    __m512i keys[step_vectors];
#pragma GCC unroll 4
    for (int i = 0; i < step_vectors; ++i) keys[i] = load_bits(panel + i * 64);
#pragma GCC unroll 4
    for (int q = 0; q < Queries; ++q) {
      const __m512i query =
          _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(queries + q * head_dim + d)));
#pragma GCC unroll 4
      for (int i = 0; i < step_vectors; ++i) sums[q][i] = add_products(sums[q][i], query, keys[i]);
    }
  }
#pragma GCC unroll 4
  for (int q = 0; q < Queries; ++q) sum_quarters(sums[q]).store(scores + q * key_tile);
}

/// Scores [group, key_tile] with the 16 rows of a panel. Four queries at once fill the registers; five and six are
/// split into three and the rest, because a single one would be latency-bound.
inline void score_group(const Bf16* queries, int group, int head_dim, const std::byte* panel, RowsAhead& ahead,
                        float* scores) {
  for (int g = 0; g < group;) {
    const int left = group - g;
    const int taken = left == 5 || left == 6 ? 3 : least(left, 4);
    const Bf16* first = queries + static_cast<std::ptrdiff_t>(g) * head_dim;
    float* target = scores + static_cast<std::ptrdiff_t>(g) * key_tile;
    const int lines = group <= 4 ? 4 : 2;  // a panel's rows have four lines per step
    if (taken == 4) score_panel<4>(first, head_dim, panel, ahead, lines, target);
    if (taken == 3) score_panel<3>(first, head_dim, panel, ahead, lines, target);
    if (taken == 2) score_panel<2>(first, head_dim, panel, ahead, lines, target);
    if (taken == 1) score_panel<1>(first, head_dim, panel, ahead, lines, target);
    g += taken;
  }
}

/// Inputs of add_values_bf16: sums [group, head_dim], in chunks of 32 columns: first those of the lower half of each
/// quarter of a vector, then those of the upper.
struct ValueTile {
  float* sums;
  const float* factors;  // [group]
  const Bf16* weights;   // [group, key_tile]
  const std::byte* const* rows;
  int pairs;
  int head_dim;
};

/// sums = sums * factor + weights * values of `Queries` queries starting at `first`, `Chunks` chunks of columns
/// starting at d.
template <int Queries, int Chunks>
inline void add_value_chunks(const ValueTile& tile, RowsAhead& ahead, int first, int d) {
  float* target = tile.sums + static_cast<std::ptrdiff_t>(first) * tile.head_dim + d;
  const std::ptrdiff_t at = d * static_cast<std::ptrdiff_t>(sizeof(Bf16));
  const Bf16* weights = tile.weights + static_cast<std::ptrdiff_t>(first) * key_tile;
  Vec sum[Queries][2 * Chunks];
#pragma GCC unroll 8
  for (int q = 0; q < Queries; ++q) {
    const Vec factor = Vec::set1(tile.factors[first + q]);
#pragma GCC unroll 4
    for (int v = 0; v < 2 * Chunks; ++v) sum[q][v] = Vec::load(target + q * tile.head_dim + v * Vec::lanes) * factor;
  }
  for (int j = 0; j < tile.pairs; ++j) {
    __m512i lower[Chunks], upper[Chunks];
#pragma GCC unroll 2
    for (int c = 0; c < Chunks; ++c) {
      const __m512i even = load_bits(tile.rows[2 * j] + at + c * 64),
                    odd = load_bits(tile.rows[2 * j + 1] + at + c * 64);
      lower[c] = _mm512_unpacklo_epi16(even, odd);
      upper[c] = _mm512_unpackhi_epi16(even, odd);
    }
    ahead.ask(2 * Chunks);
#pragma GCC unroll 8
    for (int q = 0; q < Queries; ++q) {
      int pair;
      __builtin_memcpy(&pair, weights + q * key_tile + 2 * j, sizeof(pair));
      const __m512i weight = _mm512_set1_epi32(pair);
#pragma GCC unroll 2
      for (int c = 0; c < Chunks; ++c) {
        sum[q][2 * c] = add_products(sum[q][2 * c], weight, lower[c]);
        sum[q][2 * c + 1] = add_products(sum[q][2 * c + 1], weight, upper[c]);
      }
    }
  }
#pragma GCC unroll 8
  for (int q = 0; q < Queries; ++q)
#pragma GCC unroll 4
    for (int v = 0; v < 2 * Chunks; ++v) sum[q][v].store(target + q * tile.head_dim + v * Vec::lanes);
}

template <int Queries>
inline void add_values_bf16(const ValueTile& tile, RowsAhead& ahead, int first) {
  int d = 0;
  if constexpr (Queries <= 4)
    for (; d + 2 * chunk_elements <= tile.head_dim; d += 2 * chunk_elements)
      add_value_chunks<Queries, 2>(tile, ahead, first, d);
  for (; d < tile.head_dim; d += chunk_elements) add_value_chunks<Queries, 1>(tile, ahead, first, d);
}

/// Eight queries at once fill the registers; fewer than sixteen are split in half.
inline void add_group_values(const ValueTile& tile, RowsAhead& ahead, int group) {
  for (int g = 0; g < group;) {
    const int left = group - g;
    const int taken = left <= 8 ? left : left < 16 ? (left + 1) / 2 : 8;
    switch (taken) {
      case 1:
        add_values_bf16<1>(tile, ahead, g);
        break;
      case 2:
        add_values_bf16<2>(tile, ahead, g);
        break;
      case 3:
        add_values_bf16<3>(tile, ahead, g);
        break;
      case 4:
        add_values_bf16<4>(tile, ahead, g);
        break;
      case 5:
        add_values_bf16<5>(tile, ahead, g);
        break;
      case 6:
        add_values_bf16<6>(tile, ahead, g);
        break;
      case 7:
        add_values_bf16<7>(tile, ahead, g);
        break;
      default:
        add_values_bf16<8>(tile, ahead, g);
        break;
    }
    g += taken;
  }
}

/// A chunk of sums in column order.
inline void store_chunk(const Vec& lower, const Vec& upper, float* target) {
  const __m512i front = _mm512_setr_epi32(0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23);
  const __m512i back = _mm512_setr_epi32(8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31);
  Vec{_mm512_permutex2var_ps(lower.v, front, upper.v)}.store(target);
  Vec{_mm512_permutex2var_ps(lower.v, back, upper.v)}.store(target + Vec::lanes);
}

/// Addresses of the rows [first, first + count) in processing order; padded by repeating the last one.
inline void tile_addresses(const KvRows& head, const std::byte* const* planes, std::size_t row_bytes, int first,
                           int count, const std::byte** rows) {
  if (count < key_tile) {
    row_addresses(head, planes, row_bytes, first, count, rows);
    for (int i = count; i < key_tile; ++i) rows[i] = rows[count - 1];
    return;
  }
  const std::byte* ordered[key_tile];
  row_addresses(head, planes, row_bytes, first, key_tile, ordered);
  constexpr int half = key_tile / 2;
  for (int i = 0; i < half; i += 2, rows += 4) {
    rows[0] = ordered[i];
    rows[1] = ordered[i + 1];
    rows[2] = ordered[half + i];
    rows[3] = ordered[half + i + 1];
  }
}

inline bool decodes_in_bf16(const DecodeAttention& job) {
  return job.type == Element::bf16 && job.rows.type == Element::bf16 && job.head_dim % chunk_elements == 0;
}

void decode_head_bf16(const DecodeAttention& job) {
  const auto size = [](int a, int b, std::size_t element) {
    return static_cast<std::size_t>(a) * static_cast<std::size_t>(b) * element;
  };
  const std::size_t row_bytes = static_cast<std::size_t>(job.head_dim) * sizeof(Bf16);
  Bf16* queries = nullptr;
  Bf16* weights = nullptr;
  std::byte* panel = nullptr;
  std::byte* zeros = nullptr;  // pairs with an odd last row
  float* sums = nullptr;
  float* scores = nullptr;
  float* lane_sums = nullptr;
  float* maxima = nullptr;
  float* factors = nullptr;
  ScratchCutter cutter;
  for (int pass = 0; pass < 2; ++pass) {
    cutter.used = 0;
    queries = reinterpret_cast<Bf16*>(cutter.take(size(job.group, job.head_dim, sizeof(Bf16))));
    weights = reinterpret_cast<Bf16*>(cutter.take(size(job.group, key_tile, sizeof(Bf16))));
    panel = cutter.take(panel_rows * row_bytes);
    zeros = cutter.take(row_bytes);
    sums = reinterpret_cast<float*>(cutter.take(size(job.group, job.head_dim, sizeof(float))));
    scores = reinterpret_cast<float*>(cutter.take(size(job.group, key_tile, sizeof(float))));
    lane_sums = reinterpret_cast<float*>(cutter.take(size(job.group, Vec::lanes, sizeof(float))));
    maxima = reinterpret_cast<float*>(cutter.take(size(job.group, 1, sizeof(float))));
    factors = reinterpret_cast<float*>(cutter.take(size(job.group, 1, sizeof(float))));
    if (pass == 0) cutter.base = kernel_scratch(cutter.used);
  }
  for (int i = 0; i < job.group * job.head_dim; i += Vec::lanes) {
    Vec::load(job.queries + i).store(queries + i);
    Vec::zero().store(sums + i);
  }
  for (int i = 0; i < job.group * key_tile; ++i) scores[i] = 0.0F;
  for (int i = 0; i < job.group * Vec::lanes; ++i) lane_sums[i] = 0.0F;
  for (int g = 0; g < job.group; ++g) maxima[g] = -__builtin_inff();
  __builtin_memset(zeros, 0, row_bytes);

  const int end = job.last == 0 ? job.rows.kept : job.last;
  const std::byte* keys[2][key_tile];
  const std::byte* values[2][key_tile];
  const auto find = [&](int tile, int at) {
    const int count = least(key_tile, end - tile);
    tile_addresses(job.rows, job.rows.keys, row_bytes, tile, count, keys[at]);
    tile_addresses(job.rows, job.rows.values, row_bytes, tile, count, values[at]);
  };
  int at = 0;
  if (job.first < end) find(job.first, at);
  for (int tile = job.first; tile < end; tile += key_tile, at ^= 1) {
    const int count = least(key_tile, end - tile);
    const int ahead = tile + key_tile < end ? at ^ 1 : at;
    if (ahead != at) find(tile + key_tile, ahead);
    const int next = ahead == at ? 0 : least(key_tile, end - tile - key_tile);
    RowsAhead next_keys{keys[ahead], keys[ahead] + next, static_cast<std::ptrdiff_t>(row_bytes)};
    RowsAhead next_values{values[ahead], values[ahead] + next, static_cast<std::ptrdiff_t>(row_bytes)};
    for (int j = 0; j < count; j += panel_rows) {
      pack_keys(keys[at] + j, job.head_dim, panel);
      score_group(queries, job.group, job.head_dim, panel, next_keys, scores + j);
    }
    for (int g = 0; g < job.group; ++g) {
      const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(g) * key_tile;
      if (job.cap > 0) cap_scores(scores + row, job.cap);
      factors[g] = softmax_tile(scores + row, count, maxima[g], lane_sums + g * Vec::lanes, weights + row);
    }
    if (count % 2 != 0) values[at][count] = zeros;
    add_group_values({sums, factors, weights, values[at], (count + 1) / 2, job.head_dim}, next_values, job.group);
  }
  for (int g = 0; g < job.group; ++g) {
    const float denominator = Vec::load(lane_sums + g * Vec::lanes).sum();
    const bool whole = job.maxima == nullptr;
    if (!whole) {
      job.maxima[g] = maxima[g];
      job.denominators[g] = denominator;
    }
    const Vec inverse = Vec::set1(whole ? 1.0F / denominator : 1.0F);
    const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(g) * job.head_dim;
    for (int d = 0; d < job.head_dim; d += chunk_elements)
      store_chunk(Vec::load(sums + row + d) * inverse, Vec::load(sums + row + d + Vec::lanes) * inverse,
                  job.output + row + d);
  }
}
