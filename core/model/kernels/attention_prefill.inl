// Attention of a chunk of queries over a head's rows, tile by tile with a running softmax (FlashAttention's recurrence,
// Dao et al. 2022): scores = Q K^T and sums += weights V are both small matrix products against a packed panel.

/// Inner product in fp32.
struct MultiplyFp32 {
  using Operand = float;
  using Weight = float;
  static constexpr int depth = 1;  // inner elements in one operand
  using Panel = Vec;
  static Panel load(const Operand* p) { return Vec::load(p); }
  static void add(Vec& sum, Operand a, const Panel& b) { sum = fma(Vec::set1(a), b, sum); }

  template <class Row>
  static Operand row_operand(const Row* row, int step) {
    return to_float(row[step]);
  }
  /// Packs one value row into panel lines: width operands.
  template <class Row>
  static void pack_values(const Row* even, const Row* /*odd*/, Operand* line, int count, int width) {
    for (int j = 0; j < count; ++j) line[j] = to_float(even[j]);
    for (int j = count; j < width; ++j) line[j] = 0.0F;
  }
};

/// sums[r][0..1] += sum over steps of a[r][step] * panel[step].
template <class Multiply>
inline void multiply_panel(const typename Multiply::Operand* const (&a)[Vec::rows],
                           const typename Multiply::Operand* panel, int steps, Vec (&sums)[Vec::rows][2]) {
  for (int k = 0; k < steps; ++k) {
    const auto left = Multiply::load(panel);
    const auto right = Multiply::load(panel + Vec::lanes);
    panel += 2 * Vec::lanes;
#pragma GCC unroll 8
    for (int r = 0; r < Vec::rows; ++r) {
      const auto x = a[r][k];
      Multiply::add(sums[r][0], x, left);
      Multiply::add(sums[r][1], x, right);
    }
  }
}

/// Queries [first, last) of a chunk: few enough that their running sums stay in the L2 cache. Row = query * group +
/// head of the group. Arrays are in scratch memory. Lane j of panel p of keys has operands of key p * width + j; of
/// values, in step k, column p * width + j of keys k * depth .. k * depth + depth - 1.
template <class Multiply>
struct QueryBlock {
  using Operand = typename Multiply::Operand;
  using Weight = typename Multiply::Weight;
  static constexpr int width = 2 * Vec::lanes;  // of a panel
  static constexpr int key_panels = key_tile / width;
  static constexpr int key_steps = key_tile / Multiply::depth;  // of the inner product with values

  const PrefillAttention& job;
  const int first, last;
  const int steps = job.head_dim / Multiply::depth;
  const int value_panels = (job.head_dim + width - 1) / width;
  const int columns = value_panels * width;
  const int rows = (last - first) * job.group;
  const int padded_rows = (rows + Vec::rows - 1) / Vec::rows * Vec::rows;
  Operand* queries = nullptr;  // [padded_rows, steps]
  Operand* keys = nullptr;     // [key_panels, steps, width]
  Operand* values = nullptr;   // [value_panels, key_steps, width]
  Weight* weights = nullptr;   // [Vec::rows, key_tile]
  float* scores = nullptr;     // [Vec::rows, key_tile]
  float* sums = nullptr;       // [padded_rows, columns]: values times weights
  float* maxima = nullptr;     // [padded_rows]: of the scores
  float* lane_sums = nullptr;  // [padded_rows, Vec::lanes]: weights

  KV_INLINE QueryBlock(const PrefillAttention& prefill, int first_query, int last_query)
      : job(prefill), first(first_query), last(last_query) {
    const auto size = [](int a, int b, std::size_t element) {
      return static_cast<std::size_t>(a) * static_cast<std::size_t>(b) * element;
    };
    ScratchCutter cutter;
    for (int pass = 0; pass < 2; ++pass) {
      cutter.used = 0;
      queries = reinterpret_cast<Operand*>(cutter.take(size(padded_rows, steps, sizeof(Operand))));
      keys = reinterpret_cast<Operand*>(cutter.take(size(key_tile, steps, sizeof(Operand))));
      values = reinterpret_cast<Operand*>(cutter.take(size(key_steps, columns, sizeof(Operand))));
      weights = reinterpret_cast<Weight*>(cutter.take(size(Vec::rows, key_tile, sizeof(Weight))));
      scores = reinterpret_cast<float*>(cutter.take(size(Vec::rows, key_tile, sizeof(float))));
      sums = reinterpret_cast<float*>(cutter.take(size(padded_rows, columns, sizeof(float))));
      maxima = reinterpret_cast<float*>(cutter.take(size(padded_rows, 1, sizeof(float))));
      lane_sums = reinterpret_cast<float*>(cutter.take(size(padded_rows, Vec::lanes, sizeof(float))));
      if (pass == 0) cutter.base = kernel_scratch(cutter.used);
    }
  }

