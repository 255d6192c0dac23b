// Attention of one token: tiles of keys, a running softmax, rows read in place, all arithmetic in fp32
// (attention_decode_bf16.inl multiplies in bf16). Several rows are multiplied with several queries of their group at
// once, so that each row is widened once for all of them. Each score and each output has its own sum, in the same order
// for any grouping.

/// Scores of `Queries` queries with lanes / Queries rows: targets[q][r].
template <class Row, int Queries>
inline void score_rows(const float* const* queries, const std::byte* const* rows, int head_dim, float* const* targets) {
  constexpr int together = Vec::lanes / Queries;
  Vec sums[Vec::lanes];
#pragma GCC unroll 16
  for (int i = 0; i < Vec::lanes; ++i) sums[i] = Vec::zero();
  int d = 0;
  const auto add_step = [&](auto load_query, auto load_row) {
    Vec query[Queries];
#pragma GCC unroll 4
    for (int q = 0; q < Queries; ++q) query[q] = load_query(queries[q] + d);
#pragma GCC unroll 16
    for (int r = 0; r < together; ++r) {
      const Vec row = load_row(reinterpret_cast<const Row*>(rows[r]) + d);
#pragma GCC unroll 4
      for (int q = 0; q < Queries; ++q) sums[q * together + r] = fma(query[q], row, sums[q * together + r]);
    }
  };
  for (; d + Vec::lanes <= head_dim; d += Vec::lanes)
    add_step([](const float* p) { return Vec::load(p); }, [](const Row* p) { return Vec::load(p); });
  if (d < head_dim)
    add_step([&](const float* p) { return Vec::load_first(p, head_dim - d); },
             [&](const Row* p) { return Vec::load_first(p, head_dim - d); });
  alignas(64) float all[Vec::lanes];
  sum_each(sums).store(all);
#pragma GCC unroll 4
  for (int q = 0; q < Queries; ++q) __builtin_memcpy(targets[q], all + q * together, sizeof(float) * together);
}

/// Scores [key_tile] of `Queries` consecutive queries with the rows of a tile.
template <class Row, int Queries>
inline void score_tile(const DecodeAttention& job, int first_query, const std::byte* const* rows, int count,
                       float* scores) {
  constexpr int together = Vec::lanes / Queries;
  const float* queries[Queries];
  for (int q = 0; q < Queries; ++q)
    queries[q] = job.queries + static_cast<std::ptrdiff_t>(first_query + q) * job.head_dim;
  for (int j = 0; j < count; j += together) {
    const std::byte* present[together];
    for (int r = 0; r < together; ++r) present[r] = rows[least(j + r, count - 1)];
    float* targets[Queries];
    for (int q = 0; q < Queries; ++q) targets[q] = scores + static_cast<std::ptrdiff_t>(first_query + q) * key_tile + j;
    score_rows<Row, Queries>(queries, present, job.head_dim, targets);
  }
}

/// sums[q] = sums[q] * factor[q] + weights[q] * values, `Queries` queries and `Vectors` vectors of lanes starting at
/// column d.
template <class Row, int Queries, int Vectors>
inline void add_values(float* const* sums, const float* factors, const float* const* weights,
                       const std::byte* const* rows, int count, int d) {
  Vec sum[Queries][Vectors];
#pragma GCC unroll 4
  for (int q = 0; q < Queries; ++q) {
    const Vec factor = Vec::set1(factors[q]);
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) sum[q][v] = Vec::load(sums[q] + d + v * Vec::lanes) * factor;
  }
  for (int j = 0; j < count; ++j) {
    Vec value[Vectors];
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) value[v] = Vec::load(reinterpret_cast<const Row*>(rows[j]) + d + v * Vec::lanes);
#pragma GCC unroll 4
    for (int q = 0; q < Queries; ++q) {
      const Vec weight = Vec::set1(weights[q][j]);
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v) sum[q][v] = fma(weight, value[v], sum[q][v]);
    }
  }
#pragma GCC unroll 4
  for (int q = 0; q < Queries; ++q)
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) sum[q][v].store(sums[q] + d + v * Vec::lanes);
}

