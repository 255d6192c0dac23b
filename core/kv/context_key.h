// Identity of a stored cache. The key covers everything that changes a bit of the keys and values.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/digest.h"
#include "core/kv/codecs/shape.h"

namespace kvantage::inline kv {

/// The conditions of a computed cache; equal for all contexts of one engine.
struct CacheIdentity {
  Digest128 model;      // config and weights
  Digest128 tokenizer;  // tokenizer.json
  KvType kv_type = KvType::bf16;
  int prefill_chunk_tokens = 0;
  int numerics_version = 1;  // incremented whenever a kernel changes bits
};

/// Digest of identity and token ids: identifies a context in tiers, profiles and journals.
struct ContextKey {
  Digest128 digest;
  auto operator<=>(const ContextKey&) const = default;
};

ContextKey context_key(const CacheIdentity& identity, std::span<const std::int32_t> token_ids);
/// Digest of a compressed form: an entry with removed tokens is found only under (context, method, removed_fraction).
Digest128 entry_key(const ContextKey& context, const std::string& method, double removed_fraction);

}  // namespace kvantage::inline kv

template <>
struct std::hash<kvantage::ContextKey> {
  std::size_t operator()(const kvantage::ContextKey& key) const noexcept { return key.digest.low; }
};
