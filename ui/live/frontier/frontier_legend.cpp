#include "ui/live/frontier/frontier_legend.h"

#include <QCoreApplication>
#include <algorithm>

#include "ui/look/provenance_look.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

struct FrontierLegendText {
  Q_DECLARE_TR_FUNCTIONS(FrontierLegendText)
};

}  // namespace

QString short_policy(const QString& text_form) {
  if (text_form.startsWith("fixed(") && text_form.endsWith(")")) {
    const QString inside = text_form.mid(6, text_form.size() - 7);
    const auto comma = inside.lastIndexOf(',');
    bool number = false;
    const double removed = comma > 0 ? inside.mid(comma + 1).toDouble(&number) : 0;
    if (number && removed == 0) return FrontierLegendText::tr("fixed %1").arg(inside.left(comma));
    if (number) return FrontierLegendText::tr("fixed %1 %2").arg(inside.left(comma), percent_text(removed));
  }
  return text_form == "full_prefill" ? FrontierLegendText::tr("full prefill") : text_form;
}

std::vector<LegendItem> frontier_legend(const FrontierCanvas& canvas) {
  const FrontierModel& model = canvas.model;
  const std::vector<MeasuredPoint>& measured = canvas.measured;
  std::vector<LegendItem> items;
  std::vector<QString> policies;
  for (const FrontierCurve& curve : model.curves()) policies.push_back(curve.policy);
  std::sort(policies.begin(), policies.end());
  for (const QString& variant : model.hidden_policies())
    if (std::find(policies.begin(), policies.end(), variant) == policies.end()) policies.push_back(variant);
  std::vector<QString> points;
  for (const SimulatedPoint& point : model.simulated())
    if (!point.what_if) points.push_back(point.policy);
  for (const QString& policy : policies) {
    if (std::find(points.begin(), points.end(), policy) != points.end()) continue;
    items.push_back({policy,
                     short_policy(policy),
                     FrontierLegendText::tr("%1: predicted for every α (steady state)").arg(policy),
                     LegendItem::Sign::line,
                     canvas.theme.policy(policy),
                     {},
                     canvas.hidden(policy),
                     policy_strokes(policy)});
  }
  for (const QString& policy : points)
    items.push_back({policy, short_policy(policy),
                     FrontierLegendText::tr("%1: independent of α: one simulated point").arg(policy),
                     LegendItem::Sign::marker, canvas.theme.policy(policy), MarkerLook::simulated,
                     canvas.hidden(policy), policy_strokes(policy)});
  const QColor ink = canvas.theme.text;
  items.push_back({"", provenance_text(Provenance::predicted),
                   FrontierLegendText::tr("%1. Ring: current policy and α").arg(provenance_tip(Provenance::predicted)),
                   LegendItem::Sign::marker, ink, MarkerLook::predicted, false});
  if (!points.empty()) {
    items.push_back({"", provenance_text(Provenance::simulated), provenance_tip(Provenance::simulated),
                     LegendItem::Sign::marker, ink, MarkerLook::simulated, false});
    items.push_back({"", FrontierLegendText::tr("what-if"),
                     FrontierLegendText::tr("what-if: simulated on this run's request sequence, cold start. A dashed "
                                            "line leads to the steady state of the same policy."),
                     LegendItem::Sign::marker, ink, MarkerLook::what_if, false});
  }
  const bool throttled =
      std::any_of(measured.begin(), measured.end(), [](const auto& point) { return point.throttled; });
  const bool plain = measured.empty() || std::any_of(measured.begin(), measured.end(), [](const auto& point) {
                       return !point.throttled && !point.simulated;
                     });
  if (plain)
    items.push_back({"", provenance_text(Provenance::measured),
                     FrontierLegendText::tr("%1; bars: 95 % interval").arg(provenance_tip(Provenance::measured)),
                     LegendItem::Sign::marker, ink, MarkerLook::measured, false});
  if (throttled)
    items.push_back({"", FrontierLegendText::tr("measured, throttled tiers"),
                     FrontierLegendText::tr("%1; bars: 95 % interval").arg(provenance_tip(Provenance::throttled)),
                     LegendItem::Sign::marker, ink, MarkerLook::throttled, false});
  return items;
}

std::vector<LegendItem> fold_hidden(std::vector<LegendItem> items, const std::set<QString>& foldable, bool unfolded) {
  const auto folds = [&](const LegendItem& item) { return item.hidden && foldable.contains(item.id); };
  QStringList names;
  for (const LegendItem& item : items)
    if (folds(item)) names << item.text;
  if (names.isEmpty()) return items;
  if (!unfolded) std::erase_if(items, folds);
  const auto last = std::find_if(items.begin(), items.end(), [](const LegendItem& item) { return item.id.isEmpty(); });
  LegendItem fold{folded_policies,
                  unfolded ? FrontierLegendText::tr("fewer policies")
                           : FrontierLegendText::tr("%n more policy(s)", nullptr, static_cast<int>(names.size())),
                  FrontierLegendText::tr("Not on the chart: %1").arg(names.join(", ")),
                  LegendItem::Sign::in_text,
                  {}};
  fold.hidden = !unfolded;
  items.insert(last, std::move(fold));
  return items;
}

}  // namespace kvantage
