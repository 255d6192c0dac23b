#include "core/kv/context_key.h"

#include <bit>

namespace kvantage::inline kv {

ContextKey context_key(const CacheIdentity& identity, std::span<const std::int32_t> token_ids) {
  DigestBuilder builder;
  builder.add(identity.model.high).add(identity.model.low);
  builder.add(identity.tokenizer.high).add(identity.tokenizer.low);
  builder.add(static_cast<std::uint64_t>(identity.kv_type));
  builder.add(static_cast<std::uint64_t>(identity.prefill_chunk_tokens));
  builder.add(static_cast<std::uint64_t>(identity.numerics_version));
  builder.add(std::as_bytes(token_ids));
  return ContextKey{builder.finish()};
}

Digest128 entry_key(const ContextKey& context, const std::string& method, double removed_fraction) {
  DigestBuilder builder;
  builder.add(context.digest.high).add(context.digest.low);
  builder.add(std::string_view(method));
  builder.add(std::bit_cast<std::uint64_t>(removed_fraction + 0.0));  // -0.0 and 0.0 are the same fraction
  return builder.finish();
}

}  // namespace kvantage::inline kv
