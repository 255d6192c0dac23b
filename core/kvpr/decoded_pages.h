// Buffers tokens after the prompt, fed or decoded, for the tier: keys and values, and their layer inputs where later
// steps may recompute from them. A full page is written while decoding continues; its rows are freed once it is on the
// tier and no layer in flight relies on them.
//
// The rows of a page are recomputed together. So where layer inputs are kept, tokens that are fed in one pass are a
// page of their own: as of a chunk of a prefill, only all of them give the same bits. Decoded tokens give theirs in any
// number.
#pragma once

#include <deque>
#include <vector>

#include "core/kvpr/offloaded_prompt.h"

namespace kvantage::inline kvpr {

/// What is kept of layer inputs: nothing; beside keys and values on the tier; in memory, as long as the pages.
enum class KeptInputs { none, on_tier, in_memory };

struct PageOptions {
  int page_tokens = 64;  // of pages, but of those of fed tokens whose inputs are kept
  KeptInputs inputs =
      KeptInputs::none;  // of fed tokens, and of decoded ones whose inputs the model reports (core/model/recompute.h)
  std::string name;      // determines the keys of its entries
};

class DecodedPages final : public LayerInputSink {
 public:
  /// first_position: of the first token after the prompt. The destructor erases its entries.
  DecodedPages(const Transformer& model, const RowCodec& codec, StorageTier& tier, std::int32_t first_position,
               PageOptions options);
  ~DecodedPages() override;
  DecodedPages(const DecodedPages&) = delete;
  DecodedPages& operator=(const DecodedPages&) = delete;

  /// Of `rows` tokens fed together, or of one decoded token.
  enum class Pass { fed, decoded };
  void begin_pass(int rows, Pass pass);
  /// Whether layer inputs of this pass are kept: they come by take(), for a layer before take_rows().
  bool wants_inputs() const { return !pages_.empty() && pages_.back().keeps_inputs; }
  void take(int layer, std::int32_t first_position, int tokens, std::span<const std::byte> rows) override;
  /// Copies the pass's rows of a layer, the newest ones of `cache`.
  void take_rows(const KvCache& cache, int layer);
  /// After all layers: full pages are written to the tier, each once the previous one is written. wait: until all are
  /// written. Errors: the tier's.
  Status end_pass(bool wait);

  /// Appends the rows after the first `pages` pages to a layer of `cache`.
  Status append_held(KvCache& cache, int layer, std::size_t pages) const;
  /// Keys and values of the first `pages` pages are no longer needed.
  void release(std::size_t pages);

  /// Pages on the tier, contiguous from the first.
  std::size_t written_pages() const { return written_; }
  const OffloadedLayer& layer(std::size_t page, int layer) const {
    return pages_[page].layers[static_cast<std::size_t>(layer)];
  }
  std::int32_t first_of(std::size_t page) const { return pages_[page].first; }
  int tokens_of(std::size_t page) const { return pages_[page].tokens; }
  /// Tokens of the prompt and of the first `pages` pages.
  int tokens_before(std::size_t pages) const { return pages == 0 ? first_position_ : pages_[pages - 1].end(); }
  /// Of the first `pages` pages, those up to the first one without layer inputs: adds where each ends.
  void add_recomputable(std::size_t pages, std::vector<int>& ends) const;
  /// A page's rows from layer inputs in memory. Valid until the next run of `recompute`.
  Expected<RowCodec::Rows> recomputed(std::size_t page, int layer, KvRecompute& recompute) const;

  /// In memory: keys, values and layer inputs; of these, inputs that stay.
  std::uint64_t held_bytes() const;
  std::uint64_t resident_bytes() const;
  std::uint64_t written_bytes() const { return written_bytes_; }

 private:
  struct Rows {
    std::vector<std::byte> keys, values;  // [tokens, kv_heads, head_dim]; empty once released
    std::vector<std::byte> inputs;        // [tokens, hidden]
  };
  struct Page {
    std::int32_t first = 0;
    int tokens = 0;       // of passes that ended
    int pass_tokens = 0;  // of the pass in progress
    Pass pass = Pass::decoded;
    bool keeps_inputs = false;
    bool full = false;                        // no further token joins it
    std::vector<Rows> rows = {};              // [layers]
    std::vector<OffloadedLayer> layers = {};  // once its write has begun
    std::size_t writes_left = 0;
    std::int32_t end() const { return first + tokens + pass_tokens; }
  };
  Status write(std::size_t page);
  Status finish(const std::vector<Completion>& completions);

  KvShape shape_;
  RowCodec codec_;
  StorageTier& tier_;
  std::int32_t first_position_;
  PageOptions options_;
  std::size_t input_bytes_;  // of a token
  bool decoded_inputs_;      // the model reports them
  CompletionQueue completions_;
  std::deque<std::pair<Ticket, std::size_t>> writes_;  // in flight, and of which page
  std::vector<Page> pages_;
  int pass_rows_ = 0;          // of the newest pass
  std::size_t pass_page_ = 0;  // the first page that it adds to; behind all of them: it has ended
  std::size_t begun_ = 0;      // pages whose write has begun
  std::size_t written_ = 0;
  std::uint64_t written_bytes_ = 0;
};

}  // namespace kvantage::inline kvpr
