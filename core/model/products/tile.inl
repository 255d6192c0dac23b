// Tiles of a product, once per instruction set: the including file defines Vec first. Only own code and builtins here,
// no standard library templates (kernels/scratch.h). Weights are read where they are, row-major: lanes run along the
// columns, so nothing is packed but the rows.

#define KV_INLINE inline __attribute__((always_inline))

inline int least(int a, int b) { return a < b ? a : b; }

constexpr int row_tile = 3;          // with eight outputs: 24 of 32 registers hold sums
constexpr int chunk_columns = 1024;  // eight rows of weights and three packed ones stay in the L1 cache
constexpr int wide_columns = 4096;   // from here on, one block of outputs ahead is far enough (kernels/matvec.inl)
constexpr int most_outputs = Vec::lanes >= 16 ? 8 : 4;

/// fp32 weights and rows.
struct MultipliedFp32 {
  using Weight = float;
  using Row = float;
  using Operand = Vec;
  static constexpr int step = Vec::lanes;
  static constexpr int parts = 1;
  static KV_INLINE Operand weight(const Weight* p, int /*part*/) { return Vec::load(p); }
  static KV_INLINE Operand row(const Row* p, int /*part*/) { return Vec::load(p); }
  static KV_INLINE void add(Vec& sum, const Operand& w, const Operand& x) { sum = fma(w, x, sum); }
  template <class Source>
  static KV_INLINE void put(const Source* source, Row* target) {
    Vec::load(source).store(target);
  }
};

/// bf16 weights, widened as they are read; rows were rounded to bf16 and widened when they were packed. First those at
/// even columns of a step, then those at odd ones.
struct MultipliedWidened {
  using Weight = Bf16;
  using Row = float;
  using Operand = Vec;
  static constexpr int step = 2 * Vec::lanes;
  static constexpr int parts = 2;
  static KV_INLINE Operand weight(const Weight* p, int part) {
    Vec even, odd;
    load_split(p, even, odd);
    return part == 0 ? even : odd;
  }
  static KV_INLINE Operand row(const Row* p, int part) { return Vec::load(p + part * Vec::lanes); }
  static KV_INLINE void add(Vec& sum, const Operand& w, const Operand& x) { sum = fma(w, x, sum); }
  static KV_INLINE void put(const Bf16* source, Row* target) {
    Vec even, odd;
    load_split(source, even, odd);
    even.store(target);
    odd.store(target + Vec::lanes);
  }
  static KV_INLINE void put(const float* source, Row* target) {
    Bf16 rounded[step];
    Vec::load(source).store(rounded);
    Vec::load(source + Vec::lanes).store(rounded + Vec::lanes);
    put(rounded, target);
  }
};

#ifdef KV_MULTIPLIES_BF16
/// bf16 weights and rows, multiplied in pairs with fp32 sums (VDPBF16PS). Numbers below 2^-126 count as zero.
struct MultipliedBf16 {
  using Weight = Bf16;
  using Row = Bf16;
  using Operand = __m512i;
  static constexpr int step = 2 * Vec::lanes;
  static constexpr int parts = 1;
  static KV_INLINE Operand weight(const Weight* p, int /*part*/) { return _mm512_loadu_si512(p); }
  static KV_INLINE Operand row(const Row* p, int /*part*/) { return _mm512_loadu_si512(p); }
  static KV_INLINE void add(Vec& sum, const Operand& w, const Operand& x) {
    sum.v = _mm512_dpbf16_ps(sum.v, reinterpret_cast<__m512bh>(w), reinterpret_cast<__m512bh>(x));
  }
  static KV_INLINE void put(const Bf16* source, Row* target) {
    _mm512_storeu_si512(target, _mm512_loadu_si512(source));
  }
  static KV_INLINE void put(const float* source, Row* target) {
    Vec::load(source).store(target);
    Vec::load(source + Vec::lanes).store(target + Vec::lanes);
  }
};
#endif

/// The outputs of one row from one chunk: where they are, and whether it is the first or the last chunk.
struct OutputPlace {
  void* output;
  Element type;
  const float* bias;  // null: none
  float* partial;
  bool first;
  bool last;
};

#ifdef KV_SIXTEEN_LANES
#include "core/model/products/store_avx512.inl"
#else
/// Sums over the lanes, added to those of the chunks before. After the last one: with the bias, rounded to the type of
/// the output. Every NaN becomes the same one: which operand's bits it would have is up to the compiler.
template <int Outputs>
KV_INLINE void store_outputs(const Vec (&sums)[Outputs], const OutputPlace& place) {
  static_assert(Outputs <= Vec::lanes);
  Vec all[Vec::lanes];
#pragma GCC unroll 8
  for (int n = 0; n < Vec::lanes; ++n) all[n] = n < Outputs ? sums[n < Outputs ? n : 0] : Vec::zero();
  alignas(64) float totals[Vec::lanes];
  sum_each(all).store(totals);
  for (int n = 0; n < Outputs; ++n) {
    float total = totals[n];
    if (!place.first) total = place.partial[n] + total;
    if (!place.last) {
      place.partial[n] = total;
      continue;
    }
    if (place.bias != nullptr) total = total + place.bias[n];
    if (total != total) total = __builtin_nanf("");
    if (place.type == Element::bf16)
      static_cast<Bf16*>(place.output)[n] = to_bf16(total);
    else
      static_cast<float*>(place.output)[n] = total;
  }
}
#endif