  /// Padding rows repeat the last one and are discarded.
  template <class Q>
  KV_INLINE void load_queries() const {
    for (int r = 0; r < padded_rows; ++r) {
      const int used = least(r, rows - 1);
      const Q* source = static_cast<const Q*>(job.queries) + (first + used / job.group) * job.stride +
                        static_cast<std::ptrdiff_t>(used % job.group) * job.head_dim;
      for (int s = 0; s < steps; ++s) queries[r * steps + s] = Multiply::row_operand(source, s);
      maxima[r] = -__builtin_inff();
    }
    for (int i = 0; i < padded_rows * columns; ++i) sums[i] = 0.0F;
    for (int i = 0; i < padded_rows * Vec::lanes; ++i) lane_sums[i] = 0.0F;
  }

  /// `count` keys, the others zero.
  template <class Row>
  KV_INLINE void pack_tile_keys(const std::byte* const* addresses, int count) const {
    for (int j = 0; j < key_tile; ++j) {
      Operand* target = keys + (j / width) * steps * width + j % width;
      if (j < count) {
        const Row* row = reinterpret_cast<const Row*>(addresses[j]);
        for (int s = 0; s < steps; ++s) target[s * width] = Multiply::row_operand(row, s);
      } else {
        for (int s = 0; s < steps; ++s) target[s * width] = Operand{};
      }
    }
  }

  /// `count` values, the others zero.
  template <class Row>
  KV_INLINE void pack_tile_values(const std::byte* const* addresses, int count) const {
    static const Row zeros[1024] = {};
    for (int k = 0; k < key_steps; ++k) {
      const int even = k * Multiply::depth;
      const int odd = even + Multiply::depth - 1;
      const Row* even_row = even < count ? reinterpret_cast<const Row*>(addresses[even]) : zeros;
      const Row* odd_row = odd < count ? reinterpret_cast<const Row*>(addresses[odd]) : zeros;
      for (int p = 0; p < value_panels; ++p)
        Multiply::pack_values(even_row + p * width, odd_row + p * width, values + (p * key_steps + k) * width,
                              least(width, job.head_dim - p * width), width);
    }
  }

  /// Scores of the Vec::rows rows from r with the keys of the tile.
  KV_INLINE void score_rows(int r) const {
    const Operand* a[Vec::rows];
    for (int i = 0; i < Vec::rows; ++i) a[i] = queries + (r + i) * steps;
    for (int p = 0; p < key_panels; ++p) {
      Vec product[Vec::rows][2];
#pragma GCC unroll 8
      for (int i = 0; i < Vec::rows; ++i) product[i][0] = product[i][1] = Vec::zero();
      multiply_panel<Multiply>(a, keys + p * steps * width, steps, product);
#pragma GCC unroll 8
      for (int i = 0; i < Vec::rows; ++i) {
        product[i][0].store(scores + i * key_tile + p * width);
        product[i][1].store(scores + i * key_tile + p * width + Vec::lanes);
      }
    }
  }

  /// Keys of the tile that a row sees, beginning with `tile`.
  KV_INLINE int limit(int row, int tile) const {
    return job.visible_before + first + least(row, rows - 1) / job.group + 1 - tile;
  }

  /// The first row of keys that a row sees.
  KV_INLINE int begin(int row) const {
    return job.form.begins == nullptr ? 0 : job.form.begins[first + least(row, rows - 1) / job.group];
  }

  /// The scores of the rows from r become weights; factors correct the sums of earlier tiles.
  KV_INLINE void softmax_rows(int r, int tile, float (&factors)[Vec::rows]) const {
    for (int i = 0; i < Vec::rows; ++i) {
      float* const row = scores + i * key_tile;
      float* const lanes = lane_sums + (r + i) * Vec::lanes;
      if (job.form.cap > 0) cap_scores(row, job.form.cap);
      factors[i] = job.form.begins == nullptr
                       ? softmax_tile(row, limit(r + i, tile), maxima[r + i], lanes, weights + i * key_tile)
                       : softmax_tile_from(row, begin(r + i) - tile, limit(r + i, tile), maxima[r + i], lanes,
                                           weights + i * key_tile);
    }
  }

