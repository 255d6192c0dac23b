#include "core/quality/decode_option_task.h"

#include <numeric>
#include <optional>
#include <utility>

#include "core/model/batch_decode.h"

namespace kvantage::inline quality {

/// One answer, as RequestTask decodes it, over a cache that is already there.
struct DecodeOptionTask::Answer {
  Answer(ModelRuntime& runtime, const Clock& clock, RequestInput input, const KvCache& over)
      : state(runtime, clock, std::move(input), 0),
        eviction(state.input.decode_eviction == nullptr
                     ? nullptr
                     : std::make_unique<DecodeEvictionStage>(state, *state.input.decode_eviction)),
        decode(
            state, [](const std::string&) {}, eviction.get()) {
    state.cache = over.share();
    question.emplace(state, nullptr, eviction == nullptr ? 0 : eviction->question_queries(), eviction == nullptr);
  }
  bool applies() const { return eviction == nullptr || eviction->applies(); }
  Status step();

  RequestState state;
  std::unique_ptr<DecodeEvictionStage> eviction;  // null: none
  std::optional<QuestionPrefillStage> question;
  DecodeStage decode;
  std::optional<BatchDecodeTask> pass;
};

Status DecodeOptionTask::Answer::step() {
  if (!decode.has_begun()) {
    KV_TRY(question->compute());
    if (!question->done()) return {};
    decode.take_token(question->logits());
    return eviction == nullptr || decode.done() ? Status() : eviction->begin(question->take_queries());
  }
  if (eviction != nullptr && eviction->cuts_prompt()) return eviction->compute();
  if (!pass) pass.emplace(*state.runtime.model, std::vector<DecodeSequence>{decode.next_decode()});
  KV_TRY(pass->step());
  if (!pass->done()) return {};
  decode.take_token(pass->logits(0));
  pass.reset();
  return {};
}

DecodeOptionTask::DecodeOptionTask(ModelRuntime& runtime, QualityMeter& meter, const Clock& clock,
                                   ContextDetails& details, const KvCache& original, DecodeOptionPlan plan)
    : runtime_(runtime),
      meter_(meter),
      clock_(clock),
      details_(details),
      original_(original),
      plan_(std::move(plan)),
      step_clock_(clock),
      last_step_ns_(clock.monotonic_ns()) {
  for (std::size_t q = 0; q < details.questions.size(); ++q)
    if (!details.questions[q].held_out) asked_.push_back(q);
}

DecodeOptionTask::~DecodeOptionTask() = default;

Status DecodeOptionTask::step() {
  if (done()) return {};
  step_clock_.leave_out(clock_.monotonic_ns() - last_step_ns_);
  Status status;
  if (item_ == asked_.size())
    finish_option();
  else if (answer_ == nullptr)
    status = begin_answer();
  else if (answer_->decode.done())
    status = grade();
  else
    status = answer_->step();
  last_step_ns_ = clock_.monotonic_ns();
  return status;
}

Status DecodeOptionTask::begin_answer() {
  const CatalogQuestion& question = details_.questions[asked_[item_]];
  KV_ASSIGN(const auto eviction, parse_decode_eviction(plan_.options[measured_.size()]));
  RequestInput input;
  input.context_tokens = details_.tokens;
  input.question_tokens = question.tokens;
  input.max_answer_tokens = question.max_answer_tokens > 0 ? question.max_answer_tokens : plan_.max_answer_tokens;
  if (eviction) input.decode_eviction = std::make_shared<const DecodeEvictionSetting>(*eviction);
  input.arrival_ns = step_clock_.monotonic_ns();
  answer_ = std::make_unique<Answer>(runtime_, step_clock_, std::move(input), original_);
  if (answer_->applies()) return {};
  answer_.reset();
  item_ = asked_.size();
  return {};
}

Status DecodeOptionTask::grade() {
  const GivenAnswer& given = answer_->state.record;
  CatalogQuestion& question = details_.questions[asked_[item_]];
  if (answer_->eviction == nullptr && !question.reference_answer)
    question.take_reference(given.answer, answer_->decode.answer_tokens(), answer_->decode.answer_ended());
  const QualityMetric* metric = find_quality_metric(plan_.quality_metric);
  if (metric == nullptr || metric->basis == QualityBasis::logits)
    return fail(ErrorCode::usage, "quality metric '" + plan_.quality_metric + "' compares no answers");
  KV_ASSIGN(const auto score, meter_.score(*metric, {.answer = given.answer,
                                                     .golds = question.golds(),
                                                     .reference = question.reference_answer,
                                                     .logits = {},
                                                     .family = details_.family}));
  if (score) scores_.push_back(*score);
  const std::vector<double>& gaps = answer_->state.timing().token_gaps_seconds;
  gap_seconds_ = std::accumulate(gaps.begin(), gaps.end(), gap_seconds_);
  gaps_ += gaps.size();
  ++answers_;
  answer_.reset();
  ++item_;
  return {};
}

void DecodeOptionTask::finish_option() {
  const MeanWithInterval quality = mean_with_interval(scores_);
  DecodeOption option{.option = plan_.options[measured_.size()]};
  option.quality = quality.mean;
  option.quality_low = quality.low;
  option.quality_high = quality.high;
  option.n = static_cast<int>(quality.n);
  if (gaps_ > 0) option.inter_token_seconds = gap_seconds_ / static_cast<double>(gaps_);
  if (answers_ > 0) option.gaps_per_answer = static_cast<double>(gaps_) / static_cast<double>(answers_);
  measured_.push_back(std::move(option));
  scores_.clear();
  gap_seconds_ = 0;
  gaps_ = answers_ = item_ = 0;
}

}  // namespace kvantage::inline quality
