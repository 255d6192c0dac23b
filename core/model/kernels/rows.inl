// Norms and inner products over the rows of one head (row_kernels.h).

/// Elements in the order of load_split(): pairs of vectors.
template <class Row>
inline void split_vector(const float* vector, int head_dim, float* split) {
  constexpr int width = 2 * Vec::lanes;
  const int padded = (head_dim + width - 1) / width * width;
  for (int d = 0; d < padded; ++d) {
    const int chunk = d / width * width, lane = d % width;
    const int place = sizeof(Row) == sizeof(Bf16) ? chunk + lane / 2 + (lane % 2) * Vec::lanes : d;
    split[place] = d < head_dim ? vector[d] : 0.0F;
  }
}
template <class Row>
inline void join_vector(const float* split, int head_dim, float* vector) {
  constexpr int width = 2 * Vec::lanes;
  for (int d = 0; d < head_dim; ++d) {
    const int chunk = d / width * width, lane = d % width;
    vector[d] = split[sizeof(Row) == sizeof(Bf16) ? chunk + lane / 2 + (lane % 2) * Vec::lanes : d];
  }
}

/// Two vectors of a row, partial at its end.
template <class Row>
inline void load_pair(const Row* row, int present, Vec& left, Vec& right) {
  constexpr int width = 2 * Vec::lanes;
  if (present >= width) return load_split(row, left, right);
  alignas(64) Row padded[width] = {};
  __builtin_memcpy(padded, row, static_cast<std::size_t>(present) * sizeof(Row));
  load_split(padded, left, right);
}

template <class Row>
inline void add_squares(const Row* row, int present, Vec& sum) {
#ifdef KV_MULTIPLIES_BF16
  if constexpr (sizeof(Row) == sizeof(Bf16)) {
    if (present >= 2 * Vec::lanes) {
      const auto pairs = reinterpret_cast<__m512bh>(_mm512_loadu_si512(row));
      sum.v = _mm512_dpbf16_ps(sum.v, pairs, pairs);
      return;
    }
  }
#endif
  Vec left, right;
  load_pair(row, present, left, right);
  sum = fma(right, right, fma(left, left, sum));
}

/// Walks a head's rows in groups of Vec::lanes: visit(first, count, rows), padded by repeating the last row. Prefetches
/// the next tile's rows into the L2 cache, which allows more outstanding requests than L1 (twice the rate from memory
/// on a Zen 4).
template <class Visit>
inline void for_row_groups(const KvRows& head, const std::byte* const* planes, std::size_t row_bytes,
                           const Visit& visit) {
  const std::byte* buffers[2][key_tile];
  int current = 0;
  if (head.kept > 0) row_addresses(head, planes, row_bytes, 0, least(key_tile, head.kept), buffers[0]);
  for (int tile = 0; tile < head.kept; tile += key_tile, current ^= 1) {
    const int count = least(key_tile, head.kept - tile), next = least(key_tile, head.kept - tile - key_tile);
    const std::byte** rows = buffers[current];
    const std::byte** ahead = buffers[current ^ 1];
    if (next > 0) row_addresses(head, planes, row_bytes, tile + key_tile, next, ahead);
    for (int i = count; i % Vec::lanes != 0; ++i) rows[i] = rows[count - 1];
    for (int group = 0; group < count; group += Vec::lanes) {
      for (int i = group; i < least(group + Vec::lanes, next); ++i)
        for (std::size_t at = 0; at < row_bytes; at += 64) __builtin_prefetch(ahead[i] + at, 0, 2);
      visit(tile + group, least(Vec::lanes, count - group), rows + group);
    }
  }
}

/// dim = 0: known only at run time.
template <class Row, int dim>
inline Vec squares_of(const std::byte* const* rows, int head_dim) {
  constexpr int width = 2 * Vec::lanes;
  const int columns = dim > 0 ? dim : head_dim;
  Vec sums[Vec::lanes];
#pragma GCC unroll 16
  for (int r = 0; r < Vec::lanes; ++r) {
    const Row* row = reinterpret_cast<const Row*>(rows[r]);
    Vec sum = Vec::zero();
    for (int d = 0; d < columns; d += width) add_squares(row + d, columns - d, sum);
    sums[r] = sum;
  }
  return sum_each(sums);
}

