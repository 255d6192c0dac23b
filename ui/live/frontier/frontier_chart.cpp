#include "ui/live/frontier/frontier_chart.h"

#include <algorithm>
#include <cmath>

#include "core/base/units.h"
#include "ui/charts/ticks.h"
#include "ui/live/frontier/frontier_legend.h"
#include "ui/live/frontier/frontier_overlay.h"
#include "ui/live/frontier/frontier_tips.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

QString tick_label(double seconds) {
  if (seconds >= 0.9999) return QString::number(seconds, 'g', 3) + " s";
  if (seconds >= 0.9999e-3) return QString::number(seconds * 1e3, 'g', 3) + " ms";
  return QString::number(seconds * 1e6, 'g', 3) + " µs";
}

QString what_it_shows() {
  return FrontierChart::tr("Mean TTFT versus mean answer quality; arrow keys move between points");
}

}  // namespace

FrontierChart::FrontierChart(FrontierModel& model, QWidget* parent)
    : ChartPanel(tr("Frontier"), parent),
      model_(model),
      foldable_(model.hidden_policies()),
      ttft_axis_(new QCategoryAxis),
      quality_axis_(new QValueAxis),
      anchor_(new QLineSeries) {
  keys().set_description(what_it_shows());
  setToolTip(toolTip() + '\n' +
             tr("Left and Right move along points and curves, Up and Down between them; Enter opens the run of a "
                "measured point."));
  quality_axis_->setTickType(QValueAxis::TicksDynamic);
  chart().addAxis(ttft_axis_, Qt::AlignBottom);
  chart().addAxis(quality_axis_, Qt::AlignLeft);
  zoomed_axes().zoom_log_axis(*ttft_axis_, [this](double low, double high) { name_times(low, high); });
  chart().addSeries(anchor_);
  anchor_->attachAxis(ttft_axis_);
  anchor_->attachAxis(quality_axis_);
  connect(&model_, &FrontierModel::measuredChanged, this, [this] { invalidate(); });
  connect(&model_, &FrontierModel::curvesChanged, this, [this] { invalidate_at_once(); });
  // The marker follows the hand within the frame: only the overlay is painted again.
  connect(&model_, &FrontierModel::presentChanged, this, [this] { repaint_overlay(); });
  connect(&legend(), &LegendStrip::toggled, this,
          [this](const QString& id, bool is_hidden) { toggled_in_legend(id, is_hidden); });
  set_theme(theme());
}

void FrontierChart::set_quality_metric(const QString& metric) {
  metric_ = metric;
  name_axes();
}

void FrontierChart::set_outlook(const QString& outlook) {
  if (outlook == outlook_) return;
  outlook_ = outlook;
  if (!empty_text().isEmpty()) repaint_overlay();
}

/// In words that fit: a title that is cut off says nothing.
void FrontierChart::name_axes() {
  const QFontMetrics letters(ttft_axis_->titleFont());
  const auto first_that_fits = [&](int room, const QStringList& titles) {
    const auto found =
        std::ranges::find_if(titles, [&](const QString& title) { return letters.horizontalAdvance(title) <= room; });
    return found != titles.end() ? *found : titles.back();
  };
  const QString whole = metric_.isEmpty() ? tr("Mean quality") : tr("Mean quality (%1)").arg(metric_);
  quality_axis_->setTitleText(
      first_that_fits(static_cast<int>(chart().plotArea().height()), {whole, tr("Mean quality"), tr("Quality")})
          .toHtmlEscaped());
  ttft_axis_->setTitleText(first_that_fits(
      static_cast<int>(chart().plotArea().width()),
      {tr("Mean TTFT without queueing (log scale)"), tr("Mean TTFT (log scale)"), tr("TTFT (log scale)")}));
}

bool FrontierChart::hidden(const QString& policy) const {
  return model_.hidden_policies().contains(policy) && policy != model_.present_policy();
}

std::optional<QPointF> FrontierChart::position(const FrontierMean& mean) const {
  if (!(mean.ttft_seconds > 0) || range_.isNull()) return std::nullopt;
  return chart().mapToPosition({std::log10(mean.ttft_seconds), mean.quality}, anchor_);
}

std::optional<QPointF> FrontierChart::present_position() const {
  const auto present = model_.present();
  return present ? position(*present) : std::nullopt;
}

