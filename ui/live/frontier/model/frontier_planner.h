// Computes predicted curves and simulated points off the window's thread. The latest request wins. The curve under the
// hand has a thread of its own, so that it waits for no other; the other curves have one, and simulated points, which
// take their time, a third. Answers come as a queued signal.
#pragma once

#include <QObject>
#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

#include "ui/live/frontier/model/curve_pass.h"
#include "ui/live/frontier/model/frontier_request.h"
#include "ui/live/frontier/model/frontier_types.h"
#include "ui/live/frontier/model/what_if_baselines.h"
#include "ui/session/latest_job.h"

namespace kvantage {

class FrontierPlanner : public QObject {
  Q_OBJECT
 public:
  explicit FrontierPlanner(QObject* parent = nullptr);
  /// Ends the threads after the alpha and the policy they are at.
  ~FrontierPlanner() override;

  /// Returns the job's number; an answer with a smaller number than the latest may still arrive and may be dropped. A
  /// request that moves the curve outdates those before it; one that brings a newer snapshot alone waits for the curves
  /// that are being planned.
  std::uint64_t request(PlannerRequest request);
  bool busy() const { return hand_.busy() || others_.busy() || points_.busy(); }
  /// Of curves, one per policy and alpha, since the beginning.
  std::uint64_t plans() const { return plans_; }
  /// A live request for this context was served: the what-if baselines serve it with the next answer. Where none comes
  /// for max_waiting requests, as while the window is minimized, the baselines begin again behind those.
  void feed(const Digest128& context);
  static constexpr std::size_t max_waiting = 1 << 18;
  std::size_t waiting();
  void reset_what_if();

 signals:
  void finished(const kvantage::FrontierPrediction& prediction);

 private:
  CurvePass::Caller caller();
  void answer_with_points(const PlannerJob& job);

  std::mutex mutex_;
  std::vector<Digest128> served_;  // not yet fed to the what-if baselines
  bool what_if_reset_ = false;
  WhatIfBaselines what_if_;               // of the thread of points
  std::optional<PlannerRequest> latest_;  // by the latest request
  std::uint64_t latest_job_ = 0;
  std::atomic<std::uint64_t> latest_revision_{0}, plans_{0};
  std::atomic<bool> stopping_{false};
  CurvePass curve_of_hand_, other_curves_;
  LatestJob hand_, others_, points_;  // last: their threads use what stands above
};

}  // namespace kvantage

Q_DECLARE_METATYPE(kvantage::FrontierPrediction)
