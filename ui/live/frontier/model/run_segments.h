// The requests of one run or several in segments of unchanged settings, the settled ones of each apart from those of a
// transient. The same events make the same segments, live and in replay.
//
// A request is part of a transient if
// - it was in flight when the settings changed next;
// - it arrived before they changed (by its queueing time) and was served after; or
// - it started while placements of the plan that the change led to were still moving: until as many actions ended
//   (committed or failed) as events::PlanMade has. A later plan before that takes the place of the first. A policy that
//   makes no plan moves nothing to wait for, and after max_moving_starts requests nothing is waited for any more:
//   a plan that is made again after every miss might never end.
// All others are settled; so is every request of a run whose settings never changed. Any thread, one at a time.
#pragma once

#include <QString>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/ports/events.h"
#include "core/ports/session.h"
#include "ui/live/frontier/model/frontier_types.h"
#include "ui/session/statistics.h"

namespace kvantage {

/// What becomes a point.
struct SegmentSplit {
  bool at_changes = true;           // a point a segment; else a point a run
  bool leave_out_transient = true;  // where there is a settled request
  bool operator==(const SegmentSplit&) const = default;
};

struct SegmentQuery {
  QString family = {};  // empty: all
  SegmentSplit split = {};
  std::optional<std::uint64_t> run = {};  // by its number; nothing: all runs
};

class RunSegments {
 public:
  struct Means {
    GrowingMean quality, ttft;                                 // ttft: service time in seconds
    double predicted_quality = 0, predicted_ttft_seconds = 0;  // sums over `predicted` requests
    std::uint64_t predicted = 0;
    void add(const RequestRecord& record, std::optional<double> measured_quality);
  };
  struct FamilyMeans {
    std::shared_ptr<Means> settled;  // null: none was settled
    std::shared_ptr<Means> all;      // with the transient; null: there is none
    std::uint64_t transient = 0, transient_scored = 0;
    double transient_seconds = 0, transient_quality = 0;  // sums
  };
  struct Segment {
    SessionSettings settings;
    QString run;                        // that served it; empty: not recorded, or nothing was served
    std::uint64_t run_number = 0;       // counts begin_run()
    std::uint64_t serial = 0;           // never used twice
    std::optional<std::int64_t> since;  // monotonic ns of the change within a run that it began with
    bool throttled = false, simulated = false;
    bool mixed = false;  // of a whole run: its settings changed
    std::map<QString, FamilyMeans> by_family;
  };
  using IntervalOf = std::function<MeasuredMean(const GrowingMean&)>;

  /// The newest are kept when a run begins.
  static constexpr std::size_t max_segments = 24;
  static constexpr std::size_t max_changes = 500;  // segments within one run: of a file of others
  /// Requests that start after a change of settings before its placements are no longer waited for.
  static constexpr int max_moving_starts = 64;

  RunSegments() = default;
  RunSegments(const RunSegments& other);
  RunSegments& operator=(const RunSegments& other);
  RunSegments(RunSegments&&) noexcept = default;
  RunSegments& operator=(RunSegments&&) noexcept = default;
  ~RunSegments() = default;

  /// False: no run before has a point.
  bool begin_run();
  void clear();
  /// The id under which the requests that follow are recorded.
  void set_run(const QString& run) { run_ = run; }
  /// The settings that requests are served under from now on. False: the same in what decides placements or service
  /// times.
  bool set_committed(const SessionSettings& settings);
  /// Time, requests that start, plans and placements. Before what set_committed() and add() make of the same event.
  void follow(const Event& event);
  /// False: a canceled request, or one that no policy could serve from a tier; it counts nowhere.
  bool add(const RequestRecord& record);

  /// Of segments (or runs) with at least one scored request of the family. `uses_alpha` is left as it is.
  std::vector<MeasuredPoint> points(const SegmentQuery& query, const IntervalOf& interval) const;
  /// Those of the same points.
  std::vector<std::shared_ptr<const Means>> means(const SegmentQuery& query) const;
  const std::vector<Segment>& segments() const { return segments_; }
  std::uint64_t run_number() const { return run_number_; }
  /// Whether qualities are agreement with uncompressed answers, as no question so far had a reference answer.
  bool shows_agreement() const { return without_reference_ > 0 && with_reference_ == 0; }
  /// Numbers of the runs before the present one that served requests, oldest first.
  std::vector<std::uint64_t> earlier_runs() const;

 private:
  /// After a change of settings within a run, until its placements have moved.
  struct Moving {
    std::uint64_t actions_left = 0;
    std::int64_t planned_ns = 0;  // monotonic; placements that began before belong to an older plan
    int starts = 0;
  };
  struct Started {
    std::uint64_t segment = 0;  // its serial
    std::int64_t ns = 0;
    bool moved = false;  // no placement was waited for
  };
  struct Place {
    std::size_t segment = 0;  // index
    bool settled = true;
  };
  void take_outcome(bool of_this_plan);
  bool starts_moved();
  Place place_of(const RequestRecord& record);
  Segment& whole_run();
  template <class Visit>
  void visit(const SegmentQuery& query, Visit take) const;

  std::vector<Segment> segments_;
  std::vector<Segment> wholes_;  // the same requests, a row a run
  QString run_;
  std::uint64_t run_number_ = 0, last_serial_ = 0;
  std::uint64_t with_reference_ = 0, without_reference_ = 0;  // scored answers
  bool begun_ = false;                                        // the present run: a request of it started
  std::int64_t now_ns_ = 0;
  std::optional<Moving> moving_;
  std::map<std::uint64_t, Started> started_;  // in flight, by id
};

}  // namespace kvantage