/// Where the next block of outputs is: it comes into the L2 cache while this one is multiplied with the first rows.
struct WeightsAhead {
  const std::byte* at;
  std::ptrdiff_t of_step;  // bytes
  std::ptrdiff_t of_output;
};

/// One step of the columns.
template <class Multiplied, int Rows, int Outputs>
KV_INLINE void add_step(const typename Multiplied::Weight* const (&weights)[Outputs], int column,
                        const typename Multiplied::Row* rows, Vec (&sums)[Rows][Outputs]) {
#pragma GCC unroll 2
  for (int part = 0; part < Multiplied::parts; ++part) {
    typename Multiplied::Operand x[Rows];
#pragma GCC unroll 4
    for (int m = 0; m < Rows; ++m) x[m] = Multiplied::row(rows + m * Multiplied::step, part);
#pragma GCC unroll 8
    for (int n = 0; n < Outputs; ++n) {
      const typename Multiplied::Operand w = Multiplied::weight(weights[n] + column, part);
#pragma GCC unroll 4
      for (int m = 0; m < Rows; ++m) Multiplied::add(sums[m][n], w, x[m]);
    }
  }
}

/// The columns of a step that the matrix does not have are zero, in the packed rows as well.
template <class Multiplied, int Rows, int Outputs>
KV_INLINE void add_rest(const typename Multiplied::Weight* const (&weights)[Outputs], int column, int count,
                        const typename Multiplied::Row* rows, Vec (&sums)[Rows][Outputs]) {
  using Weight = typename Multiplied::Weight;
  alignas(64) Weight padded[Outputs][Multiplied::step] = {};
  const Weight* rest[Outputs];
  for (int n = 0; n < Outputs; ++n) {
    __builtin_memcpy(padded[n], weights[n] + column, static_cast<std::size_t>(count) * sizeof(Weight));
    rest[n] = padded[n];
  }
  add_step<Multiplied, Rows, Outputs>(rest, 0, rows, sums);
}

/// Of the columns of one chunk, lane by lane. Apart from what follows, which would take registers from the sums.
template <class Multiplied, int Rows, int Outputs, bool Ahead>
__attribute__((noinline)) void sum_columns(const typename Multiplied::Weight* first_weights, std::ptrdiff_t stride,
                                           const typename Multiplied::Row* rows, int columns, WeightsAhead ahead,
                                           Vec (&target)[Rows][Outputs]) {
  constexpr int step = Multiplied::step;
  const typename Multiplied::Weight* weights[Outputs];
#pragma GCC unroll 8
  for (int n = 0; n < Outputs; ++n) weights[n] = first_weights + n * stride;
  Vec sums[Rows][Outputs];
#pragma GCC unroll 4
  for (int m = 0; m < Rows; ++m)
#pragma GCC unroll 8
    for (int n = 0; n < Outputs; ++n) sums[m][n] = Vec::zero();
  int k = 0;
  for (; k + step <= columns; k += step, rows += Rows * step) {
    if constexpr (Ahead) {
#pragma GCC unroll 8
      for (int n = 0; n < Outputs; ++n) __builtin_prefetch(ahead.at + n * ahead.of_output, 0, 2);
      ahead.at += ahead.of_step;
    }
    add_step<Multiplied, Rows, Outputs>(weights, k, rows, sums);
  }
  if (k < columns) add_rest<Multiplied, Rows, Outputs>(weights, k, columns - k, rows, sums);
#pragma GCC unroll 4
  for (int m = 0; m < Rows; ++m)
#pragma GCC unroll 8
    for (int n = 0; n < Outputs; ++n) target[m][n] = sums[m][n];
}

/// A chunk of columns of `Rows` rows, whose first is row `row` of the block, with `Outputs` outputs.
template <class Multiplied, int Rows, int Outputs, bool Ahead>
KV_INLINE void multiply_tile(const ProductBlock& job, int row, int output, int column, const WeightsAhead& ahead) {
  using Row = typename Multiplied::Row;
  constexpr int step = Multiplied::step;
  const std::ptrdiff_t columns = job.columns, padded_columns = (columns + step - 1) / step * step;
  const Row* const rows = static_cast<const Row*>(job.rows) + row * padded_columns + std::ptrdiff_t{column} * Rows;
  const int end = least(column + chunk_columns, job.last_column);
  Vec sums[Rows][Outputs];
  sum_columns<Multiplied, Rows, Outputs, Ahead>(
      static_cast<const typename Multiplied::Weight*>(job.weights) + output * columns + column, columns, rows,
      end - column, ahead, sums);
  const ProductTarget& target = job.target;
  const std::size_t element = target.type == Element::bf16 ? sizeof(Bf16) : sizeof(float);
#pragma GCC unroll 4
  for (int m = 0; m < Rows; ++m) {
    std::byte* const place = static_cast<std::byte*>(target.output) +
                             ((row + m) * target.stride + output) * static_cast<std::ptrdiff_t>(element);
    float* const partial = target.partial == nullptr
                               ? nullptr
                               : target.partial + (row + m) * target.partial_stride + (output - job.first_output);
    store_outputs(sums[m], OutputPlace{place, target.type, target.bias == nullptr ? nullptr : target.bias + output,
                                       partial, column == 0, end == job.columns});
  }
}

