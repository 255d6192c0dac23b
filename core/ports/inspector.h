// Inspection of one context: which tokens a method keeps, by layer and KV head, and what the model answers from them.
// The engine computes it between requests, whose metrics exclude it. Thread-safe and non-blocking.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kvantage::inline ports {

struct KeepMapRequest {
  std::string context;                  // id in the workload
  std::vector<std::string> methods;     // text forms, in the order of the results; each is evaluated once
  double removed_fraction = 0.5;        // of tokens, [0, 1); a method that only quantizes keeps all
  std::optional<std::size_t> question;  // index into KeepMapContext::questions; if set, answers are computed
  bool operator==(const KeepMapRequest&) const = default;
};

struct KeepMapQuestion {
  std::string text, gold;  // gold: empty where the workload has none
  bool held_out = true;    // not used by profiles
};

/// The part that is independent of method and fraction.
struct KeepMapContext {
  std::string id, family;
  std::vector<std::string> tokens;  // UTF-8, concatenated they give the text; empty for a token that holds only the
                                    // start of a multi-token character
  int layers = 0, kv_heads = 0;
  std::uint64_t full_bytes = 0;  // of the uncompressed entry
  std::vector<KeepMapQuestion> questions;
};

struct KeepMapAnswer {
  std::string text;
  bool ended = false;              // by a stop token, not by length
  std::optional<double> token_f1;  // against the gold answers, 0 to 1; nothing without gold
};

/// One method at one removed fraction.
struct KeepMapForm {
  std::string method;           // canonical text form
  double removed_fraction = 0;  // as applied: 0 where the method only quantizes
  std::vector<bool> kept;       // [layers][kv_heads][tokens]
  std::shared_ptr<const std::vector<float>>
      scores;                // the same shape: ranking of tokens, larger = kept longer; comparable within a head
  std::uint64_t bytes = 0;   // of its entry, headers included
  double score_seconds = 0;  // observing and scoring, when it was run
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

/// Published several times per request: first kept tokens, then with each answer, finally complete.
struct KeepMapResult {
  std::uint64_t ticket = 0;
  KeepMapRequest request;
  std::shared_ptr<const KeepMapContext> context;  // null with an error
  std::vector<KeepMapForm> forms;                 // one per requested method
  std::optional<KeepMapAnswer> uncompressed;
  double seconds = 0;  // compute time so far, waiting excluded
  bool complete = false;
  std::string error;  // what, why, how to fix; empty: none
};

class Inspector {
 public:
  virtual ~Inspector() = default;
  /// Replaces the previous request, which is dropped if incomplete. Returns the ticket of its results, 1 and up.
  virtual std::uint64_t request_keep_map(const KeepMapRequest& request) = 0;
  /// The viewer closed: cancels the work in flight and frees its memory. The latest result stays.
  virtual void drop_keep_map() = 0;
  /// The newest result; null before the first.
  virtual std::shared_ptr<const KeepMapResult> keep_map() const = 0;
  /// A description of the work on the newest request; empty: none.
  virtual std::string keep_map_work() const = 0;
  /// Text forms to choose from; they can be composed into others.
  virtual std::vector<std::string> methods() const = 0;
};

}  // namespace kvantage::inline ports
