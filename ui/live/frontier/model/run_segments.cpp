#include "ui/live/frontier/model/run_segments.h"

#include <algorithm>

#include "core/ports/decode_eviction.h"
#include "core/ports/placement_reasons.h"
#include "core/report/answer_basis.h"
#include "ui/live/frontier/model/point_settings_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

/// What decides placements, service times or answers; arrival rate, thresholds and profiling do not start a new
/// segment.
bool same_segment(const SessionSettings& a, const SessionSettings& b) {
  const PlanSettings &plan_a = a, &plan_b = b;
  const BatchSettings &batch_a = a, &batch_b = b;
  return plan_a == plan_b && batch_a == batch_b && a.tiers == b.tiers && a.quality_metric == b.quality_metric &&
         a.compute_or_load == b.compute_or_load && a.decode_eviction == b.decode_eviction &&
         a.decode_options == b.decode_options && a.decode_offload == b.decode_offload &&
         a.speculation == b.speculation && a.attend_quantized == b.attend_quantized && a.products == b.products;
}

/// The decode-time eviction that a request was served under.
std::string segment_eviction_of(const DecodingRecord& decoding) {
  if (decoding.choice) return std::string(planned_decode_eviction);
  return decoding.eviction.empty() ? "none" : decoding.eviction;
}

/// Likewise its decode_offload.
std::string segment_offload_of(const DecodingRecord& decoding) {
  return decoding.offload ? decoding.offload->setting : "none";
}

void add_to_family(RunSegments::FamilyMeans& family, const RequestRecord& record, std::optional<double> quality,
                   bool settled) {
  using Means = RunSegments::Means;
  if (!settled) {
    if (!family.all) family.all = family.settled ? std::make_shared<Means>(*family.settled) : std::make_shared<Means>();
    ++family.transient;
    family.transient_seconds += record.timing.ttft_service_seconds;
    family.transient_scored += quality.has_value();
    family.transient_quality += quality.value_or(0);
  } else {
    if (!family.settled) family.settled = std::make_shared<Means>();
    family.settled->add(record, quality);
  }
  if (family.all) family.all->add(record, quality);
}

void add_to_segment(RunSegments::Segment& segment, const RequestRecord& record, std::optional<double> quality,
                    bool settled) {
  segment.throttled = segment.throttled || record.provenance == Provenance::throttled;
  segment.simulated = segment.simulated || record.provenance == Provenance::simulated;
  add_to_family(segment.by_family[QString()], record, quality, settled);
  if (!record.family.empty()) add_to_family(segment.by_family[to_q(record.family)], record, quality, settled);
}

void unshare_segments(std::vector<RunSegments::Segment>& segments) {
  using Means = RunSegments::Means;
  for (RunSegments::Segment& segment : segments)
    for (auto& [name, family] : segment.by_family) {
      if (family.settled) family.settled = std::make_shared<Means>(*family.settled);
      if (family.all) family.all = std::make_shared<Means>(*family.all);
    }
}

/// Whether the means of the settled requests are shown.
bool shows_settled(const RunSegments::FamilyMeans& family, const SegmentSplit& split) {
  if (!family.all) return true;
  return split.leave_out_transient && family.settled && family.settled->quality.n() > 0;
}

MeasuredPoint segment_point(const RunSegments::Segment& segment, const RunSegments::FamilyMeans& family,
                            const RunSegments::Means& means) {
  MeasuredPoint point;
  point.policy = to_q(segment.settings.policy);
  point.settings = point_settings_text(segment.settings, segment.mixed);
  point.run = segment.run;
  point.alpha = segment.settings.alpha;
  point.throttled = segment.throttled;
  point.simulated = segment.simulated;
  if (means.predicted > 0) {
    const double n = static_cast<double>(means.predicted);
    point.predicted = FrontierMean{means.predicted_quality / n, means.predicted_ttft_seconds / n};
  }
  point.transient_requests = family.transient;
  point.with_transient = family.transient > 0 && &means != family.settled.get();
  if (family.transient_scored > 0)
    point.transient = FrontierMean{family.transient_quality / static_cast<double>(family.transient_scored),
                                   family.transient_seconds / static_cast<double>(family.transient)};
  return point;
}

}  // namespace

void RunSegments::Means::add(const RequestRecord& record, std::optional<double> measured_quality) {
  if (measured_quality) quality.add(*measured_quality, record.context_id);
  ttft.add(record.timing.ttft_service_seconds, record.context_id);
  if (record.predicted_quality < 0 || record.predicted_ttft_seconds < 0) return;
  predicted_quality += record.predicted_quality;
  predicted_ttft_seconds += record.predicted_ttft_seconds;
  ++predicted;
}

