#include <algorithm>
#include <utility>

#include "core/base/units.h"
#include "core/engine/engine_worker.h"
#include "core/policy/access_statistics.h"
#include "core/policy/utility.h"
#include "core/workload/arrivals.h"

namespace kvantage {
// What a frozen run does is carried out before the next request begins, so there is never a second one.
std::size_t Engine::Worker::batch_limit() const {
  return engine_.config_.frozen ? 1 : static_cast<std::size_t>(settings_.max_batch);
}

bool Engine::Worker::next_request_is_due() const {
  if (next_in_sequence_ >= sequence_.size()) return true;  // the end of the run is due
  if (warming_up_ && next_in_sequence_ >= warmup_in_sequence_) return false;
  if (arrival_rate() <= 0) return true;
  return seconds_until_next_arrival() <= 0;
}

// What the warm-up left waiting would else be what the first requests at the rate wait for.
void Engine::Worker::end_warmup() {
  warming_up_ = false;
  if (!run_id_.empty()) publish_engine_counted();
  run_start_ns_ = serving_clock_.monotonic_ns();
}

void Engine::Worker::end_of_sequence() {
  if (!engine_.config_.endless) {
    finish_run("finished");
    set_state(RunState::finished);
    return;
  }
  ++round_;
  sequence_ = engine_.config_.workload.requests(settings_.request_limit, engine_.config_.seed + round_);
  space_requests(sequence_, settings_.requests_per_second, engine_.config_.seed + round_);
  next_in_sequence_ = 0;
  run_start_ns_ = serving_clock_.monotonic_ns();
}

Engine::Worker::Arrived Engine::Worker::next_arrived() const {
  if (!requeued_.empty()) return requeued_.front();
  const WorkloadRequest& next = sequence_[next_in_sequence_];
  const Workload& workload = engine_.config_.workload;
  Arrived arrived;
  arrived.context = *catalogue_->index_of_id(workload.contexts[next.context].id);
  const auto& questions = catalogue_->details(arrived.context).questions;
  const auto asked = std::ranges::find(questions, workload.questions[next.question].question, &CatalogueQuestion::text);
  arrived.question = static_cast<std::size_t>(asked - questions.begin());
  if (arrival_rate() > 0) arrived.arrival_ns = run_start_ns_ + static_cast<std::int64_t>(next.arrival_seconds * 1e9);
  return arrived;
}

int Engine::Worker::longest_answer(const CatalogueQuestion& question) const {
  return question.max_answer_tokens > 0 ? question.max_answer_tokens : engine_.config_.max_answer_tokens;
}

// Beside what those under way may take there is to be room for one original: what placements are made from.
bool Engine::Worker::has_room(std::size_t blocks) const {
  std::size_t taken = blocks + runtime_->blocks_for(longest_tokens_);
  for (const Running& request : running_) taken += request.reserved_blocks;
  return taken <= runtime_->pool->capacity_blocks();
}

bool Engine::Worker::admit() {
  if (engine_.state_ != RunState::running || run_id_.empty() || settings_wait_) return false;
  if (running_.size() >= batch_limit() || (!running_.empty() && (one_step_ || hold_until_one_ends_))) return false;
  if (requeued_.empty()) {
    if (!next_request_is_due()) return false;
    if (next_in_sequence_ >= sequence_.size()) {
      if (!running_.empty()) return false;
      end_of_sequence();
      return true;
    }
  }
  Arrived next = next_arrived();
  const CatalogueQuestion& question = catalogue_->details(next.context).questions[next.question];
  const std::size_t prompt = catalogue_->details(next.context).tokens.size() + question.tokens.size();
  // Most answers are short: who runs out of blocks all the same makes room, or begins again.
  const std::size_t blocks = runtime_->blocks_for(
      prompt + static_cast<std::size_t>(std::min(longest_answer(question), runtime_->pool->block_tokens())));
  if (!running_.empty() && !has_room(blocks)) {
    if (waiting_since_ns_ == 0) waiting_since_ns_ = serving_clock_.monotonic_ns();
    return false;
  }
  if (next.id == 0 && arrival_rate() <= 0) next.arrival_ns = waiting_since_ns_;
  waiting_since_ns_ = 0;
  if (!requeued_.empty())
    requeued_.pop_front();
  else
    ++next_in_sequence_;
  if (runtime_->blocks_for(prompt + 1) > runtime_->pool->capacity_blocks())
    refuse_request(next, prompt);
  else
    begin_request(next, blocks);
  return true;
}

// More than the pool can ever hold.
void Engine::Worker::refuse_request(const Arrived& arrived, std::size_t prompt_tokens) {
  const ContextState& state = catalogue_->state(arrived.context);
  const CatalogueQuestion& question = catalogue_->details(arrived.context).questions[arrived.question];
  RequestRecord record;
  record.id = ++request_counter_;
  record.context = state.key;
  record.context_id = state.id;
  record.family = state.family;
  record.question = question.text;
  record.gold = question.gold;
  record.held_out = question.held_out;
  record.policy = settings_.policy;
  record.alpha = settings_.alpha;
  record.miss_reason = to_string(ErrorCode::no_space);
  record.cancelled = true;
  const std::size_t block_bytes = runtime_->pool->block_bytes();
  events_.publish(events::RequestStarted{record.id, state.id, state.family, question.text});
  events_.publish(events::Message{
      "error", "request refused: context '" + state.id + "' and its question, " + std::to_string(prompt_tokens) +
                   " tokens, need " + format_bytes(runtime_->blocks_for(prompt_tokens + 1) * block_bytes) +
                   " of KV blocks and there are " + format_bytes(runtime_->pool->capacity_blocks() * block_bytes) +
                   "; give a shorter context"});
  events_.publish(events::RequestFinished{std::move(record)});
}

void Engine::Worker::begin_request(Arrived arrived, std::size_t blocks) {
  attend_shared_tiers();
  const std::size_t context = arrived.context;
  ContextState& state = catalogue_->state(context);
  const ContextDetails& details = catalogue_->details(context);
  const CatalogueQuestion& question = details.questions[arrived.question];
  const bool anew = arrived.id != 0;
  if (!anew) arrived.id = ++request_counter_;
  const std::int64_t now = serving_clock_.monotonic_ns();
  arrived.arrival_ns = arrived.arrival_ns > 0 ? std::min(now, arrived.arrival_ns) : now;

  RequestInput input;
  input.record.id = arrived.id;
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
  // Of a method without a curve (a fixed policy may name any) nothing is foretold.
  const std::string_view method = state.placement.stored() ? std::string_view(state.placement.method) : "none";
  const bool has_curve =
      state.profile != nullptr &&
      std::ranges::find(state.profile->points, method, &ProfilePoint::method) != state.profile->points.end();
  input.record.predicted_quality = has_curve ? predicted.quality : -1;
  input.record.predicted_ttft_seconds = predicted.ttft_seconds;
  input.context_tokens = details.tokens;
  input.question_tokens = question.tokens;
  input.max_answer_tokens = longest_answer(question);
  input.attend_coded = settings_.attend_coded && runtime_->model->device() == nullptr;  // which reads rows alone
  input.arrival_ns = arrived.arrival_ns;
  if (!anew) events_.publish(events::RequestStarted{arrived.id, state.id, state.family, question.text});

  const std::int64_t lookup_start = serving_clock_.monotonic_ns();
  std::optional<CacheHit> hit;
  std::unique_ptr<LoadTask> begun_load;
  if (prefetch_ && !anew && prefetch_->in_sequence + 1 == next_in_sequence_) {
    hit = std::move(prefetch_->hit);
    input.record.timing.prefetch_seconds = static_cast<double>(lookup_start - prefetch_->start_ns) * 1e-9;
    begun_load = std::move(prefetch_->load);
    prefetch_.reset();
  } else {
    if (!anew) drop_prefetch();
    hit = store_->find(details.tokens);
    if (hit) choose_way(*hit, context);
  }
  const double lookup_seconds = static_cast<double>(serving_clock_.monotonic_ns() - lookup_start) * 1e-9;
  Running running;
  running.arrived = arrived;
  running.entry = hit ? hit->context : context;
  running.entry_header = catalogue_->details(running.entry).header;
  running.reserved_blocks = blocks;
  // It came while a step of profiling was under way, and waited for its end.
  running.held_up = arrived.arrival_ns >= profile_step_began_ns_ && arrived.arrival_ns < profile_step_ended_ns_;
  running.shown_bytes = std::make_shared<std::size_t>(0);
  running.task = std::make_unique<RequestTask>(
      *runtime_, *opened_.lender, serving_clock_, std::move(input), std::move(hit), lookup_seconds,
      [this, id = arrived.id, shown = running.shown_bytes, already = arrived.shown_bytes](const std::string& part) {
        const std::size_t before = *shown;
        *shown += part.size();
        if (*shown <= already) return;  // it was shown before the request had to begin again
        events_.publish(events::TokenEmitted{id, part.substr(std::max(before, already) - before)});
      },
      std::move(begun_load));
  const std::size_t entry = running.entry;
  running_.push_back(std::move(running));
  counted_.most_running = std::max(counted_.most_running, static_cast<int>(running_.size()));
  repin(entry);
}

// Being read now, or about to be: it may not move. Without a rate and alone, nothing moves before the answer is out
// anyway.
void Engine::Worker::repin(std::size_t entry) {
  catalogue_->state(entry).pinned =
      (prefetch_ && prefetch_->hit.context == entry) || std::ranges::any_of(running_, [entry](const Running& request) {
        return request.entry == entry && request.task->reading();
      });
}

Engine::Worker::Running Engine::Worker::take_out(std::size_t place) {
  Running request = std::move(running_[place]);
  running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(place));
  if (batch_)
    for (std::size_t i = 0; i < batch_->members.size(); ++i)
      if (batch_->members[i] == request.arrived.id) batch_->task.leave(i);
  if (running_.empty()) batch_.reset();
  hold_until_one_ends_ = false;
  profile_lacks_room_ = false;
  inspector_->retry();
  repin(request.entry);
  return request;
}