template <class Multiplied, int Outputs, bool Ahead>
KV_INLINE void multiply_rows_of_tile(const ProductBlock& job, int row, int output, int column,
                                     const WeightsAhead& ahead) {
  switch (job.row_count - row) {
    case 1:
      return multiply_tile<Multiplied, 1, Outputs, Ahead>(job, row, output, column, ahead);
    case 2:
      return multiply_tile<Multiplied, 2, Outputs, Ahead>(job, row, output, column, ahead);
    default:
      return multiply_tile<Multiplied, 3, Outputs, Ahead>(job, row, output, column, ahead);
  }
}

/// All rows with `Outputs` outputs, chunk by chunk: a chunk of weights comes from memory once, with the first rows, and
/// is in the L1 cache for the others.
template <class Multiplied, int Outputs>
__attribute__((noinline)) void multiply_outputs(const ProductBlock& job, int output) {
  using Weight = typename Multiplied::Weight;
  constexpr std::ptrdiff_t element = sizeof(Weight), step_bytes = Multiplied::step * element;
  const std::ptrdiff_t row_bytes = job.columns * element;
  const auto* const here = static_cast<const std::byte*>(job.weights) + output * row_bytes;
  const bool whole_rows = job.first_column == 0 && job.last_column == job.columns;
  for (int column = job.first_column; column < job.last_column; column += chunk_columns) {
    WeightsAhead ahead{here + Outputs * row_bytes + column * element, step_bytes, row_bytes};
    if (whole_rows)  // one after the other: in memory order
      ahead = {here + (job.columns < wide_columns ? 2 : 1) * Outputs * row_bytes + column * element * Outputs,
               Outputs * step_bytes, step_bytes};
    multiply_rows_of_tile<Multiplied, Outputs, true>(job, 0, output, column, ahead);
    for (int row = row_tile; row < job.row_count; row += row_tile)
      multiply_rows_of_tile<Multiplied, Outputs, false>(job, row, output, column, ahead);
  }
}

template <class Multiplied>
void multiply_block(const ProductBlock& job) {
  int output = job.first_output;
  for (; output + most_outputs <= job.last_output; output += most_outputs)
    multiply_outputs<Multiplied, most_outputs>(job, output);
  if constexpr (most_outputs > 4)
    for (; output + 4 <= job.last_output; output += 4) multiply_outputs<Multiplied, 4>(job, output);
  for (; output + 2 <= job.last_output; output += 2) multiply_outputs<Multiplied, 2>(job, output);
  for (; output < job.last_output; ++output) multiply_outputs<Multiplied, 1>(job, output);
}

template <class Multiplied, class Source>
void pack_tiles(const PackJob& job) {
  using Row = typename Multiplied::Row;
  constexpr int step = Multiplied::step;
  const std::ptrdiff_t padded_columns = (job.columns + step - 1) / step * static_cast<std::ptrdiff_t>(step);
  for (int tile = job.first_tile; tile < job.last_tile; ++tile) {
    const int rows = least(row_tile, job.row_count - tile * row_tile);
    Row* const target = static_cast<Row*>(job.packed) + tile * row_tile * padded_columns;
    for (int m = 0; m < rows; ++m) {
      const Source* const source = static_cast<const Source*>(job.rows) + (tile * row_tile + m) * job.stride;
      Row* place = target + m * step;
      int k = 0;
      for (; k + step <= job.columns; k += step, place += rows * step) Multiplied::put(source + k, place);
      if (k == job.columns) continue;
      alignas(64) Source padded[step] = {};
      __builtin_memcpy(padded, source + k, static_cast<std::size_t>(job.columns - k) * sizeof(Source));
      Multiplied::put(padded, place);
    }
  }
}

template <class Multiplied>
void pack_block(const PackJob& job) {
  if (job.type == Element::bf16) return pack_tiles<Multiplied, Bf16>(job);
  pack_tiles<Multiplied, float>(job);
}

template <class Multiplied>
constexpr ProductKernels table_of() {
  return {row_tile,      Multiplied::step,       sizeof(typename Multiplied::Row),
          chunk_columns, pack_block<Multiplied>, multiply_block<Multiplied>};
}

#undef KV_INLINE
