// Compressed forms of one context's cache, each as seen by a reader of its stored entry, built in steps of about a
// layer's work. A method scores and sorts the context once for all of its forms.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/compress/method.h"
#include "core/runtime/model_runtime.h"
#include "core/runtime/observing.h"

namespace kvantage::inline quality {

class CompressedForms {
 public:
  /// original: the uncompressed cache of the context `tokens`; both must outlive this. observed: existing observations;
  /// those in `needs` that are missing are made before the first scoring.
  CompressedForms(ModelRuntime& runtime, const KvCache& original, std::span<const std::int32_t> tokens,
                  Observation observed, ObservationNeeds needs);

  /// Starts a form, replacing the previous one. stop: true aborts an observation with `cancelled`. no_space: the block
  /// pool is full; retry when it has space.
  Status begin(const std::string& method, double removed_fraction, const std::function<bool()>& stop);
  /// A cache without the context instead of a form. Errors as begin().
  Status begin_without_context(const std::function<bool()>& stop);
  /// Frees the form.
  void clear() { form_.reset(); }
  bool done() const { return stage_ == Stage::done; }
  /// Whether step() scores a layer next.
  bool scoring() const { return stage_ == Stage::score; }
  /// One layer of scoring, evicting or encoding. no_space as begin().
  Status step();

  /// After done().
  const KvCache& form() const { return *form_; }
  /// After done(): moves the form out.
  std::unique_ptr<KvCache> take() { return std::move(form_); }
  int kept_tokens() const { return kept_tokens_; }  // mean over layers and heads
  std::uint64_t bytes() const { return bytes_; }    // of its entry
  const KvCache& original() const { return original_; }

  int scorings() const { return scorings_; }  // one per method
  int sorts() const { return sorts_; }        // one per layer and KV head of a scoring

 private:
  enum class Stage { score, cut, code, rerotate, done };
  Status score_layer();
  Status cut_layer();
  Status code_layer();
  Status rerotate();
  void enter(Stage stage);

  ModelRuntime& runtime_;
  const KvCache& original_;
  std::span<const std::int32_t> tokens_;
  Observation observed_;
  ObservationNeeds needs_;
  Stage stage_ = Stage::done;
  int layer_ = 0;  // next layer of the stage
  std::shared_ptr<const Method> method_;
  double removed_fraction_ = 0;
  std::string method_text_, scored_method_;  // as given
  LayerScores scores_;
  std::vector<KeptIndices> kept_;
  std::vector<std::uint64_t> encoded_;  // encoded bytes of each layer
  std::unique_ptr<KvCache> form_;
  int kept_tokens_ = 0;
  std::uint64_t bytes_ = 0;
  int scorings_ = 0, sorts_ = 0;
};

}  // namespace kvantage::inline quality
