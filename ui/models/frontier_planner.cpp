#include "ui/models/frontier_planner.h"

#include <algorithm>
#include <chrono>

#include "core/policy/frontier.h"
#include "core/policy/lp_bound.h"
#include "core/policy/policy.h"
#include "ui/models/words.h"

namespace kvantage {
namespace {

constexpr std::size_t modelled_requests = 600;  // the first half fills the tiers, the second is counted
constexpr std::uint64_t modelled_seed = 1;

using SteadyClock = std::chrono::steady_clock;
double seconds_since(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

/// Mean over the contexts of one family, weighted by frequency.
FrontierMean family_mean(const Plan& plan, const Snapshot& snapshot, const std::string& family) {
  FrontierMean mean;
  double weight = 0;
  for (std::size_t i = 0; i < plan.contexts.size() && i < snapshot.contexts.size(); ++i) {
    if (snapshot.contexts[i].family != family) continue;
    const double frequency = snapshot.contexts[i].frequency;
    weight += frequency;
    mean.quality += frequency * plan.contexts[i].quality;
    mean.ttft_seconds += frequency * plan.contexts[i].ttft_seconds;
  }
  if (weight > 0) {
    mean.quality /= weight;
    mean.ttft_seconds /= weight;
  }
  return mean;
}

}  // namespace

Snapshot snapshot_under(const Snapshot& snapshot, const SessionSettings& settings, const SessionSettings& committed) {
  Snapshot changed = snapshot;
  changed.alpha = settings.alpha;
  for (const TierSetting& tier : settings.tiers) {
    const auto state = std::find_if(changed.tiers.begin(), changed.tiers.end(),
                                    [&](const TierState& s) { return s.name == tier.name; });
    if (state == changed.tiers.end()) continue;
    state->budget_bytes = tier.budget_bytes;
    const auto before = std::find_if(committed.tiers.begin(), committed.tiers.end(),
                                     [&](const TierSetting& s) { return s.name == tier.name; });
    const bool speed_moved = before == committed.tiers.end() ||
                             before->shaped_bytes_per_second != tier.shaped_bytes_per_second ||
                             before->shaped_latency_seconds != tier.shaped_latency_seconds;
    if (speed_moved && tier.shaped_bytes_per_second > 0) {
      state->model.bytes_per_second = tier.shaped_bytes_per_second;
      state->model.latency_seconds = tier.shaped_latency_seconds;
      state->shaped = true;
    }
  }
  changed.candidate_methods = settings.methods;
  changed.candidate_fractions = settings.removed_fractions;
  return changed;
}

FrontierPlanner::FrontierPlanner(QObject* parent) : QObject(parent) {
  qRegisterMetaType<FrontierPrediction>();
  thread_ = std::thread([this] { work(); });
}

FrontierPlanner::~FrontierPlanner() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

std::uint64_t FrontierPlanner::request(PlannerRequest request) {
  const std::lock_guard lock(mutex_);
  pending_ = std::move(request);
  busy_ = true;
  const std::uint64_t job = ++latest_job_;
  wake_.notify_all();
  return job;
}

void FrontierPlanner::feed(const Digest128& context) {
  const std::lock_guard lock(mutex_);
  served_.push_back(context);
}

void FrontierPlanner::reset_shadow() {
  const std::lock_guard lock(mutex_);
  served_.clear();
  shadow_reset_ = true;
}

void FrontierPlanner::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stopping_ || pending_.has_value(); });
    if (stopping_) return;
    const PlannerRequest request = std::move(*pending_);
    pending_.reset();
    const std::uint64_t job = latest_job_;
    lock.unlock();
    answer(request, job);
    lock.lock();
    busy_ = pending_.has_value();
  }
}

