// A question over several forms of one text's cache, in steps of about a layer: the prefill of the text, then one
// column after the other, so that each token has its own time; last the attention of the answer over the text. What an
// earlier question about the text has computed is not computed again.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/inspect/ask_column.h"
#include "core/inspect/checked_ask.h"
#include "core/ports/asker.h"
#include "core/store/engine_services.h"

namespace kvantage::inline inspection {

class AskTask {
 public:
  using Stop = AskColumnTask::Stop;
  /// computed: of this text, with what earlier questions left; it gets what this one computes. max_answer_tokens: of
  /// each column.
  AskTask(const EngineServices& services, CheckedAsk asked, std::shared_ptr<ComputedText> computed,
          int max_answer_tokens);
  AskTask(const AskTask&) = delete;
  AskTask& operator=(const AskTask&) = delete;

  /// One layer of the remaining work, one observation of the model, or up to `wait_seconds` for a tier. Long steps poll
  /// `stop`. Errors: no_space of the block pool; those of methods.
  Status step(double wait_seconds, const Stop& stop = {});
  bool done() const { return stage_ == Stage::done; }
  /// Only a tier has work.
  bool awaits_bytes() const { return stage_ == Stage::columns && column_ != nullptr && column_->awaits_bytes(); }
  /// Incremented when take_changes() has more to show.
  int revision() const { return revision_; }
  /// Everything but ticket, request, seconds and error; of the answers what earlier calls did not return.
  AskResult take_changes();
  /// A description of the next step.
  std::string work() const;
  const ComputedText& computed() const { return *computed_; }
  /// Blocks of the pool that it needs: the text three times (as computed, cut, read), question and answer. Forms that
  /// are kept for later questions come on top.
  static std::size_t blocks_for(const CheckedAsk& asked, const EngineServices& services, int max_answer_tokens);

 private:
  enum class Stage { text, columns, attention, done };
  Status prefill_text();
  Status answer_column(double wait_seconds, const Stop& stop);
  void take_tokens(std::size_t column);
  std::size_t read_column() const;
  Status attend();

  EngineServices services_;
  CheckedAsk asked_;
  int max_answer_tokens_;
  std::shared_ptr<ComputedText> computed_;
  AskedText text_;
  std::vector<AskAnswer> answers_;
  std::vector<std::size_t> returned_;             // tokens of each answer, by take_changes()
  std::vector<std::vector<std::int32_t>> given_;  // token ids, one list per column

  Stage stage_ = Stage::text;
  std::optional<KvCache> answered_;     // text, question and answer
  std::optional<PrefillTask> prefill_;  // of the text, then of question and answer
  std::size_t next_column_ = 0;
  std::unique_ptr<AskColumnTask> column_;
  WindowQueries queries_;  // of the answer
  int attended_layers_ = 0;
  std::vector<double> paid_;
  SharedValue<AskAttention> attention_;
  int revision_ = 0;
};

}  // namespace kvantage::inline inspection