void FrontierChart::refresh() {
  measured_ = model_.measured_so_far();
  for (const FrontierCurve& curve : model_.curves()) {
    QLineSeries*& series = series_[curve.policy];
    if (!series) {
      series = new QLineSeries;
      series->setName(curve.policy);
      chart().addSeries(series);
      series->attachAxis(ttft_axis_);
      series->attachAxis(quality_axis_);
    }
    QList<QPointF> points;
    for (const FrontierSample& sample : curve.samples)
      if (sample.mean.ttft_seconds > 0) points.append({std::log10(sample.mean.ttft_seconds), sample.mean.quality});
    series->replace(points);
  }
  for (auto& [policy, series] : series_) {
    const bool asked = std::any_of(model_.curves().begin(), model_.curves().end(),
                                   [&](const auto& curve) { return curve.policy == policy; });
    if (!asked) series->replace(QList<QPointF>());
    const bool present = policy == model_.present_policy();
    series->setPen(curve_pen(theme().policy(policy), present ? 2.6 : 1.5));
    series->setVisible(!hidden(policy));
  }
  anchor_->setPen(Qt::NoPen);
  name_axes();
  fit_axes();
  fill_legend();
  if (is_empty() == was_empty_) return;
  was_empty_ = !was_empty_;
  emit emptyChanged();
}

void FrontierChart::fit_axes() {
  QRectF extent;
  bool any = false;
  const auto take = [&](double ttft, double quality) {
    if (!(ttft > 0)) return;
    const QRectF point(std::log10(ttft), quality, 1e-9, 1e-9);
    extent = any ? extent.united(point) : point;
    any = true;
  };
  for (const FrontierCurve& curve : model_.curves())
    if (!hidden(curve.policy))
      for (const FrontierSample& sample : curve.samples) take(sample.mean.ttft_seconds, sample.mean.quality);
  for (const SimulatedPoint& point : model_.simulated())
    if (!hidden(point.policy)) take(point.mean.ttft_seconds, point.mean.quality);
  for (const MeasuredPoint& point : measured_) {
    // A wild interval after three requests shall not squeeze everything else.
    const bool wide = point.quality.n < 8;
    take(point.ttft.mean, wide ? point.quality.mean : point.quality.low);
    take(point.ttft.mean, wide ? point.quality.mean : point.quality.high);
    if (!wide) {
      take(std::max(point.ttft.low, point.ttft.mean / 4), point.quality.mean);
      take(point.ttft.high, point.quality.mean);
    }
  }
  if (!any) return;
  const double width = std::max(extent.width(), 0.25), height = std::max(extent.height(), 0.06);
  QRectF wanted(extent.center().x() - width / 2, extent.center().y() - height / 2, width, height);
  wanted.adjust(-0.09 * width, -0.12 * height, 0.12 * width, 0.12 * height);
  // No answer is better than 1 or worse than 0.
  wanted.setTop(std::max(wanted.top(), 0.0));
  wanted.setBottom(std::min(wanted.bottom(), 1.0));
  if (1 - wanted.bottom() < 0.05 * wanted.height()) wanted.setBottom(1.0);  // and the end of the scale is named
  // Axes that move with every request cannot be read: keep them while the data fits and fills them well enough.
  constexpr double rounding = 1e-6;
  if (!range_.isNull() && range_.adjusted(-rounding, -rounding, rounding, rounding).contains(extent) &&
      extent.width() > 0.55 * range_.width() && extent.height() > 0.5 * range_.height()) {
    if (max_ticks_ != width_hint_ticks()) name_times();  // another width, or text of another size
    return;
  }
  range_ = wanted;
  name_times();
  // Qt counts whole intervals from the first tick to the end, and (1.0 - 0.4) / 0.2 is a bit less than 3.
  const double end = std::abs(1 - wanted.bottom()) < 1e-9 ? 1 + 1e-9 : wanted.bottom();
  const std::vector<double> ticks = linear_ticks(wanted.top(), end);
  if (ticks.size() >= 2) {
    const double step = ticks[1] - ticks[0];
    set_ticks(*quality_axis_, wanted.top(), end, step);
    quality_axis_->setLabelFormat(step < 0.0095 ? "%.3f" : step < 0.095 ? "%.2f" : "%.1f");
  } else {
    quality_axis_->setRange(wanted.top(), end);
  }
}

void FrontierChart::fill_legend() { legend().set_items(fold_hidden(frontier_legend(canvas()), foldable_, unfolded_)); }

void FrontierChart::toggled_in_legend(const QString& id, bool is_hidden) {
  if (id != folded_policies) return model_.set_hidden(id, is_hidden);
  unfolded_ = !is_hidden;
  fill_legend();
}

void FrontierChart::name_times() {
  max_ticks_ = width_hint_ticks();
  name_times(std::pow(10, range_.left()), std::pow(10, range_.right()));
}

void FrontierChart::name_times(double low, double high) {
  // The axis cuts a label that is wider than the way to the next tick.
  const double label = 1.5 * fontMetrics().horizontalAdvance(QStringLiteral("500 ms")) / std::max(1, width());
  const auto too_close = [&](const std::vector<double>& ticks) {
    for (std::size_t i = 1; i < ticks.size(); ++i)
      if (std::log10(ticks[i] / ticks[i - 1]) / std::log10(high / low) < label) return true;
    return false;
  };
  int ticks = width_hint_ticks();
  while (ticks > 3 && too_close(log_ticks(low, high, ticks))) --ticks;
  set_log_axis(*ttft_axis_, low, high, tick_label, ticks);
}

