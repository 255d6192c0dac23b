// Computes predicted curves and modelled points off the window's thread. The latest request wins: what a newer one
// makes useless is given up between two alphas. Curves follow a hand, so they have a thread of their own; modelled points take
// their time on another, which takes up the newest request when it is through with one. Answers come as a queued signal.
#pragma once

#include <QObject>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/policy/policy.h"
#include "core/ports/session.h"
#include "ui/models/frontier_types.h"
#include "ui/models/shadow_baselines.h"

namespace kvantage {

/// A copy of the snapshot as it would be under `settings`: alpha, budgets, candidates, and for tiers whose shaping
/// differs from `committed` the shaped speed.
Snapshot snapshot_under(const Snapshot& snapshot, const SessionSettings& settings, const SessionSettings& committed);

/// What moves the predicted curve; alpha only moves the marker along it.
bool same_curve(const SessionSettings& a, const SessionSettings& b);

/// The alphas of a curve in the order they are planned: first those that hold `present` between them, then a few that span it.
std::vector<std::vector<double>> planning_lots(const std::vector<double>& alphas, double present);

struct PlannerRequest {
  std::shared_ptr<const Snapshot> snapshot;
  SessionSettings settings, committed;
  QString family;  // empty: all contexts
  std::vector<double> alphas;
  std::vector<std::string> policies;  // those that know alpha get a curve, the others a modelled point
};

class FrontierPlanner : public QObject {
  Q_OBJECT
 public:
  explicit FrontierPlanner(QObject* parent = nullptr);
  /// Ends the threads after the alpha and the policy they are at.
  ~FrontierPlanner() override;

  /// Returns the job's number; an answer with a smaller number than the latest may still arrive and may be dropped. A request that moves
  /// the curve outdates those before it; one that brings a newer snapshot alone waits for the curves that are being planned.
  std::uint64_t request(PlannerRequest request);
  bool busy() const { return open_ > 0; }
  /// Of curves, one per policy and alpha, since the beginning.
  std::uint64_t plans() const { return plans_; }
  /// A live request for this context was served: the shadow baselines serve it with the next answer.
  void feed(const Digest128& context);
  void reset_shadow();

 signals:
  void finished(const kvantage::FrontierPrediction& prediction);

 private:
  struct Job {
    std::uint64_t number = 0, wish = 0;
    PlannerRequest request;
  };
  void plan_curves();
  void model_policies();
  void answer_with_curves(const Job& job);
  void answer_with_points(const Job& job);
  void plan_lot(const Policy& policy, Snapshot& snapshot, const QString& family, const std::vector<double>& alphas,
                std::vector<FrontierSample>& samples);
  bool outdated(const Job& job) const { return stopping_ || latest_wish_ != job.wish; }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::optional<Job> pending_, points_pending_;
  std::vector<Digest128> served_;  // not yet fed to the shadow
  bool shadow_reset_ = false;
  ShadowBaselines shadow_;  // of the thread of points
  std::optional<PlannerRequest> wished_;  // by the latest request
  std::uint64_t answered_wish_ = 0;       // of the thread of curves: all of its curves are whole
  std::atomic<std::uint64_t> latest_job_{0}, latest_wish_{0}, plans_{0};
  std::atomic<bool> stopping_{false};
  std::atomic<int> open_{0};  // of the two, how many have something to do
  std::thread curves_, points_;
};

}  // namespace kvantage

Q_DECLARE_METATYPE(kvantage::FrontierPrediction)
