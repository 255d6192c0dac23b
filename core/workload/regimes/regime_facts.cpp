#include "core/workload/regimes/regime_facts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/duration.h"
#include "core/base/units.h"

namespace kvantage::inline regimes {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// The upper one of an even number, as alpha_scale() takes it.
double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), half, values.end());
  return *half;
}

RegimeDeviation row_of(std::string what, double wanted, double measured) {
  RegimeDeviation row{.what = std::move(what), .wanted = wanted, .measured = measured};
  if (wanted == measured) {
    row.holds = true;
    return row;
  }
  const bool finite = std::isfinite(wanted) && std::isfinite(measured);
  row.off_percent = finite ? 100 * (measured - wanted) / wanted : infinite;
  // A ratio of 1.1 is not exactly a tenth off in doubles.
  constexpr double rounding = 1e-9;
  row.holds = finite && std::abs(row.off_percent) <= 100 * regime_tolerance + rounding;
  return row;
}

double nearest(const std::vector<double>& values, double value) {
  return *std::ranges::min_element(values, {}, [value](double one) { return std::abs(one - value); });
}

double load_seconds(const Snapshot& snapshot, const TierState& tier) {
  double sum = 0;
  for (const ContextState& context : snapshot.contexts)
    sum += tier.model.seconds(static_cast<double>(context.full_bytes), context.tokens);
  return sum;
}

std::string number_text(double value) {
  return std::isfinite(value) ? shortest_number(round_to_digits(value, 3)) : "unlimited";
}

}  // namespace

RegimeFacts facts_of(const Snapshot& snapshot) {
  const PrefillModel& prefill = snapshot.undisturbed_prefill();
  RegimeFacts facts;
  std::vector<double> bytes, seconds;
  bytes.reserve(snapshot.contexts.size());
  seconds.reserve(snapshot.contexts.size());
  for (const ContextState& context : snapshot.contexts) {
    bytes.push_back(static_cast<double>(context.full_bytes));
    seconds.push_back(prefill.seconds(context.tokens));
    facts.kv_bytes += bytes.back();
    facts.prefill_seconds += seconds.back();
    facts.tokens += context.tokens;
  }
  facts.contexts = static_cast<double>(snapshot.contexts.size());
  facts.median_kv_bytes = median_of(std::move(bytes));
  facts.median_prefill_seconds = median_of(std::move(seconds));
  return facts;
}

Expected<RegimeSession> session_in(const Regime& regime, const RegimeFacts& facts) {
  if (!(facts.contexts > 0 && facts.kv_bytes > 0 && facts.prefill_seconds > 0))
    return fail(ErrorCode::usage, "regime " + std::string(regime.name) +
                                      ": no context, or prefill was not timed; open a session on a workload first");
  RegimeSession session;
  const double last_load =
      regime.tiers.back().load_per_prefill * facts.prefill_seconds * facts.median_kv_bytes / facts.kv_bytes;
  const double unit = regime.alpha_unit == AlphaUnit::prefill ? facts.median_prefill_seconds : last_load;
  session.alphas.reserve(regime.alpha_factors.size());
  for (const double factor : regime.alpha_factors) session.alphas.push_back(factor * unit);
  session.requests_per_second = regime.requests_per_prefill * facts.contexts / facts.prefill_seconds;
  return session;
}

std::vector<RegimeDeviation> regime_deviations(const Regime& regime, const Snapshot& snapshot) {
  std::vector<RegimeDeviation> rows = shared_deviations(regime, snapshot);
  if (snapshot.tiers.size() != regime.tiers.size()) rows.resize(1);
  return rows;
}

std::vector<RegimeDeviation> shared_deviations(const Regime& regime, const Snapshot& snapshot) {
  const std::size_t shared = std::min(snapshot.tiers.size(), regime.tiers.size());
  std::vector<RegimeDeviation> rows;
  rows.reserve(1 + 2 * shared);
  if (snapshot.tiers.size() != regime.tiers.size())
    rows.push_back(
        row_of(tiers_row, static_cast<double>(regime.tiers.size()), static_cast<double>(snapshot.tiers.size())));
  if (shared == 0) return rows;
  const RegimeFacts facts = facts_of(snapshot);
  const auto percent_of = [&](const TierState& tier) {
    if (tier.budget_bytes == std::numeric_limits<std::uint64_t>::max()) return infinite;
    return facts.kv_bytes > 0 ? 100 * static_cast<double>(tier.budget_bytes) / facts.kv_bytes : 0.0;
  };
  const double first = nearest(regime.first_percents, percent_of(snapshot.tiers.front()));
  for (std::size_t t = 0; t < shared; ++t) {
    const RegimeTier& tier = regime.tiers[t];
    rows.push_back(row_of("budget in % of KV, " + std::string(tier.name),
                          tier.times_first > 0 ? first * tier.times_first : infinite, percent_of(snapshot.tiers[t])));
  }
  for (std::size_t t = 0; t < shared; ++t) {
    const double loaded = load_seconds(snapshot, snapshot.tiers[t]);
    rows.push_back(row_of("load / prefill, " + std::string(regime.tiers[t].name), regime.tiers[t].load_per_prefill,
                          facts.prefill_seconds > 0 ? loaded / facts.prefill_seconds : 0.0));
  }
  return rows;
}

bool is_in_regime(const std::vector<RegimeDeviation>& rows) {
  return !rows.empty() && std::ranges::all_of(rows, &RegimeDeviation::holds);
}

std::string withheld_text(const std::vector<RegimeDeviation>& rows) {
  std::string text;
  for (const RegimeDeviation& row : rows) {
    if (row.holds) continue;
    text += (text.empty() ? "no verdict: " : "; ") + row.what + " is " + number_text(row.measured);
    if (std::isfinite(row.off_percent)) text += ", " + format_fixed(std::abs(row.off_percent), 1) + " % off";
    text += (std::isfinite(row.off_percent) ? " the regime's " : ", not ") + number_text(row.wanted);
  }
  return text;
}

}  // namespace kvantage::inline regimes
