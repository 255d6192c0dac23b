#include "core/model/decode_attention.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "core/model/layer_math.h"

namespace kvantage::inline model {
namespace {

/// Below this many bytes of keys and values one thread is faster than several.
constexpr std::int64_t bytes_worth_splitting = 1 << 20;

struct Piece {
  std::size_t head = 0;
  int first = 0, last = 0;
  std::size_t part = 0;  // index among the parts of split heads
  bool whole = true;
};

/// Combines the parts of one head in order, each [group] maxima and denominators and [group, head_dim] sums.
void combine(const HeadAttention& head, const float* sums, const float* maxima, const float* denominators, int parts,
             int head_dim, int group) {
  for (int g = 0; g < group; ++g) {
    float highest = maxima[g];
    for (int p = 1; p < parts; ++p) highest = std::max(highest, maxima[p * group + g]);
    if (head.sinks != nullptr) highest = std::max(highest, head.sinks[g]);
    float denominator = head.sinks != nullptr ? std::exp2(head.sinks[g] - highest) : 0.0F;
    float* target = head.output + static_cast<std::ptrdiff_t>(g) * head_dim;
    std::fill_n(target, head_dim, 0.0F);
    for (int p = 0; p < parts; ++p) {
      const float factor = std::exp2(maxima[p * group + g] - highest);
      denominator += denominators[p * group + g] * factor;
      const float* source = sums + (static_cast<std::ptrdiff_t>(p) * group + g) * head_dim;
      for (int d = 0; d < head_dim; ++d) target[d] += source[d] * factor;
    }
    for (int d = 0; d < head_dim; ++d) target[d] /= denominator;
  }
}

}  // namespace

void attend_heads(const Kernels& kernel, std::span<const HeadAttention> heads, const AttentionShape& shape) {
  const int head_dim = shape.head_dim, group = shape.group;
  std::vector<Piece> pieces;
  std::size_t parts = 0;
  std::int64_t rows = 0;
  for (std::size_t h = 0; h < heads.size(); ++h) {
    const int kept = heads[h].rows.kept;
    rows += kept;
    const bool whole = kept <= split_rows && heads[h].sinks == nullptr;  // combine() adds sinks
    for (int first = 0; first == 0 || first < kept; first += split_rows) {
      pieces.push_back({h, first, std::min(kept, first + split_rows), parts, whole});
      if (!whole) ++parts;
    }
  }
  const auto group_size = static_cast<std::size_t>(group), width = group_size * static_cast<std::size_t>(head_dim);
  std::vector<float> sums(parts * width), maxima(parts * group_size), denominators(parts * group_size);
  const std::int64_t bytes = rows * head_dim * 2 * (heads.empty() || heads.front().rows.type == Element::fp32 ? 4 : 2);
  const auto count = static_cast<std::int64_t>(pieces.size());
  // Dynamic scheduling: with fixed shares, a thread on a busy core would delay the others.
  std::atomic<std::int64_t> taken = 0;
  for_parts(bytes < bytes_worth_splitting ? 1 : std::min<std::int64_t>(count, compute_threads()), 1, [&](int, int) {
    for (std::int64_t i = taken++; i < count; i = taken++) {
      const Piece& piece = pieces[static_cast<std::size_t>(i)];
      const HeadAttention& head = heads[piece.head];
      DecodeAttention job;
      thread_local HeadRows decoded;
      job.rows = head.encoded == nullptr
                     ? head.rows
                     : decoded.decode(*head.encoded, head.layer, head.kv_head, head.rows, piece.first, piece.last);
      job.first = piece.first;
      job.last = piece.last;
      job.head_dim = head_dim;
      job.group = group;
      job.queries = head.queries;
      job.type = shape.type;
      job.cap = shape.cap;
      job.output = piece.whole ? head.output : &sums[piece.part * width];
      if (!piece.whole) {
        job.maxima = &maxima[piece.part * group_size];
        job.denominators = &denominators[piece.part * group_size];
      }
      kernel.attention_decode(job);
    }
  });
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    if (piece.whole || piece.first != 0) continue;
    const HeadAttention& head = heads[piece.head];
    combine(head, &sums[piece.part * width], &maxima[piece.part * group_size], &denominators[piece.part * group_size],
            (head.rows.kept + split_rows - 1) / split_rows, head_dim, group);
  }
}

}  // namespace kvantage::inline model
