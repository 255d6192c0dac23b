// Compression methods: which tokens of a cache to keep.
//
// A Method = a Scorer (a number for each token of each KV head, larger = keep) and a Budget (scores and a removed
// fraction -> kept indices). It has one text form, "snapkv" or "snapkv(window=32)", which parse_method() reads and
// text() prints: parameters at their defaults are left out, so that equal methods have equal text, and with it equal
// keys of stored entries. A method scores a cache once; every removed fraction then follows from the same scores, and
// a larger fraction keeps a subset of what a smaller one keeps. One method = one file here, one line in the table of
// registry.cpp; docs/add-a-method.md tells how. No torch type appears in this header, but scoring uses torch: only the
// engine's thread calls it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/kv/kv_cache.h"
#include "core/kv/serial.h"

namespace kvantage {

struct MethodInfo {
  std::string name;            // "snapkv"
  std::string text;            // canonical text form; of a known method: with defaults, equal to name
  std::string parameters;      // all of them with their defaults: "window=64,kernel=5"
  std::string summary;         // what it keeps, in a few words
  std::string source;          // paper and reference implementation
  int window_queries = 0;      // it scores by the queries of the last so many tokens of the context; 0: by none
  bool removes_tokens = true;  // false: only "none"
  bool needs_window_queries() const { return window_queries > 0; }
};

/// Scores of one cache under one method and the order that follows from them.
struct LayerScores {
  struct Head {
    std::vector<float> scores;        // [tokens], larger = keep
    std::vector<std::int32_t> ranks;  // [tokens], 0 = kept longest; equal scores: the earlier token first
  };
  std::vector<std::vector<Head>> layers;  // [layers][kv_heads]
  int sorts = 0;                          // how often tokens were put in order: once for each layer and head
};

/// Tokens that stay of `tokens`: int(tokens * (1 - removed_fraction)) in double as kvpress counts, at least 1.
inline std::size_t kept_tokens(std::size_t tokens, double removed_fraction) {
  const auto kept = static_cast<std::size_t>(static_cast<double>(tokens) * (1 - removed_fraction));
  return std::min(tokens, std::max<std::size_t>(kept, 1));
}

class Scorer;  // scorer.h
class Budget;  // budget.h

class Method {
 public:
  Method(MethodInfo info, std::unique_ptr<const Scorer> scorer, std::unique_ptr<const Budget> budget);
  ~Method();
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;

  const MethodInfo& info() const { return info_; }
  const std::string& text() const { return info_.text; }

  /// Scores every token of `cache`. `queries`: those of the last tokens of the same context, needed where info() says
  /// so. rejected_input: an empty cache, heads that hold different numbers of tokens, too few window queries.
  Expected<LayerScores> scores(const KvCache& cache, const WindowQueries* queries) const;

  /// Kept tokens for a removed fraction in [0, 1): per layer, per KV head, ascending indices.
  std::vector<KeptIndices> keep_for(const LayerScores& scores, double removed_fraction) const;

 private:
  MethodInfo info_;
  std::unique_ptr<const Scorer> scorer_;
  std::unique_ptr<const Budget> budget_;
};

/// Every method with its parameters at their defaults.
std::vector<MethodInfo> known_methods();
/// usage error with a near miss or the list of names; names the parameter and its range when a value makes no sense.
Expected<std::shared_ptr<const Method>> parse_method(std::string_view text);

/// Removes `removed_fraction` of the tokens of `cache` in place; 0 changes nothing. usage: not in [0, 1), or more than
/// 0 under "none". no_space is possible only for a cache that shares blocks: use compressed_copy() there.
Status compress(KvCache& cache, const WindowQueries* queries, const Method& method, double removed_fraction);

/// The same as a second cache; `original` is untouched and blocks that stay as they are, are shared.
Expected<KvCache> compressed_copy(const KvCache& original, const LayerScores& scores, const Method& method,
                                  double removed_fraction);

}  // namespace kvantage
