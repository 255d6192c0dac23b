#include "ui/live/tiers/tiers_dock.h"

#include <set>

#include "core/fits/fits.h"
#include "ui/live/tiers/tier_counters_page.h"
#include "ui/look/method_look.h"
#include "ui/text/words.h"
#include "ui/widgets/current_page.h"
#include "ui/widgets/eliding_label.h"

namespace kvantage {

TiersDock::TiersDock(RunModel& run, QWidget* parent)
    : QWidget(parent),
      run_(run),
      model_(run.tiers),
      reports_(run.tier_reports),
      theme_(theme_of(ThemeKind::light)),
      pages_(new QTabWidget),
      fit_(new TierFitPage(run.tier_reports)),
      legend_(new LegendStrip) {
  setObjectName("dockBody");
  auto* whole = new QVBoxLayout(this);
  whole->setContentsMargins(0, 5, 0, 0);
  whole->addWidget(pages_);
  auto* occupancy = new QWidget;
  column_ = new QVBoxLayout(occupancy);
  column_->setContentsMargins(0, 4, 0, 0);
  column_->setSpacing(0);
  auto* legend_row = new QHBoxLayout;
  legend_row->setContentsMargins(9, 0, 6, 4);
  legend_row->addWidget(legend_);
  column_->addLayout(legend_row);
  model_device_ = new ElidingLabel;
  model_device_->setContentsMargins(10, 2, 8, 5);
  model_device_->setProperty("muted", true);
  model_device_->hide();
  column_->addWidget(model_device_);
  pages_->setDocumentMode(true);
  pages_->setElideMode(Qt::ElideRight);  // a narrow dock, as in presenter mode, hides no tab
  pages_->setUsesScrollButtons(false);
  pages_->addTab(occupancy, tr("Occupancy"));
  pages_->addTab(fit_, tr("Fit"));
  pages_->addTab(new TierCountersPage(run.tier_reports), tr("Counters"));
  pages_->setTabToolTip(0, tr("Occupancy of each tier over time, by method, versus its budget"));
  pages_->setTabToolTip(1, tr("Measured loads of a tier versus its fitted cost model"));
  pages_->setTabToolTip(2, tr("Reads, writes, failures by reason and injected faults of every tier; GPU copies"));
  ask_for_current_page_only(*pages_);
  lazy_ = new LazyRefresh(
      *this, [this] { update_rows(); }, 150);
  connect(&model_, &TierSeriesModel::changed, this, [this] { lazy_->invalidate(); });
  connect(&reports_, &TierReportsModel::changed, this, [this] { lazy_->invalidate(); });
  connect(&run_.contexts, &QAbstractItemModel::dataChanged, this, [this] { lazy_->invalidate(); });
  connect(&run_.contexts, &QAbstractItemModel::modelReset, this, [this] { lazy_->invalidate(); });
  connect(&run_.selection, &Selection::contextChanged, this, [this] { show_chosen(); });
  fit_->chart().follow(run_.requests);
  share_contexts(fit_->chart().brush(), run_.selection);
  connect(&fit_->chart(), &TierFitChart::contextPicked, &run_.selection, &Selection::choose_context);
  lazy_->invalidate();
}

void TiersDock::show_chosen() {
  const QString& context = run_.selection.context();
  const ContextsModel::Row* row = run_.contexts.row(run_.contexts.row_of(context));
  const auto snapshot = run_.snapshot();
  for (auto& [name, shown] : rows_) {
    QStringList texts;
    if (row && snapshot && row->state.placement.stored() &&
        tier_text(*snapshot, row->state.placement.tier) == to_q(name)) {
      const QString bytes = bytes_text(static_cast<double>(row->state.stored_bytes)),
                    form = configuration_short(row->state.placement.method, row->state.placement.removed_fraction);
      texts = {tr("%1: %2, %3").arg(context, bytes, form), tr("%1: %2").arg(context, bytes), context};
    }
    shown.plot->set_chosen(context, texts);
  }
  TierFitChart::Chosen chosen{context, {}, 0};
  if (row && snapshot && row->state.placement.stored())
    chosen = {context, tier_text(*snapshot, row->state.placement.tier), static_cast<double>(row->state.stored_bytes)};
  fit_->chart().set_chosen(chosen);
}

QString TiersDock::chosen_text(const std::string& tier) const {
  const auto found = rows_.find(tier);
  return found == rows_.end() ? QString() : found->second.plot->chosen_text();
}

QString TiersDock::badge_text(const std::string& tier) const {
  const auto found = rows_.find(tier);
  return found == rows_.end() ? QString() : found->second.badge->text();
}

void TiersDock::set_theme(const Theme& theme) {
  theme_ = theme;
  legend_->set_theme(theme);
  fit_->set_theme(theme);
  for (auto& [name, row] : rows_) row.plot->set_theme(theme);
  lazy_->invalidate();
}

void TiersDock::update_rows() {
  std::set<std::string> methods;
  for (const auto& tier : model_.tiers()) {
    auto found = rows_.find(tier.name);
    if (found == rows_.end()) {
      Row row{new OccupancyPlot(model_, tier.name), new QLabel, new QLabel};
      row.plot->set_theme(theme_);
      connect(row.plot, &OccupancyPlot::contextPicked, &run_.selection, &Selection::choose_context);
      row.plot->follow_time(run_.selection.time());
      share_contexts(row.plot->brush(), run_.selection);
      row.bandwidth->setContentsMargins(10, 2, 8, 0);
      row.bandwidth->setWordWrap(true);  // in large text
      row.badge->setContentsMargins(10, 0, 8, 5);
      row.badge->setWordWrap(true);  // in a narrow dock
      row.badge->setTextFormat(Qt::PlainText);
      row.badge->setProperty("muted", true);
      row.badge->setAccessibleName(tr("I/O of %1").arg(to_q(tier.name)));
      row.bandwidth->setProperty("muted", true);
      row.bandwidth->setToolTip(
          tr("Achieved: bytes per second of request wait time over the last %1 loads (measured).\nFitted: bandwidth "
             "that predictions use for the same loads, latency included.")
              .arg(TierSeriesModel::load_window));
      int place = column_->indexOf(model_device_);
      column_->insertWidget(place++, row.plot, 1);
      column_->insertWidget(place++, row.bandwidth);
      column_->insertWidget(place, row.badge);
      found = rows_.emplace(tier.name, row).first;
    }
    const bool loaded = tier.achieved_bytes_per_second > 0;
    found->second.bandwidth->setText(
        loaded ? (tier.throttled ? tr("loads: %1 achieved (throttled), <i>%2 fitted</i>")
                                 : tr("loads: %1 achieved, <i>%2 fitted</i>"))
                     .arg(rate_text(tier.achieved_bytes_per_second), rate_text(tier.fitted_bytes_per_second))
        : !tier.throttled && tier.fitted.bytes_per_second >= TierFit::fastest ? tr("loads: read in place, no transfer")
        : tier.fitted.bytes_per_second > 1
            ? tr("no loads yet, <i>%1 fitted</i>").arg(rate_text(tier.fitted.bytes_per_second))
            : tr("not fitted yet"));
    const QString name = to_q(tier.name);
    found->second.badge->setText(reports_.badge(name));
    found->second.badge->setToolTip(reports_.badge_tip(name));
    for (const auto& sample : tier.samples)
      for (const auto& [method, bytes] : sample.bytes_by_method) methods.insert(method);
  }
  model_device_->setText(reports_.model_device_text());
  model_device_->setToolTip(reports_.model_device_tip());
  model_device_->setVisible(!model_device_->text().isEmpty());
  show_chosen();
  std::vector<LegendItem> items;
  items.reserve(methods.size() + 1);
  for (const std::string& method : methods) {
    const Qt::BrushStyle pattern = method_pattern(to_q(method));
    items.push_back({"",
                     method == "none" ? tr("uncompressed") : to_q(method),
                     tr("Bytes stored under %1 (measured)").arg(to_q(method)),
                     pattern == Qt::SolidPattern ? LegendItem::Sign::swatch : LegendItem::Sign::hatched,
                     theme_.method(to_q(method)),
                     {},
                     false,
                     0,
                     {},
                     pattern});
  }
  items.push_back(
      {"", tr("budget"), tr("Maximum bytes on the tier"), LegendItem::Sign::thin_line, theme_.text, {}, false});
  for (const QString& text : {tr("● store"), tr("▲ promote"), tr("▬ compress"), tr("▼ demote"), tr("✕ evict")})
    items.push_back({"",
                     text,
                     tr("Mark along the bottom: action of the policy"),
                     LegendItem::Sign::in_text,
                     theme_.text,
                     {},
                     false});
  legend_->set_items(std::move(items));
}

}  // namespace kvantage