RunSegments::RunSegments(const RunSegments& other)
    : segments_(other.segments_),
      wholes_(other.wholes_),
      run_(other.run_),
      run_number_(other.run_number_),
      last_serial_(other.last_serial_),
      with_reference_(other.with_reference_),
      without_reference_(other.without_reference_),
      begun_(other.begun_),
      now_ns_(other.now_ns_),
      moving_(other.moving_),
      started_(other.started_) {
  unshare_segments(segments_);
  unshare_segments(wholes_);
}

RunSegments& RunSegments::operator=(const RunSegments& other) {
  if (this != &other) *this = RunSegments(other);
  return *this;
}

bool RunSegments::begin_run() {
  ++run_number_;
  begun_ = false;
  moving_.reset();
  started_.clear();
  if (segments_.empty()) return false;
  Segment& last = segments_.back();
  if (last.by_family.empty()) {
    last.run_number = run_number_;
    last.since.reset();
    return !wholes_.empty();
  }
  Segment next;
  next.settings = last.settings;
  next.run_number = run_number_;
  next.serial = ++last_serial_;
  segments_.push_back(std::move(next));
  if (segments_.size() > max_segments)
    segments_.erase(segments_.begin(), segments_.end() - static_cast<std::ptrdiff_t>(max_segments));
  const std::uint64_t oldest = segments_.front().run_number;
  std::erase_if(wholes_, [oldest](const Segment& whole) { return whole.run_number < oldest; });
  return true;
}

void RunSegments::clear() {
  segments_.clear();
  wholes_.clear();
  with_reference_ = without_reference_ = 0;
  started_.clear();
  moving_.reset();
  begun_ = false;
}

bool RunSegments::set_committed(const SessionSettings& settings) {
  if (!segments_.empty() && same_segment(segments_.back().settings, settings)) return false;
  // A setting that served nothing leaves no trace.
  if (!segments_.empty() && segments_.back().by_family.empty()) segments_.pop_back();
  Segment next;
  next.settings = settings;
  next.run_number = run_number_;
  next.serial = ++last_serial_;
  if (begun_) {
    next.since = now_ns_;
    moving_ = Moving{};
  }
  segments_.push_back(std::move(next));
  if (segments_.size() > max_changes) segments_.erase(segments_.begin());
  return true;
}

void RunSegments::follow(const Event& event) {
  now_ns_ = event.monotonic_ns;
  if (const auto* started = std::get_if<events::RequestStarted>(&event.payload)) {
    begun_ = true;
    if (!segments_.empty()) started_[started->id] = {segments_.back().serial, now_ns_, starts_moved()};
  } else if (const auto* plan = std::get_if<events::PlanMade>(&event.payload)) {
    if (moving_) moving_->actions_left = plan->actions;
    if (moving_) moving_->planned_ns = now_ns_;
  } else if (const auto* moved = std::get_if<events::PlacementCommitted>(&event.payload)) {
    take_outcome(moving_ &&
                 static_cast<double>(now_ns_) - moved->seconds * 1e9 >= static_cast<double>(moving_->planned_ns));
  } else if (const auto* failed = std::get_if<events::PlacementFailed>(&event.payload)) {
    take_outcome(!is_superseded(failed->reason));  // that write was of an older plan: a plan moves a context once
  } else if (const auto* ended = std::get_if<events::RequestFinished>(&event.payload)) {
    if (ended->record.cancelled) started_.erase(ended->record.id);
  }
}

void RunSegments::take_outcome(bool of_this_plan) {
  if (moving_ && of_this_plan && moving_->actions_left > 0) --moving_->actions_left;
}

// Decided when a request starts: what fails in between is planned again.
bool RunSegments::starts_moved() {
  if (moving_ && moving_->actions_left > 0 && moving_->starts < max_moving_starts) {
    ++moving_->starts;
    return false;
  }
  moving_.reset();
  return true;
}

