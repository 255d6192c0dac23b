#include "ui/live/frontier/model/curve_pass.h"

#include <algorithm>
#include <chrono>

#include "core/policy/frontier.h"
#include "core/policy/milp/choice_problem.h"
#include "core/policy/policy.h"
#include "ui/live/frontier/model/simulated_points.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr std::size_t lots_to_coarse = 2;  // after these a curve spans all alphas

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

/// A policy's curve while it is planned.
struct Wanted {
  std::shared_ptr<const Policy> policy;
  FrontierCurve curve;
  std::unique_ptr<AlphaPlanner> planner;  // none where the curve is of one family

  FrontierSample sample(Snapshot& snapshot, const QString& family, double alpha) {
    if (!family.isEmpty()) {
      snapshot.alpha = alpha;
      return {alpha, family_mean(policy->plan(snapshot), snapshot, from_q(family))};
    }
    if (!planner) planner = policy->alpha_planner(snapshot);
    const FrontierPoint point = planner->at(alpha);
    return {alpha, {point.mean_quality, point.mean_ttft_seconds}};
  }
};

}  // namespace

std::vector<std::vector<double>> planning_lots(const std::vector<double>& alphas, double present) {
  constexpr std::size_t coarse_step = 16, alphas_at_once = 12;
  std::vector<std::vector<double>> lots(lots_to_coarse);
  const auto above = static_cast<std::size_t>(std::lower_bound(alphas.begin(), alphas.end(), present) - alphas.begin());
  std::vector<double> rest;
  for (std::size_t i = 0; i < alphas.size(); ++i) {
    const bool around = i == above || i + 1 == above, spans = i % coarse_step == 0 || i + 1 == alphas.size();
    (around ? lots[0] : spans ? lots[1] : rest).push_back(alphas[i]);
  }
  for (const double alpha : rest) {
    if (lots.size() == lots_to_coarse || lots.back().size() == alphas_at_once) lots.emplace_back();
    lots.back().push_back(alpha);
  }
  return lots;
}

void CurvePass::answer(const PlannerJob& job) {
  using SteadyClock = std::chrono::steady_clock;
  const PlannerRequest& request = job.request;
  const SteadyClock::time_point start = SteadyClock::now();
  FrontierPrediction prediction;
  prediction.job = job.number;
  prediction.family = request.family;

  std::vector<Wanted> wanted;
  std::vector<QString> all;
  bool hand_has_curve = false;
  for (const std::string& text : request.policies) {
    const auto policy = make_policy(text);
    if (!policy || !(*policy)->uses_alpha()) continue;
    all.push_back(to_q(text));
    const bool in_the_hand = text == request.settings.policy;
    hand_has_curve = hand_has_curve || in_the_hand;
    if (in_the_hand == (share_ == CurveShare::of_the_hand))
      wanted.push_back({*policy, {to_q(text), {}, job.number}, nullptr});
  }
  // Whose curves go is told with the hand's own; where it has none, by who plans the others.
  if (wanted.empty() && share_ == CurveShare::others && hand_has_curve) return;

  // Nobody moved anything since all curves were whole: they stay until the newer ones are.
  const bool moved = job.revision != answered_revision_;
  if (wanted.empty() && share_ == CurveShare::of_the_hand) {
    if (!moved) return;
    prediction.ahead_point = steady_point(
        request.settings.policy,
        expected_demand(snapshot_under(*request.snapshot, request.settings, request.committed)), request.family);
    if (prediction.ahead_point) caller_.tell(prediction);
    answered_revision_ = job.revision;
    return;
  }
  bool told = false;
  // While a slider moves there is always a newer request: what is given up must have reported where the curve under
  // it went.
  const auto given_up = [&] { return *caller_.stopping || (caller_.outdated(job) && (told || !moved)); };
  const auto tell = [&](FrontierPrediction answer) {
    answer.planning_seconds = std::chrono::duration<double>(SteadyClock::now() - start).count();
    answer.plans = *caller_.plans;
    caller_.tell(answer);
  };
  const auto tell_curves = [&](bool coarse) {
    FrontierPrediction answer = prediction;
    for (const Wanted& each : wanted) answer.curves.push_back(each.curve);
    answer.coarse = coarse;
    answer.policies = all;
    tell(std::move(answer));
    told = true;
  };

  // A curve of `optimal` is a search at each alpha, and a window that closes waits for this thread.
  const SearchCancel closing([this] { return caller_.stopping->load(); });
  Snapshot snapshot = expected_demand(snapshot_under(*request.snapshot, request.settings, request.committed));
  const auto lots = planning_lots(request.alphas, request.settings.alpha);
  for (std::size_t lot = 0; lot < lots.size(); ++lot) {
    for (Wanted& each : wanted) {
      std::vector<FrontierSample>& samples = each.curve.samples;
      for (const double alpha : lots[lot]) {
        if (given_up()) return;
        samples.push_back(each.sample(snapshot, request.family, alpha));
        ++*caller_.plans;
      }
      std::ranges::sort(samples, {}, &FrontierSample::alpha);
    }
    if (!moved) continue;
    if (lot == 0 && share_ == CurveShare::of_the_hand) {
      FrontierPrediction ahead = prediction;
      ahead.ahead = wanted.front().curve;
      tell(std::move(ahead));
    }
    if (lot + 1 == lots_to_coarse && lots.size() > lots_to_coarse) tell_curves(true);
  }
  tell_curves(false);
  answered_revision_ = job.revision;
}

}  // namespace kvantage
