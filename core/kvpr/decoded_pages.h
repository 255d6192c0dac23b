// Buffers keys and values of tokens after the prompt, fed or decoded, for the tier: a full page is written while
// decoding continues, and freed once it is on the tier and no layer in flight relies on the buffer.
#pragma once

#include <deque>
#include <vector>

#include "core/kvpr/offloaded_prompt.h"

namespace kvantage::inline kvpr {

class DecodedPages {
 public:
  /// first_position: of the first decoded token. The destructor erases its entries.
  DecodedPages(const KvShape& shape, const RowCodec& codec, StorageTier& tier, std::int32_t first_position,
               int page_tokens, std::string name);
  ~DecodedPages();
  DecodedPages(const DecodedPages&) = delete;
  DecodedPages& operator=(const DecodedPages&) = delete;

  /// Copies the newest `rows` rows of a layer from `cache`; once per layer of a step.
  void take_rows(const KvCache& cache, int layer, int rows);
  /// After all layers of a step of so many rows: full pages are written to the tier, each once the previous one is
  /// written. wait: until all are written. Errors: the tier's.
  Status end_step(int rows, bool wait);
  /// Appends the rows after the first `pages` pages to a layer of `cache`.
  Status append_held(KvCache& cache, int layer, std::size_t pages) const;
  /// The rows of the first `pages` pages are no longer needed.
  void release(std::size_t pages);

  /// Pages on the tier, contiguous from the first.
  std::size_t written_pages() const { return written_; }
  int page_tokens() const { return page_tokens_; }
  const OffloadedLayer& layer(std::size_t page, int layer) const {
    return pages_[page].layers[static_cast<std::size_t>(layer)];
  }
  std::uint64_t held_bytes() const;
  std::uint64_t written_bytes() const { return written_bytes_; }

 private:
  struct Rows {
    std::vector<std::byte> keys, values;  // [tokens, kv_heads, head_dim]
  };
  struct Page {
    std::vector<Rows> rows;  // [layers]; empty once released
    std::vector<OffloadedLayer> layers;
    std::size_t writes_left = 0;
  };
  Status write(std::size_t page);
  Status take(const std::vector<Completion>& completions);
  std::int32_t first_of(std::size_t page) const {
    return first_position_ + static_cast<std::int32_t>(page) * page_tokens_;
  }

  KvShape shape_;
  RowCodec codec_;
  StorageTier& tier_;
  std::int32_t first_position_;
  int page_tokens_;
  std::string name_;
  CompletionQueue completions_;
  std::deque<std::pair<Ticket, std::size_t>> writes_;  // in flight, and of which page
  std::vector<Page> pages_;
  int tokens_ = 0;         // decoded, in completed steps
  std::size_t begun_ = 0;  // pages whose write has begun
  std::size_t written_ = 0;
  std::uint64_t written_bytes_ = 0;
};

}  // namespace kvantage::inline kvpr
