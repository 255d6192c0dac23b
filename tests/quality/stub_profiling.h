// A QualityProfiler beside parts that are the test's to say: requests, curves, drift, schedule, references.
#pragma once

#include <QtGlobal>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/quality/quality_profiler.h"
#include "tests/support/engine_parts_work.h"
#include "tests/support/memory_stores.h"
#include "tests/support/recorded_journal.h"

namespace kvantage::test {

constexpr double no_time_limit = 1e18;

struct StubRequests final : RequestsBesideProfiling {
  bool any() const override { return in_flight; }
  bool leave_time() const override { return leaves_time; }
  bool one_could_begin() const override { return could_begin; }
  bool come_at_a_rate() const override { return at_a_rate; }
  void profile_step_begins() override { ++steps_begun; }
  void profile_step_ended(std::int64_t began_ns, std::int64_t ended_ns) override {
    in_order = in_order && began_ns < ended_ns && began_ns > last_ended_ns;
    last_ended_ns = ended_ns;
    ++steps_ended;
  }
  bool in_flight = false, leaves_time = true, could_begin = false, at_a_rate = false, in_order = true;
  std::int64_t last_ended_ns = 0;
  int steps_begun = 0, steps_ended = 0;
};

/// Plans see all that was measured of a context. Decode options are not among the candidates.
struct KeptCurves final : MeasuredCurves {
  explicit KeptCurves(Catalog& of) : catalog(of) {}
  const CurveCandidates& candidates() const override { return wanted; }
  bool complete(std::size_t context) const override { return curve_complete(context); }
  bool curve_complete(std::size_t context) const override {
    const auto found = cells.find(context);
    return found != cells.end() && found->second.size() > wanted.methods.size() * wanted.removed_fractions.size();
  }
  std::size_t complete_contexts() const override {
    std::size_t count = 0;
    for (std::size_t c = 0; c < catalog.size(); ++c) count += complete(c) ? 1 : 0;
    return count;
  }
  std::vector<std::string> missing_options(std::size_t) const override { return {}; }

  const std::vector<ProfileCell>& first_cells(std::size_t context) override {
    return first.contains(context) ? first[context] : cells[context];
  }
  void replace(std::size_t context, std::vector<ProfileCell> measured) override {
    cells[context] = std::move(measured);
  }
  void replace_after_drift(std::size_t context, std::vector<ProfileCell> measured) override {
    first.try_emplace(context, cells[context]);
    cells[context] = std::move(measured);
  }
  void replace_options(std::size_t, std::vector<DecodeOption>) override { qFatal("no option was to be measured"); }
  Status save(const ProfileScope& scope, ProfileStore& store, std::size_t context, bool curve) override {
    return curve ? store.save_profile(scope, cells[context]) : Status();
  }

  void pool() override { ++pools; }
  void pool(std::size_t context) override { pooled_alone.push_back(context); }
  std::size_t refresh(std::size_t from, std::size_t most) override {
    refreshed.emplace_back(from, most);
    return std::min(from + most, catalog.size());
  }
  void use(std::size_t context) override {
    ContextProfile profile;
    for (const ProfileCell& cell : cells[context]) profile.points.push_back(cell.point);
    catalog.state(context).profile = std::make_shared<const ContextProfile>(std::move(profile));
    catalog.mark_changed();
  }
  void use_all() override {
    ++uses_of_all;
    for (const auto& [context, ignored] : cells) use(context);
  }
  void restore_first() override {
    for (const auto& [context, before] : std::exchange(first, {})) {
      cells[context] = before;
      use(context);
    }
  }

