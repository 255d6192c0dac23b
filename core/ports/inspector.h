// A closer look at one context: which tokens a method keeps, by layer and KV head, and what the model answers from
// them. The engine computes it between and beside its requests, whose figures it stays out of. Thread-safe; nothing
// here waits.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kvantage {

struct KeepMapRequest {
  std::string context;               // as in the workload
  std::vector<std::string> methods;  // text forms, in the order of the results; each is kept once
  double removed_fraction = 0.5;     // of tokens, [0, 1); a method that only codes keeps all
  std::optional<std::size_t>
      question;  // of the context, as KeepMapContext::questions counts; with it answers are computed
  bool operator==(const KeepMapRequest&) const = default;
};

struct KeepMapQuestion {
  std::string text, gold;  // gold: empty where the workload has none
  bool held_out = true;    // not asked by profiles
};

/// What is the same for every method and fraction.
struct KeepMapContext {
  std::string id, family;
  std::vector<std::string>
      tokens;  // UTF-8, joined they are the text; empty where a character began that the next one ends
  int layers = 0, kv_heads = 0;
  std::uint64_t full_bytes = 0;  // of the uncompressed entry
  std::vector<KeepMapQuestion> questions;
};

struct KeepMapAnswer {
  std::string text;
  bool ended = false;              // by a stop token, not by its length
  std::optional<double> token_f1;  // against the gold answers, 0 to 1; none without gold
};

/// One method at one removed fraction.
struct KeepMapForm {
  std::string method;           // canonical text form
  double removed_fraction = 0;  // as the method took it: 0 where it only codes
  std::vector<bool> kept;       // [layers][kv_heads][tokens]
  std::shared_ptr<const std::vector<float>>
      scores;  // the same shape: what tokens are ordered by, larger = kept longer; comparable within a head
  std::uint64_t bytes = 0;   // of its entry, headers included
  double score_seconds = 0;  // observing and scoring, when it was done
  std::optional<KeepMapAnswer> answer;

  bool keeps(const KeepMapContext& context, int layer, int kv_head, std::size_t token) const {
    return kept[at(context, layer, kv_head, token)];
  }
  float score(const KeepMapContext& context, int layer, int kv_head, std::size_t token) const {
    return (*scores)[at(context, layer, kv_head, token)];
  }
  static std::size_t at(const KeepMapContext& context, int layer, int kv_head, std::size_t token) {
    return static_cast<std::size_t>(layer * context.kv_heads + kv_head) * context.tokens.size() + token;
  }
};

/// Comes more than once for a request: first kept tokens, then with each answer, at last complete.
struct KeepMapResult {
  std::uint64_t ticket = 0;
  KeepMapRequest request;
  std::shared_ptr<const KeepMapContext> context;  // null with an error
  std::vector<KeepMapForm> forms;                 // one for each method asked for
  std::optional<KeepMapAnswer> uncompressed;
  double seconds = 0;  // computed so far, waiting left out
  bool complete = false;
  std::string error;  // what, why, how to mend; empty: none
};

class Inspector {
 public:
  virtual ~Inspector() = default;
  /// Asks for this instead of what was asked for before: an older request that is not complete is dropped. Gives the
  /// ticket that its results carry, 1 and up.
  virtual std::uint64_t request_keep_map(const KeepMapRequest& request) = 0;
  /// Nobody looks any more: what is under way is dropped and its memory given back. The latest result stays.
  virtual void drop_keep_map() = 0;
  /// The newest result; null before the first.
  virtual std::shared_ptr<const KeepMapResult> keep_map() const = 0;
  /// What is being done for the newest request, in words; empty: nothing.
  virtual std::string keep_map_work() const = 0;
  /// Text forms that a request may name, to choose from; others can be composed of them.
  virtual std::vector<std::string> methods() const = 0;
};

}  // namespace kvantage