// The context is known from the first token on: who asks about it next does not wait for the end of this answer.
void Engine::Worker::note_served(Running& request) {
  request.noted = true;
  const std::size_t context = request.arrived.context;
  const ContextState& state = catalogue_->state(context);
  RequestTask& task = *request.task;
  // What was written anew while it read is not what failed.
  if (task.failed_read() && request.entry_header.lock() == catalogue_->details(request.entry).header)
    store_->drop(request.entry, *task.failed_read());
  learn_from(request);
  publish_costs();
  if (!std::exchange(request.arrived.counted, true)) {
    note_request(catalogue_->snapshot(), context, task.record().id);
    tell_policy({.kind = PolicyEvent::Kind::requested, .context = state.key});
  }
  snapshot_changed_ = true;
  if (!task.computed_original()) return;
  const bool keeps = policy_->admission(state).stored() || policy_->is_planner();
  store_->keep_original(context, task.share_context(), task.take_queries(), keeps);
  events_.publish(events::ContextComputed{state.key, state.id, state.tokens, state.full_bytes,
                                          task.record().timing.context_prefill_seconds, state.archived});
  tell_policy({.kind = PolicyEvent::Kind::context_computed, .context = state.key});
  one_ended_ = true;  // a placement has its turn
}

void Engine::Worker::finish_request(std::size_t place) {
  Running request = take_out(place);
  RequestTask& task = *request.task;
  const RequestRecord& record = task.record();
  one_ended_ = true;
  quality_->measure(task, request.arrived.context, request.arrived.question);
  ++served_;
  counted_.serving_seconds += record.timing.lookup_seconds + record.timing.decode_seconds;
  engine_.spans_.keep(task.take_spans());  // whoever hears of the request may ask for them
  events_.publish(events::RequestFinished{record});
  if (!request.noted) note_served(request);
  watch_drift(request);
  curves_complete_ = false;
  snapshot_changed_ = true;
  if (one_step_) {
    one_step_ = false;
    set_state(RunState::paused);
  }
}