RunSegments::Place RunSegments::place_of(const RequestRecord& record) {
  const std::size_t newest = segments_.size() - 1;
  const auto started = started_.find(record.id);
  if (started != started_.end()) {
    const Started begun = started->second;
    started_.erase(started);
    const auto segment = std::ranges::find(segments_, begun.segment, &Segment::serial);
    if (segment == segments_.end()) return {newest, false};  // its settings served nothing else
    const auto place = static_cast<std::size_t>(segment - segments_.begin());
    const double arrived_ns = static_cast<double>(begun.ns) - record.timing.queue_seconds * 1e9;
    const bool arrived_after = !segment->since || arrived_ns >= static_cast<double>(*segment->since);
    return {place, place == newest && begun.moved && arrived_after};
  }
  // Its start is not known: it belongs to the newest settings of its run that it can have been served under.
  for (std::size_t i = segments_.size(); i-- > 0 && segments_[i].run_number == run_number_;) {
    const SessionSettings& settings = segments_[i].settings;
    if ((record.policy.empty() || settings.policy == record.policy) && settings.alpha == record.alpha &&
        settings.decode_eviction == segment_eviction_of(record.decoding) &&
        settings.decode_offload == segment_offload_of(record.decoding))
      return {i, i < newest || starts_moved()};
  }
  return {newest, starts_moved()};
}

RunSegments::Segment& RunSegments::whole_run() {
  if (wholes_.empty() || wholes_.back().run_number != run_number_) {
    Segment whole;
    whole.run_number = run_number_;
    wholes_.push_back(std::move(whole));
  }
  return wholes_.back();
}

bool RunSegments::add(const RequestRecord& record) {
  // No policy can store what was never requested. Predictions are of the steady state, and so are the measured points.
  if (record.cancelled || segments_.empty() || record.miss_reason == compulsory_miss) {
    started_.erase(record.id);
    return false;
  }
  begun_ = true;
  const Place place = place_of(record);
  Segment& segment = segments_[place.segment];
  Segment& whole = whole_run();
  const auto known = record.quality.find(segment.settings.quality_metric);
  const std::optional<double> quality =
      known == record.quality.end() ? std::nullopt : std::optional<double>(known->second);
  without_reference_ += quality && lacks_reference_answer(record);
  with_reference_ += quality && !record.gold.empty();
  if (segment.run.isEmpty()) segment.run = run_;
  if (whole.run.isEmpty()) whole.run = run_;
  if (whole.by_family.empty()) whole.serial = segment.serial;
  whole.mixed = whole.mixed || whole.serial != segment.serial;
  if (whole.by_family.empty() || place.segment + 1 == segments_.size()) whole.settings = segment.settings;
  add_to_segment(segment, record, quality, place.settled);
  add_to_segment(whole, record, quality, place.settled);
  return true;
}

template <class Visit>
void RunSegments::visit(const SegmentQuery& query, Visit take) const {
  const std::vector<Segment>& rows = query.split.at_changes ? segments_ : wholes_;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (query.run && rows[i].run_number != *query.run) continue;
    const auto found = rows[i].by_family.find(query.family);
    if (found == rows[i].by_family.end()) continue;
    const FamilyMeans& family = found->second;
    const std::shared_ptr<Means>& shown = shows_settled(family, query.split) ? family.settled : family.all;
    if (shown && shown->quality.n() > 0) take(i, rows[i], family, shown);
  }
}

std::vector<MeasuredPoint> RunSegments::points(const SegmentQuery& query, const IntervalOf& interval) const {
  std::vector<MeasuredPoint> points;
  points.reserve(segments_.size());
  visit(query, [&](std::size_t i, const Segment& row, const FamilyMeans& family, const std::shared_ptr<Means>& means) {
    MeasuredPoint point = segment_point(row, family, *means);
    point.epoch = static_cast<int>(i);
    const bool newest = i + 1 == (query.split.at_changes ? segments_ : wholes_).size();
    point.current = newest && row.run_number == run_number_;
    point.earlier = row.run_number != run_number_;
    point.quality = interval(means->quality);
    point.ttft = interval(means->ttft);
    points.push_back(std::move(point));
  });
  return points;
}

std::vector<std::shared_ptr<const RunSegments::Means>> RunSegments::means(const SegmentQuery& query) const {
  std::vector<std::shared_ptr<const Means>> shown;
  shown.reserve(segments_.size());
  visit(query, [&](std::size_t, const Segment&, const FamilyMeans&, const std::shared_ptr<Means>& means) {
    shown.push_back(means);
  });
  return shown;
}

std::vector<std::uint64_t> RunSegments::earlier_runs() const {
  std::vector<std::uint64_t> runs;
  runs.reserve(wholes_.size());
  for (const Segment& whole : wholes_)
    if (whole.run_number != run_number_) runs.push_back(whole.run_number);
  return runs;
}

}  // namespace kvantage
