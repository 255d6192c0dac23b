#include "core/quality/quality_profiler.h"

#include <algorithm>

#include "core/compress/method.h"

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

void QualityProfiler::profile_everything() {
  everything_ = true;
  curves_complete_ = false;
  retry_failed();
}

bool QualityProfiler::finish_everything() {
  if (!everything_ || active_ != nullptr || next_unprofiled(false)) return false;
  everything_ = false;
  return true;
}

void QualityProfiler::stop() {
  active_.reset();
  everything_ = false;
}

bool QualityProfiler::wanted(bool runs) {
  if (everything_) return true;
  if (!runs) return false;
  if (active_ != nullptr) return !active_->after_drift || measuring_.drift.may_reprofile();
  if (!curves_complete_ && next_unprofiled(true)) return true;
  curves_complete_ = true;
  return measuring_.drift.may_reprofile() && next_drifted();
}

bool QualityProfiler::settles() const { return active_ != nullptr || next_unprofiled(true) || next_drifted(); }

std::optional<std::size_t> QualityProfiler::next_unprofiled(bool original_needed) const {
  if (options_.store == nullptr && original_needed) return std::nullopt;
  Catalog& catalog = services_.catalog;
  for (std::size_t c = 0; c < catalog.size(); ++c) {
    if ((original_needed && !catalog.residency(c).archived) || unprofilable_.contains(c)) continue;
    const auto& questions = catalog.details(c).questions;
    const bool askable = std::ranges::any_of(questions, [](const CatalogQuestion& q) { return !q.held_out; });
    if (askable && !measuring_.curves.complete(c)) return c;
  }
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
  if (active_ == nullptr) KV_TRY(begin());
  if (active_ == nullptr) return std::nullopt;
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

Status QualityProfiler::begin() {
  const auto unprofiled = next_unprofiled(!everything_);
  const auto next = unprofiled ? unprofiled : next_drifted();
  if (!next) return {};
  if (unprofiled)
    progress_.report("Profiling contexts", measuring_.curves.complete_contexts(), services_.catalog.size());
  if (Status begun = begin(*next, !unprofiled); !begun) return give_up(*next, std::move(begun).error());
  return {};
}

Status QualityProfiler::begin(std::size_t context, bool after_drift) {
  ModelRuntime& runtime = services_.runtime;
  active_ = std::make_unique<ActiveProfile>(
      ActiveProfile{context, after_drift, services_.clock.monotonic_ns(), KvCache(*runtime.pool), nullptr, nullptr});
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
  active_->cache = std::move(cache);
  const std::size_t context = active_->context;
  ContextDetails& details = services_.catalog.details(context);
  if (auto options = measuring_.curves.missing_options(context); !active_->after_drift && !options.empty()) {
    active_->options = std::make_unique<DecodeOptionTask>(
        services_.runtime, measuring_.meter, services_.clock, details, active_->cache,
        DecodeOptionPlan{std::move(options), scope_.quality_metric, options_.max_answer_tokens});
    if (measuring_.curves.curve_complete(context)) return {};
  }
  ProfilePlan plan;
  plan.methods = measuring_.curves.candidates().methods;
  plan.removed_fractions = measuring_.curves.candidates().removed_fractions;
  plan.quality_metric = scope_.quality_metric;
  plan.max_answer_tokens = options_.max_answer_tokens;
  if (active_->after_drift) {
    plan.asked = active_->asked = measuring_.drift.questions(context);
    plan.before = measuring_.curves.first_cells(context);
    plan.reference_answers = false;
    leave_out_long_steps(services_.runtime, static_cast<int>(services_.catalog.facts(context).tokens), observed, plan);
  }
  active_->task = std::make_unique<ProfileTask>(services_.runtime, measuring_.meter, services_.catalog.facts(context),
                                                details, active_->cache, std::move(observed), std::move(plan));
  return {};
}

Status QualityProfiler::take_computed_original() {
  const std::size_t context = active_->context;
  const ContextFacts& facts = services_.catalog.facts(context);
  const double took = since(services_.clock, active_->start_ns);
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
  if (!run_.journal.in_run()) return status;
  const double took = static_cast<double>(ended - began) * 1e-9;
  run_.counters.note_profiling(took, again);
  if (!waits && requests_.come_at_a_rate()) run_.counters.note_profile_step(took);
  return status;
}

Expected<std::optional<Digest128>> QualityProfiler::take_curve() {
  const std::size_t context = active_->context;
  const bool after_drift = active_->after_drift, curve = active_->task != nullptr;
  if (curve && !active_->task->failed_methods().empty()) {
    unprofilable_.insert(context);  // its curve stays incomplete, and measuring it again would fail in the same way
    report_failed_methods(services_, context, active_->task->failed_methods(), reported_methods_);
  }
  if (after_drift) {
    measuring_.curves.replace_after_drift(context, active_->task->take_cells());
    for (const std::size_t question : active_->asked)
      services_.catalog.details(context).questions[question].in_profile = true;
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
  measuring_.curves.pool();
  measuring_.curves.use(context);
  const ContextFacts& facts = services_.catalog.facts(context);
  services_.events.publish(events::ContextProfiled{facts.key, facts.id, facts.family,
                                                   *services_.catalog.profile(context), took, false, after_drift});
  if (!after_drift && !next_unprofiled(false)) {
    measuring_.curves.use_all();  // pooled quality now includes all contexts
    run_.journal.publish_snapshot("profiles");
    progress_.report("Profiling contexts", services_.catalog.size(), services_.catalog.size());
  }
  return run_.journal.in_run() ? std::optional(facts.key) : std::nullopt;
}

// Retrying immediately would fail again: other contexts get their turn, and the run is not delayed.
Status QualityProfiler::give_up(std::size_t context, Error error) {
  active_.reset();
  if (error.code == ErrorCode::no_space && requests_.any()) {  // running requests need the blocks: restarts later
    lacks_room_ = true;
    return {};
  }
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
  return true;
}

void QualityProfiler::restore_first_curves() {
  if (active_ != nullptr && active_->after_drift) active_.reset();
  measuring_.curves.restore_first();
  forget_reprofiling(services_.catalog);
}

}  // namespace kvantage::inline quality
