// Matrix x few vectors where the weights are codes of eight bits with a scale for every 32 of a row. A block's products are summed
// lane-wise, times its scale, over the blocks in order, then over lanes: as in matvec.inl, bits depend neither on how many rows nor on
// how many vectors are taken together.

template <int Rows, int Batch, bool Ahead>
inline void coded_dot_block(const MatVec& job, int row, int batch) {
  constexpr int size = MatVec::coded_columns;
  const int blocks = job.columns / size;
  const signed char* codes[Rows];
  const float* scales[Rows];
  const float* input[Batch];
  for (int r = 0; r < Rows; ++r) {
    codes[r] = job.codes + static_cast<std::ptrdiff_t>(row + r) * job.columns;
    scales[r] = job.scales + static_cast<std::ptrdiff_t>(row + r) * blocks;
  }
  for (int b = 0; b < Batch; ++b) input[b] = job.input + (batch + b) * job.input_stride;
  constexpr int step_bytes = Rows * size;
  const std::byte* ahead = reinterpret_cast<const std::byte*>(codes[0] + std::ptrdiff_t{2} * Rows * job.columns);
  Vec sums[Rows][Batch];
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 8
    for (int b = 0; b < Batch; ++b) sums[r][b] = Vec::zero();
  for (int block = 0; block < blocks; ++block) {
    if constexpr (Ahead && step_bytes >= 64) ask_for<step_bytes>(ahead + std::ptrdiff_t{block} * step_bytes);
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
      Vec part[Batch];
#pragma GCC unroll 8
      for (int b = 0; b < Batch; ++b) part[b] = Vec::zero();
#pragma GCC unroll 8
      for (int i = 0; i < size; i += Vec::lanes) {
        const Vec w = Vec::load(codes[r] + block * size + i);
#pragma GCC unroll 8
        for (int b = 0; b < Batch; ++b) part[b] = fma(w, Vec::load(input[b] + block * size + i), part[b]);
      }
      const Vec scale = Vec::set1(scales[r][block]);
#pragma GCC unroll 8
      for (int b = 0; b < Batch; ++b) sums[r][b] = fma(part[b], scale, sums[r][b]);
    }
  }
  for (int r = 0; r < Rows; ++r)
    for (int b = 0; b < Batch; ++b)
      job.output[(batch + b) * job.output_stride + row + r] = sums[r][b].sum() + (job.bias == nullptr ? 0.0F : job.bias[row + r]);
}

template <int Rows>
inline void coded_rows_of(const MatVec& job, int row) {
  int batch = 0;
  if (job.batch >= 4) coded_dot_block<Rows, 4, true>(job, row, 0), batch = 4;
  else if (job.batch >= 2) coded_dot_block<Rows, 2, true>(job, row, 0), batch = 2;
  else coded_dot_block<Rows, 1, true>(job, row, 0), batch = 1;
  for (; batch + 4 <= job.batch; batch += 4) coded_dot_block<Rows, 4, false>(job, row, batch);
  for (; batch + 2 <= job.batch; batch += 2) coded_dot_block<Rows, 2, false>(job, row, batch);
  for (; batch < job.batch; ++batch) coded_dot_block<Rows, 1, false>(job, row, batch);
}

void matvec_coded(const MatVec& job) {
  constexpr int together = Vec::lanes >= 16 ? 4 : 2;
  int row = job.first;
  for (; row + together <= job.last; row += together) coded_rows_of<together>(job, row);
  for (; row < job.last; ++row) coded_rows_of<1>(job, row);
}
