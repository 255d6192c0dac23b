#include "core/model/latent/latent_matrices.h"

#include <cstdint>

namespace kvantage::inline model_latent {
namespace {

/// Which number of a stored head is this channel: those from `plain` on are rotated.
int stored_channel(const LatentForm& form, int channel) {
  const int half = form.head_dim() / 2, pairs = form.rotated / 2, pair = channel % half, upper = channel / half;
  if (pair >= pairs) return pair - pairs + upper * (half - pairs);
  return form.plain + (form.interleaved ? 2 * pair + upper : pair + upper * pairs);
}

}  // namespace

at::Tensor latent_queries(const LatentForm& form, int heads, const at::Tensor& stored) {
  const int width = form.head_dim();
  at::Tensor rows = at::empty({std::int64_t{heads} * width}, at::TensorOptions(at::kLong));
  auto* const row = rows.mutable_data_ptr<std::int64_t>();
  for (int head = 0; head < heads; ++head)
    for (int channel = 0; channel < width; ++channel)
      row[head * width + channel] = head * width + stored_channel(form, channel);
  return stored.index_select(0, rows);
}

LatentPair latent_keys_and_values(const LatentForm& form, int heads, const at::Tensor& stored) {
  const int width = form.head_dim(), columns = form.rank + form.rotated;
  const at::Tensor both = stored.view({heads, form.plain + form.value, form.rank});
  at::Tensor keys = at::zeros({heads, width, columns}, stored.options()), values = at::zeros_like(keys);
  for (int channel = 0; channel < width; ++channel) {
    const int from = stored_channel(form, channel);
    const at::Tensor target = keys.select(1, channel);  // [heads, columns]
    if (from < form.plain)
      target.narrow(1, 0, form.rank).copy_(both.select(1, from));
    else
      target.select(1, form.rank + from - form.plain).fill_(1);
  }
  values.narrow(1, 0, form.value).narrow(2, 0, form.rank).copy_(both.narrow(1, form.plain, form.value));
  return {keys.view({std::int64_t{heads} * width, columns}), values.view({std::int64_t{heads} * width, columns})};
}

at::Tensor latent_outputs(const LatentForm& form, int heads, const at::Tensor& stored) {
  const int width = form.head_dim();
  const std::int64_t hidden = stored.size(0);
  at::Tensor wide = at::zeros({hidden, heads, width}, stored.options());
  wide.narrow(2, 0, form.value).copy_(stored.view({hidden, heads, form.value}));
  return wide.view({hidden, std::int64_t{heads} * width});
}

}  // namespace kvantage::inline model_latent