  /// sums = sums * factor + weights * values, of the rows from r.
  KV_INLINE void add_values(int r, const float (&factors)[Vec::rows]) const {
    const Operand* w[Vec::rows];
    for (int i = 0; i < Vec::rows; ++i) w[i] = reinterpret_cast<const Operand*>(weights + i * key_tile);
    for (int p = 0; p < value_panels; ++p) {
      Vec product[Vec::rows][2];
      float* target = sums + r * columns + p * width;
#pragma GCC unroll 8
      for (int i = 0; i < Vec::rows; ++i) {
        const Vec factor = Vec::set1(factors[i]);
        product[i][0] = Vec::load(target + i * columns) * factor;
        product[i][1] = Vec::load(target + i * columns + Vec::lanes) * factor;
      }
      multiply_panel<Multiply>(w, values + p * key_steps * width, key_steps, product);
#pragma GCC unroll 8
      for (int i = 0; i < Vec::rows; ++i) {
        product[i][0].store(target + i * columns);
        product[i][1].store(target + i * columns + Vec::lanes);
      }
    }
  }

  /// Of a row's sink, relative to the row's maximum.
  KV_INLINE float sink_weight(int r) const {
    alignas(64) float lanes[Vec::lanes];
    exp2(Vec::set1(job.form.sinks[r % job.group] - maxima[r])).store(lanes);
    return lanes[0];
  }

  template <class Q>
  KV_INLINE void store_outputs() const {
    for (int r = 0; r < rows; ++r) {
      float denominator = Vec::load(lane_sums + r * Vec::lanes).sum();
      if (job.form.sinks != nullptr) denominator += sink_weight(r);
      const Vec inverse = Vec::set1(1.0F / denominator);
      Q* target = static_cast<Q*>(job.output) + (first + r / job.group) * job.stride +
                  static_cast<std::ptrdiff_t>(r % job.group) * job.head_dim;
      for (int d = 0; d < job.head_dim; d += Vec::lanes)
        store_first(Vec::load(sums + r * columns + d) * inverse, target + d, job.head_dim - d);
    }
  }
};

template <class Multiply, class Row, class Q>
void attend_queries(const PrefillAttention& job, int first, int last) {
  const QueryBlock<Multiply> block(job, first, last);
  block.template load_queries<Q>();
  const std::size_t row_bytes = static_cast<std::size_t>(job.head_dim) * sizeof(Row);
  const int end = job.visible_before + last;
  const int start = block.begin(0) / key_tile * key_tile;  // nothing is seen of earlier tiles
  for (int tile = start; tile < end; tile += key_tile) {
    const int count = least(key_tile, end - tile);
    const std::byte* addresses[key_tile];
    row_addresses(job.rows, job.rows.keys, row_bytes, tile, count, addresses);
    block.template pack_tile_keys<Row>(addresses, count);
    row_addresses(job.rows, job.rows.values, row_bytes, tile, count, addresses);
    block.template pack_tile_values<Row>(addresses, count);
    for (int r = 0; r < block.rows; r += Vec::rows) {
      if (block.limit(r + Vec::rows - 1, tile) <= 0 || block.begin(r) >= tile + key_tile) continue;
      float factors[Vec::rows];
      block.score_rows(r);
      block.softmax_rows(r, tile, factors);
      block.add_values(r, factors);
    }
  }
  block.template store_outputs<Q>();
}

template <class Multiply, class Row, class Q>
void attend(const PrefillAttention& job) {
  const int together = most(1, 512 / job.group);
  for (int q = job.first; q < job.last; q += together)
    attend_queries<Multiply, Row, Q>(job, q, least(job.last, q + together));
}

void attention_prefill(const PrefillAttention& job) {
  if (job.rows.type == Element::fp32) {
    if (job.type == Element::fp32) return attend<MultiplyFp32, float, float>(job);
    return attend<MultiplyFp32, float, Bf16>(job);
  }
  if (job.type == Element::fp32) return attend<MultiplyFp32, Bf16, float>(job);
#ifdef KV_MULTIPLIES_BF16
  return attend<MultiplyBf16, Bf16, Bf16>(job);
#else
  return attend<MultiplyFp32, Bf16, Bf16>(job);
#endif
}
