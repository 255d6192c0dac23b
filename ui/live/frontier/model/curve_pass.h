// Plans predicted curves for one request, coarse and then whole, and reports them as they come. What a newer request
// makes useless is given up between two alphas.
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "ui/live/frontier/model/frontier_request.h"
#include "ui/live/frontier/model/frontier_types.h"

namespace kvantage {

/// The alphas of a curve in the order they are planned: first those that hold `present` between them, then a few that
/// span it.
std::vector<std::vector<double>> planning_lots(const std::vector<double>& alphas, double present);

/// Which of a request's curves: the one of the policy in the hand, which goes ahead with the present point, or all
/// others.
enum class CurveShare { of_the_hand, others };

class CurvePass {
 public:
  struct Caller {
    std::function<bool(const PlannerJob&)> outdated;  // a newer request moved the curves
    std::function<void(const FrontierPrediction&)> tell;
    std::atomic<std::uint64_t>* plans = nullptr;  // counted, one per policy and alpha
    const std::atomic<bool>* stopping = nullptr;
  };
  CurvePass(CurveShare share, Caller caller) : share_(share), caller_(std::move(caller)) {}

  void answer(const PlannerJob& job);

 private:
  CurveShare share_;
  Caller caller_;
  std::uint64_t answered_revision_ = 0;  // all of its curves are whole
};

}  // namespace kvantage
