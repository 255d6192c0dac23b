#include "core/compress/scorers/row_math.h"

#include <vector>

#include "core/model/kernels/row_kernels.h"

namespace kvantage::inline scorers {
namespace {

/// Addresses of a head's blocks, keys or values.
class Plane {
 public:
  Plane(const HeadView& head, bool keys) {
    blocks_.reserve(head.blocks.size());
    for (const BlockId block : head.blocks) blocks_.push_back(keys ? head.pool->keys(block) : head.pool->values(block));
    rows_ = {.keys = blocks_.data(),
             .values = blocks_.data(),
             .block_tokens = head.pool->block_tokens(),
             .kept = head.kept,
             .type = head.pool->shape().type == KvType::bf16 ? Element::bf16 : Element::fp32,
             .row_slots = head.row_slots.empty() ? nullptr : head.row_slots.data()};
  }
  const KvRows& rows() const { return rows_; }

 private:
  std::vector<const std::byte*> blocks_;
  KvRows rows_;
};

const RowKernels& kernel() { return row_kernels(best_isa()); }

int head_dim(const HeadView& head) { return head.pool->shape().head_dim; }

void norms(const HeadView& head, bool keys, float* target, float* unit_sum) {
  const Plane plane(head, keys);
  kernel().norms({plane.rows(), plane.rows().keys, head_dim(head), target, unit_sum});
}

/// Queries scaled to the kernels' powers of two.
std::vector<float> scaled(std::span<const float> queries, int dim) {
  std::vector<float> result(queries.begin(), queries.end());
  const float scale = query_scale(dim);
  for (float& number : result) number *= scale;
  return result;
}

}  // namespace

void key_norms(const HeadView& head, std::span<float> target) { norms(head, true, target.data(), nullptr); }

void value_norms(const HeadView& head, std::span<float> target) { norms(head, false, target.data(), nullptr); }

void key_norms(const HeadView& head, std::span<float> target, std::span<float> unit_sum) {
  norms(head, true, target.data(), unit_sum.data());
}

void key_products(const HeadView& head, std::span<const float> vectors, std::span<float> products) {
  const Plane plane(head, true);
  const int dim = head_dim(head);
  kernel().products(
      {plane.rows(), plane.rows().keys, dim, static_cast<int>(vectors.size()) / dim, vectors.data(), products.data()});
}

void key_cosines(const HeadView& head, std::span<const float> vector, std::span<float> norms) {
  const Plane plane(head, true);
  kernel().products({.rows = plane.rows(),
                     .planes = plane.rows().keys,
                     .head_dim = head_dim(head),
                     .count = 1,
                     .vectors = vector.data(),
                     .products = norms.data(),
                     .divisors = norms.data(),
                     .backward = true});
}

void attention_weights(const HeadView& head, std::span<const float> queries, std::span<float> weights) {
  key_products(head, scaled(queries, head_dim(head)), weights);
  if (head.kept == 0) return;
  const auto rows = static_cast<std::size_t>(head.kept);
  for (std::size_t at = 0; at < weights.size(); at += rows) kernel().softmax(&weights[at], head.kept);
}

void attention_paid(const HeadView& head, std::span<const float> queries, int group, std::span<float> paid) {
  const Plane plane(head, true);
  const int dim = head_dim(head);
  const std::vector<float> powers = scaled(queries, dim);
  kernel().attention_paid(
      {plane.rows(), dim, group, static_cast<int>(queries.size()) / (dim * group), powers.data(), paid.data()});
}

std::size_t attention_paid_bytes(std::size_t kept, std::size_t queries) {
  const int together = queries_together(static_cast<int>(kept), static_cast<int>(queries));
  return kept * static_cast<std::size_t>(together) * sizeof(float);
}

}  // namespace kvantage::inline scorers