/// The last, partial vector; one query.
template <class Row>
inline void add_last_values(float* sums, float factor, const float* weights, const std::byte* const* rows, int count,
                            int d, int present) {
  Vec sum = Vec::load(sums + d) * Vec::set1(factor);
  for (int j = 0; j < count; ++j)
    sum = fma(Vec::set1(weights[j]), Vec::load_first(reinterpret_cast<const Row*>(rows[j]) + d, present), sum);
  sum.store(sums + d);
}

template <class Row, int Queries>
inline void add_values_of(float* const* sums, const float* factors, const float* const* weights,
                          const std::byte* const* rows, int count, int head_dim) {
  int d = 0;
  for (; d + 2 * Vec::lanes <= head_dim; d += 2 * Vec::lanes)
    add_values<Row, Queries, 2>(sums, factors, weights, rows, count, d);
  for (; d + Vec::lanes <= head_dim; d += Vec::lanes)
    add_values<Row, Queries, 1>(sums, factors, weights, rows, count, d);
  if (d < head_dim)
    for (int q = 0; q < Queries; ++q)
      add_last_values<Row>(sums[q], factors[q], weights[q], rows, count, d, head_dim - d);
}

/// Running softmax of the queries of a group, in scratch memory.
struct DecodeState {
  int columns = 0;             // head_dim in whole vectors
  float* sums = nullptr;       // [group, columns]: values times weights
  float* lane_sums = nullptr;  // [group, Vec::lanes]: weights
  float* maxima = nullptr;     // [group]: of the scores
  float* factors = nullptr;    // [group]: correct the sums of earlier tiles
  float* scores = nullptr;     // [group, key_tile]: of a tile, then its weights
};

KV_INLINE DecodeState decode_state(const DecodeAttention& job) {
  const auto floats = [](int a, int b) {
    return static_cast<std::size_t>(a) * static_cast<std::size_t>(b) * sizeof(float);
  };
  DecodeState state;
  state.columns = (job.head_dim + Vec::lanes - 1) / Vec::lanes * Vec::lanes;
  ScratchCutter cutter;
  for (int pass = 0; pass < 2; ++pass) {
    cutter.used = 0;
    state.sums = reinterpret_cast<float*>(cutter.take(floats(job.group, state.columns)));
    state.lane_sums = reinterpret_cast<float*>(cutter.take(floats(job.group, Vec::lanes)));
    state.maxima = reinterpret_cast<float*>(cutter.take(floats(job.group, 1)));
    state.factors = reinterpret_cast<float*>(cutter.take(floats(job.group, 1)));
    state.scores = reinterpret_cast<float*>(cutter.take(floats(job.group, key_tile)));
    if (pass == 0) cutter.base = kernel_scratch(cutter.used);
  }
  for (int i = 0; i < job.group * state.columns; ++i) state.sums[i] = 0.0F;
  for (int i = 0; i < job.group * Vec::lanes; ++i) state.lane_sums[i] = 0.0F;
  for (int g = 0; g < job.group; ++g) state.maxima[g] = -__builtin_inff();
  for (int i = 0; i < job.group * key_tile; ++i) state.scores[i] = 0.0F;
  return state;
}

/// Scores of all queries with the keys of a tile.
template <class Row>
KV_INLINE void score_queries(const DecodeAttention& job, const std::byte* const* keys, int count, float* scores) {
  for (int g = 0; g < job.group;) {
    if (Vec::lanes >= 16 && g + 4 <= job.group) {
      score_tile<Row, 4>(job, g, keys, count, scores);
      g += 4;
    } else if (g + 2 <= job.group) {
      score_tile<Row, 2>(job, g, keys, count, scores);
      g += 2;
    } else {
      score_tile<Row, 1>(job, g, keys, count, scores);
      g += 1;
    }
  }
}

/// The scores of a tile become weights.
KV_INLINE void softmax_queries(const DecodeState& state, int group, int count, float cap) {
  for (int g = 0; g < group; ++g) {
    float* scores = state.scores + static_cast<std::ptrdiff_t>(g) * key_tile;
    if (cap > 0) cap_scores(scores, cap);
    state.factors[g] = softmax_tile(scores, count, state.maxima[g], state.lane_sums + g * Vec::lanes, scores);
  }
}

