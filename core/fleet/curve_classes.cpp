#include "core/fleet/curve_classes.h"

#include <algorithm>
#include <cmath>

#include "core/policy/planning_problem.h"
#include "core/policy/utility.h"

namespace kvantage::inline fleet {
namespace {

constexpr double max_entry_bytes = 1e18, max_tokens = 1e9;

const ProfilePoint* whole_point(const ContextProfile& profile) {
  const auto found = std::ranges::find_if(profile.points, [](const ProfilePoint& point) {
    return point.method == "none" && same_fraction(point.removed_fraction, 0);
  });
  return found == profile.points.end() ? nullptr : &*found;
}

/// Tokens of each curve's context.
Expected<TraceContexts> lengths_of(const std::vector<MeasuredCurve>& curves, double length_scale) {
  if (curves.empty()) return fail(ErrorCode::rejected_input, "the profile has no curves; give one that has");
  TraceContexts lengths;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const ProfilePoint* whole = whole_point(curves[i].profile);
    if (whole == nullptr || whole->bytes == 0 || whole->kept_tokens == 0)
      return fail(ErrorCode::rejected_input,
                  "context " + curves[i].id + " has no uncompressed point (none, 0); profile it with one");
    lengths[i] = static_cast<std::uint64_t>(std::clamp(std::round(whole->kept_tokens * length_scale), 1.0, max_tokens));
  }
  return lengths;
}

/// The curve with the sizes of another model and length.
std::shared_ptr<const ContextProfile> scaled_profile(const ContextProfile& measured, const ProfilePoint& whole,
                                                     double tokens, double full_bytes) {
  auto profile = std::make_shared<ContextProfile>(measured);
  profile->decode_options.clear();
  for (ProfilePoint& point : profile->points) {
    const double bytes = static_cast<double>(point.bytes) / static_cast<double>(whole.bytes);
    const double kept = static_cast<double>(point.kept_tokens) / whole.kept_tokens;
    point.bytes = static_cast<std::uint64_t>(std::clamp(std::ceil(full_bytes * bytes), 1.0, max_entry_bytes));
    point.kept_tokens = static_cast<int>(std::min(std::round(tokens * kept), max_tokens));
  }
  return profile;
}

ContextClass class_of(const PlanningProblem& problem, const PlanningItem& item, double alpha) {
  ContextClass made;
  made.unstored = utility(alpha, item.prefill_quality, item.prefill_seconds, 1);
  made.options.reserve(item.count * problem.tiers());
  for (std::size_t t = 0; t < problem.tiers(); ++t)
    for (std::uint32_t o = item.first; o < item.first + item.count; ++o)
      made.options.push_back({static_cast<std::uint32_t>(t), static_cast<double>(problem.bytes(o)),
                              utility(alpha, problem.quality(o), problem.ttft_seconds(o, t), 1)});
  return made;
}

}  // namespace

Expected<double> mean_entry_bytes(const std::vector<MeasuredCurve>& curves, double bytes_per_token,
                                  double length_scale) {
  KV_ASSIGN(const auto lengths, lengths_of(curves, length_scale));
  double bytes = 0;
  for (const auto& [curve, tokens] : lengths) bytes += std::ceil(static_cast<double>(tokens) * bytes_per_token);
  return bytes / static_cast<double>(curves.size());
}

Expected<CurveClasses> classes_of(const PlannedSetup& setup, const std::vector<MeasuredCurve>& curves,
                                  double length_scale) {
  if (setup.tiers.empty() || setup.tiers.size() > max_fleet_tiers)
    return fail(ErrorCode::usage, "an engine has " + std::to_string(setup.tiers.size()) +
                                      " tiers with the store; give it from 0 to " +
                                      std::to_string(max_fleet_tiers - 1) + " of its own");
  KV_ASSIGN(const auto lengths, lengths_of(curves, length_scale));
  KV_ASSIGN(Snapshot snapshot, snapshot_of(setup, lengths));
  CurveClasses made;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    ContextState& context = snapshot.contexts[i];
    context.profile = scaled_profile(curves[i].profile, *whole_point(curves[i].profile), context.tokens,
                                     static_cast<double>(context.full_bytes));
    context.frequency = 1;
    context.archived = true;
  }
  const PlanningProblem problem(snapshot);
  made.classes.reserve(curves.size());
  for (const PlanningItem& item : problem.items()) {
    made.classes.push_back(class_of(problem, item, snapshot.alpha));
    made.forms += made.classes.back().options.size();
    keep_priced_forms(made.classes.back());
  }
  return made;
}

}  // namespace kvantage::inline fleet