  Catalog& catalog;
  CurveCandidates wanted{{"knorm"}, {0.5}};
  std::map<std::size_t, std::vector<ProfileCell>> cells, first;
  int pools = 0, uses_of_all = 0;
  std::vector<std::size_t> pooled_alone;
  std::vector<std::pair<std::size_t, std::size_t>> refreshed;  // from, most
};

/// Contexts drift when a test says so, and there is always time to measure them again.
struct ToldDrift final : DriftedContexts {
  bool reprofiles() const override { return enabled; }
  const std::deque<std::size_t>& waiting() const override { return contexts; }
  std::vector<std::size_t> questions(std::size_t) const override { return asked; }
  bool may_reprofile() const override { return true; }
  void settle(std::size_t context) override { std::erase(contexts, context); }
  bool enabled = true;
  std::deque<std::size_t> contexts;
  std::vector<std::size_t> asked;
};

struct LearnedReferences final : ReferenceAnswers {
  void learn(std::size_t context, const std::vector<double>& chance_scores) override {
    learned.emplace_back(context, chance_scores.size());
  }
  Status save(const ProfileScope& scope) override {
    saved.push_back(scope.quality_metric);
    return {};
  }
  std::vector<std::pair<std::size_t, std::size_t>> learned;  // context, chance scores
  std::vector<std::string> saved;
};

/// Batches as a test says them, each until it is measured.
struct ToldSchedule final : CellSchedule {
  bool is_on() const override { return on; }
  bool ready(const MayMeasure&, bool aside) override {
    asked_aside = aside;
    return !plans;
  }
  void catch_up() override { ++catches_up; }
  bool take_renewed() override { return std::exchange(renewed, false); }
  const ScheduledBatch* next(const std::function<bool(std::size_t)>& may_measure) override {
    const auto batch = std::ranges::find_if(batches, may_measure, &ScheduledBatch::context);
    return batch == batches.end() ? nullptr : &*batch;
  }
  Progress progress() const override { return {answers, batches.size()}; }
  void note(std::size_t more, double seconds) override {
    answers += more;
    noted_seconds += seconds;
    took_time = took_time && seconds > 0;
    if (!batches.empty() && !keeps) batches.pop_front();
  }
  void leave_out(const std::string& method) override { left_out.push_back(method); }
  void retry() override { ++retries; }
  std::deque<ScheduledBatch> batches;
  std::uint64_t answers = 0;
  double noted_seconds = 0;
  std::vector<std::string> left_out;
  bool on = false, keeps = false, took_time = true;
  bool plans = false, renewed = false, asked_aside = false;
  int retries = 0, catches_up = 0;
};

struct Profiling {
  explicit Profiling(int contexts = 2, bool database = true, ModelRuntimeOptions options = with_pool(16 << 20))
      : parts(small_workload(contexts, 8, 3, 2), std::move(options)),
        curves(*parts.catalog),
        progress(parts.events),
        profiler(parts.services(), parts.serving_clock, {curves, drift, references, meter, &schedule}, requests,
                 {journal, counters}, progress, {.store = database ? &store : nullptr, .max_answer_tokens = 12}) {
    profiler.use_scope(scope);
  }
  void begin_run() { journal.runs = true; }
  /// Profiles until nothing of everything is left; returns how many turns that took.
  int profile_everything() {
    profiler.profile_everything();
    int turns = 0;
    for (; !profiler.finish_everything(); ++turns) {
      if (turns > 1000) qFatal("profiling does not end");
      (void)profiler.step(no_time_limit, true);
    }
    return turns;
  }
  /// No cache can be made while these are held.
  void hold_all_blocks() {
    for (BlockPool& pool = *parts.runtime->pool; pool.free_blocks() > 0;) held.push_back(pool.allocate().value());
  }
  void give_blocks_back() {
    for (const BlockId block : std::exchange(held, {})) parts.runtime->pool->release(block);
  }
  std::size_t profiled() const { return parts.sink.count<events::ContextProfiled>(); }
  std::vector<std::string> errors() const {
    std::vector<std::string> texts;
    for (const auto& message : parts.sink.all<events::Message>())
      if (message.level == "error") texts.push_back(message.text);
    return texts;
  }
  /// Its answers have fallen short of a curve that promised everything: it waits to be measured again.
  void let_drift(std::size_t context) {
    for (ProfileCell& cell : curves.cells[context]) cell.point.quality = 1;
    curves.use(context);
    const auto& questions = parts.catalog->details(context).questions;
    const auto asked = std::ranges::find(questions, true, &CatalogQuestion::held_out) - questions.begin();
    drift.contexts.push_back(context);
    drift.asked = {static_cast<std::size_t>(asked)};
  }

  ProfileScope scope{.model = {1, 2}, .workload = {3, 4}, .quality_metric = "token_f1"};
  EngineParts parts;
  RecordedJournal journal;
  RunCounters counters;
  MemoryProfileStore store;
  QualityMeter meter;
  KeptCurves curves;
  ToldDrift drift;
  LearnedReferences references;
  ToldSchedule schedule;
  ProgressReporter progress;
  StubRequests requests;
  QualityProfiler profiler;
  std::vector<BlockId> held;
};

}  // namespace kvantage::test