void FrontierPlanner::answer(const PlannerRequest& request, std::uint64_t job) {
  // While a slider moves there is always a newer request: a young answer is still worth finishing.
  constexpr double patience_seconds = 0.12;
  const SteadyClock::time_point start = SteadyClock::now();
  const auto given_up = [&] { return stopping_ || (outdated(job) && seconds_since(start) > patience_seconds); };

  FrontierPrediction prediction;
  prediction.job = job;
  prediction.family = request.family;
  Snapshot snapshot = steady_state(snapshot_under(*request.snapshot, request.settings, request.committed));

  for (const std::string& text : request.policies) {
    const auto policy = make_policy(text);
    if (!policy || !(*policy)->knows_alpha()) continue;
    FrontierCurve curve;
    curve.policy = to_q(text);
    constexpr std::size_t alphas_at_once = 12;  // between two lots it can be given up
    for (std::size_t begin = 0; begin < request.alphas.size(); begin += alphas_at_once) {
      if (given_up()) return;
      const std::size_t end = std::min(request.alphas.size(), begin + alphas_at_once);
      if (request.family.isEmpty()) {
        const std::vector<double> lot(request.alphas.begin() + static_cast<std::ptrdiff_t>(begin),
                                      request.alphas.begin() + static_cast<std::ptrdiff_t>(end));
        for (const FrontierPoint& point : (*policy)->curve(snapshot, lot))
          curve.samples.push_back({point.alpha, {point.mean_quality, point.mean_ttft_seconds}});
      } else {
        for (std::size_t i = begin; i < end; ++i) {
          snapshot.alpha = request.alphas[i];
          curve.samples.push_back(
              {snapshot.alpha, family_mean((*policy)->plan(snapshot), snapshot, from_q(request.family))});
        }
      }
    }
    prediction.curves.push_back(std::move(curve));
  }
  prediction.planning_seconds = seconds_since(start);
  emit finished(prediction);

  // Policies that do not know alpha: their steady state, and what they would have done so far.
  const std::vector<std::size_t> drawn = draw_requests(snapshot, modelled_requests, modelled_seed);
  std::vector<std::string> shadowed;
  for (const std::string& text : request.policies) {
    const auto policy = make_policy(text);
    if (!policy || (*policy)->knows_alpha()) continue;
    if (given_up()) return;
    shadowed.push_back(text);
    ModelledPoint point{to_q(text), {}, 0, false};
    if (request.family.isEmpty()) {
      const FrontierPoint mean = modelled_point(snapshot, *policy, modelled_requests, modelled_seed);
      point.mean = {mean.mean_quality, mean.mean_ttft_seconds};
      point.requests = modelled_requests / 2;
    } else {
      const SimulationResult result = simulate(snapshot, *policy, drawn);
      for (std::size_t i = drawn.size() / 2; i < result.requests.size(); ++i) {
        if (snapshot.contexts[result.requests[i].context].family != from_q(request.family)) continue;
        ++point.requests;
        point.mean.quality += result.requests[i].quality;
        point.mean.ttft_seconds += result.requests[i].ttft_service_seconds;
      }
      if (point.requests == 0) continue;
      point.mean.quality /= static_cast<double>(point.requests);
      point.mean.ttft_seconds /= static_cast<double>(point.requests);
    }
    prediction.modelled.push_back(std::move(point));
  }
  std::vector<Digest128> served;
  {
    const std::lock_guard lock(mutex_);
    if (shadow_reset_) shadow_.reset();
    shadow_reset_ = false;
    served.swap(served_);
  }
  shadow_.feed(*request.snapshot, shadowed, served);
  for (ModelledPoint& point : shadow_.points(request.family)) prediction.modelled.push_back(std::move(point));

  if (const auto policy = make_policy(request.settings.policy); policy && (*policy)->knows_alpha() && !given_up()) {
    snapshot.alpha = request.settings.alpha;
    prediction.gap = PlanGap{to_q(request.settings.policy), snapshot.alpha, lp_gap(snapshot, (*policy)->plan(snapshot))};
  }
  prediction.modelled_known = true;
  prediction.planning_seconds = seconds_since(start);
  emit finished(prediction);
}

}  // namespace kvantage
