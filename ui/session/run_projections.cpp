#include "ui/session/run_projections.h"

#include <unordered_set>
#include <variant>

#include "ui/session/model_projection.h"
#include "ui/session/run_model.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr std::size_t rows_while_moving = 300;  // more than a table shows
constexpr std::size_t logged_rows = 5'000, request_rows = 20'000;

// The first event such that `wanted` events behind it, up to the moment, are of the kind.
template <class IsRow>
std::size_t first_of_newest(const RunPast& past, std::size_t wanted, IsRow is_row) {
  std::size_t at = past.count;
  while (at > 0 && wanted > 0)
    if (is_row(past.events[--at].payload)) --wanted;
  return at;
}

/// Null: no request was answered.
const RequestRecord* answered_record(const Event& event) {
  const auto* finished = std::get_if<events::RequestFinished>(&event.payload);
  return finished != nullptr && !finished->record.cancelled ? &finished->record : nullptr;
}

/// Of the uncompressed cache of a request's context; what was loaded where that is not known.
std::uint64_t full_bytes_of(const RequestRecord& record, const RunMoment& moment) {
  const auto full = moment.full_bytes.find(record.context);
  return full == moment.full_bytes.end() ? record.bytes_loaded : full->second;
}

/// What was counted before a live run begins belongs to another one.
bool begins_run(const Event& event, const RunMoment& moment) {
  return !moment.rebuilding && std::holds_alternative<events::RunStarted>(event.payload);
}

class RequestsProjection final : public LogProjection<RequestsModel> {
 public:
  using LogProjection<RequestsModel>::LogProjection;

  void apply(const Event& event, const RunMoment& moment) override {
    if (begins_run(event, moment))
      model_.clear();
    else if (const auto* started = std::get_if<events::RequestStarted>(&event.payload))
      model_.request_started(*started);
    else if (const auto* token = std::get_if<events::TokenEmitted>(&event.payload))
      model_.token_emitted(*token);
    else if (const auto* finished = std::get_if<events::RequestFinished>(&event.payload))
      model_.request_finished(finished->record);
  }

  // Only what is still running has an answer that grows token by token; the others bring theirs when they finish.
  void fill(const RunPast& past) override {
    const auto starts = [](const EventPayload& payload) {
      return std::holds_alternative<events::RequestStarted>(payload);
    };
    const std::size_t first = first_of_newest(past, past.whole ? request_rows : rows_while_moving, starts);
    std::unordered_set<std::uint64_t> finished;
    for (std::size_t i = first; i < past.count; ++i)
      if (const auto* done = std::get_if<events::RequestFinished>(&past.events[i].payload))
        finished.insert(done->record.id);
    model_.begin_fill(past.answered_until(first));
    for (std::size_t i = first; i < past.count; ++i) {
      const EventPayload& payload = past.events[i].payload;
      if (const auto* done = std::get_if<events::RequestFinished>(&payload))
        model_.request_finished(done->record);
      else if (const auto* started = std::get_if<events::RequestStarted>(&payload);
               started && !finished.contains(started->id))
        model_.request_started(*started);
      else if (const auto* token = std::get_if<events::TokenEmitted>(&payload);
               token && !finished.contains(token->request))
        model_.token_emitted(*token);
    }
    model_.end_fill();
  }
};

using ContextsContent =
    ModelProjection<ContextsModel, &ContextsModel::history, &ContextsModel::set_history, &ContextsModel::swap_history>;

class ContextsProjection final : public ContextsContent {
 public:
  using ContextsContent::ContextsContent;

  void apply(const Event& event, const RunMoment& moment) override {
    if (begins_run(event, moment))
      model_.clear_measurements();
    else if (const auto* placed = std::get_if<events::PlacementCommitted>(&event.payload))
      model_.placement_committed(*placed);
    else if (const RequestRecord* record = answered_record(event))
      model_.request_finished(*record);
  }
};

using TiersContent = ModelProjection<TierSeriesModel, &TierSeriesModel::content, &TierSeriesModel::set_content,
                                     &TierSeriesModel::swap_content>;

class TiersProjection final : public TiersContent {
 public:
  using TiersContent::TiersContent;

  void apply(const Event& event, const RunMoment& moment) override {
    if (const auto* placed = std::get_if<events::PlacementCommitted>(&event.payload))
      model_.placement_committed(moment.seconds, *placed);
    else if (const auto* occupied = std::get_if<events::TierOccupancy>(&event.payload))
      model_.tier_occupancy(moment.seconds, *occupied);
    else if (const auto* fitted = std::get_if<events::TierFitted>(&event.payload))
      model_.tier_fitted(*fitted);
    else if (const RequestRecord* record = answered_record(event))
      model_.request_finished(*record);
  }

  void set_tiers(const std::vector<TierState>& tiers, bool first) override {
    if (first)  // from nothing, unless its events already reported what it holds
      for (const TierState& tier : tiers)
        if (const auto* known = model_.find(tier.name); known == nullptr || known->samples.empty())
          model_.tier_occupancy(0, {tier.name, 0, TierBudget(tier.budget_bytes).capacity_bytes(), {}});
    model_.set_tiers(tiers);
  }
};

