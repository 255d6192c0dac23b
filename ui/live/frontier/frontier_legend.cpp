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
  const QColor ink = canvas.theme.text;
  std::vector<LegendItem> items;
  const auto add = [&](const QString& text, const QString& tip, MarkerLook look) {
    items.push_back({"", text, tip, LegendItem::Sign::marker, ink, look});
  };
  add(provenance_text(Provenance::predicted),
      FrontierLegendText::tr("%1. Bold line: plans that no other α beats; faint line: all plans. Ring: current policy "
                             "and α")
          .arg(provenance_tip(Provenance::predicted)),
      MarkerLook::predicted);
  const auto on_chart = [&](bool what_if) {
    return std::ranges::any_of(model.simulated(), [&](const SimulatedPoint& point) {
      return point.what_if == what_if && !canvas.hidden(point.policy);
    });
  };
  if (on_chart(false))
    add(provenance_text(Provenance::simulated), provenance_tip(Provenance::simulated), MarkerLook::simulated);
  if (on_chart(true))
    add(FrontierLegendText::tr("what-if"),
        FrontierLegendText::tr("what-if: simulated on this run's request sequence, cold start. A dashed "
                               "line leads to the steady state of the same policy."),
        MarkerLook::what_if);
  const bool throttled = std::ranges::any_of(measured, [](const MeasuredPoint& point) { return point.throttled; });
  const bool plain = measured.empty() || std::ranges::any_of(measured, [](const MeasuredPoint& point) {
                       return !point.throttled && !point.simulated;
                     });
  const auto with_bars = [](Provenance provenance) {
    return FrontierLegendText::tr("%1; bars: 95 % interval").arg(provenance_tip(provenance));
  };
  if (plain) add(provenance_text(Provenance::measured), with_bars(Provenance::measured), MarkerLook::measured);
  if (throttled)
    add(FrontierLegendText::tr("measured, throttled tiers"), with_bars(Provenance::throttled), MarkerLook::throttled);
  return items;
}

}  // namespace kvantage
