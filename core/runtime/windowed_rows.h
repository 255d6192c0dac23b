// Rows that uncompressed forms keep of layers with a sliding window: originals, entries of them, and their sizes.
//
// Such a layer keeps the rows that later tokens see, in whole tiles of attention, so that every later result has the
// bits of the whole cache. Later tokens are those of a question and those of a longer context that begins with this
// one. The prefill of the rest of such a context begins at a whole chunk (LoadStage::use_prefix), before the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/kv/kv_cache.h"
#include "core/runtime/model_runtime.h"

namespace kvantage::inline runtime {

/// The first position at which the prefill of a longer context may continue one of so many tokens.
std::int32_t first_continuation(const ModelRuntime& runtime, std::size_t tokens);

/// Rows that each head keeps of so many tokens, [layers * kv_heads]; all of them without windows.
std::vector<int> original_rows(const ModelRuntime& runtime, std::size_t tokens);
/// The most that these are in each layer, however many tokens, [layers]; 0: all of them, where a layer has no window.
std::vector<int> max_original_rows(const ModelRuntime& runtime);
/// Evicts the others from the uncompressed cache of a context. Without windows nothing changes. Errors as
/// KvCache::evict().
Status evict_unseen_rows(const ModelRuntime& runtime, KvCache& original);

/// Whether some layer's queries after so many tokens see only the newest of them.
bool passes_a_window(const ModelRuntime& runtime, std::size_t tokens);

/// Exact bytes of the uncompressed entry of so many tokens, and the keys' and values' part in it of layers whose window
/// they pass: removing tokens does not shrink that part.
struct OriginalBytes {
  std::uint64_t entry = 0;
  std::uint64_t windowed = 0;
};
OriginalBytes original_bytes(const ModelRuntime& runtime, std::size_t tokens);

}  // namespace kvantage::inline runtime
