#include "ui/models/frontier_planner.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/base/thread_rank.h"
#include "core/policy/frontier.h"
#include "core/policy/lp_bound.h"
#include "core/policy/policy.h"
#include "ui/models/words.h"

namespace kvantage {
namespace {

constexpr std::size_t modelled_requests = 600;  // the first half fills the tiers, the second is counted
constexpr std::uint64_t modelled_seed = 1;
constexpr std::size_t planning_lots_to_coarse = 2;  // after these a curve spans all alphas

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

/// Whether both ask for the same curves, of whatever state.
bool same_wish(const PlannerRequest& a, const PlannerRequest& b) {
  return a.family == b.family && a.policies == b.policies && same_curve(a.settings, b.settings);
}

}  // namespace

bool same_curve(const SessionSettings& a, const SessionSettings& b) {
  return a.policy == b.policy && a.tiers == b.tiers && a.methods == b.methods &&
         a.removed_fractions == b.removed_fractions;
}

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
  curves_ = std::thread([this] {
    rank_this_thread(ThreadRank::curves);
    plan_curves();
  });
  points_ = std::thread([this] {
    rank_this_thread(ThreadRank::forecasts);
    model_policies();
  });
}

FrontierPlanner::~FrontierPlanner() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  curves_.join();
  points_.join();
}

std::uint64_t FrontierPlanner::request(PlannerRequest request) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t number = ++latest_job_;
  if (!wished_ || !same_wish(*wished_, request)) ++latest_wish_;
  wished_ = request;
  if (!pending_) ++open_;
  pending_ = Job{number, latest_wish_, std::move(request)};
  wake_.notify_all();
  return number;
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

void FrontierPlanner::plan_curves() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stopping_ || pending_.has_value(); });
    if (stopping_) return;
    const Job job = std::move(*pending_);
    pending_.reset();
    if (!points_pending_) ++open_;
    points_pending_ = job;
    wake_.notify_all();
    lock.unlock();
    answer_with_curves(job);
    lock.lock();
    --open_;
  }
}

void FrontierPlanner::model_policies() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stopping_ || points_pending_.has_value(); });
    if (stopping_) return;
    const Job job = std::move(*points_pending_);
    points_pending_.reset();
    lock.unlock();
    answer_with_points(job);
    lock.lock();
    --open_;
  }
}

std::vector<std::vector<double>> planning_lots(const std::vector<double>& alphas, double present) {
  constexpr std::size_t coarse_step = 16, alphas_at_once = 12;
  std::vector<std::vector<double>> lots(planning_lots_to_coarse);
  const auto above = static_cast<std::size_t>(std::lower_bound(alphas.begin(), alphas.end(), present) - alphas.begin());
  std::vector<double> rest;
  for (std::size_t i = 0; i < alphas.size(); ++i) {
    const bool around = i == above || i + 1 == above, spans = i % coarse_step == 0 || i + 1 == alphas.size();
    (around ? lots[0] : spans ? lots[1] : rest).push_back(alphas[i]);
  }
  for (const double alpha : rest) {
    if (lots.size() == planning_lots_to_coarse || lots.back().size() == alphas_at_once) lots.emplace_back();
    lots.back().push_back(alpha);
  }
  return lots;
}

void FrontierPlanner::plan_lot(const Policy& policy, Snapshot& snapshot, const QString& family, const std::vector<double>& alphas,
                               std::vector<FrontierSample>& samples) {
  if (family.isEmpty()) {
    for (const FrontierPoint& point : policy.curve(snapshot, alphas))
      samples.push_back({point.alpha, {point.mean_quality, point.mean_ttft_seconds}});
  } else {
    for (const double alpha : alphas) {
      snapshot.alpha = alpha;
      samples.push_back({alpha, family_mean(policy.plan(snapshot), snapshot, from_q(family))});
    }
  }
  plans_ += alphas.size();
  std::sort(samples.begin(), samples.end(), [](const auto& a, const auto& b) { return a.alpha < b.alpha; });
}

