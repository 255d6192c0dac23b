// State of the Frontier: predicted curves (from the planner), the present point that follows alpha at once, simulated
// points of policies that do not use alpha, and measured points that grow with every request. A change of policy,
// alpha, budgets, tiers or candidates starts a new measured point; the old ones stay (run_segments.h).
#pragma once

#include <QObject>
#include <QTimer>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "core/ports/events.h"
#include "core/ports/session.h"
#include "ui/live/frontier/model/frontier_types.h"
#include "ui/live/frontier/model/run_segments.h"
#include "ui/session/latest_job.h"

namespace kvantage {

class FrontierModel : public QObject {
  Q_OBJECT
 public:
  /// What requests left; a copy is a copy of all of it.
  using Measurements = RunSegments;

  /// Pause between two drawings of intervals for measured_so_far().
  static constexpr int interval_pause_ms = 300;
  static constexpr std::size_t max_points = RunSegments::max_segments;

  explicit FrontierModel(QObject* parent = nullptr);

  /// A run begins: its requests make a point of their own, and those of earlier runs stay, the newest max_points.
  void begin_run();
  /// No point and no setting is left.
  void forget_measured();
  /// Measured points and predictions; what is hidden and filtered stays.
  void swap_content(FrontierModel& other);
  /// A copy that later requests leave alone.
  Measurements measurements() const { return segments_; }
  void set_measurements(const Measurements& measurements);
  /// The settings that requests are served under from now on; a new epoch when they differ in what matters here.
  void set_committed(const SessionSettings& settings);
  /// Policy and alpha of the present point, committed or not.
  void set_present(const QString& policy, double alpha);
  /// The same with everything else that tooltips show of it.
  void set_present(const SessionSettings& shown);
  /// The alpha that the present one is compared with; nothing: none.
  void set_second_alpha(std::optional<double> alpha);
  /// What the context under the mouse, else the chosen one, predicts where it is now; nothing: there is none.
  void set_chosen(const QString& context, std::optional<FrontierMean> mean);
  /// Under which the requests that follow are recorded.
  void set_run(const QString& run) { segments_.set_run(run); }
  /// Every event of the run, before set_committed() and add_request() get what is in it: says which requests are
  /// settled. Without it all are.
  void follow(const Event& event) { segments_.follow(event); }
  /// Takes an answer of the planner; one about another family than the present filter is dropped.
  void set_prediction(const FrontierPrediction& prediction);
  void add_request(const RequestRecord& record);
  /// What becomes a measured point; all of it is kept either way.
  void set_split(const SegmentSplit& split);
  void set_families(const std::vector<QString>& families);
  /// Empty: all families together.
  void set_family(const QString& family);

  QString family() const { return family_; }
  const std::vector<QString>& families() const { return families_; }
  const std::vector<FrontierCurve>& curves() const { return curves_; }
  const std::vector<SimulatedPoint>& simulated() const { return simulated_; }
  QString present_policy() const { return present_policy_; }
  double present_alpha() const { return present_alpha_; }
  /// Lines for a tooltip; empty until settings are known.
  QString present_settings() const { return present_settings_; }
  std::optional<double> second_alpha() const { return second_alpha_; }
  QString chosen_context() const { return chosen_context_; }
  std::optional<FrontierMean> chosen_mean() const { return chosen_mean_; }

  /// Policies that the user does not want to see, nor to have computed.
  const std::set<QString>& hidden_policies() const { return hidden_; }
  void set_hidden(const QString& policy, bool hidden);
  /// Where the present policy and alpha are: on the predicted curve (between two samples: on the line that joins
  /// them, by log alpha), or at the policy's simulated point.
  std::optional<FrontierMean> present() const;
  /// Where the present policy would be at the second alpha, on its curve.
  std::optional<FrontierMean> second() const;
  /// Of all families, once it is known for the present policy and alpha: what its plan leaves of what storing can gain.
  std::optional<double> present_gap() const;
  /// Of the filtered family, as the profiles know it.
  const QualityLevels& quality_levels() const { return levels_; }
  /// Points with at least one request of the filtered family, each with the interval of all its requests: of its
  /// settled ones, where it has any and split() leaves the others out.
  std::vector<MeasuredPoint> measured() const;
  /// The same for a view that must not wait: means are of all requests, intervals are those drawn last; newer ones are
  /// drawn in the background, then measuredChanged reports them.
  std::vector<MeasuredPoint> measured_so_far();
  std::uint64_t epoch_count() const { return segments_.segments().size(); }
  const RunSegments& segments() const { return segments_; }
  const SegmentSplit& split() const { return split_; }

 signals:
  void curvesChanged();
  void presentChanged();
  void measuredChanged();
  void splitChanged();
  void familyChanged();
  void familiesChanged();
  void hiddenChanged();

 private:
  std::vector<MeasuredPoint> points(const RunSegments::IntervalOf& interval) const;
  void draw_intervals();

  std::vector<QString> families_;
  std::set<QString> hidden_;
  std::vector<FrontierCurve> curves_;
  FrontierCurve ahead_;  // newer than curves_, around the present alpha
  std::vector<SimulatedPoint> simulated_;
  std::optional<PlanGap> gap_;
  QualityLevels levels_;
  RunSegments segments_;
  SegmentSplit split_;
  QString family_, present_policy_;
  QString present_settings_, chosen_context_;
  double present_alpha_ = 1;
  std::optional<double> second_alpha_;
  std::optional<FrontierMean> chosen_mean_;

  QTimer draw_soon_{this};
  std::unique_ptr<LatestJob> drawer_;  // a thread, once there is something to draw
  bool drawing_ = false;

  std::optional<FrontierMean> on_curve(double alpha) const;
};

}  // namespace kvantage
