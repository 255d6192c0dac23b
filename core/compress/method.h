// Compression methods: which tokens of a cache to keep, and in how many bytes.
//
// A Method = a Scorer (a number for each token of each KV head, larger = keep), a Budget (scores and a removed fraction
// -> kept indices) and optional re-rotation of the kept keys. Its text form, "snapkv" or "adakv(snapkv(window=32))", is
// read by parse_method() and printed by text(). Default parameters are omitted, so that equal methods have equal text
// and thus equal keys of stored entries. A method scores a cache once; every removed fraction uses the same scores. One
// scorer or budget = one file below and its row in scorers.inl or registry.cpp; see docs/add-a-method.md. No torch type
// appears in this header, but scoring uses torch: only the engine's thread calls it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/compress/budgets/layer_scores.h"
#include "core/compress/scorers/observation.h"
#include "core/kv/codecs/codec.h"
#include "core/kv/kv_cache.h"

namespace kvantage::inline compression {

struct MethodInfo {
  std::string name;            // of the scorer: "snapkv"
  std::string text;            // canonical text form; in known_methods() with defaults, equal to name
  std::string parameters;      // of the scorer, all with their defaults: "window=64,kernel=5"
  std::string summary;         // what it keeps, in a few words
  std::string source;          // paper and reference implementation
  std::string reads, costs;    // of the scorer, as text: its inputs, and its cost beyond a prefill
  ObservationNeeds needs;      // besides keys and values
  bool removes_tokens = true;  // false: only "none"
  bool rerotates = false;      // kept keys are shifted together: the question continues at the compressed length
  std::string codec;           // text form of the codec for kept rows; empty: not encoded
  bool lossless = true;        // whether decoded rows equal the kept ones
};

/// A budget around a scorer: "adakv(...)".
struct BudgetInfo {
  std::string name, parameters, summary, source, costs;
};

}  // namespace kvantage::inline compression
namespace kvantage::inline scorers {
class Scorer;  // scorers/scorer.h
}  // namespace kvantage::inline scorers
namespace kvantage::inline budgets {
class Budget;  // budgets/budget.h
}  // namespace kvantage::inline budgets
namespace kvantage::inline compression {

class Method {
 public:
  /// codec: null for plain rows.
  Method(MethodInfo info, std::unique_ptr<const Scorer> scorer, std::unique_ptr<const Budget> budget,
         std::shared_ptr<const Codec> codec);
  ~Method();
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;

  const MethodInfo& info() const { return info_; }
  const std::string& text() const { return info_.text; }
  const Codec* codec() const { return codec_.get(); }
  /// The fractions that make a difference: those above 0, or only 0 for a method that only quantizes.
  std::vector<double> fractions_of(std::span<const double> removed_fractions) const;

  /// Scores every token of `cache`, but for layers whose sliding window the text has passed
  /// (LayerScores::passes_window()). rejected_input: an empty cache, heads of a layer with different numbers of tokens,
  /// or something of info().needs missing in `observed`.
  Expected<LayerScores> scores(const KvCache& cache, const Observation& observed) const;
  /// The same for the next layer only, added to what `scores` has.
  Status score_layer(const KvCache& cache, const Observation& observed, LayerScores& scores) const;

  /// Kept tokens for a removed fraction in [0, 1): per layer, per KV head, ascending indices of the rows that were
  /// there. The fraction is of the tokens of layers that have scores.
  std::vector<KeptIndices> keep_for(const LayerScores& scores, double removed_fraction) const;
  /// Keeps these tokens of one layer of a copy of the scored cache and sets pruned key channels to 0 (channels.h).
  Status cut_layer(KvCache& cache, int layer, const LayerScores& scores, const KeptIndices& kept) const;

 private:
  Status add_unscored_layer(const KvCache& cache, const Observation& observed, LayerScores& scores) const;

  MethodInfo info_;
  std::unique_ptr<const Scorer> scorer_;
  std::unique_ptr<const Budget> budget_;
  std::shared_ptr<const Codec> codec_;
};

/// Every scorer with default parameters, under the uniform budget; those of files (method_files.h) last.
std::vector<MethodInfo> known_methods();
/// Scorers that need the weights of a file as a parameter, so that they have no default form.
std::vector<MethodInfo> weight_methods();
std::vector<BudgetInfo> known_budgets();
/// Aliases and their canonical names.
std::vector<std::pair<std::string, std::string>> method_aliases();
/// usage error with a near miss or the list of names; names the parameter and its range for an invalid value.
Expected<std::shared_ptr<const Method>> parse_method(std::string_view text);
/// The same for what is stored already, which can be read without its scorer: of a file that is not loaded, scores()
/// is an error.
Expected<std::shared_ptr<const Method>> parse_stored_method(std::string_view text);

/// Removes `removed_fraction` of the tokens of `cache` in place; 0 changes nothing. usage: not in [0, 1), or more than
/// 0 under "none". no_space is possible only for a cache that shares blocks: use compressed_copy() there.
Status compress(KvCache& cache, const Observation& observed, const Method& method, double removed_fraction);

/// The kept rows as a second cache, as they are stored; `original` is unchanged and unmodified blocks are shared.
Expected<KvCache> compressed_copy(const KvCache& original, const LayerScores& scores, const Method& method,
                                  double removed_fraction);

/// What a reader of stored rows computes on: rows after encoding and decoding. If the method re-rotates, keys are
/// rotated to positions 0, 1, ... and the length is the number of kept tokens. frequencies: radians per position,
/// [head_dim/2]. encoded_layers, if given, gets the encoded bytes of each layer (recoded_entry_bytes()).
Expected<KvCache> as_read(KvCache stored, const Method& method, std::span<const float> frequencies,
                          std::vector<std::uint64_t>* encoded_layers = nullptr);

/// Whether an entry of this method and fraction holds every token bit for bit: it can replace an original.
bool holds_original(std::string_view method, double removed_fraction);

}  // namespace kvantage::inline compression
