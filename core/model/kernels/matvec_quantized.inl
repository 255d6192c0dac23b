// Matrix x few vectors with 8-bit quantized weights, one scale per 32 of a row. The vectors are quantized, too: 16 bits
// and a scale for the same 32, over a hundred times finer than bf16 at the largest number of each. So a block's
// products are integer sums. A block's lane-wise sum times both scales is added over the blocks in order, then over
// lanes: as in matvec.inl, bits do not depend on how many rows or vectors are batched.

/// Vectors in the format of quantized_dot_block: input[b, k] is approximately scales[b, k / 32] * words[b, k].
struct QuantizedInput {
  short* words;
  float* scales;
};

/// Quantizes 32 numbers. A non-finite number makes the scale NaN, so that it propagates to every product.
inline void quantize_block(const float* numbers, short* words, float* scale) {
  Vec largest = Vec::zero(), finite = Vec::zero();
#pragma GCC unroll 8
  for (int i = 0; i < MatVec::quantized_columns; i += Vec::lanes) {
    const Vec x = Vec::load(numbers + i);
    largest = max(largest, max(x, Vec::zero() - x));
    finite = finite + (x - x);
  }
  constexpr float steps = 32767.0F, vanishing = 1e-30F;
  const float most = largest.largest(), trouble = finite.sum();
  const bool quantized = trouble == 0.0F && most > vanishing;
  *scale = quantized ? most / steps : trouble;
  const Vec inverse = Vec::set1(quantized ? steps / most : 0.0F);
  alignas(64) float rounded[MatVec::quantized_columns];
  for (int i = 0; i < MatVec::quantized_columns; i += Vec::lanes)
    round(Vec::load(numbers + i) * inverse).store(rounded + i);
  for (int i = 0; i < MatVec::quantized_columns; ++i) words[i] = quantized ? static_cast<short>(rounded[i]) : short{0};
}

/// Uses this thread's scratch memory.
inline QuantizedInput quantize_input(const MatVec& job) {
  const std::ptrdiff_t blocks = job.columns / MatVec::quantized_columns;
  ScratchCutter sizes;
  const auto cut = [&](ScratchCutter& cutter) {
    short* words = reinterpret_cast<short*>(
        cutter.take(static_cast<std::size_t>(job.batch * std::ptrdiff_t{job.columns}) * sizeof(short)));
    return QuantizedInput{
        words, reinterpret_cast<float*>(cutter.take(static_cast<std::size_t>(job.batch * blocks) * sizeof(float)))};
  };
  (void)cut(sizes);
  ScratchCutter cutter{kernel_scratch(sizes.used)};
  const QuantizedInput quantized = cut(cutter);
  for (int b = 0; b < job.batch; ++b)
    for (std::ptrdiff_t block = 0; block < blocks; ++block)
      quantize_block(job.input + b * job.input_stride + block * MatVec::quantized_columns,
                     quantized.words + (b * blocks + block) * MatVec::quantized_columns,
                     quantized.scales + b * blocks + block);
  return quantized;
}

template <int Rows, int Batch, bool Ahead>
inline void quantized_dot_block(const MatVec& job, const QuantizedInput& quantized, int row, int batch) {
  constexpr int size = MatVec::quantized_columns;
  const int blocks = job.columns / size;
  const signed char* codes[Rows];
  const float* scales[Rows];
  const short* input[Batch];
  const float* input_scales[Batch];
  for (int r = 0; r < Rows; ++r) {
    codes[r] = job.codes + static_cast<std::ptrdiff_t>(row + r) * job.columns;
    scales[r] = job.scales + static_cast<std::ptrdiff_t>(row + r) * blocks;
  }
  for (int b = 0; b < Batch; ++b) {
    input[b] = quantized.words + (batch + b) * static_cast<std::ptrdiff_t>(job.columns);
    input_scales[b] = quantized.scales + (batch + b) * static_cast<std::ptrdiff_t>(blocks);
  }
  constexpr int step_bytes = Rows * size;
  const std::byte* ahead = reinterpret_cast<const std::byte*>(codes[0] + std::ptrdiff_t{2} * Rows * job.columns);
  Vec sums[Rows][Batch];
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 8
    for (int b = 0; b < Batch; ++b) sums[r][b] = Vec::zero();
  for (int chunk = 0; chunk < blocks; chunk += Vec::lanes) {
    const int count = least(Vec::lanes, blocks - chunk);
    alignas(64) float both[Rows][Batch][Vec::lanes];  // one lane per block
    if constexpr (Ahead) {                            // prefetches as many scales of the rows after these
      const std::byte* scales_ahead =
          reinterpret_cast<const std::byte*>(scales[0] + std::ptrdiff_t{2} * Rows * blocks + Rows * chunk);
      const int bytes = Rows * count * static_cast<int>(sizeof(float));
      for (int line = 0; line < bytes; line += 64) __builtin_prefetch(scales_ahead + line, 0, 2);
    }
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 8
      for (int b = 0; b < Batch; ++b)
        (Vec::load_first(scales[r] + chunk, count) * Vec::load_first(input_scales[b] + chunk, count)).store(both[r][b]);
    for (int i = 0; i < count; ++i) {
      const std::ptrdiff_t block = chunk + i;
      if constexpr (Ahead && step_bytes >= 64) ask_for<step_bytes>(ahead + block * step_bytes);
      Words x[Batch];
#pragma GCC unroll 8
      for (int b = 0; b < Batch; ++b) x[b] = Words::load(input[b] + block * size);
#pragma GCC unroll 8
      for (int r = 0; r < Rows; ++r) {
        const Words w = Words::load(codes[r] + block * size);
#pragma GCC unroll 8
        for (int b = 0; b < Batch; ++b) sums[r][b] = fma(dot_in_lanes(w, x[b]), Vec::set1(both[r][b][i]), sums[r][b]);
      }
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 8
    for (int b = 0; b < Batch; ++b)
      job.output[(batch + b) * job.output_stride + row + r] =
          sums[r][b].sum() + (job.bias == nullptr ? 0.0F : job.bias[row + r]);
}

template <int Rows>
inline void quantized_rows_of(const MatVec& job, const QuantizedInput& quantized, int row) {
  int batch = 0;
  if (job.batch >= 4)
    quantized_dot_block<Rows, 4, true>(job, quantized, row, 0), batch = 4;
  else if (job.batch >= 2)
    quantized_dot_block<Rows, 2, true>(job, quantized, row, 0), batch = 2;
  else
    quantized_dot_block<Rows, 1, true>(job, quantized, row, 0), batch = 1;
  for (; batch + 4 <= job.batch; batch += 4) quantized_dot_block<Rows, 4, false>(job, quantized, row, batch);
  for (; batch + 2 <= job.batch; batch += 2) quantized_dot_block<Rows, 2, false>(job, quantized, row, batch);
  for (; batch < job.batch; ++batch) quantized_dot_block<Rows, 1, false>(job, quantized, row, batch);
}

void matvec_quantized(const MatVec& job) {
  const QuantizedInput quantized = quantize_input(job);
  constexpr int together = Vec::lanes >= 16 ? 4 : 2;
  int row = job.first;
  for (; row + together <= job.last; row += together) quantized_rows_of<together>(job, quantized, row);
  for (; row < job.last; ++row) quantized_rows_of<1>(job, quantized, row);
}
