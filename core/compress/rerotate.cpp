#include "core/compress/rerotate.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "core/model/kernels/kernels.h"

namespace kvantage::inline compression {
namespace {

/// Rotates one row [head_dim] of the cache's type by `shift` positions.
template <class Element>
void rotate(std::byte* row, std::int32_t shift, std::span<const float> frequencies) {
  const std::size_t half = frequencies.size();
  std::vector<Element> elements(2 * half);
  std::memcpy(elements.data(), row, elements.size() * sizeof(Element));
  const auto store = [](float number) {
    if constexpr (std::is_same_v<Element, Bf16>)
      return to_bf16(number);
    else
      return number;
  };
  for (std::size_t f = 0; f < half; ++f) {
    const float angle = static_cast<float>(shift) * frequencies[f];
    const float cosine = std::cos(angle), sine = std::sin(angle);
    const float x = to_float(elements[f]), y = to_float(elements[f + half]);
    elements[f] = store(x * cosine - y * sine);
    elements[f + half] = store(y * cosine + x * sine);
  }
  std::memcpy(row, elements.data(), elements.size() * sizeof(Element));
}

}  // namespace

Expected<KvCache> rerotated(const KvCache& cache, std::span<const float> frequencies) {
  const KvShape& shape = cache.shape();
  if (frequencies.size() * 2 != static_cast<std::size_t>(shape.head_dim))
    return fail(ErrorCode::rejected_input,
                "re-rotation: layers of this model rotate by different angles, so kept keys cannot be moved together; "
                "use a method that leaves them at their positions");
  const int kept = cache.kept(0, 0);
  const std::size_t row = static_cast<std::size_t>(shape.head_dim) * bytes_of(shape.type);
  std::vector<std::byte> keys(static_cast<std::size_t>(kept) * row), values(keys.size());
  std::vector<std::int32_t> from(static_cast<std::size_t>(kept)), to(from.size());
  std::iota(to.begin(), to.end(), 0);
  KvCache result(cache.pool());
  for (int l = 0; l < shape.layers; ++l)
    for (int h = 0; h < shape.kv_heads; ++h) {
      if (cache.kept(l, h) != kept)
        return fail(ErrorCode::rejected_input, "re-rotation: layer " + std::to_string(l) + " head " +
                                                   std::to_string(h) +
                                                   " keeps another number of tokens than the first; use a budget that "
                                                   "keeps the same number in every head");
      cache.gather_head(l, h, keys.data(), values.data(), from.data());
      for (std::size_t i = 0; i < from.size(); ++i) {
        const std::int32_t shift = to[i] - from[i];
        if (shift == 0) continue;
        if (shape.type == KvType::bf16)
          rotate<Bf16>(&keys[i * row], shift, frequencies);
        else
          rotate<float>(&keys[i * row], shift, frequencies);
      }
      KV_TRY(result.append_head(l, h, keys, values, to));
    }
  result.set_sequence_length(kept);
  return result;
}

}  // namespace kvantage::inline compression