int FrontierChart::width_hint_ticks() const {
  return std::clamp(width() / (2 * fontMetrics().horizontalAdvance(QStringLiteral("500 ms"))), 3, 14);
}

FrontierCanvas FrontierChart::canvas() const {
  return {model_,
          measured_,
          theme(),
          chart().plotArea(),
          legend().font(),
          [this](const FrontierMean& mean) { return position(mean); },
          [this](const QString& policy) { return hidden(policy); }};
}

void FrontierChart::paint_over(QPainter& painter) {
  if (range_.isNull()) return;
  paint_frontier(painter, canvas());
}

QString FrontierChart::tip_at(const QPointF& at) const { return frontier_tip(canvas(), at); }

void FrontierChart::clicked_at(const QPointF& at) {
  const FrontierCanvas now = canvas();
  if (const MeasuredPoint* point = measured_at(now, at)) {
    emit measuredPointClicked(point->epoch, point->run);
    return;
  }
  // The present point is that of the running run, as soon as it has answers.
  constexpr double reach = 10;
  const auto present = present_position();
  const auto current = std::ranges::find(measured_, true, &MeasuredPoint::current);
  if (present && current != measured_.end() && std::hypot(present->x() - at.x(), present->y() - at.y()) <= reach)
    emit measuredPointClicked(current->epoch, current->run);
  else if (const auto alpha = alpha_at(now, at))
    emit alphaPicked(*alpha);
}

PointKeys::Rows FrontierChart::key_rows() const {
  PointKeys::Rows rows;
  if (range_.isNull()) return rows;
  for (const FrontierRow& row : frontier_rows(canvas())) rows.emplace_back(row.begin(), row.end());
  return rows;
}

std::optional<FrontierStop> FrontierChart::key_stop() const {
  const auto place = keys().place();
  return place ? std::optional(frontier_rows(canvas())[place->row][place->stop]) : std::nullopt;
}

void FrontierChart::entered(const PointStop&) {
  const auto stop = key_stop();
  if (!stop) return;
  using Kind = FrontierStop::Kind;
  const auto current = std::ranges::find(measured_, true, &MeasuredPoint::current);
  if (stop->kind == Kind::measured)
    emit measuredPointClicked(stop->epoch, stop->run);
  else if (stop->kind == Kind::present && current != measured_.end())
    emit measuredPointClicked(current->epoch, current->run);
  else if (stop->kind == Kind::curve && stop->policy == model_.present_policy())
    emit alphaPicked(stop->alpha);
}

bool FrontierChart::is_empty() const {
  return model_.curves().empty() && model_.simulated().empty() && measured_.empty();
}

QString FrontierChart::empty_text() const {
  if (!is_empty()) return {};
  return (tr("No curve yet. It appears with the first profile.") + '\n' + outlook_).trimmed();
}

ChartTable FrontierChart::table() const {
  ChartTable table{
      {"policy", "provenance", "alpha_seconds_per_quality", "ttft_service_seconds", "ttft_low", "ttft_high", "quality",
       "quality_low", "quality_high", "n", "predicted_ttft_seconds", "predicted_quality", "run"},
      {}};
  table.plot = {"ttft_service_seconds", {"quality"}, true};
  const auto number = [](double value) { return QString::number(value, 'g', 9); };
  for (const FrontierCurve& curve : model_.curves())
    if (!hidden(curve.policy))
      for (const FrontierSample& sample : curve.samples)
        table.rows.append({curve.policy, "predicted", number(sample.alpha), number(sample.mean.ttft_seconds), "", "",
                           number(sample.mean.quality), "", "", "", "", "", ""});
  for (const SimulatedPoint& point : model_.simulated())
    if (!hidden(point.policy))
      table.rows.append({point.policy, point.what_if ? "modelled (what-if)" : "modelled", "",
                         number(point.mean.ttft_seconds), "", "", number(point.mean.quality), "", "",
                         QString::number(point.requests), "", "", ""});
  const QualityLevels& levels = model_.quality_levels();
  for (const auto& [name, level] : {std::pair{"uncompressed", levels.uncompressed}, std::pair{"chance", levels.chance}})
    if (level) table.rows.append({name, "level (profiles)", "", "", "", "", number(*level), "", "", "", "", "", ""});
  for (const MeasuredPoint& point : model_.measured())
    table.rows.append({point.policy,
                       point.simulated   ? "modelled"
                       : point.throttled ? "shaped"
                                         : "measured",
                       point.uses_alpha ? number(point.alpha) : QString(), number(point.ttft.mean),
                       number(point.ttft.low), number(point.ttft.high), number(point.quality.mean),
                       number(point.quality.low), number(point.quality.high), QString::number(point.quality.n),
                       point.predicted ? number(point.predicted->ttft_seconds) : QString(),
                       point.predicted ? number(point.predicted->quality) : QString(), point.run});
  return table;
}

}  // namespace kvantage