/// Corrects the sums of all queries, then adds the values of a tile times their weights.
template <class Row>
KV_INLINE void add_tile_values(const DecodeAttention& job, const DecodeState& state, const std::byte* const* values,
                               int count) {
  for (int g = 0; g < job.group;) {
    float* target[4];
    const float* weights[4];
    for (int q = 0; q < 4; ++q) {
      const int query = least(g + q, job.group - 1);
      target[q] = state.sums + static_cast<std::ptrdiff_t>(query) * state.columns;
      weights[q] = state.scores + static_cast<std::ptrdiff_t>(query) * key_tile;
    }
    if (Vec::lanes >= 16 && g + 4 <= job.group) {
      add_values_of<Row, 4>(target, state.factors + g, weights, values, count, job.head_dim);
      g += 4;
    } else if (g + 2 <= job.group) {
      add_values_of<Row, 2>(target, state.factors + g, weights, values, count, job.head_dim);
      g += 2;
    } else {
      add_values_of<Row, 1>(target, state.factors + g, weights, values, count, job.head_dim);
      g += 1;
    }
  }
}

/// Divides the sums by their denominators, or returns both where the rows are only a part.
KV_INLINE void store_outputs(const DecodeAttention& job, const DecodeState& state) {
  for (int g = 0; g < job.group; ++g) {
    const float denominator = Vec::load(state.lane_sums + g * Vec::lanes).sum();
    const bool whole = job.maxima == nullptr;
    if (!whole) {
      job.maxima[g] = state.maxima[g];
      job.denominators[g] = denominator;
    }
    const Vec inverse = Vec::set1(whole ? 1.0F / denominator : 1.0F);
    float* target = job.output + static_cast<std::ptrdiff_t>(g) * job.head_dim;
    for (int d = 0; d < job.head_dim; d += Vec::lanes)
      store_first(Vec::load(state.sums + g * state.columns + d) * inverse, target + d, job.head_dim - d);
  }
}

template <class Row>
void decode_head(const DecodeAttention& job) {
  const DecodeState state = decode_state(job);
  const std::size_t row_bytes = static_cast<std::size_t>(job.head_dim) * sizeof(Row);
  const int end = job.last == 0 ? job.rows.kept : job.last;
  const std::byte* keys[2][key_tile];
  const std::byte* values[2][key_tile];
  const auto find = [&](int tile, int at) {
    const int count = least(key_tile, end - tile);
    row_addresses(job.rows, job.rows.keys, row_bytes, tile, count, keys[at]);
    row_addresses(job.rows, job.rows.values, row_bytes, tile, count, values[at]);
  };
  const auto ask_for_row = [&](const std::byte* row) {  // prefetches the next tile: heads are many short streams
    for (std::size_t line = 0; line < row_bytes; line += 64) __builtin_prefetch(row + line, 0, 2);
  };
  int at = 0;
  if (job.first < end) find(job.first, at);
  for (int tile = job.first; tile < end; tile += key_tile, at ^= 1) {
    const int count = least(key_tile, end - tile);
    const int next = least(key_tile, end - tile - key_tile);
    if (next > 0) find(tile + key_tile, at ^ 1);
    for (int j = 0; j < next; ++j) ask_for_row(keys[at ^ 1][j]);
    score_queries<Row>(job, keys[at], count, state.scores);
    softmax_queries(state, job.group, count, job.cap);
    for (int j = 0; j < next; ++j) ask_for_row(values[at ^ 1][j]);
    add_tile_values<Row>(job, state, values[at], count);
  }
  store_outputs(job, state);
}

void attention_decode(const DecodeAttention& job) {
#ifdef KV_MULTIPLIES_BF16
  if (decodes_in_bf16(job)) return decode_head_bf16(job);
#endif
  if (job.rows.type == Element::fp32) return decode_head<float>(job);
  decode_head<Bf16>(job);
}
