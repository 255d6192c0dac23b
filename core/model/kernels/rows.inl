// Norms, inner products and attention sums over the rows of one head (row_kernels.h).

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

/// Attention of queries [first, last) in the order below, added to job.paid. Keys are broadcast and queries are in the
/// lanes, so that maxima and sums over keys need no cross-lane steps. Weights stay relative to the running maximum of
/// their tile; after the last tile, one more pass over them (they are in the L2 cache) rescales each tile and sums up.
/// Query row r = (window - 1 - query) * group + head: the queries that see a key of the window come first.
template <class Row>
void pay_rows(const PaidAttention& job, int first, int last) {
  constexpr int width = 2 * Vec::lanes;
  constexpr int tile_keys = Vec::rows == 6 ? 48 : 32;  // a multiple of Vec::rows and Vec::lanes
  const int kept = job.rows.kept, dim = job.head_dim;
  const int tiles = (kept + tile_keys - 1) / tile_keys, panels = (last - first + width - 1) / width;
  const float minus_infinity = -__builtin_inff();
  const auto floats = [](int a, int b, int c) {
    return static_cast<std::size_t>(a) * static_cast<std::size_t>(b) * static_cast<std::size_t>(c) * sizeof(float);
  };
  float* queries = nullptr;  // [panels][dim][width]
  float* keys = nullptr;     // [tile_keys][dim]
  float* weights = nullptr;  // [tiles][panels][tile_keys][width]
  float* maxima = nullptr;   // [tiles][panels][width], after each tile
  float* sums = nullptr;     // [panels][width]
  ScratchCutter cutter;
  for (int pass = 0; pass < 2; ++pass) {
    cutter.used = 0;
    queries = reinterpret_cast<float*>(cutter.take(floats(panels, dim, width)));
    keys = reinterpret_cast<float*>(cutter.take(floats(tile_keys, dim, 1)));
    weights = reinterpret_cast<float*>(cutter.take(floats(tiles, panels, tile_keys * width)));
    maxima = reinterpret_cast<float*>(cutter.take(floats(tiles, panels, width)));
    sums = reinterpret_cast<float*>(cutter.take(floats(panels, width, 1)));
    if (pass == 0) cutter.base = kernel_scratch(cutter.used);
  }
  for (int r = 0; r < panels * width; ++r) {
    float* target = queries + (r / width) * dim * width + r % width;
    const int row = first + r;
    const float* source =
        job.queries +
        (static_cast<std::ptrdiff_t>(row % job.group) * job.window + (job.window - 1 - row / job.group)) * dim;
    for (int d = 0; d < dim; ++d) target[d * width] = row < last ? source[d] : 0.0F;
    sums[r] = 0.0F;
  }

  const std::size_t row_bytes = static_cast<std::size_t>(dim) * sizeof(Row);
  for (int tile = 0; tile < tiles; ++tile) {
    const int start = tile * tile_keys, count = least(tile_keys, kept - start);
    const std::byte* addresses[key_tile];
    row_addresses(job.rows, job.rows.keys, row_bytes, start, count, addresses);
    for (int j = 0; j < tile_keys; ++j) {
      const Row* row = reinterpret_cast<const Row*>(addresses[least(j, count - 1)]);
      int d = 0;
      for (; d + Vec::lanes <= dim; d += Vec::lanes) Vec::load(row + d).store(keys + j * dim + d);
      for (; d < dim; ++d) keys[j * dim + d] = to_float(row[d]);
    }
    for (int p = 0; p < panels; ++p) {
      float* block = weights + (tile * panels + p) * static_cast<std::ptrdiff_t>(tile_keys * width);
      float* maximum = maxima + (tile * panels + p) * static_cast<std::ptrdiff_t>(width);
      const float* before = tile > 0 ? maximum - panels * width : nullptr;
      Vec old[2], highest[2];
      for (int i = 0; i < 2; ++i)
        highest[i] = old[i] = before != nullptr ? Vec::load(before + i * Vec::lanes) : Vec::set1(minus_infinity);
      for (int j = 0; j < tile_keys; j += Vec::rows) {
        const float* a[Vec::rows];
        Vec product[Vec::rows][2];
#pragma GCC unroll 8
        for (int i = 0; i < Vec::rows; ++i) {
          a[i] = keys + (j + i) * dim;
          product[i][0] = product[i][1] = Vec::zero();
        }
        multiply_panel<MultiplyFp32>(a, queries + p * dim * width, dim, product);
        if (start + j + Vec::rows > kept - job.window) {  // keys of the window, visible only to later queries
          for (int i = 0; i < Vec::rows; ++i) {
            const int key = start + j + i;
            const int seeing = key >= kept ? 0 : (kept - key) * job.group - first - p * width;
            product[i][0] = product[i][0].first(seeing, minus_infinity);
            product[i][1] = product[i][1].first(seeing - Vec::lanes, minus_infinity);
          }
        }
#pragma GCC unroll 8
        for (int i = 0; i < Vec::rows; ++i) {
          highest[0] = max(highest[0], product[i][0]);
          highest[1] = max(highest[1], product[i][1]);
          product[i][0].store(block + (j + i) * width);
          product[i][1].store(block + (j + i) * width + Vec::lanes);
        }
      }
      for (int i = 0; i < 2; ++i) {
        highest[i].store(maximum + i * Vec::lanes);
        float* lane_sums = sums + p * width + i * Vec::lanes;
        Vec sum = Vec::load(lane_sums) * exp2(old[i] - highest[i]);
        float* column = block + i * Vec::lanes;
#pragma GCC unroll 4
        for (int j = 0; j < tile_keys; ++j) {
          const Vec weight = exp2(Vec::load(column + j * width) - highest[i]);
          weight.store(column + j * width);
          sum = sum + weight;
        }
        sum.store(lane_sums);
      }
    }
  }

  for (int r = 0; r < panels * width; ++r) sums[r] = first + r < last ? 1.0F / sums[r] : 0.0F;
  const float* final_maxima = maxima + static_cast<std::ptrdiff_t>(tiles - 1) * panels * width;
  for (int tile = 0; tile < tiles; ++tile) {
    const int start = tile * tile_keys;
    for (int j = 0; j < tile_keys; j += Vec::lanes) {
      Vec paid[Vec::lanes];
#pragma GCC unroll 16
      for (int i = 0; i < Vec::lanes; ++i) paid[i] = Vec::zero();
      for (int v = 0; v < 2 * panels; ++v) {
        const float* column = weights + (tile * panels + v / 2) * static_cast<std::ptrdiff_t>(tile_keys * width) +
                              j * width + (v % 2) * Vec::lanes;
        const Vec then = Vec::load(maxima + (tile * panels) * static_cast<std::ptrdiff_t>(width) + v * Vec::lanes);
        const Vec factor = exp2(then - Vec::load(final_maxima + v * Vec::lanes)) * Vec::load(sums + v * Vec::lanes);
#pragma GCC unroll 16
        for (int i = 0; i < Vec::lanes; ++i) paid[i] = fma(Vec::load(column + i * width), factor, paid[i]);
      }
      const int present = least(Vec::lanes, kept - start - j);
      if (present <= 0) break;
      float* target = job.paid + start + j;
      store_first(Vec::load_first(target, present) + sum_each(paid), target, present);
    }
  }
}

template <class Row>
void attention_paid_of(const PaidAttention& job) {
  for (int i = 0; i < job.rows.kept; ++i) job.paid[i] = 0.0F;
  const int rows = job.group * job.window, together = queries_together(job.rows.kept, rows);
  for (int r = 0; r < rows; r += together) pay_rows<Row>(job, r, least(rows, r + together));
}
void attention_paid(const PaidAttention& job) {
  if (job.rows.type == Element::fp32) return attention_paid_of<float>(job);
  attention_paid_of<Bf16>(job);
}