using PoolContent = ModelProjection<SessionPoolModel, &SessionPoolModel::content, &SessionPoolModel::set_content,
                                    &SessionPoolModel::swap_content>;

class PoolProjection final : public PoolContent {
 public:
  using PoolContent::PoolContent;

  void apply(const Event& event, const RunMoment& moment) override {
    if (begins_run(event, moment))
      model_.clear_history();
    else if (const auto* compacted = std::get_if<events::CacheCompacted>(&event.payload))
      model_.add_pass(*compacted, moment.seconds);
    else if (const auto* sampled = std::get_if<events::PoolSampled>(&event.payload))
      model_.set_report(sampled->pool, moment.seconds);
  }
};

using HitRatesContent =
    ModelProjection<HitRateModel, &HitRateModel::content, &HitRateModel::set_content, &HitRateModel::swap_content>;

class HitRatesProjection final : public HitRatesContent {
 public:
  using HitRatesContent::HitRatesContent;

  void apply(const Event& event, const RunMoment& moment) override {
    if (begins_run(event, moment)) model_.clear();
    const RequestRecord* record = answered_record(event);
    if (record == nullptr) return;
    model_.request_finished(*record, full_bytes_of(*record, moment), moment.seconds);
  }
  void set_tiers(const std::vector<TierState>& tiers, bool /*first*/) override { model_.set_tiers(tiers); }
};

using ReferencesContent = ModelProjection<ReferenceStream, &ReferenceStream::content, &ReferenceStream::set_content,
                                          &ReferenceStream::swap_content>;

class ReferencesProjection final : public ReferencesContent {
 public:
  using ReferencesContent::ReferencesContent;

  void apply(const Event& event, const RunMoment& moment) override {
    if (begins_run(event, moment)) model_.clear();
    if (const RequestRecord* record = answered_record(event))
      model_.add({record->context.low, full_bytes_of(*record, moment)});
  }
};

using FrontierContent = ModelProjection<FrontierModel, &FrontierModel::measurements, &FrontierModel::set_measurements,
                                        &FrontierModel::swap_content>;

// Measured points of earlier runs stay beside those of a run that begins.
class FrontierProjection final : public FrontierContent {
 public:
  using FrontierContent::FrontierContent;

  void apply(const Event& event, const RunMoment& moment) override {
    model_.follow(event);
    if (begins_run(event, moment)) model_.begin_run();
    if (const auto* begun = std::get_if<events::RunStarted>(&event.payload)) model_.set_run(to_q(begun->run_id));
    if (moment.settings != nullptr) model_.set_committed(*moment.settings);
    if (const RequestRecord* record = answered_record(event)) model_.add_request(*record);
  }
  void restore(const State& state) override {
    if (state)
      FrontierContent::restore(state);
    else
      model_.forget_measured();
  }
};

class EventsProjection final : public LogProjection<EventsModel> {
 public:
  using LogProjection<EventsModel>::LogProjection;

  void apply(const Event& event, const RunMoment& moment) override { model_.add(event, moment.seconds); }
  void fill(const RunPast& past) override {
    model_.begin_fill();
    for (std::size_t i = first_of_newest(past, past.whole ? logged_rows : rows_while_moving, EventsModel::shows);
         i < past.count; ++i)
      model_.add(past.events[i],
                 static_cast<double>(past.events[i].monotonic_ns - past.events.front().monotonic_ns) * 1e-9);
    model_.end_fill();
  }
};

using TimeLineContent =
    ModelProjection<TimeLineModel, &TimeLineModel::content, &TimeLineModel::set_content, &TimeLineModel::swap_content>;

class TimeLineProjection final : public TimeLineContent {
 public:
  using TimeLineContent::TimeLineContent;

  void apply(const Event& event, const RunMoment& moment) override { model_.apply(event, moment.seconds); }
};

}  // namespace

std::vector<std::unique_ptr<RunProjection>> run_projections(RunModel& run) {
  std::vector<std::unique_ptr<RunProjection>> rows;
  rows.reserve(9);
  rows.push_back(std::make_unique<RequestsProjection>(run.requests));
  rows.push_back(std::make_unique<ContextsProjection>(run.contexts));
  rows.push_back(std::make_unique<TiersProjection>(run.tiers));
  rows.push_back(std::make_unique<PoolProjection>(run.pool));
  rows.push_back(std::make_unique<HitRatesProjection>(run.hit_rates));
  rows.push_back(std::make_unique<ReferencesProjection>(run.references));
  rows.push_back(std::make_unique<FrontierProjection>(run.frontier));
  rows.push_back(std::make_unique<EventsProjection>(run.log));
  rows.push_back(std::make_unique<TimeLineProjection>(run.time_line));
  return rows;
}

}  // namespace kvantage
