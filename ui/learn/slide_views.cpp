#include "ui/learn/slide_views.h"

#include <QCoreApplication>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/charts/chart_panel.h"
#include "ui/live/contexts/quality_curve_chart.h"
#include "ui/live/frontier/frontier_chart.h"
#include "ui/live/tiers/hit_rate_chart.h"
#include "ui/live/tiers/occupancy_plot.h"
#include "ui/live/tiers/tier_fit_chart.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

struct SlideViewsText {
  Q_DECLARE_TR_FUNCTIONS(SlideViewsText)
};

/// The tiers below each other, the fastest first.
class SlideOccupancy : public QWidget, public Themed {
 public:
  explicit SlideOccupancy(const SlideParts& parts) {
    auto* column = new QVBoxLayout(this);
    for (const TierConfig& tier : parts.settings.committed().tiers) {
      plots_.push_back(new OccupancyPlot(parts.run.tiers, tier.name));
      column->addWidget(plots_.back(), 1);
    }
  }
  void set_theme(const Theme& theme) override {
    for (OccupancyPlot* plot : plots_) plot->set_theme(theme);
  }

 private:
  std::vector<OccupancyPlot*> plots_;
};

QWidget* make_slide_frontier(const SlideParts& parts) {
  auto* chart = new FrontierChart(parts.run.frontier);
  chart->set_quality_metric(to_q(parts.settings.committed().quality_metric));
  return chart;
}

QWidget* make_slide_hit_rates(const SlideParts& parts) {
  auto* chart = new HitRateChart(parts.run.hit_rates);
  chart->follow(parts.run.requests, parts.run.selection);
  return chart;
}

QWidget* make_slide_sensitivity(const SlideParts& parts) { return new QualityCurveChart(parts.run.sensitivity); }

QWidget* make_slide_tiers(const SlideParts& parts) { return new SlideOccupancy(parts); }

// Of the slowest tier: its loads take longest.
QWidget* make_slide_fit(const SlideParts& parts) {
  auto* chart = new TierFitChart(parts.run.tier_reports);
  chart->follow(parts.run.requests);
  const auto& tiers = parts.settings.committed().tiers;
  if (!tiers.empty()) chart->set_tier(to_q(tiers.back().name));
  return chart;
}

}  // namespace

const std::vector<SlideView>& slide_charts() {
  static const std::vector<SlideView> views = {
      {QStringLiteral("frontier"), SlideViewsText::tr("Frontier"), make_slide_frontier},
      {QStringLiteral("hitRates"), SlideViewsText::tr("Hit rates"), make_slide_hit_rates},
      {QStringLiteral("sensitivity"), SlideViewsText::tr("Quality of one context"), make_slide_sensitivity},
      {QStringLiteral("tiers"), SlideViewsText::tr("Occupancy of the tiers"), make_slide_tiers},
      {QStringLiteral("fit"), SlideViewsText::tr("Loads of the slowest tier"), make_slide_fit}};
  return views;
}

const std::vector<SlideView>& slide_controls() {
  static const std::vector<SlideView> views = {
      {QStringLiteral("alpha"), SlideViewsText::tr("α: value of quality"), make_slide_alpha},
      {QStringLiteral("policy"), SlideViewsText::tr("Policy"), make_slide_policy},
      {QStringLiteral("budget"), SlideViewsText::tr("Budget of the fastest tier"), make_slide_budget}};
  return views;
}

const SlideView* find_slide_view(const std::vector<SlideView>& views, const QString& id) {
  const auto found = std::ranges::find(views, id, &SlideView::id);
  return found == views.end() ? nullptr : &*found;
}

void style_slide_chart(QWidget& view, const Theme& theme, const QFont& font) {
  if (auto* themed = dynamic_cast<Themed*>(&view)) themed->set_theme(theme);
  auto* panel = qobject_cast<ChartPanel*>(&view);
  if (!panel) return;
  panel->legend().setFont(font);
  QFont title = font;
  title.setWeight(QFont::DemiBold);
  const auto axes = panel->chart().axes();
  for (QAbstractAxis* axis : axes) {
    axis->setLabelsFont(font);
    axis->setTitleFont(title);
  }
}

}  // namespace kvantage
