// Attention that the rows of one head get from the queries of a window, summed over queries (row_kernels.h).
//
// Keys are broadcast and queries are in the lanes, so that maxima and sums over keys need no cross-lane steps. Weights
// stay relative to the running maximum of their tile; after the last tile, one more pass over them (they are in the L2
// cache) rescales each tile and sums up.

/// Query rows [first, last) of a head. Row r = (window - 1 - query) * group + head: the queries that see a key of the
/// window come first. Arrays are in scratch memory.
struct PaidBlock {
  static constexpr int width = 2 * Vec::lanes;                       // query rows of a panel
  static constexpr int tile_keys = Vec::rows == 6 ? 48 : 32;         // a multiple of Vec::rows and Vec::lanes
  static constexpr std::ptrdiff_t block_floats = tile_keys * width;  // weights of a tile and a panel

  const PaidAttention& job;
  const int first, last;
  const int kept = job.rows.kept, dim = job.head_dim;
  const int tiles = (kept + tile_keys - 1) / tile_keys, panels = (last - first + width - 1) / width;
  float* queries = nullptr;  // [panels][dim][width]
  float* keys = nullptr;     // [tile_keys][dim]
  float* weights = nullptr;  // [tiles][panels][tile_keys][width]
  float* maxima = nullptr;   // [tiles][panels][width], after each tile
  float* sums = nullptr;     // [panels][width]: of the weights; then their inverse

  KV_INLINE PaidBlock(const PaidAttention& paid, int first_row, int last_row)
      : job(paid), first(first_row), last(last_row) {
    const auto floats = [](int a, int b, int c) {
      return static_cast<std::size_t>(a) * static_cast<std::size_t>(b) * static_cast<std::size_t>(c) * sizeof(float);
    };
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
  }

  KV_INLINE void load_queries() const {
    for (int r = 0; r < panels * width; ++r) {
      float* target = queries + (r / width) * dim * width + r % width;
      const int row = first + r;
      const float* source =
          job.queries +
          (static_cast<std::ptrdiff_t>(row % job.group) * job.window + (job.window - 1 - row / job.group)) * dim;
      for (int d = 0; d < dim; ++d) target[d * width] = row < last ? source[d] : 0.0F;
      sums[r] = 0.0F;
    }
  }

  /// Keys from `start` on in fp32; after the last one it repeats.
  template <class Row>
  KV_INLINE void load_keys(int start) const {
    const int count = least(tile_keys, kept - start);
    const std::byte* addresses[key_tile];
    row_addresses(job.rows, job.rows.keys, static_cast<std::size_t>(dim) * sizeof(Row), start, count, addresses);
    for (int j = 0; j < tile_keys; ++j) {
      const Row* row = reinterpret_cast<const Row*>(addresses[least(j, count - 1)]);
      int d = 0;
      for (; d + Vec::lanes <= dim; d += Vec::lanes) Vec::load(row + d).store(keys + j * dim + d);
      for (; d < dim; ++d) keys[j * dim + d] = to_float(row[d]);
    }
  }

  /// Products of Vec::rows keys from `key` on, number j of the tile, with the queries of a panel.
  KV_INLINE void multiply_keys(int key, int j, int panel, Vec (&product)[Vec::rows][2]) const {
    const float minus_infinity = -__builtin_inff();
    const float* a[Vec::rows];
#pragma GCC unroll 8
    for (int i = 0; i < Vec::rows; ++i) {
      a[i] = keys + (j + i) * dim;
      product[i][0] = product[i][1] = Vec::zero();
    }
    multiply_panel<MultiplyFp32>(a, queries + panel * dim * width, dim, product);
    if (key + Vec::rows > kept - job.window) {  // keys of the window, visible only to later queries
      for (int i = 0; i < Vec::rows; ++i) {
        const int seeing = key + i >= kept ? 0 : (kept - key - i) * job.group - first - panel * width;
        product[i][0] = product[i][0].first(seeing, minus_infinity);
        product[i][1] = product[i][1].first(seeing - Vec::lanes, minus_infinity);
      }
    }
  }

  /// Scores of a tile with a panel into `block` [tile_keys][width]; highest: the running maxima.
  KV_INLINE void score_panel(int start, int panel, float* block, Vec (&highest)[2]) const {
    for (int j = 0; j < tile_keys; j += Vec::rows) {
      Vec product[Vec::rows][2];
      multiply_keys(start + j, j, panel, product);
#pragma GCC unroll 8
      for (int i = 0; i < Vec::rows; ++i) {
        highest[0] = max(highest[0], product[i][0]);
        highest[1] = max(highest[1], product[i][1]);
        product[i][0].store(block + (j + i) * width);
        product[i][1].store(block + (j + i) * width + Vec::lanes);
      }
    }
  }

  /// The scores of one vector of queries, from `column` on, become weights, which are added to their sums.
  KV_INLINE void softmax_column(float* column, const Vec& old, const Vec& highest, float* lane_sums) const {
    Vec sum = Vec::load(lane_sums) * exp2(old - highest);
#pragma GCC unroll 4
    for (int j = 0; j < tile_keys; ++j) {
      const Vec weight = exp2(Vec::load(column + j * width) - highest);
      weight.store(column + j * width);
      sum = sum + weight;
    }
    sum.store(lane_sums);
  }

  /// Weights of a tile, whose keys are loaded, and maxima after it.
  KV_INLINE void attend_tile(int tile) const {
    for (int p = 0; p < panels; ++p) {
      float* block = weights + (tile * panels + p) * block_floats;
      float* maximum = maxima + (tile * panels + p) * static_cast<std::ptrdiff_t>(width);
      const float* before = tile > 0 ? maximum - panels * width : nullptr;
      Vec old[2], highest[2];
      for (int i = 0; i < 2; ++i)
        highest[i] = old[i] = before != nullptr ? Vec::load(before + i * Vec::lanes) : Vec::set1(-__builtin_inff());
      score_panel(tile * tile_keys, p, block, highest);
      for (int i = 0; i < 2; ++i) {
        highest[i].store(maximum + i * Vec::lanes);
        softmax_column(block + i * Vec::lanes, old[i], highest[i], sums + p * width + i * Vec::lanes);
      }
    }
  }

  KV_INLINE void invert_sums() const {
    for (int r = 0; r < panels * width; ++r) sums[r] = first + r < last ? 1.0F / sums[r] : 0.0F;
  }

  /// Adds the final weights of a tile's keys, summed over queries, to job.paid.
  KV_INLINE void pay_tile(int tile) const {
    const float* final_maxima = maxima + static_cast<std::ptrdiff_t>(tiles - 1) * panels * width;
    const int start = tile * tile_keys;
    for (int j = 0; j < tile_keys; j += Vec::lanes) {
      Vec paid[Vec::lanes];
#pragma GCC unroll 16
      for (int i = 0; i < Vec::lanes; ++i) paid[i] = Vec::zero();
      for (int v = 0; v < 2 * panels; ++v) {
        const float* column = weights + (tile * panels + v / 2) * block_floats + j * width + (v % 2) * Vec::lanes;
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
};

template <class Row>
void pay_rows(const PaidAttention& job, int first, int last) {
  const PaidBlock block(job, first, last);
  block.load_queries();
  for (int tile = 0; tile < block.tiles; ++tile) {
    block.load_keys<Row>(tile * PaidBlock::tile_keys);
    block.attend_tile(tile);
  }
  block.invert_sums();
  for (int tile = 0; tile < block.tiles; ++tile) block.pay_tile(tile);
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
