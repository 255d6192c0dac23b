#include "core/model/output_norms.h"

#include <algorithm>

#include "core/model/transformer_impl.h"

namespace kvantage::inline model {

Status output_norms(const Transformer& model, int layer, std::span<const float> values, int tokens,
                    std::span<float> absolute, std::span<float> euclidean) {
  constexpr std::int64_t block = 256;  // tokens whose projections are in memory at a time
  const ModelConfig& config = model.config();
  const std::int64_t count = tokens, dim = config.head_dim, group = config.heads / config.kv_heads;
  const auto size = static_cast<std::size_t>(config.heads) * static_cast<std::size_t>(count);
  if (tokens < 1 || layer < 0 || layer >= config.layers || absolute.size() != size || euclidean.size() != size ||
      values.size() != static_cast<std::size_t>(config.kv_heads * count * dim))
    return fail(ErrorCode::internal, "norms of projected values: the values do not have the expected size");
  return guarded([&]() -> Status {
    const at::Tensor output =
        model.impl().layers[static_cast<std::size_t>(layer)].output.wide(model.impl().scalar());  // [hidden, q]
    const at::Tensor rows = at::from_blob(const_cast<float*>(values.data()), {config.kv_heads, count, dim}, at::kFloat);
    const at::Tensor sums = at::from_blob(absolute.data(), {config.heads, count}, at::kFloat);
    const at::Tensor roots = at::from_blob(euclidean.data(), {config.heads, count}, at::kFloat);
    for (std::int64_t h = 0; h < config.heads; ++h) {
      const at::Tensor matrix = output.narrow(1, h * dim, dim).to(at::kFloat).t();  // [head_dim, hidden]
      for (std::int64_t first = 0; first < count; first += block) {
        const std::int64_t some = std::min(block, count - first);
        const at::Tensor projected = at::matmul(rows[h / group].narrow(0, first, some), matrix);
        sums[h].narrow(0, first, some).copy_(projected.abs().sum(1));
        roots[h].narrow(0, first, some).copy_(projected.norm(2, 1));
      }
    }
    return {};
  });
}

}  // namespace kvantage::inline model
