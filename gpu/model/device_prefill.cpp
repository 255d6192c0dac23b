#include "gpu/model/device_prefill.h"

#include <algorithm>

#include "gpu/model/attend_rows.h"

namespace kvantage::gpu {
Status check_tokens(const ModelConfig& config, std::span<const std::int32_t> tokens, std::int64_t first,
                    std::int64_t count) {
  if (tokens.empty()) return fail(ErrorCode::rejected_input, "no tokens to compute; give at least one");
  for (const std::int32_t token : tokens)
    if (token < 0 || token >= config.vocab_size)
      return fail(ErrorCode::rejected_input, "token id " + std::to_string(token) +
                                                 " is outside the model's vocabulary of " +
                                                 std::to_string(config.vocab_size) + "; use the model's own tokenizer");
  if (first + count > config.max_positions)
    return fail(ErrorCode::rejected_input, "position " + std::to_string(first + count - 1) + " is beyond the model's " +
                                               std::to_string(config.max_positions) +
                                               " positions; shorten the context");
  return {};
}

Status DevicePrefill::begin(std::span<const std::int32_t> tokens) {
  const int total = static_cast<int>(tokens.size());
  KV_TRY(check_tokens(weights_.config, tokens, cache_.sequence_length(), total));
  KV_TRY(cache_.reserve(total));
  const auto numbers = at::TensorOptions(at::kInt);
  tokens_ = at::from_blob(const_cast<std::int32_t*>(tokens.data()), {total}, numbers)
                .to(streams_.device(), at::kInt, false, true);
  positions_ =
      at::arange(cache_.sequence_length(), cache_.sequence_length() + total, numbers.device(streams_.device()));
  tables_.emplace(cache_.arena(), 1, cache_.longest() + total);
  options_.window_queries = std::clamp(options_.window_queries, 0, total);
  if (options_.window_queries > 0) window_.resize(static_cast<std::size_t>(weights_.config.layers));
  total_ = total;
  return {};
}

Status DevicePrefill::begin_chunk() {
  count_ = std::min(options_.chunk_tokens, total_ - first_);
  const bool last = first_ + count_ == total_;
  logit_rows_ = options_.logits == PrefillLogits::all ? count_ : options_.logits == PrefillLogits::last && last ? 1 : 0;
  tables_->fill(std::vector<const DeviceCache*>{&cache_}, count_);
  pass_.emplace(weights_, *tables_, false, streams_.compute_handle());
  return pass_->begin(tokens_.narrow(0, first_, count_), positions_.narrow(0, first_, count_), count_);
}

void DevicePrefill::keep_window(const at::Tensor& queries) {
  const int skipped = std::max(0, total_ - options_.window_queries - first_);
  if (!window_.empty() && skipped < count_)
    window_[static_cast<std::size_t>(layer_)].push_back(queries.narrow(0, skipped, count_ - skipped));
}

Status DevicePrefill::run_layer() {
  cache_.copied[static_cast<std::size_t>(layer_)].compute_waits(streams_);
  KV_ASSIGN(auto queries, pass_->write_heads(layer_));
  keep_window(queries);
  const bool top = layer_ + 1 == weights_.config.layers;
  if (top && logit_rows_ == 0) return {};  // nobody reads the output of the top layer
  if (top) {
    pass_->keep_last(logit_rows_);
    queries = queries.narrow(0, count_ - logit_rows_, logit_rows_);
  }
  KV_TRY(pass_->finish(layer_, attend_rows(cache_, *tables_, layer_, queries, count_, weights_.config.heads)));
  if (top) logits_.push_back(pass_->logits());
  return {};
}

Status DevicePrefill::step() {
  if (layer_ == 0) KV_TRY(begin_chunk());
  KV_TRY(run_layer());
  if (++layer_ < weights_.config.layers) return {};
  layer_ = 0;
  cache_.advance(count_);
  first_ += count_;
  return {};
}

void DevicePrefill::roll_back() {
  cache_.roll_back(first_);
  first_ = layer_ = 0;
}

at::Tensor DevicePrefill::logits() const {
  if (logits_.empty()) return {};
  return logits_.size() == 1 ? logits_.front() : at::cat(logits_, 0);
}

WindowQueries DevicePrefill::take_window_queries() {
  WindowQueries window;
  if (window_.empty()) return window;
  window.heads = weights_.config.heads;
  window.window = options_.window_queries;
  for (const std::vector<at::Tensor>& parts : window_) {
    const at::Tensor rows = at::cat(parts, 0).view({window.window, window.heads, weights_.config.head_dim});
    const at::Tensor host = rows.permute({1, 0, 2}).to(at::kFloat).contiguous().to(at::kCPU);
    const auto* first = host.const_data_ptr<float>();
    window.layers.emplace_back(first, first + host.numel());
  }
  window_.clear();
  return window;
}

Expected<at::Tensor> device_prefill(const DeviceWeights& weights, const DeviceStreams& streams, DeviceCache& cache,
                                    std::span<const std::int32_t> tokens, int chunk_tokens, PrefillLogits logits) {
  DevicePrefill prefill(weights, streams, cache, {.chunk_tokens = chunk_tokens, .window_queries = 0, .logits = logits});
  KV_TRY(prefill.begin(tokens));
  const Status status = device_guarded([&]() -> Status {
    while (!prefill.done()) KV_TRY(prefill.step());
    return {};
  });
  if (status) return prefill.logits();
  prefill.roll_back();
  return tl::unexpected(status.error());
}

}  // namespace kvantage::gpu
