// Attention of one token: the same tiles and running softmax, rows read where they lie, all arithmetic in fp32.

template <class Row>
inline float row_dot(const float* query, const Row* row, int head_dim) {
  Vec sum = Vec::zero();
  int d = 0;
  for (; d + Vec::lanes <= head_dim; d += Vec::lanes) sum = fma(Vec::load(query + d), Vec::load(row + d), sum);
  if (d < head_dim) sum = fma(Vec::load_first(query + d, head_dim - d), Vec::load_first(row + d, head_dim - d), sum);
  return sum.sum();
}

template <class Row>
void decode_head(const DecodeAttention& job) {
  const int vectors = (job.head_dim + Vec::lanes - 1) / Vec::lanes;
  const int columns = vectors * Vec::lanes;
  const auto floats = [](int a, int b) {
    return static_cast<std::size_t>(a) * static_cast<std::size_t>(b) * sizeof(float);
  };
  float* sums = nullptr;
  float* lane_sums = nullptr;
  float* maxima = nullptr;
  ScratchCutter cutter;
  for (int pass = 0; pass < 2; ++pass) {
    cutter.used = 0;
    sums = reinterpret_cast<float*>(cutter.take(floats(job.group, columns)));
    lane_sums = reinterpret_cast<float*>(cutter.take(floats(job.group, Vec::lanes)));
    maxima = reinterpret_cast<float*>(cutter.take(floats(job.group, 1)));
    if (pass == 0) cutter.base = kernel_scratch(cutter.used);
  }
  for (int i = 0; i < job.group * columns; ++i) sums[i] = 0.0F;
  for (int i = 0; i < job.group * Vec::lanes; ++i) lane_sums[i] = 0.0F;
  for (int g = 0; g < job.group; ++g) maxima[g] = -__builtin_inff();

  const std::size_t row_bytes = static_cast<std::size_t>(job.head_dim) * sizeof(Row);
  for (int tile = 0; tile < job.rows.kept; tile += key_tile) {
    const int count = least(key_tile, job.rows.kept - tile);
    const std::byte* keys[key_tile];
    const std::byte* values[key_tile];
    row_addresses(job.rows, job.rows.keys, row_bytes, tile, count, keys);
    row_addresses(job.rows, job.rows.values, row_bytes, tile, count, values);
    for (int g = 0; g < job.group; ++g) {
      alignas(64) float scores[key_tile] = {};
      alignas(64) float weights[key_tile];
      const float* query = job.queries + static_cast<std::ptrdiff_t>(g) * job.head_dim;
      for (int j = 0; j < count; ++j) scores[j] = row_dot(query, reinterpret_cast<const Row*>(keys[j]), job.head_dim);
      const Vec factor = Vec::set1(softmax_tile(scores, count, maxima[g], lane_sums + g * Vec::lanes, weights));
      float* target = sums + g * columns;
      int d = 0;
      for (; d + 2 * Vec::lanes <= job.head_dim; d += 2 * Vec::lanes) {
        Vec left = Vec::load(target + d) * factor;
        Vec right = Vec::load(target + d + Vec::lanes) * factor;
        for (int j = 0; j < count; ++j) {
          const Row* row = reinterpret_cast<const Row*>(values[j]) + d;
          const Vec weight = Vec::set1(weights[j]);
          left = fma(weight, Vec::load(row), left);
          right = fma(weight, Vec::load(row + Vec::lanes), right);
        }
        left.store(target + d);
        right.store(target + d + Vec::lanes);
      }
      for (; d < job.head_dim; d += Vec::lanes) {
        const int present = least(Vec::lanes, job.head_dim - d);
        Vec sum = Vec::load(target + d) * factor;
        for (int j = 0; j < count; ++j)
          sum = fma(Vec::set1(weights[j]), Vec::load_first(reinterpret_cast<const Row*>(values[j]) + d, present), sum);
        sum.store(target + d);
      }
    }
  }
  for (int g = 0; g < job.group; ++g) {
    const Vec inverse = Vec::set1(1.0F / Vec::load(lane_sums + g * Vec::lanes).sum());
    float* target = job.output + static_cast<std::ptrdiff_t>(g) * job.head_dim;
    for (int d = 0; d < job.head_dim; d += Vec::lanes)
      store_first(Vec::load(sums + g * columns + d) * inverse, target + d, job.head_dim - d);
  }
}

void attention_decode(const DecodeAttention& job) {
  if (job.rows.type == Element::fp32) return decode_head<float>(job);
  decode_head<Bf16>(job);
}
