// Matrix x few vectors, in fp32: each output is one lane-wise sum over the columns in order, then one sum over lanes,
// so that its bits do not depend on how many rows or vectors are batched.

/// Prefetches the data of a step (several consecutive rows) two such blocks ahead, in memory order: rows are short
/// streams, and the hardware prefetcher detects each too late. Targets the L2 cache, so that prefetched data does not
/// evict data in use from L1.
template <int Bytes>
inline void ask_for(const std::byte* ahead) {
  static_assert(Bytes >= 64 || 64 % Bytes == 0);
#pragma GCC unroll 16
  for (int line = 0; line < Bytes; line += 64) __builtin_prefetch(ahead + line, 0, 2);
}

template <class T, int Rows, int Batch, bool Ahead>
inline void dot_block(const MatVec& job, int row, int batch) {
  const T* weight[Rows];
  const float* input[Batch];
  for (int r = 0; r < Rows; ++r)
    weight[r] = static_cast<const T*>(job.weight) + static_cast<std::ptrdiff_t>(row + r) * job.columns;
  for (int b = 0; b < Batch; ++b) input[b] = job.input + (batch + b) * job.input_stride;
  const std::byte* ahead = reinterpret_cast<const std::byte*>(weight[0] + std::ptrdiff_t{2} * Rows * job.columns);
  constexpr int step_bytes = Rows * Vec::lanes * static_cast<int>(sizeof(T));
  Vec sums[Rows][Batch];
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 8
    for (int b = 0; b < Batch; ++b) sums[r][b] = Vec::zero();
  int k = 0;
  for (; k + Vec::lanes <= job.columns; k += Vec::lanes) {
    if constexpr (Ahead) ask_for<step_bytes>(ahead + static_cast<std::ptrdiff_t>(k / Vec::lanes) * step_bytes);
    Vec x[Batch];
#pragma GCC unroll 8
    for (int b = 0; b < Batch; ++b) x[b] = Vec::load(input[b] + k);
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
      const Vec w = Vec::load(weight[r] + k);
#pragma GCC unroll 8
      for (int b = 0; b < Batch; ++b) sums[r][b] = fma(w, x[b], sums[r][b]);
    }
  }
  if (k < job.columns) {
    const int rest = job.columns - k;
    for (int r = 0; r < Rows; ++r)
      for (int b = 0; b < Batch; ++b)
        sums[r][b] = fma(Vec::load_first(weight[r] + k, rest), Vec::load_first(input[b] + k, rest), sums[r][b]);
  }
  for (int r = 0; r < Rows; ++r)
    for (int b = 0; b < Batch; ++b)
      job.output[(batch + b) * job.output_stride + row + r] =
          sums[r][b].sum() + (job.bias == nullptr ? 0.0F : job.bias[row + r]);
}

// All vectors before the next rows: each row of weights is read from memory once, with the first vectors.
template <class T, int Rows>
inline void rows_of(const MatVec& job, int row) {
  int batch = 0;
  if (job.batch >= 4)
    dot_block<T, Rows, 4, true>(job, row, 0), batch = 4;
  else if (job.batch >= 2)
    dot_block<T, Rows, 2, true>(job, row, 0), batch = 2;
  for (; batch + 4 <= job.batch; batch += 4) dot_block<T, Rows, 4, false>(job, row, batch);
  for (; batch + 2 <= job.batch; batch += 2) dot_block<T, Rows, 2, false>(job, row, batch);
  for (; batch < job.batch; ++batch) dot_block<T, Rows, 1, false>(job, row, batch);
}

template <class T>
void matvec_of(const MatVec& job) {
  int row = job.first;
  if (job.batch == 1) {
    constexpr int wide = 4096;  // from this many columns on, two blocks of eight rows nearly fill the L2 cache
    if (job.columns < wide)
      for (; row + 8 <= job.last; row += 8) dot_block<T, 8, 1, true>(job, row, 0);
    for (; row + 4 <= job.last; row += 4) dot_block<T, 4, 1, true>(job, row, 0);
    for (; row < job.last; ++row) dot_block<T, 1, 1, false>(job, row, 0);
    return;
  }
  constexpr int together = Vec::lanes >= 16 ? 4 : 2;  // as many sums as registers allow
  for (; row + together <= job.last; row += together) rows_of<T, together>(job, row);
  for (; row < job.last; ++row) rows_of<T, 1>(job, row);
}

#include "core/model/kernels/matvec_quantized.inl"

void matvec(const MatVec& job) {
  if (job.codes != nullptr) return matvec_quantized(job);
  if (job.type == Element::fp32) return matvec_of<float>(job);
  matvec_of<Bf16>(job);
}
