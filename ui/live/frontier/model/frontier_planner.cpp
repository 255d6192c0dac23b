#include "ui/live/frontier/model/frontier_planner.h"

#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "ui/live/frontier/model/simulated_points.h"

namespace kvantage {
namespace {

constexpr std::chrono::milliseconds others_wait{18};  // a frame

}  // namespace

FrontierPlanner::FrontierPlanner(QObject* parent)
    : QObject(parent),
      curve_of_hand_(CurveShare::of_the_hand, caller()),
      other_curves_(CurveShare::others, caller()),
      hand_(ThreadPriority::curves),
      others_(ThreadPriority::other_curves),
      points_(ThreadPriority::forecasts) {
  qRegisterMetaType<FrontierPrediction>();
}

FrontierPlanner::~FrontierPlanner() { stopping_ = true; }

CurvePass::Caller FrontierPlanner::caller() {
  return {[this](const PlannerJob& job) { return latest_revision_ != job.revision; },
          [this](const FrontierPrediction& answer) { emit finished(answer); }, &plans_, &stopping_};
}

std::uint64_t FrontierPlanner::request(PlannerRequest request) {
  const std::uint64_t number = ++latest_job_;
  const bool moved = !latest_ || !asks_same_curves(*latest_, request);
  if (moved) ++latest_revision_;
  latest_ = request;
  // A running job is canceled by its request, not by its number.
  const auto job = std::make_shared<const PlannerJob>(PlannerJob{number, latest_revision_, std::move(request)});
  hand_.start([this, job](const LatestJob::GivenUp&) { curve_of_hand_.answer(*job); });
  // What the hand waits for has the processor until it is painted.
  const auto due = std::chrono::steady_clock::now() + (moved ? others_wait : std::chrono::milliseconds(0));
  const auto wait = [this, due] {
    while (!stopping_ && std::chrono::steady_clock::now() < due)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  others_.start([this, job, wait](const LatestJob::GivenUp&) { wait(), other_curves_.answer(*job); });
  points_.start([this, job, wait](const LatestJob::GivenUp&) { wait(), answer_with_points(*job); });
  return number;
}

void FrontierPlanner::feed(const Digest128& context) {
  const std::lock_guard lock(mutex_);
  if (served_.size() >= max_waiting) {
    served_.clear();
    what_if_reset_ = true;
  }
  served_.push_back(context);
}

std::size_t FrontierPlanner::waiting() {
  const std::lock_guard lock(mutex_);
  return served_.size();
}

void FrontierPlanner::reset_what_if() {
  const std::lock_guard lock(mutex_);
  served_.clear();
  what_if_reset_ = true;
}

void FrontierPlanner::answer_with_points(const PlannerJob& job) {
  const auto feed_what_if = [&](const std::vector<std::string>& policies) {
    std::vector<Digest128> served;
    {
      const std::lock_guard lock(mutex_);
      if (what_if_reset_) what_if_.reset();
      what_if_reset_ = false;
      served.swap(served_);
    }
    what_if_.feed(*job.request.snapshot, policies, served, [this] { return stopping_.load(); });
  };
  if (auto prediction = simulated_points(job, what_if_, feed_what_if, stopping_)) {
    prediction->plans = plans_;
    emit finished(*prediction);
  }
}

}  // namespace kvantage