template <class Row, int dim>
void norms_of(const RowNorms& job) {
  constexpr int width = 2 * Vec::lanes;
  const int head_dim = dim > 0 ? dim : job.head_dim;
  const int padded = (head_dim + width - 1) / width * width;
  float* total = nullptr;  // split order; a tile's rows are summed first, which keeps long sums accurate
  if (job.unit_sum != nullptr) {
    total = reinterpret_cast<float*>(kernel_scratch(static_cast<std::size_t>(padded) * sizeof(float)));
    for (int d = 0; d < padded; ++d) total[d] = 0.0F;
  }
  const auto visit = [&](int first, int count, const std::byte* const* rows) {
    const Vec norm = sqrt(squares_of<Row, dim>(rows, head_dim));
    store_first(norm, job.norms + first, count);
    if (job.unit_sum == nullptr) return;
    alignas(64) float inverse[Vec::lanes];
    (Vec::set1(1.0F) / max(norm, Vec::set1(1e-12F))).first(count, 0.0F).store(inverse);
    for (int d = 0; d < head_dim; d += width) {
      Vec sums[2][2] = {{Vec::zero(), Vec::zero()}, {Vec::zero(), Vec::zero()}};
#pragma GCC unroll 16
      for (int r = 0; r < Vec::lanes; ++r) {
        Vec left, right;
        load_pair(reinterpret_cast<const Row*>(rows[r]) + d, head_dim - d, left, right);
        const Vec factor = Vec::set1(inverse[r]);
        sums[r % 2][0] = fma(left, factor, sums[r % 2][0]);
        sums[r % 2][1] = fma(right, factor, sums[r % 2][1]);
      }
      (Vec::load(total + d) + (sums[0][0] + sums[1][0])).store(total + d);
      (Vec::load(total + d + Vec::lanes) + (sums[0][1] + sums[1][1])).store(total + d + Vec::lanes);
    }
  };
  for_row_groups(job.rows, job.planes, static_cast<std::size_t>(head_dim) * sizeof(Row), visit);
  if (job.unit_sum != nullptr) join_vector<Row>(total, head_dim, job.unit_sum);
}

template <class Row, int dim>
void products_of(const RowProducts& job) {
  constexpr int width = 2 * Vec::lanes;
  const int head_dim = dim > 0 ? dim : job.head_dim;
  const int padded = (head_dim + width - 1) / width * width;
  auto* vectors = reinterpret_cast<float*>(
      kernel_scratch(static_cast<std::size_t>(job.count) * static_cast<std::size_t>(padded) * sizeof(float)));
  for (int v = 0; v < job.count; ++v)
    split_vector<Row>(job.vectors + static_cast<std::ptrdiff_t>(v) * head_dim, head_dim, vectors + v * padded);
  const auto visit = [&](int first, int count, const std::byte* const* rows) {
    for (int v = 0; v < job.count; ++v) {
      const float* vector = vectors + v * padded;
      Vec sums[Vec::lanes];
#pragma GCC unroll 16
      for (int r = 0; r < Vec::lanes; ++r) {
        const Row* row = reinterpret_cast<const Row*>(rows[r]);
        Vec even = Vec::zero(), odd = Vec::zero();
        for (int d = 0; d < head_dim; d += width) {
          Vec left, right;
          load_pair(row + d, head_dim - d, left, right);
          even = fma(left, Vec::load(vector + d), even);
          odd = fma(right, Vec::load(vector + d + Vec::lanes), odd);
        }
        sums[r] = even + odd;
      }
      store_first(sum_each(sums), job.products + static_cast<std::ptrdiff_t>(v) * job.rows.kept + first, count);
    }
  };
  for_row_groups(job.rows, job.planes, static_cast<std::size_t>(head_dim) * sizeof(Row), visit);
}

template <class Row>
void norms_by_size(const RowNorms& job) {
  if (job.head_dim == 32) return norms_of<Row, 32>(job);
  if (job.head_dim == 64) return norms_of<Row, 64>(job);
  if (job.head_dim == 128) return norms_of<Row, 128>(job);
  norms_of<Row, 0>(job);
}
void norms(const RowNorms& job) {
  if (job.rows.type == Element::fp32) return norms_by_size<float>(job);
  norms_by_size<Bf16>(job);
}

template <class Row>
void products_by_size(const RowProducts& job) {
  if (job.head_dim == 32) return products_of<Row, 32>(job);
  if (job.head_dim == 64) return products_of<Row, 64>(job);
  if (job.head_dim == 128) return products_of<Row, 128>(job);
  products_of<Row, 0>(job);
}
void products(const RowProducts& job) {
  if (job.rows.type == Element::fp32) return products_by_size<float>(job);
  products_by_size<Bf16>(job);
}

void softmax(float* x, int count) {
  Vec highest = Vec::set1(-__builtin_inff());
  for (int i = 0; i < count; i += Vec::lanes)
    highest = max(highest, Vec::load_first(x + i, least(Vec::lanes, count - i)).first(count - i, -__builtin_inff()));
  const Vec maximum = Vec::set1(highest.largest());
  Vec sum = Vec::zero();
  for (int i = 0; i < count; i += Vec::lanes) {
    const Vec weight = exp2(Vec::load_first(x + i, least(Vec::lanes, count - i)) - maximum).first(count - i, 0.0F);
    store_first(weight, x + i, count - i);
    sum = sum + weight;
  }
  const Vec inverse = Vec::set1(1.0F / sum.sum());
  for (int i = 0; i < count; i += Vec::lanes)
    store_first(Vec::load_first(x + i, least(Vec::lanes, count - i)) * inverse, x + i, count - i);
}
