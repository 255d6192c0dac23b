#include "core/quality/quality_profiler.h"

#include <algorithm>

#include "core/compress/method.h"
#include "core/runtime/windowed_rows.h"
#include "core/text/quality.h"

namespace kvantage::inline quality {
namespace {

double since(const Clock& clock, std::int64_t start_ns) {
  return static_cast<double>(clock.monotonic_ns() - start_ns) * 1e-9;
}

// Methods that need observations which were not stored with the original take many layers in one step and would delay
// requests: they are re-profiled only if there is no other method.
void leave_out_long_steps(const ModelRuntime& runtime, int context_tokens, const Observation& observed,
                          ProfilePlan& plan) {
  const auto long_step = [&](const std::string& name) {
    const auto method = parse_method(name);
    if (!method) return false;
    ObservationNeeds needs = (*method)->info().needs;
    needs.calibration = needs.calibration && runtime.calibration.empty();
    return !observed.meets(needs, context_tokens);
  };
  if (!std::ranges::all_of(plan.methods, long_step)) std::erase_if(plan.methods, long_step);
}

/// Once per method: it would fail alike in every context.
void report_failed_methods(const EngineServices& services, std::size_t context,
                           const std::vector<ProfileTask::FailedMethod>& failed, std::set<std::string>& reported) {
  for (const ProfileTask::FailedMethod& method : failed)
    if (reported.insert(method.method).second)
      services.events.publish(events::Message{
          "error", "profiling failed: context '" + services.catalog.facts(context).id + "': " + method.reason});
}

void report_progress(ProgressReporter& progress, const QualityProfiler::Measuring& measuring, std::size_t contexts,
                     bool over) {
  if (measuring.schedule != nullptr && measuring.schedule->is_on()) {
    const CellSchedule::Progress at = measuring.schedule->progress();
    // Never at its end while there is a batch to measure.
    const std::uint64_t left = over ? 0 : std::max<std::uint64_t>(at.answers_left, 1);
    return progress.report(at.is_coarse ? "Profiling the first curves" : "Profiling answers", at.answers,
                           at.answers + left);
  }
  progress.report("Profiling contexts", over ? contexts : measuring.curves.complete_contexts(), contexts);
}

void note_step(const QualityProfiler::Recording& run, const RequestsBesideProfiling& requests, double took, bool again,
               bool waits) {
  if (!run.journal.in_run()) return;
  run.counters.note_profiling(took, again);
  if (!waits && requests.come_at_a_rate()) run.counters.note_profile_step(took);
}

// The curves on the profile questions are in use again.
void forget_reprofiling(Catalog& catalog) {
  for (std::size_t c = 0; c < catalog.size(); ++c)
    for (CatalogQuestion& question : catalog.details(c).questions) question.in_profile = false;
}

}  // namespace

void QualityProfiler::use_scope(ProfileScope scope) {
  active_.reset();
  scope_ = std::move(scope);
  retry_failed();
  forget_reprofiling(services_.catalog);
}

void QualityProfiler::retry_failed() {
  width_ = {};
  unprofilable_.clear();
  reported_methods_.clear();
  // A batch is no whole curve, nor the other way around: begun before the setting changed.
  if (active_ != nullptr && !active_->after_drift && active_->cells.empty() == scheduled_.is_on()) active_.reset();
  if (measuring_.schedule == nullptr) return;
  measuring_.schedule->retry();
  if (scheduled_.is_on()) measuring_.curves.pool();  // with the methods that were left out
}

void QualityProfiler::profile_everything() {
  everything_ = true;
  curves_complete_ = false;
  retry_failed();
}

bool QualityProfiler::finish_everything() {
  if (!everything_ || active_ != nullptr || next_unprofiled(false)) return false;
  if (scheduled_.is_planning() || scheduled_.has_old_points()) return false;
  everything_ = false;
  return true;
}

void QualityProfiler::stop() {
  if (active_ != nullptr && active_->task != nullptr && !active_->after_drift) {
    const std::size_t context = active_->context;
    Status saved;
    if (!active_->cells.empty()) {  // of the batch in progress
      const double took = since(services_.clock, active_->start_ns) - active_->prefill_seconds;
      if (scheduled_.take(context, active_->task->take_cells(), took) > 0) {
        if (options_.store != nullptr) saved = measuring_.curves.save(scope_, *options_.store, context, true);
        scheduled_.pool(context, false);
      }
    }
    measuring_.references.learn(context, {});
    if (saved && options_.store != nullptr) saved = measuring_.references.save(scope_);
    if (!saved) services_.events.publish(events::Message{"error", "profiling failed: " + saved.error().message});
  }
  scheduled_.catch_up();
  active_.reset();
  everything_ = false;
}

bool QualityProfiler::wanted(bool runs) {
  if (everything_) {
    if (active_ != nullptr || next_unprofiled(false) || scheduled_.has_old_points()) return true;
    return !scheduled_.is_planning();
  }
  if (!runs) return false;
  if (active_ != nullptr) return !active_->after_drift || measuring_.drift.may_reprofile();
  if (!curves_complete_ && next_unprofiled(true)) return true;
  if (scheduled_.has_old_points()) return true;
  curves_complete_ = !scheduled_.is_planning();
  return measuring_.drift.may_reprofile() && next_drifted();
}

bool QualityProfiler::settles() {
  return active_ != nullptr || next_unprofiled(true) || scheduled_.has_old_points() || next_drifted();
}

std::optional<std::size_t> QualityProfiler::next_unprofiled(bool original_needed) {
  if (options_.store == nullptr && original_needed) return std::nullopt;
  Catalog& catalog = services_.catalog;
  const auto may_measure = [&](std::size_t c) {
    if ((original_needed && !catalog.residency(c).archived) || unprofilable_.contains(c)) return false;
    const auto& questions = catalog.details(c).questions;
    // A context that was re-profiled has a curve on other questions, to which these would not belong.
    if (scheduled_.is_on() && std::ranges::any_of(questions, &CatalogQuestion::in_profile)) return false;
    return std::ranges::any_of(questions, [](const CatalogQuestion& q) { return !q.held_out; });
  };
  if (scheduled_.is_on()) {
    if (!scheduled_.ready(may_measure, run_.journal.in_run())) return std::nullopt;
    if (const ScheduledBatch* batch = measuring_.schedule->next(may_measure)) return batch->context;
    for (std::size_t c = 0; c < catalog.size(); ++c)
      if (may_measure(c) && !measuring_.curves.missing_options(c).empty()) return c;
    return std::nullopt;
  }
  for (std::size_t c = 0; c < catalog.size(); ++c)
    if (may_measure(c) && !measuring_.curves.complete(c)) return c;
  return std::nullopt;
}

std::optional<std::size_t> QualityProfiler::next_drifted() const {
  if (!measuring_.drift.reprofiles() || !run_.journal.in_run()) return std::nullopt;
  for (const std::size_t context : measuring_.drift.waiting())
    if (services_.catalog.residency(context).archived && !unprofilable_.contains(context)) return context;
  return std::nullopt;
}

std::optional<Digest128> QualityProfiler::step(double seconds, bool requests_begin) {
  const auto changed = steps(seconds, requests_begin);
  if (changed) return *changed;
  if (changed.error().code != ErrorCode::cancelled)
    services_.events.publish(events::Message{"error", "profiling failed: " + changed.error().message});
  return std::nullopt;
}

Expected<std::optional<Digest128>> QualityProfiler::steps(double seconds, bool requests_begin) {
  const std::int64_t start = services_.clock.monotonic_ns();
  if (active_ == nullptr) {
    const auto unprofiled = next_unprofiled(!everything_);
    if (scheduled_.has_old_points()) {
      requests_.profile_step_begins();
      const std::int64_t began = serving_clock_.monotonic_ns();
      const auto last = scheduled_.renew_points(services_.catalog.size());
      const std::int64_t ended = serving_clock_.monotonic_ns();
      requests_.profile_step_ended(began, ended);
      note_step(run_, requests_, static_cast<double>(ended - began) * 1e-9, false, false);
      if (!scheduled_.has_old_points()) end_if_complete();
      return last && run_.journal.in_run() ? std::optional(services_.catalog.facts(*last).key) : std::nullopt;
    }
    const auto next = unprofiled ? unprofiled : next_drifted();
    if (!next) return std::nullopt;
    if (unprofiled) report_progress(progress_, measuring_, services_.catalog.size(), false);
    if (Status begun = begin(*next, !unprofiled); !begun) KV_TRY(give_up(*next, std::move(begun).error()));
    if (active_ == nullptr) return std::nullopt;
  }
  while (!active_->done()) {
    if (Status status = one_step(); !status) {
      KV_TRY(give_up(active_->context, std::move(status).error()));
      return std::nullopt;
    }
    if (services_.interrupted() || since(services_.clock, start) > seconds) break;
    if (active_->after_drift && !measuring_.drift.may_reprofile()) break;
    if (requests_begin && run_.journal.in_run() && requests_.one_could_begin()) break;
  }
  if (!active_->done()) return std::nullopt;
  return take_curve();
}

void QualityProfiler::end_if_complete() {
  if (next_unprofiled(false) || scheduled_.is_planning() || scheduled_.has_old_points()) return;
  // Pooled quality now includes all contexts. Where each plan of a run renews the points, it does already.
  if (!scheduled_.is_on() || !run_.journal.in_run()) measuring_.curves.use_all();
  run_.journal.publish_snapshot("profiles");
  report_progress(progress_, measuring_, services_.catalog.size(), true);
}

Status QualityProfiler::begin(std::size_t context, bool after_drift) {
  ModelRuntime& runtime = services_.runtime;
  active_ = std::make_unique<ActiveProfile>(
      ActiveProfile{context, after_drift, services_.clock.monotonic_ns(), KvCache(*runtime.pool), nullptr, nullptr});
  if (!after_drift && scheduled_.is_on())
    if (const ScheduledBatch* batch = measuring_.schedule->next([context](std::size_t c) { return c == context; }))
      active_->cells = batch->cells;
  if (const auto* original = services_.store.originals().cached(context))
    return begin_answers(original->cache.share(), original->observed);
  if (!services_.catalog.residency(context).archived) {
    active_->prefill =
        std::make_unique<PrefillTask>(*runtime.model, active_->cache, services_.catalog.details(context).tokens, 0,
                                      PrefillOptions{.chunk_tokens = runtime.chunk_tokens(),
                                                     .window_queries = runtime.window_queries,
                                                     .logits = PrefillLogits::none});
    return {};
  }
  if (const auto entry = services_.store.originals().archived_entry(context))
    active_->load =
        std::make_unique<LoadTask>(*services_.store.originals().tier(), *entry, nullptr, services_.lender, true);
  return {};
}

Status QualityProfiler::begin_answers(KvCache cache, Observation observed) {
  KV_TRY(evict_unseen_rows(services_.runtime, cache));
  active_->cache = std::move(cache);
  const std::size_t context = active_->context;
  ContextDetails& details = services_.catalog.details(context);
  if (auto options = measuring_.curves.missing_options(context); !active_->after_drift && !options.empty()) {
    active_->options = std::make_unique<DecodeOptionTask>(
        services_.runtime, measuring_.meter, services_.clock, details, active_->cache,
        DecodeOptionPlan{std::move(options), scope_.quality_metric, options_.max_answer_tokens});
    if (scheduled_.is_on() ? active_->cells.empty() : measuring_.curves.curve_complete(context)) return {};
  }
  ProfilePlan plan;
  plan.methods = measuring_.curves.candidates().methods;
  plan.removed_fractions = measuring_.curves.candidates().removed_fractions;
  plan.quality_metric = scope_.quality_metric;
  plan.max_answer_tokens = options_.max_answer_tokens;
  plan.cells = active_->cells;
  if (active_->after_drift) {
    plan.asked = active_->asked = measuring_.drift.questions(context);
    plan.before = measuring_.curves.first_cells(context);
    plan.reference_answers = false;
    leave_out_long_steps(services_.runtime, static_cast<int>(services_.catalog.facts(context).tokens), observed, plan);
  }
  active_->task = std::make_unique<ProfileTask>(services_.runtime, measuring_.meter, services_.catalog.facts(context),
                                                details, active_->cache, std::move(observed), std::move(plan), width_);
  return {};
}

Status QualityProfiler::take_computed_original() {
  const std::size_t context = active_->context;
  const ContextFacts& facts = services_.catalog.facts(context);
  const double took = active_->prefill_seconds = since(services_.clock, active_->start_ns);
  KvCache kept = active_->cache.share();
  WindowQueries queries = active_->prefill->take_window_queries();
  services_.store.originals().keep(context, std::move(active_->cache), queries, true);
  services_.events.publish(events::ContextComputed{facts.key, facts.id, facts.tokens, facts.full_bytes, took,
                                                   services_.catalog.residency(context).archived});
  active_->prefill.reset();
  return begin_answers(std::move(kept), observation_of(services_.runtime, std::move(queries)));
}

// One layer of the context, computed or read.
Status QualityProfiler::read_original() {
  if (active_->prefill != nullptr) {
    KV_TRY(active_->prefill->step());
    if (!active_->prefill->done()) return {};
    return take_computed_original();
  }
  if (active_->load != nullptr) {
    LoadTask& load = *active_->load;
    const auto there = load.restore_in_turn(requests_.any() ? 0 : 0.001, active_->cache);
    if (there && !*there) return {};
    if (!there && there.error().code == ErrorCode::no_space) return tl::unexpected(there.error());
    if (auto queries = there ? load.take_queries() : Expected<WindowQueries>(tl::unexpected(there.error()))) {
      Observation observed = observation_of(services_.runtime, std::move(*queries));
      active_->load.reset();
      return begin_answers(std::move(active_->cache), std::move(observed));
    }
    active_->load.reset();
  }
  // Reports the failure and removes the original from the archive.
  KV_ASSIGN(const auto* const original, services_.store.originals().get(active_->context));
  return begin_answers(original->cache.share(), original->observed);
}

Status QualityProfiler::one_step() {
  requests_.profile_step_begins();
  const std::int64_t began = serving_clock_.monotonic_ns();
  const bool again = active_->after_drift;
  const bool reads = !active_->has_original(), waits = reads && active_->load != nullptr;
  const bool curve = active_->task != nullptr && !active_->task->done();
  Status status = reads   ? read_original()
                  : curve ? active_->task->step(services_.interrupted)
                          : active_->options->step();
  const std::int64_t ended = serving_clock_.monotonic_ns();
  requests_.profile_step_ended(began, ended);
  note_step(run_, requests_, static_cast<double>(ended - began) * 1e-9, again, waits);
  return status;
}

Expected<std::optional<Digest128>> QualityProfiler::take_curve() {
  const std::size_t context = active_->context;
  const bool after_drift = active_->after_drift, curve = active_->task != nullptr;
  const bool scheduled = !active_->cells.empty(), failed = curve && !active_->task->failed_methods().empty();
  if (failed) {
    if (scheduled)
      for (const auto& left_out : active_->task->failed_methods()) measuring_.schedule->leave_out(left_out.method);
    else
      unprofilable_.insert(context);  // its curve stays incomplete, and measuring it again would fail in the same way
    report_failed_methods(services_, context, active_->task->failed_methods(), reported_methods_);
  }
  if (after_drift) {
    measuring_.curves.replace_after_drift(context, active_->task->take_cells());
    for (const std::size_t question : active_->asked)
      services_.catalog.details(context).questions[question].in_profile = true;
  } else if (scheduled) {
    // Nothing could be scored, and the same would be asked again.
    const double until_now = since(services_.clock, active_->start_ns) - active_->prefill_seconds;
    if (scheduled_.take(context, active_->task->take_cells(), until_now) == 0 && !failed) unprofilable_.insert(context);
  } else if (curve) {
    measuring_.curves.replace(context, active_->task->take_cells());
  }
  measuring_.references.learn(context, curve ? active_->task->chance_scores() : std::vector<double>());
  if (active_->options != nullptr) measuring_.curves.replace_options(context, active_->options->take_measured());
  const double took = since(services_.clock, active_->start_ns);
  active_.reset();
  measuring_.drift.settle(context);
  if (after_drift) {
    run_.counters.note_reprofile();
  } else if (options_.store != nullptr) {
    KV_TRY(measuring_.curves.save(scope_, *options_.store, context, curve));
    KV_TRY(measuring_.references.save(scope_));
  }
  scheduled_.pool(context, !scheduled || failed);
  if (scheduled) (void)next_unprofiled(!everything_);  // the next plan, where it is due: at once, or it begins
  measuring_.curves.use(context);
  const ContextFacts& facts = services_.catalog.facts(context);
  if (const auto profile = services_.catalog.profile(context))  // null: nothing could be scored
    services_.events.publish(
        events::ContextProfiled{facts.key, facts.id, facts.family, *profile, took, false, after_drift});
  if (!after_drift) end_if_complete();
  return run_.journal.in_run() ? std::optional(facts.key) : std::nullopt;
}

// Retrying immediately would fail again: other contexts get their turn, and the run is not delayed.
Status QualityProfiler::give_up(std::size_t context, Error error) {
  if (error.code == ErrorCode::no_space && requests_.any()) {  // running requests need the blocks: restarts later
    (void)free_memory();
    return {};
  }
  active_.reset();
  if (error.code != ErrorCode::cancelled) {
    unprofilable_.insert(context);
    error.message = "context '" + services_.catalog.facts(context).id + "': " + error.message;
  }
  return tl::unexpected(std::move(error));
}

bool QualityProfiler::free_memory() {
  if (active_ == nullptr) return false;
  active_.reset();
  lacks_room_ = true;
  width_.forms = std::max<std::size_t>(1, width_.forms / 2);
  return true;
}

void QualityProfiler::restore_first_curves() {
  if (active_ != nullptr && active_->after_drift) active_.reset();
  measuring_.curves.restore_first();
  forget_reprofiling(services_.catalog);
}

}  // namespace kvantage::inline quality
