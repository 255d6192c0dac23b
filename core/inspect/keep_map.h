// Which tokens methods keep of one context and what the model answers from them, in steps of about a layer. A method
// scores the context once and all removed fractions use the same scores, so changing the fraction costs milliseconds.
// Kept tokens and answers are those of a stored entry of that form, bit for bit.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/compress/method.h"
#include "core/ports/inspector.h"
#include "core/runtime/answer_task.h"
#include "core/runtime/catalog.h"
#include "core/runtime/observing.h"

namespace kvantage::inline inspection {

/// A text token by token, as KeepMapContext::tokens.
std::vector<std::string> token_texts(const ModelRuntime& runtime, std::span<const std::int32_t> tokens);

/// A context under a method and removed fraction, as an entry holds it.
struct KeptForm {
  std::vector<KeptIndices> kept;  // [layers][kv_heads], of the context's tokens
  KvCache stored;                 // the kept rows, before encoding
  std::uint64_t entry_bytes = 0;  // headers included
};
/// Errors as compressed_copy().
Expected<KeptForm> kept_form(const KvCache& original, const LayerScores& scores, const Method& method,
                             double removed_fraction);

class KeepMapTask {
 public:
  using Stop = std::function<bool()>;
  /// state and details are of one context and must outlive the task; original: its uncompressed cache.
  /// max_answer_tokens: for questions without a limit.
  KeepMapTask(ModelRuntime& runtime, const ContextFacts& facts, const ContextDetails& details, KvCache original,
              Observation observed, int max_answer_tokens, const Clock& clock);

  /// Starts another request over this context; known scores and answers are reused. usage error, after which the task
  /// is done: an unknown method, a fraction outside [0, 1), a question that does not exist.
  Status ask(const KeepMapRequest& request);
  /// One layer of the remaining work, or one observation of the model, which polls `stop`.
  Status step(const Stop& stop = {});
  bool done() const { return stage_ == Stage::done; }
  /// Incremented when result() has more to show.
  int revision() const { return revision_; }
  /// The result so far; no forms until every method has been applied.
  KeepMapResult result() const;
  /// A description of the next step.
  std::string work() const;
  /// Scorings so far: one per method, whatever the number of fractions.
  int scorings() const { return scorings_; }

 private:
  enum class Stage { score, cut, answer_uncompressed, answer, done };
  struct Scored {
    LayerScores scores;
    std::shared_ptr<const std::vector<float>> flat;
    double seconds = 0;
  };
  struct Form {
    std::shared_ptr<const Method> method;
    KeepMapForm shown;
    std::unique_ptr<KvCache> read;  // what a reader of the entry computes on; only for answers
  };
  using AnswerKey = std::tuple<std::string, double, std::size_t>;  // method, removed fraction, question
  Status score_layer(const Stop& stop);
  Status cut_form();
  Status answer_layer(const KvCache& over, const AnswerKey& key);
  Status answer_uncompressed();
  Status answer_form();
  void take_answers();
  void forget_oldest();
  AnswerKey key_of(const Form& form) const {
    return {form.shown.method, form.shown.removed_fraction, *request_.question};
  }

  ModelRuntime& runtime_;
  const ContextDetails& details_;
  std::shared_ptr<const KeepMapContext> context_;
  KvCache original_;
  Observation observed_;
  int max_answer_tokens_;
  const Clock& clock_;

  KeepMapRequest request_;
  std::vector<Form> forms_;
  Stage stage_ = Stage::done;
  std::size_t form_ = 0;  // next form of the stage
  int revision_ = 0;
  int scorings_ = 0;
  std::map<std::string, Scored> scored_;  // by canonical method
  std::vector<std::string> scored_order_;
  std::map<AnswerKey, KeepMapAnswer> answers_;  // "none" at 0: uncompressed
  std::unique_ptr<AnswerTask> asking_;
};

}  // namespace kvantage::inline inspection
