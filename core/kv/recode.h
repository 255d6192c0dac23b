// The result of storing and loading a cache through a codec, without building the entry.
#pragma once

#include <vector>

#include "core/kv/codecs/codec.h"
#include "core/kv/kv_cache.h"

namespace kvantage::inline kv {

/// Encodes and decodes the rows of every layer and head in place, each head as a whole: the cache then equals the one
/// restored from its entry under `codec`, bit for bit. encoded_layers, if given, gets the bytes of each layer's encoded
/// rows, [layers] (recoded_entry_bytes() computes an entry's size from them). After an error the cache is unusable.
Status recode(KvCache& cache, const Codec& codec, std::vector<std::uint64_t>* encoded_layers = nullptr);

/// The same for one layer; returns the bytes of its encoded rows.
Expected<std::uint64_t> recode_layer(KvCache& cache, int layer, const Codec& codec);

}  // namespace kvantage::inline kv
