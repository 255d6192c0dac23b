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

/// Rows one after another in a block, indexed like a list of addresses.
struct AdjacentRows {
  const std::byte* first;
  std::size_t row_bytes;
  KV_INLINE const std::byte* operator[](int r) const { return first + static_cast<std::size_t>(r) * row_bytes; }
};

/// The block and slot of a row of a head without holes, moved by at most a block at a time.
struct RowCursor {
  const KvRows& head;
  int block, slot;

  KV_INLINE RowCursor(const KvRows& rows, int row)
      : head(rows), block(row / rows.block_tokens), slot(row % rows.block_tokens) {}
  KV_INLINE void move(int rows) {
    slot += rows;
    if (slot >= head.block_tokens) {
      slot -= head.block_tokens;
      ++block;
    } else if (slot < 0) {
      slot += head.block_tokens;
      --block;
    }
  }
  KV_INLINE const std::byte* row(const std::byte* const* planes, std::size_t row_bytes) const {
    return planes[block] + static_cast<std::size_t>(slot) * row_bytes;
  }
};

/// The full groups of a head without holes whose blocks hold whole groups: their addresses follow from each other.
/// Returns how many rows they are. Rows are prefetched a tile ahead.
template <class Visit>
KV_INLINE int for_adjacent_groups(const KvRows& head, const std::byte* const* planes, std::size_t row_bytes,
                                  bool backward, const Visit& visit) {
  if (head.row_slots != nullptr || head.block_tokens % Vec::lanes != 0) return 0;
  const int whole = head.kept / Vec::lanes * Vec::lanes, step = backward ? -Vec::lanes : Vec::lanes;
  const int distance = backward ? -key_tile : key_tile, begin = backward ? whole - Vec::lanes : 0;
  if (whole == 0) return 0;
  RowCursor here(head, begin), ahead(head, most(begin + distance, 0));
  for (int first = begin; first >= 0 && first < whole; first += step, here.move(step)) {
    if (const int next = first + distance; next >= 0 && next < whole) {
      const std::byte* rows = ahead.row(planes, row_bytes);
      for (std::size_t at = 0; at < row_bytes * Vec::lanes; at += 64) __builtin_prefetch(rows + at, 0, 2);
      ahead.move(step);
    }
    visit(first, Vec::lanes, AdjacentRows{here.row(planes, row_bytes), row_bytes});
  }
  return whole;
}

/// Walks a head's rows in groups of Vec::lanes: visit(first, count, rows), padded by repeating the last row. Prefetches
/// the next tile's rows into the L2 cache, which allows more outstanding requests than L1 (twice the rate from memory
/// on a Zen 4). backward: from the last rows to the first where there are no holes.
template <class Visit>
inline void for_row_groups(const KvRows& head, const std::byte* const* planes, std::size_t row_bytes, bool backward,
                           const Visit& visit) {
  const std::byte* buffers[2][key_tile];
  int current = 0;
  const int begin = for_adjacent_groups(head, planes, row_bytes, backward, visit);
  if (head.kept > begin) row_addresses(head, planes, row_bytes, begin, least(key_tile, head.kept - begin), buffers[0]);
  for (int tile = begin; tile < head.kept; tile += key_tile, current ^= 1) {
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

inline Vec load_present(const float* numbers, int count) {
  return count >= Vec::lanes ? Vec::load(numbers) : Vec::load_first(numbers, count);
}

/// dim = 0: known only at run time.
template <class Row, int dim, class Rows>
KV_INLINE Vec squares_of(const Rows& rows, int head_dim) {
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
  const auto visit = [&](int first, int count, const auto& rows) {
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
  for_row_groups(job.rows, job.planes, static_cast<std::size_t>(head_dim) * sizeof(Row), false, visit);
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
  const auto visit = [&](int first, int count, const auto& rows) {
    Vec divisor = Vec::set1(1.0F);
    if (job.divisors != nullptr) divisor = max(Vec::set1(least_divisor), load_present(job.divisors + first, count));
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
      const Vec product = job.divisors != nullptr ? sum_each(sums) / divisor : sum_each(sums);
      store_first(product, job.products + static_cast<std::ptrdiff_t>(v) * job.rows.kept + first, count);
    }
  };
  for_row_groups(job.rows, job.planes, static_cast<std::size_t>(head_dim) * sizeof(Row), job.backward, visit);
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
