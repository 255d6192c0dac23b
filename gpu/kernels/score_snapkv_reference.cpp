#include <algorithm>
#include <cmath>
#include <vector>

#include "gpu/kernels/score_snapkv.h"

namespace kvantage::gpu {
namespace {

/// Attention of one query head's window queries on each token before the window, summed over the queries.
std::vector<double> paid_by(const PagedHeads& heads, const SnapKv& job, int head, int query_head) {
  const int kept = heads.kept[head], window = snapkv_window(kept, job.window), scored = kept - window;
  std::vector<double> paid(static_cast<std::size_t>(scored)), weights;
  for (int row = 0; row < window; ++row) {
    const auto at = (static_cast<std::size_t>(head * job.group + query_head) * static_cast<std::size_t>(job.window)) +
                    static_cast<std::size_t>(job.window - window + row);
    const std::uint16_t* const query = job.queries + at * static_cast<std::size_t>(heads.head_dim);
    weights.assign(static_cast<std::size_t>(scored + row + 1), 0);
    for (std::size_t token = 0; token < weights.size(); ++token) {
      const std::uint16_t* const key = heads.key(head, static_cast<int>(token));
      for (int i = 0; i < heads.head_dim; ++i)
        weights[token] += static_cast<double>(widened(query[i])) * static_cast<double>(widened(key[i]));
      weights[token] /= std::sqrt(static_cast<double>(heads.head_dim));
    }
    const double highest = std::ranges::max(weights);
    double sum = 0;
    for (double& weight : weights) sum += weight = std::exp(weight - highest);
    for (std::size_t token = 0; token < paid.size(); ++token) paid[token] += weights[token] / sum;
  }
  return paid;
}

}  // namespace

void score_snapkv_reference(const PagedHeads& heads, const SnapKv& job, float* scores) {
  const int reach = job.kernel / 2;
  for (int first = 0; first < heads.heads; first += job.layer_heads) {
    const int last = std::min(heads.heads, first + job.layer_heads);
    float top = 0;
    for (int head = first; head < last; ++head) {
      const int window = snapkv_window(heads.kept[head], job.window), scored = heads.kept[head] - window;
      std::vector<double> means(static_cast<std::size_t>(scored));
      for (int query_head = 0; query_head < job.group; ++query_head) {
        const std::vector<double> paid = paid_by(heads, job, head, query_head);
        for (int token = 0; token < scored; ++token) {
          double pooled = 0;
          for (int at = std::max(0, token - reach); at <= std::min(scored - 1, token + reach); ++at) {
            const double number = paid[static_cast<std::size_t>(at)];
            pooled = job.pool == Pool::mean ? pooled + number / job.kernel : std::max(pooled, number);
          }
          means[static_cast<std::size_t>(token)] += pooled / window / job.group;
        }
      }
      for (std::size_t token = 0; token < means.size(); ++token) {
        scores[heads.first_slot[head] + static_cast<int>(token)] = static_cast<float>(means[token]);
        top = std::max(top, static_cast<float>(means[token]));
      }
    }
    for (int head = first; head < last; ++head) {
      const int scored = heads.kept[head] - snapkv_window(heads.kept[head], job.window);
      std::fill(scores + heads.first_slot[head] + scored, scores + heads.first_slot[head] + heads.kept[head],
                scored == 0 ? 1.0F : top + 1.0F);
    }
  }
}

}  // namespace kvantage::gpu
