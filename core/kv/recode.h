// What a reader of a coded entry computes on, without the entry.
#pragma once

#include <vector>

#include "core/kv/codecs/codec.h"
#include "core/kv/kv_cache.h"

namespace kvantage {

/// Encodes and decodes the rows of every layer and head in place, each head as a whole: the cache then equals the one
/// that is restored from its entry under `codec`, bit for bit. encoded_layers, if given, becomes the bytes of each
/// layer's encoded rows, [layers] (recoded_entry_bytes() makes an entry's size of them). After an error the cache is of
/// no use.
Status recode(KvCache& cache, const Codec& codec, std::vector<std::uint64_t>* encoded_layers = nullptr);

/// The same of one layer; gives the bytes of its encoded rows.
Expected<std::uint64_t> recode_layer(KvCache& cache, int layer, const Codec& codec);

}  // namespace kvantage
