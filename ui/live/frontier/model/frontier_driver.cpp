#include "ui/live/frontier/model/frontier_driver.h"

#include <algorithm>
#include <iterator>

#include "core/policy/policy.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

/// Stores under a method that no profile knows, or reads what each question needs: its quality would be a guess, and a
/// better one than it deserves.
bool is_guesswork(const Policy& policy, const Snapshot& snapshot) {
  if (snapshot.contexts.empty() || policy.uses_alpha()) return false;
  if (policy.question_time_reads()) return true;
  const Configuration wanted = policy.admission(snapshot.contexts.front());
  if (!wanted.stored() || wanted.removed_fraction <= 0) return false;
  return std::none_of(snapshot.contexts.begin(), snapshot.contexts.end(), [&](const ContextState& context) {
    return context.profile && std::any_of(context.profile->points.begin(), context.profile->points.end(),
                                          [&](const ProfilePoint& point) { return point.method == wanted.method; });
  });
}

/// Fixed forms of the candidates that remove no token, such as fixed(kivi4,0): the baselines of a session that may
/// quantize.
std::vector<std::string> codec_baselines(const Snapshot& snapshot) {
  std::vector<std::string> baselines;
  const auto profiled = std::ranges::find_if(snapshot.contexts, [](const auto& c) { return c.profile != nullptr; });
  if (profiled == snapshot.contexts.end()) return baselines;
  for (const ProfilePoint& point : profiled->profile->points)
    if (point.removed_fraction == 0 && point.method != "none") baselines.push_back("fixed(" + point.method + ",0)");
  return baselines;
}

}  // namespace

FrontierDriver::FrontierDriver(RunModel& run, SettingsController& settings, QObject* parent)
    : QObject(parent), run_(run), settings_(settings) {
  background_.setSingleShot(true);
  background_.setInterval(background_interval_ms);
  connect(&background_, &QTimer::timeout, this, &FrontierDriver::ask);
  const auto soon = [this] {
    if (!background_.isActive()) background_.start();
  };
  connect(&run_, &RunModel::snapshotChanged, this, [this, soon] { asked_once_ ? soon() : ask(); });
  connect(&run_, &RunModel::alphaScaleChanged, this, soon);
  connect(&run_, &RunModel::requestServed, this, [this](const Digest128& context) { planner_.feed(context); });
  connect(&run_, &RunModel::runStarted, this, [this] { planner_.reset_what_if(); });
  connect(&run_, &RunModel::rebuilt, this, [this](const std::vector<Digest128>& served) {
    planner_.reset_what_if();
    for (const Digest128& context : served) planner_.feed(context);
    ask();
  });
  connect(&run_.frontier, &FrontierModel::familyChanged, this, &FrontierDriver::ask);
  connect(&run_.frontier, &FrontierModel::hiddenChanged, this, &FrontierDriver::ask);
  connect(&settings_, &SettingsController::shownChanged, this, &FrontierDriver::settings_shown);
  const auto show_chosen = [this] {
    const QString hovered = run_.selection.hovered(), context = hovered.isEmpty() ? run_.selection.context() : hovered;
    const ContextsModel::Row* row = context.isEmpty() ? nullptr : run_.contexts.row(run_.contexts.row_of(context));
    run_.frontier.set_chosen(
        context, row ? std::optional(FrontierMean{row->predicted_quality, row->predicted_ttft_seconds}) : std::nullopt);
  };
  for (auto signal : {&Selection::contextChanged, &Selection::hoveredChanged})
    connect(&run_.selection, signal, this, show_chosen);
  connect(&run_, &RunModel::snapshotChanged, this, show_chosen);
  connect(&planner_, &FrontierPlanner::finished, &run_.frontier, &FrontierModel::set_prediction, Qt::QueuedConnection);
  connect(
      &planner_, &FrontierPlanner::finished, this,
      [this](const FrontierPrediction& prediction) {
        if (prediction.simulated_known)
          background_.setInterval(std::clamp(static_cast<int>(4000 * prediction.planning_seconds),
                                             background_interval_ms, longest_interval_ms));
      },
      Qt::QueuedConnection);
  settings_shown(settings_.shown());
}

void FrontierDriver::set_active(bool active) {
  if (active == active_) return;
  active_ = active;
  if (active_) ask();
}

void FrontierDriver::settings_shown(const SessionSettings& shown) {
  run_.frontier.set_present(shown);
  if (asked_once_ && !same_curve(shown, asked_)) ask();
}

void FrontierDriver::ask() {
  if (!active_ || !run_.snapshot()) return;
  // Without a single profile the quality of everything would be a guess, and a curve of guesses is no prediction.
  if (run_.profiled_contexts() == 0) return;
  PlannerRequest request;
  request.snapshot = run_.snapshot();
  request.settings = asked_ = settings_.shown();
  request.committed = settings_.committed();
  request.family = run_.frontier.family();
  request.alphas = run_.alpha_scale().grid(alphas_in_curve);
  request.policies = known_policies();
  std::ranges::copy(codec_baselines(*request.snapshot), std::back_inserter(request.policies));
  if (std::find(request.policies.begin(), request.policies.end(), asked_.policy) == request.policies.end())
    request.policies.push_back(asked_.policy);
  // Hidden curves are not computed; simulated policies continue, because a what-if that misses requests is useless.
  std::erase_if(request.policies, [&](const std::string& text) {
    const auto policy = make_policy(text);
    if (!policy || is_guesswork(**policy, *request.snapshot)) return true;
    const bool shown = text == asked_.policy || !run_.frontier.hidden_policies().contains(to_q(text));
    return !shown && (*policy)->uses_alpha();
  });
  background_.stop();
  asked_once_ = true;
  planner_.request(std::move(request));
}

}  // namespace kvantage
