// A stored entry without a model: a cache of random rows of which each head keeps some, its serial form and header.
#pragma once

#include <QtGlobal>

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "core/kv/serial.h"
#include "core/ports/storage_tier.h"
#include "tests/compress/random_context.h"
#include "tests/kv/plain_cache.h"

namespace kvantage::test {

struct RandomEntryOptions {
  KvShape shape{3, 2, 32, KvType::bf16};
  int tokens = 700;
  double kept = 1;  // share of tokens, by chance for each head
  int window = 0;   // queries beside it; 0: none
  std::string codec = "";
  std::uint64_t seed = 5;
};

struct RandomEntry {
  BlockPool pool;
  KvCache cache{pool};
  WindowQueries queries;
  std::shared_ptr<const EntryHeader> header;
  std::shared_ptr<const std::vector<std::byte>> bytes;

  explicit RandomEntry(const RandomEntryOptions& options = {}) : pool(options.shape, 32, std::size_t{16} << 20) {
    Random random(options.seed);
    const KvShape& shape = options.shape;
    std::vector<std::int32_t> positions(static_cast<std::size_t>(options.tokens));
    std::iota(positions.begin(), positions.end(), 0);
    const std::size_t numbers = positions.size() * static_cast<std::size_t>(shape.kv_heads * shape.head_dim);
    for (int layer = 0; layer < shape.layers; ++layer) {
      const auto keys = RandomContext::numbers(numbers, shape.type, random);
      const auto values = RandomContext::numbers(numbers, shape.type, random);
      if (!cache.append(layer, keys, values, positions)) qFatal("append");
      if (options.kept < 1 && !cache.keep(layer, random_indices(cache, layer, options.kept, random))) qFatal("keep");
    }
    cache.set_sequence_length(options.tokens);
    EntryHeader made;
    made.identity = {{1, 2}, {3, 4}, shape.type, 256, 7};
    made.compression.method = options.kept < 1 ? "knorm" : "none";
    made.compression.removed_fraction = 1 - options.kept;
    made.compression.codec = options.codec;
    for (int token = 0; token < options.tokens; ++token)
      made.token_ids.push_back(static_cast<std::int32_t>(random.below(32000)));
    if (options.window > 0) {
      queries = {2 * shape.kv_heads, options.window, {}};
      const auto count = static_cast<std::size_t>(queries.heads * queries.window * shape.head_dim);
      for (int layer = 0; layer < shape.layers; ++layer)
        queries.layers.push_back(RandomContext::normals(count, 1, random));
    }
    auto entry = serialize(cache, made, queries.empty() ? nullptr : &queries);
    if (!entry) qFatal("%s", entry.error().message.c_str());
    bytes = std::make_shared<const std::vector<std::byte>>(std::move(*entry));
    header = std::make_shared<const EntryHeader>(std::move(made));
  }

  EntryInfo info() const { return {header->key(), bytes->size(), header->header_bytes, "random"}; }
  int layers() const { return header->shape.layers; }
  /// The entry with the bits of one byte flipped.
  std::shared_ptr<const std::vector<std::byte>> damaged(std::size_t at) const {
    auto copy = std::make_shared<std::vector<std::byte>>(*bytes);
    (*copy).at(at) ^= std::byte{0xff};
    return copy;
  }
};

}  // namespace kvantage::test
