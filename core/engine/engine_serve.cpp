#include <algorithm>

#include "core/engine/engine_worker.h"
#include "core/policy/access_statistics.h"
#include "core/policy/utility.h"
#include "core/workload/arrivals.h"

namespace kvantage {
namespace {

constexpr std::size_t fit_window = 64;

void push_sample(std::deque<double>& values, double value) {
  values.push_back(value);
  if (values.size() > fit_window) values.pop_front();
}

}  // namespace

bool Engine::Worker::next_request_is_due() const {
  if (next_in_sequence_ >= sequence_.size()) return true;  // the end of the run is due
  if (settings_.requests_per_second <= 0) return true;
  return seconds_until_next_arrival() <= 0;
}

void Engine::Worker::begin_request() {
  if (next_in_sequence_ >= sequence_.size()) {
    if (!engine_.config_.endless) {
      finish_run("finished");
      set_state(RunState::finished);
      return;
    }
    ++round_;
    sequence_ = engine_.config_.workload.requests(settings_.request_limit, engine_.config_.seed + round_);
    space_requests(sequence_, settings_.requests_per_second, engine_.config_.seed + round_);
    next_in_sequence_ = 0;
    run_start_ns_ = clock_.monotonic_ns();
    if (sequence_.empty()) return;
  }
  attend_shared_tiers();
  const WorkloadRequest& next = sequence_[next_in_sequence_++];
  const Workload& workload = engine_.config_.workload;
  request_context_ = *catalogue_->index_of_id(workload.contexts[next.context].id);
  ContextState& state = catalogue_->state(request_context_);
  ContextDetails& details = catalogue_->details(request_context_);
  const std::string& text = workload.questions[next.question].question;
  const auto asked = std::ranges::find(details.questions, text, &CatalogueQuestion::text);
  request_question_ = static_cast<std::size_t>(asked - details.questions.begin());
  const CatalogueQuestion& question = details.questions[request_question_];

  RequestInput input;
  input.record.id = ++request_counter_;
  input.record.context = state.key;
  input.record.context_id = state.id;
  input.record.family = state.family;
  input.record.question = question.text;
  input.record.gold = question.gold;
  input.record.held_out = question.held_out;
  input.record.policy = settings_.policy;
  input.record.alpha = settings_.alpha;
  if (state.last_access == 0) input.record.miss_reason = first_contact;  // stands only if it is a miss
  const Snapshot& known = catalogue_->snapshot();
  const Prediction predicted = predict(known, state, state.placement, mean_uncompressed_quality(known));
  input.record.predicted_quality = state.profile != nullptr && !state.profile->empty() ? predicted.quality : -1;
  input.record.predicted_ttft_seconds = predicted.ttft_seconds;
  input.context_tokens = details.tokens;
  input.question_tokens = question.tokens;
  input.max_answer_tokens =
      question.max_answer_tokens > 0 ? question.max_answer_tokens : engine_.config_.max_answer_tokens;
  const std::int64_t now = clock_.monotonic_ns();
  input.arrival_ns = settings_.requests_per_second > 0
                         ? std::min(now, run_start_ns_ + static_cast<std::int64_t>(next.arrival_seconds * 1e9))
                         : now;
  events_.publish(events::RequestStarted{input.record.id, state.id, state.family, question.text});

  const std::int64_t lookup_start = clock_.monotonic_ns();
  std::optional<CacheHit> hit;
  std::unique_ptr<LoadTask> begun_load;
  if (prefetch_ && prefetch_->in_sequence + 1 == next_in_sequence_) {
    hit = std::move(prefetch_->hit);
    input.record.timing.prefetch_seconds = static_cast<double>(lookup_start - prefetch_->start_ns) * 1e-9;
    begun_load = std::move(prefetch_->load);
    prefetch_.reset();
  } else {
    drop_prefetch();
    hit = store_->find(details.tokens);
  }
  const double lookup_seconds = static_cast<double>(clock_.monotonic_ns() - lookup_start) * 1e-9;
  request_entry_ = hit ? hit->context : request_context_;
  catalogue_->state(request_entry_).pinned = hit.has_value();
  const std::uint64_t id = input.record.id;
  request_ = std::make_unique<RequestTask>(*runtime_, *opened_.lender, clock_, std::move(input), std::move(hit),
                                           lookup_seconds, [this, id](const std::string& part) {
                                             if (!part.empty()) events_.publish(events::TokenEmitted{id, part});
                                           },
                                           std::move(begun_load));
}

void Engine::Worker::finish_request() {
  const std::unique_ptr<RequestTask> task = std::move(request_);
  ContextState& state = catalogue_->state(request_context_);
  RequestRecord& record = task->record();
  catalogue_->state(request_entry_).pinned = prefetch_ && prefetch_->hit.context == request_entry_;
  measure(*task);
  ++served_;
  events_.publish(events::RequestFinished{record});
  note_request(catalogue_->snapshot(), request_context_, request_counter_);

  if (task->failed_read()) store_->drop(request_entry_, *task->failed_read());
  const Configuration& served_from = catalogue_->state(request_entry_).placement;
  if (const auto& sample = task->load_sample(); sample && served_from.stored()) {
    const auto tier = static_cast<std::size_t>(served_from.tier);
    TierFit& fit = store_->fit(tier);
    // The tier's own share: what the codec adds is counted by method.
    double unpacking = sample->decode_seconds;
    for (const CodecCost& cost : catalogue_->snapshot().codec_costs)
      if (cost.method == served_from.method) unpacking = std::max(0.0, unpacking - cost.seconds_per_token * sample->kept_tokens);
    fit.add(static_cast<double>(sample->bytes), sample->kept_tokens, sample->device_seconds, unpacking);
    TierState& tier_state = catalogue_->snapshot().tiers[tier];
    if (!costs_frozen_) tier_state.model = fit.model();
    if (fit.samples() % 16 == 0)
      events_.publish(events::TierFitted{tier_state.name, tier_state.model, fit.samples(), tier_state.shaped});
  }
  if (task->hit()) {
    ContextDetails& entry = catalogue_->details(request_entry_);
    if (entry.header == nullptr) entry.header = task->hit()->header;
  }
  push_sample(question_kept_, record.kept_tokens);
  push_sample(question_seconds_, record.timing.question_prefill_seconds);
  if (question_kept_.size() >= 16 && !costs_frozen_) {
    const std::vector<double> kept(question_kept_.begin(), question_kept_.end());
    const std::vector<double> seconds(question_seconds_.begin(), question_seconds_.end());
    catalogue_->snapshot().question = fit_question(kept, seconds);
  }
  if (task->computed_original() && record.prefix_hit_tokens == 0) {
    push_sample(prefill_tokens_, record.context_tokens);
    push_sample(prefill_seconds_, record.timing.context_prefill_seconds);
    if (prefill_tokens_.size() >= 16 && !costs_frozen_) {
      const std::vector<double> tokens(prefill_tokens_.begin(), prefill_tokens_.end());
      const std::vector<double> seconds(prefill_seconds_.begin(), prefill_seconds_.end());
      catalogue_->snapshot().prefill = fit_prefill(tokens, seconds);
    }
  }
  publish_costs();
  tell_policy({.kind = PolicyEvent::Kind::requested, .context = state.key});
  if (task->computed_original()) {
    const bool keeps = policy_->admission(state).stored() || policy_->plans();
    store_->keep_original(request_context_, task->take_cache(), task->take_queries(), keeps);
    events_.publish(events::ContextComputed{state.key, state.id, state.tokens, state.full_bytes,
                                            record.timing.context_prefill_seconds, state.archived});
    tell_policy({.kind = PolicyEvent::Kind::context_computed, .context = state.key});
  }
  snapshot_changed_ = true;
  if (one_step_) {
    one_step_ = false;
    set_state(RunState::paused);
  }
}

void Engine::Worker::cancel_request() {
  RequestRecord record = request_->record();
  drop_prefetch();
  request_.reset();  // gives back blocks and buffers
  catalogue_->state(request_entry_).pinned = false;
  record.cancelled = true;
  events_.publish(events::RequestFinished{std::move(record)});
}

}  // namespace kvantage
