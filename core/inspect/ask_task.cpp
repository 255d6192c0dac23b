#include "core/inspect/ask_task.h"

#include <algorithm>
#include <utility>

#include "core/inspect/answer_attention.h"
#include "core/inspect/keep_map.h"
#include "core/runtime/observing.h"
#include "core/runtime/serving_clock.h"
#include "core/runtime/windowed_rows.h"

namespace kvantage::inline inspection {

AskTask::AskTask(const EngineServices& services, CheckedAsk asked, std::shared_ptr<ComputedText> computed,
                 int max_answer_tokens)
    : services_(services),
      asked_(std::move(asked)),
      max_answer_tokens_(max_answer_tokens),
      computed_(std::move(computed)),
      text_{.catalog = asked_.catalog(services), .context = asked_.context, .computed = *computed_},
      answers_(asked_.forms.size()),
      returned_(asked_.forms.size(), 0),
      given_(asked_.forms.size()) {
  computed_->begin_question(asked_.forms);
  if (computed_->shown == nullptr) {
    auto text = std::make_shared<AskText>();
    text->tokens = token_texts(services_.runtime, text_.tokens());
    text->full_bytes = text_.catalog.facts(text_.context).full_bytes;
    computed_->shown = std::move(text);
  }
  if (computed_->complete) stage_ = Stage::columns;
  for (std::size_t c = 0; c < answers_.size(); ++c) answers_[c].column = asked_.forms[c].column;
  answers_.front().stage = AskStage::preparing;
}

std::size_t AskTask::blocks_for(const CheckedAsk& asked, const EngineServices& services, int max_answer_tokens) {
  const std::size_t text = asked.catalog(services).details(asked.context).tokens.size();
  const std::size_t more = asked.question.size() + static_cast<std::size_t>(max_answer_tokens);
  const ModelRuntime& runtime = services.runtime;
  // One more block per head: appended rows begin with a copy of the last block.
  return 3 * runtime.blocks_for(text) + runtime.blocks_for(more) + runtime.blocks_for(1);
}

Status AskTask::step(double wait_seconds, const Stop& stop) {
  switch (stage_) {
    case Stage::text:
      return prefill_text();
    case Stage::columns:
      return answer_column(wait_seconds, stop);
    case Stage::attention:
      return attend();
    case Stage::done:
      return {};
  }
  return {};
}

Status AskTask::prefill_text() {
  const ModelRuntime& runtime = services_.runtime;
  if (!prefill_)
    prefill_.emplace(*runtime.model, computed_->original, text_.tokens(), 0,
                     PrefillOptions{.chunk_tokens = runtime.chunk_tokens(),
                                    .window_queries = runtime.window_queries,
                                    .logits = PrefillLogits::none});
  {
    const TimedWork timed(services_.clock, computed_->prefill_seconds);
    KV_TRY(prefill_->step());
  }
  if (!prefill_->done()) return {};
  KV_TRY(evict_unseen_rows(runtime, computed_->original));
  computed_->observed = observation_of(runtime, prefill_->take_window_queries());
  computed_->complete = true;
  prefill_.reset();
  stage_ = Stage::columns;
  return {};
}

Status AskTask::answer_column(double wait_seconds, const Stop& stop) {
  AskAnswer& answer = answers_[next_column_];
  if (column_ == nullptr)
    column_ = std::make_unique<AskColumnTask>(services_, text_, asked_.forms[next_column_], asked_.question,
                                              max_answer_tokens_, answer);
  const AskStage before = answer.stage;
  KV_TRY(column_->step(wait_seconds, stop));
  if (answer.stage != before || column_->tokens().size() != given_[next_column_].size()) {
    take_tokens(next_column_);
    ++revision_;
  }
  if (!column_->done()) return {};
  column_.reset();
  if (++next_column_ == answers_.size()) stage_ = Stage::attention;
  return {};
}

// Where it parts from the first column's, too, which is complete before any other begins.
void AskTask::take_tokens(std::size_t column) {
  const std::vector<std::int32_t>&first = given_.front(), &tokens = column_->tokens();
  std::vector<std::int32_t>& own = given_[column];
  std::size_t at = own.size();  // those before are equal, or it has parted
  own.insert(own.end(), tokens.begin() + static_cast<std::ptrdiff_t>(at), tokens.end());
  if (column == 0 || answers_[column].parts_at) return;
  while (at < std::min(own.size(), first.size()) && own[at] == first[at]) ++at;
  if (at < own.size() || (column_->done() && own.size() < first.size())) answers_[column].parts_at = at;
}

// The answer whose attention is shown: of the first column that has the full cache, else of the first.
std::size_t AskTask::read_column() const {
  const auto full = std::ranges::find_if(asked_.forms, [](const AskForm& form) {
    return holds_original(form.column.method, form.column.removed_fraction);
  });
  return full == asked_.forms.end() ? 0 : static_cast<std::size_t>(full - asked_.forms.begin());
}

// The answer is prefilled after text and question over the full cache. The queries that count are those of the rows
// that give its tokens: the question's last one, and the answer's but the last.
Status AskTask::attend() {
  const ModelRuntime& runtime = services_.runtime;
  const auto end = [this] {
    stage_ = Stage::done;
    ++revision_;
  };
  if (queries_.empty()) {
    if (!prefill_) {
      std::vector<std::int32_t> tokens = asked_.question;
      const std::vector<std::int32_t>& answer = given_[read_column()];
      if (!answer.empty()) tokens.insert(tokens.end(), answer.begin(), answer.end() - 1);
      const std::size_t window = answer.size();
      if (window == 0) {
        end();
        return {};
      }
      answered_ = computed_->original.share();
      prefill_.emplace(*runtime.model, *answered_, std::move(tokens), answered_->sequence_length(),
                       PrefillOptions{.chunk_tokens = runtime.chunk_tokens(),
                                      .window_queries = static_cast<int>(window),
                                      .logits = PrefillLogits::none,
                                      .rows_may_stay = true});
    }
    KV_TRY(prefill_->step());
    if (!prefill_->done()) return {};
    queries_ = prefill_->take_window_queries();
    prefill_.reset();
    paid_.assign(text_.tokens().size(), 0);
    return {};
  }
  add_attention(*answered_, queries_, attended_layers_, paid_, runtime.model->config().window(attended_layers_));
  if (++attended_layers_ < computed_->original.shape().layers) return {};
  std::vector<float> shares = shares_of(paid_);
  const auto densest = densest_span(shares);
  attention_ = AskAttention{std::move(shares), densest};
  answered_.reset();
  end();
  return {};
}

AskResult AskTask::take_changes() {
  AskResult changes;
  changes.text = computed_->shown;
  changes.attention = attention_;
  changes.complete = done();
  changes.answers.reserve(answers_.size());
  for (std::size_t c = 0; c < answers_.size(); ++c) {
    changes.answers.push_back(answer_from(answers_[c], returned_[c]));
    returned_[c] = final_tokens(answers_[c]);
  }
  return changes;
}

std::string AskTask::work() const {
  switch (stage_) {
    case Stage::text:
      return "Computing the text";
    case Stage::columns:
      return column_ != nullptr ? column_->work() : "Beginning";
    case Stage::attention:
      return "Computing the attention of the answer";
    case Stage::done:
      return {};
  }
  return {};
}

}  // namespace kvantage::inline inspection
