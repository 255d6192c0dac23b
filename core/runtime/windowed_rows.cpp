#include "core/runtime/windowed_rows.h"

#include <algorithm>
#include <string_view>

#include "core/kv/serial.h"
#include "core/model/unseen_rows.h"

namespace kvantage::inline runtime {
namespace {

bool passes(int window, std::size_t tokens) { return window > 0 && tokens > static_cast<std::size_t>(window); }

}  // namespace

std::int32_t first_continuation(const ModelRuntime& runtime, std::size_t tokens) {
  const auto chunk = static_cast<std::size_t>(std::max(runtime.chunk_tokens(), 1));
  const auto computed = static_cast<std::size_t>(std::max(runtime.window_queries, 0));
  return static_cast<std::int32_t>((tokens - std::min(tokens, computed)) / chunk * chunk);
}

std::vector<int> original_rows(const ModelRuntime& runtime, std::size_t tokens) {
  const KvShape shape = runtime.model->kv_shape();
  const std::int32_t next = first_continuation(runtime, tokens);
  std::vector<int> rows;
  rows.reserve(static_cast<std::size_t>(shape.layers) * static_cast<std::size_t>(shape.kv_heads));
  for (int layer = 0; layer < shape.layers; ++layer)
    rows.insert(rows.end(), static_cast<std::size_t>(shape.kv_heads),
                static_cast<int>(tokens) - unseen_rows(runtime.model->config().window(layer), next));
  return rows;
}

std::vector<int> max_original_rows(const ModelRuntime& runtime) {
  // From the continuation on: the rest of its chunk, and what a longer context computes itself.
  const int after = std::max(runtime.chunk_tokens(), 1) - 1 + std::max(runtime.window_queries, 0);
  std::vector<int> rows;
  for (int layer = 0; layer < runtime.model->kv_shape().layers; ++layer) {
    const int window = runtime.model->config().window(layer);
    rows.push_back(window > 0 ? max_seen_rows(window) + after : 0);
  }
  return rows;
}

Status evict_unseen_rows(const ModelRuntime& runtime, KvCache& original) {
  if (!runtime.model->config().has_windows()) return {};
  const std::int32_t next = first_continuation(runtime, static_cast<std::size_t>(original.sequence_length()));
  for (int layer = 0; layer < original.shape().layers; ++layer)
    KV_TRY(kvantage::evict_unseen_rows(*runtime.model, original, layer, next));
  return {};
}

bool passes_a_window(const ModelRuntime& runtime, std::size_t tokens) {
  return std::ranges::any_of(runtime.model->config().windows(), [&](int window) { return passes(window, tokens); });
}

OriginalBytes original_bytes(const ModelRuntime& runtime, std::size_t tokens) {
  constexpr std::string_view method = "none";
  const KvShape shape = runtime.model->kv_shape();
  if (!runtime.model->config().has_windows())
    return {.entry = predicted_entry_bytes(shape, tokens, tokens, method.size())};
  const std::vector<int> rows = original_rows(runtime, tokens);
  const auto plain = parse_codec("bf16").value();
  OriginalBytes bytes{.entry = entry_bytes(shape, rows, tokens, method.size(), *plain).value()};
  const auto heads = static_cast<std::size_t>(shape.kv_heads);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (passes(runtime.model->config().window(static_cast<int>(i / heads)), tokens))
      bytes.windowed += static_cast<std::size_t>(rows[i]) * shape.bytes_per_head_token();
  return bytes;
}

}  // namespace kvantage::inline runtime
