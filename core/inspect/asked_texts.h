// What was computed for the texts that questions were asked about. The next question about one of them begins there:
// its text is not prefilled again, and forms that it shares with the question before are not made again. Requests come
// first: all of it is freed when they need the blocks. Engine thread only.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/digest.h"
#include "core/compress/method.h"
#include "core/inspect/checked_ask.h"
#include "core/kv/kv_cache.h"
#include "core/ports/asker.h"

namespace kvantage::inline inspection {

/// Independent of any question. Seconds are those of the current one: 0 for what an earlier question has computed.
struct ComputedText {
  struct Scored {
    LayerScores scores;
    double seconds = 0;  // observing and scoring
  };
  struct Form {
    std::optional<KvCache> stored;  // the kept rows, before encoding
    std::optional<KvCache> read;    // as a reader of its entry gets them; only where a column needed that
    bool reused = false;            // an earlier question made it
    double seconds = 0;             // of cutting and encoding
  };
  explicit ComputedText(BlockPool& pool) : original(pool) {}

  /// Drops what the columns of a question do not use, and what is half done; resets the seconds.
  void begin_question(const std::vector<AskForm>& columns);
  /// Scores of all layers.
  bool scored_by(const std::string& method) const;
  /// Null: it is not kept.
  const Form* form_of(const AskColumn& column) const;
  Form& form_for(const AskColumn& column) { return forms[{column.method, column.removed_fraction}]; }
  /// Of caches, scores and observations; shared blocks count for each cache. Without the original and what belongs to
  /// it: of forms and scores.
  std::size_t held_bytes(bool with_original) const;
  /// Frees the rows that a device has of its caches; the pool has them, too.
  void leave_device();

  KvCache original;
  Observation observed = {};
  std::shared_ptr<const AskText> shown = {};  // null: not made yet
  bool complete = false;                      // the original has every layer
  bool reused = false;                        // an earlier question computed it
  double prefill_seconds = 0;
  std::map<std::string, Scored> scored = {};                  // by canonical method
  std::map<std::pair<std::string, double>, Form> forms = {};  // by canonical method and removed fraction
};

class AskedTexts {
 public:
  static constexpr std::size_t max_texts = 4;

  /// pool: must outlive this.
  explicit AskedTexts(BlockPool& pool) : pool_(pool) {}

  /// What is kept of the text, or a text of which nothing is. `key`: of the context (ContextFacts::key), which has
  /// model, tokenizer and numerics in it: nothing that another model computed is found. It is the newest from now on.
  std::shared_ptr<ComputedText> use(const Digest128& key);
  /// Drops the least recently used texts, then forms of the newest, until at most `max_bytes` are held. `in_use`: of
  /// the question in flight, whose original does not count and stays; null: none.
  void shrink(std::size_t max_bytes, const ComputedText* in_use);
  void clear() { texts_.clear(); }
  bool empty() const { return texts_.empty(); }
  std::size_t held_bytes(const ComputedText* in_use = nullptr) const;
  /// No question is in flight: devices hold nothing for those to come.
  void leave_device();

 private:
  struct Kept {
    Digest128 key;
    std::shared_ptr<ComputedText> text;
  };
  BlockPool& pool_;
  std::vector<Kept> texts_;  // the newest last
};

}  // namespace kvantage::inline inspection
