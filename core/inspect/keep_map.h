// Which tokens methods keep of one context and what the model answers from them, in steps of about a layer. A method
// scores the context once; every other removed fraction follows from the same scores, so that moving through fractions
// costs milliseconds. Kept tokens and what is answered are those of a stored entry of that form, bit for bit.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "core/compress/method.h"
#include "core/ports/inspector.h"
#include "core/runtime/answer_task.h"
#include "core/runtime/catalog.h"
#include "core/runtime/observing.h"

namespace kvantage::inline inspection {

/// A context under a method at a removed fraction, as an entry holds it.
struct KeptForm {
  std::vector<KeptIndices> kept;  // [layers][kv_heads]
  KvCache stored;                 // the kept rows, before coding
  std::uint64_t entry_bytes = 0;  // headers included
};
/// Errors as compressed_copy().
Expected<KeptForm> kept_form(const KvCache& original, const LayerScores& scores, const Method& method,
                             double removed_fraction);

class KeepMapTask {
 public:
  using Stop = std::function<bool()>;
  /// state and details are those of one context and outlive the task, original its uncompressed cache.
  /// max_answer_tokens: where the question says nothing.
  KeepMapTask(ModelRuntime& runtime, const ContextState& state, const ContextDetails& details, KvCache original,
              Observation observed, int max_answer_tokens, const Clock& clock);

  /// Begins with another request over this context; scores and answers that are known stay. usage error: a method that
  /// is not known, a fraction outside [0, 1), a question that there is not; the task is done then.
  Status ask(const KeepMapRequest& request);
  /// A layer of what is to be done next, or one observation of the model. stop: asked within that.
  Status step(const Stop& stop = {});
  bool done() const { return stage_ == Stage::done; }
  /// Goes up whenever there is more to show.
  int revision() const { return revision_; }
  /// As far as it is known; without forms until every method is cut.
  KeepMapResult result() const;
  /// What the next step does, in words.
  std::string work() const;
  /// Scorings of a method since the beginning: once a method, whatever the number of fractions.
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
    std::unique_ptr<KvCache> read;  // what a reader of the entry computes on; only where an answer is wanted
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
  std::size_t form_ = 0;  // the next one of the stage
  int revision_ = 0;
  int scorings_ = 0;
  std::map<std::string, Scored> scored_;  // by canonical method
  std::vector<std::string> scored_order_;
  std::map<AnswerKey, KeepMapAnswer> answers_;  // "none" at 0: uncompressed
  std::unique_ptr<AnswerTask> asking_;
};

}  // namespace kvantage::inline inspection