void Engine::Worker::learn_from(const Running& request) {
  const RequestTask& task = *request.task;
  const Configuration& served_from = catalogue_->state(request.entry).placement;
  if (task.load_sample() && served_from.stored())
    unread_tiers_[served_from.tier].was_read(task.record().timing.ttft_service_seconds);
  costs_->learn(task, served_from);
  if (!task.hit()) return;
  ContextDetails& entry = catalogue_->details(request.entry);
  if (entry.header == nullptr) entry.header = task.hit()->header;
  learn_kept_map(request);
}

// It waited its turn to compute a context, and others may have computed that meanwhile.
void Engine::Worker::look_again(Running& request) {
  if (!request.task->may_take_hit()) return;
  auto hit = store_->find(catalogue_->details(request.arrived.context).tokens);
  if (!hit) return;
  choose_way(*hit, request.arrived.context);
  request.entry = hit->context;
  request.entry_header = catalogue_->details(request.entry).header;
  request.task->take_hit(std::move(*hit));
  repin(request.entry);
}

void Engine::Worker::cancel_request(std::size_t place) {
  Running request = take_out(place);
  RequestRecord record = request.task->record();
  request.task.reset();  // gives back blocks and buffers
  repin(request.entry);
  record.cancelled = true;
  events_.publish(events::RequestFinished{std::move(record)});
}

void Engine::Worker::cancel_requests() {
  while (!running_.empty()) cancel_request(0);
  requeued_.clear();
}

}  // namespace kvantage
