// Anytime profiling of a session's contexts: what is measured as a grid, the cells that are worth measuring next, and
// the points that contexts have from their relatives. core/quality/schedule decides; this gives it the session's state.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/ports/session.h"
#include "core/quality/answer_pace.h"
#include "core/quality/profiler_ports.h"
#include "core/quality/racing_plan.h"
#include "core/store/engine_services.h"

namespace kvantage::inline quality {

class RacingCells final : public CellSchedule, public PooledCells {
 public:
  /// executor: for plans beside the engine's thread, must outlive this; null: all are made at once.
  RacingCells(const EngineServices& services, Executor* executor) : services_(services), executor_(executor) {}

  /// on: cells are scheduled one by one. good_enough: share of the plan's utility. Returns whether learn() is needed.
  bool use(bool on, const CurveCandidates& candidates, double good_enough);
  /// Nothing where it is off.
  std::optional<ProfilingGauge> gauge() const;
  /// Whether a thread beside the engine's makes a plan.
  bool plans_aside() const { return aside_ != nullptr && !aside_->has_ended(); }

  bool is_on() const override { return on_; }
  bool ready(const MayMeasure& may_measure, bool aside) override;
  const ScheduledBatch* next(const MayMeasure& may_measure) override;
  void catch_up() override;
  bool take_renewed() override { return std::exchange(renewed_, false); }
  Progress progress() const override { return {schedule_.state.answers, schedule_.state.answers_left, !has_coarse()}; }
  void note(std::size_t answers, double seconds) override { pace_.note(answers, seconds); }
  void leave_out(const std::string& method) override { left_out_.insert(method); }
  void retry() override { left_out_.clear(); }

  bool pools() const override { return on_ && grid_ != nullptr; }
  void learn(const std::map<std::size_t, std::vector<ProfileCell>>& cells) override;
  void learn(std::size_t context, const std::vector<ProfileCell>& cells) override;
  void complete(std::size_t context, std::vector<ProfilePoint>& points) const override;

 private:
  std::vector<GridForm> candidate_forms() const;
  void read_cells(std::size_t context, const std::vector<ProfileCell>& cells);
  bool is_due(const MayMeasure& may_measure, bool aside) const;
  std::vector<std::uint64_t> budgets() const;
  bool has_coarse() const;
  double prefill_seconds_left() const;
  void take(RacingPlan plan);

  EngineServices services_;
  Executor* executor_;
  bool on_ = false;
  CurveCandidates candidates_;
  RacingRules rules_;
  std::set<std::string> left_out_;  // methods
  std::shared_ptr<MeasuredGrid> grid_;
  std::optional<GridBeliefs> beliefs_;
  std::vector<FormShare> shares_;
  ProfileSchedule schedule_;
  bool stale_ = true;                   // the schedule is of another grid or of other rules
  std::size_t answers_since_ = 0;       // it was made
  double alpha_ = 0;                    // that it was made for
  std::vector<std::uint64_t> budgets_;  // the same
  std::int64_t planned_ns_ = 0;
  bool renewed_ = false;
  std::optional<RaceState> start_;  // of the race, under that alpha and those budgets
  ScheduledBatch batch_;            // of next()
  AnswerPace pace_;                 // of this session
  std::unique_ptr<RacingPlanAside> aside_;
};

}  // namespace kvantage::inline quality
