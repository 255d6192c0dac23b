// Caches with random rows and what belongs to them in the serial form, for tests of it.
#pragma once

#include <xxhash.h>

#include <QtGlobal>
#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/kv/serial.h"

namespace kvantage::test {

struct Sample {
  std::unique_ptr<BlockPool> pool;
  std::unique_ptr<KvCache> cache;
  EntryHeader header;
  WindowQueries queries;
};

/// A cache of `tokens` random rows, of which each head keeps `kept` at random (ragged: a random number per head).
inline Sample make_sample(KvShape shape, int tokens, int kept, bool ragged, int window, Random& random) {
  Sample sample;
  sample.pool = std::make_unique<BlockPool>(shape, 32, std::size_t{64} << 20);
  sample.cache = std::make_unique<KvCache>(*sample.pool);
  const auto row = static_cast<std::size_t>(shape.kv_heads) * shape.bytes_per_head_token() / 2;
  std::vector<std::byte> keys(static_cast<std::size_t>(tokens) * row), values(keys.size());
  std::vector<std::int32_t> positions(static_cast<std::size_t>(tokens));
  for (int t = 0; t < tokens; ++t) positions[static_cast<std::size_t>(t)] = t;
  for (int l = 0; l < shape.layers; ++l) {
    for (auto* bytes : {&keys, &values})
      for (auto& byte : *bytes) byte = static_cast<std::byte>(random.next());
    if (!sample.cache->append(l, keys, values, positions)) qFatal("append");
    KeptIndices indices(static_cast<std::size_t>(shape.kv_heads));
    for (auto& head : indices) {
      std::vector<std::int32_t> order = positions;
      random.shuffle(std::span(order));
      order.resize(ragged ? random.below(static_cast<std::uint64_t>(tokens) + 1) : static_cast<std::size_t>(kept));
      std::ranges::sort(order);
      head = order;
    }
    if (!sample.cache->keep(l, indices)) qFatal("keep");
  }
  sample.cache->set_sequence_length(tokens);
  sample.header.identity = {{1, 2}, {3, 4}, shape.type, 256, 7};
  sample.header.compression.method = "snapkv(window=32)";
  sample.header.compression.removed_fraction = 0.25;
  for (int t = 0; t < tokens; ++t) sample.header.token_ids.push_back(static_cast<std::int32_t>(random.below(32000)));
  if (window > 0) {
    sample.queries = {2 * shape.kv_heads, window, {}};
    for (int l = 0; l < shape.layers; ++l) {
      auto& layer = sample.queries.layers.emplace_back();
      for (int i = 0; i < 2 * shape.kv_heads * window * shape.head_dim; ++i)
        layer.push_back(static_cast<float>(random.normal()));
    }
  }
  return sample;
}

inline std::vector<std::byte> serialized(Sample& sample) {
  auto entry = serialize(*sample.cache, sample.header, sample.queries.empty() ? nullptr : &sample.queries);
  if (!entry) qFatal("%s", entry.error().message.c_str());
  return *entry;
}

inline std::span<const std::byte> range_of(const std::vector<std::byte>& entry,
                                           std::pair<std::uint64_t, std::uint64_t> range) {
  return std::span(entry).subspan(range.first, range.second - range.first);
}

inline bool same_contents(const KvCache& a, const KvCache& b) {
  for (int l = 0; l < a.shape().layers; ++l)
    for (int h = 0; h < a.shape().kv_heads; ++h) {
      if (a.kept(l, h) != b.kept(l, h)) return false;
      const auto kept = static_cast<std::size_t>(a.kept(l, h));
      const std::size_t bytes = kept * a.shape().bytes_per_head_token() / 2;
      std::vector<std::byte> keys_a(bytes), values_a(bytes), keys_b(bytes), values_b(bytes);
      std::vector<std::int32_t> positions_a(kept), positions_b(kept);
      a.gather_head(l, h, keys_a.data(), values_a.data(), positions_a.data());
      b.gather_head(l, h, keys_b.data(), values_b.data(), positions_b.data());
      if (keys_a != keys_b || values_a != values_b || positions_a != positions_b) return false;
    }
  return a.sequence_length() == b.sequence_length();
}

inline Status restore_all(const EntryHeader& header, const std::vector<std::byte>& entry, bool verify, KvCache& cache) {
  for (int l = 0; l < header.shape.layers; ++l)
    KV_TRY(restore_layer(header, l, range_of(entry, header.layer_range(l)), verify, cache));
  return {};
}

/// What an attacker who knows the format can do: change the header and make both its checksums right again.
inline void sign(std::span<std::byte> header) {
  const auto put = [&](std::size_t at) {
    const std::uint64_t sum = XXH3_64bits(header.data(), at);
    std::memcpy(header.data() + at, &sum, sizeof sum);
  };
  put(24);
  put(header.size() - 8);
}

}  // namespace kvantage::test