void FrontierPlanner::answer_with_curves(const Job& job) {
  const PlannerRequest& request = job.request;
  const SteadyClock::time_point start = SteadyClock::now();
  bool shown = false;
  // Nobody moved anything since all curves were whole: they stay until the newer ones are.
  const bool in_hand = job.wish != answered_wish_;
  // While a slider moves there is always a newer wish: what is given up must have shown where the curve under it went.
  const auto given_up = [&] { return stopping_ || (outdated(job) && (shown || !in_hand)); };

  FrontierPrediction prediction;
  prediction.job = job.number;
  prediction.family = request.family;
  Snapshot snapshot = steady_state(snapshot_under(*request.snapshot, request.settings, request.committed));

  // The curve under the hand first, coarse and then whole; then the others, coarse and then whole.
  struct Wanted {
    std::shared_ptr<const Policy> policy;
    FrontierCurve curve;
  };
  std::vector<Wanted> wanted;
  for (const std::string& text : request.policies) {
    const auto policy = make_policy(text);
    if (!policy || !(*policy)->knows_alpha()) continue;
    const bool present = text == request.settings.policy;
    wanted.insert(present ? wanted.begin() : wanted.end(), {*policy, {to_q(text), {}}});
  }
  const bool hand_first = !wanted.empty() && wanted.front().curve.policy == to_q(request.settings.policy);
  const auto lots = planning_lots(request.alphas, request.settings.alpha);
  const auto say = [&](std::size_t begin, std::size_t end, bool partial) {
    prediction.curves.clear();
    for (std::size_t i = begin; i < end; ++i) prediction.curves.push_back(wanted[i].curve);
    prediction.curves_partial = partial;
    prediction.planning_seconds = seconds_since(start);
    prediction.plans = plans_;
    emit finished(prediction);
    shown = true;
  };
  const auto say_ahead = [&] {
    FrontierPrediction ahead = prediction;
    ahead.ahead = wanted.front().curve;
    ahead.curves_partial = true;
    ahead.planning_seconds = seconds_since(start);
    ahead.plans = plans_;
    emit finished(ahead);
  };
  // In pieces of some milliseconds, as long as each policy takes for a plan here: a hand waits for one piece of a slow policy at the most.
  constexpr double piece_seconds = 0.008;
  std::vector<double> plan_seconds(wanted.size(), 0);
  const auto plan_lots = [&](std::size_t begin, std::size_t end, std::size_t first, std::size_t last) {
    for (std::size_t lot = first; lot < last; ++lot)
      for (std::size_t i = begin; i < end; ++i)
        for (auto at = lots[lot].begin(); at != lots[lot].end();) {
          if (given_up()) return false;
          const auto rest = static_cast<double>(lots[lot].end() - at);
          const double count = plan_seconds[i] > 0 ? std::clamp(std::floor(piece_seconds / plan_seconds[i]), 1.0, rest) : 1.0;
          const std::vector<double> piece(at, at + static_cast<std::ptrdiff_t>(count));
          const SteadyClock::time_point begun = SteadyClock::now();
          plan_lot(*wanted[i].policy, snapshot, request.family, piece, wanted[i].curve.samples);
          plan_seconds[i] = seconds_since(begun) / count;
          at += static_cast<std::ptrdiff_t>(count);
        }
    return true;
  };
  const std::size_t others = hand_first ? 1 : 0;
  for (const auto& [begin, end] : {std::pair{std::size_t{0}, others}, {others, wanted.size()}}) {
    if (begin == end) continue;
    const bool of_the_hand = in_hand && begin < others;
    if (!plan_lots(begin, end, 0, 1)) return;
    if (of_the_hand) say_ahead();
    if (!plan_lots(begin, end, 1, planning_lots_to_coarse)) return;
    if (in_hand) say(begin, end, true);
    if (!plan_lots(begin, end, planning_lots_to_coarse, lots.size())) return;
    if (end < wanted.size()) say(begin, end, true);
  }
  say(0, wanted.size(), false);
  answered_wish_ = job.wish;
}

// Policies that do not know alpha: their steady state, and what they would have done so far.
void FrontierPlanner::answer_with_points(const Job& job) {
  const PlannerRequest& request = job.request;
  const SteadyClock::time_point start = SteadyClock::now();
  FrontierPrediction prediction;
  prediction.job = job.number;
  prediction.family = request.family;
  prediction.curves_partial = true;  // it has none
  Snapshot snapshot = steady_state(snapshot_under(*request.snapshot, request.settings, request.committed));
  const std::vector<std::size_t> drawn = draw_requests(snapshot, modelled_requests, modelled_seed);
  std::vector<std::string> shadowed;
  for (const std::string& text : request.policies) {
    const auto policy = make_policy(text);
    if (!policy || (*policy)->knows_alpha()) continue;
    if (stopping_) return;
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
  shadow_.feed(*request.snapshot, shadowed, served, [this] { return stopping_.load(); });
  if (stopping_) return;
  for (ModelledPoint& point : shadow_.points(request.family)) prediction.modelled.push_back(std::move(point));

  if (const auto policy = make_policy(request.settings.policy); policy && (*policy)->knows_alpha()) {
    snapshot.alpha = request.settings.alpha;
    prediction.gap = PlanGap{to_q(request.settings.policy), snapshot.alpha, lp_gap(snapshot, (*policy)->plan(snapshot))};
  }
  prediction.modelled_known = true;
  prediction.planning_seconds = seconds_since(start);
  prediction.plans = plans_;
  emit finished(prediction);
}

}  // namespace kvantage
