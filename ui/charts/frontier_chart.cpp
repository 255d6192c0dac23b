#include "ui/charts/frontier_chart.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "core/base/units.h"
#include "ui/charts/label_placer.h"
#include "ui/charts/ticks.h"
#include "ui/models/words.h"
#include "ui/provenance_look.h"

namespace kvantage {
namespace {

QString tick_label(double seconds) {
  if (seconds >= 0.9999) return QString::number(seconds, 'g', 3) + " s";
  if (seconds >= 0.9999e-3) return QString::number(seconds * 1e3, 'g', 3) + " ms";
  return QString::number(seconds * 1e6, 'g', 3) + " µs";
}

double distance(const QPointF& a, const QPointF& b) {
  return std::hypot(a.x() - b.x(), a.y() - b.y());
}

}  // namespace

QString short_policy(const QString& text_form) {
  if (text_form.startsWith("fixed(") && text_form.endsWith(")")) {
    const QString inside = text_form.mid(6, text_form.size() - 7);
    const auto comma = inside.lastIndexOf(',');
    bool number = false;
    const double removed = comma > 0 ? inside.mid(comma + 1).toDouble(&number) : 0;
    if (number) return QStringLiteral("fixed %1 %2").arg(inside.left(comma), percent_text(removed));
  }
  return text_form == "full_prefill" ? QStringLiteral("full prefill") : text_form;
}

FrontierChart::FrontierChart(FrontierModel& model, QWidget* parent)
    : ChartPanel(QStringLiteral("Frontier"), parent),
      model_(model),
      ttft_axis_(new QCategoryAxis),
      quality_axis_(new QValueAxis),
      anchor_(new QLineSeries) {
  setAccessibleDescription(QStringLiteral("Mean time to first token against mean answer quality"));
  ttft_axis_->setTitleText(QStringLiteral("Time to first token: mean service time, log scale"));
  quality_axis_->setTitleText(QStringLiteral("Mean quality"));
  quality_axis_->setTickType(QValueAxis::TicksDynamic);
  chart().addAxis(ttft_axis_, Qt::AlignBottom);
  chart().addAxis(quality_axis_, Qt::AlignLeft);
  chart().addSeries(anchor_);
  anchor_->attachAxis(ttft_axis_);
  anchor_->attachAxis(quality_axis_);
  for (auto signal : {&FrontierModel::curvesChanged, &FrontierModel::measuredChanged})
    connect(&model_, signal, this, [this] { invalidate(); });
  // The marker follows the hand within the frame: only the overlay is painted again.
  connect(&model_, &FrontierModel::presentChanged, this, [this] { repaint_overlay(); });
  connect(&legend(), &LegendStrip::toggled, this,
          [this](const QString& id, bool is_hidden) { model_.set_hidden(id, is_hidden); });
  set_theme(theme());
}

void FrontierChart::set_quality_metric(const QString& metric) {
  quality_axis_->setTitleText(QStringLiteral("Mean quality (%1)").arg(metric));
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
  measured_ = model_.measured();
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
  fit_axes();
  fill_legend();
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
  for (const ModelledPoint& point : model_.modelled())
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
  // Axes that move with every request cannot be read: keep them while the data fits and fills them well enough.
  constexpr double rounding = 1e-6;
  if (!range_.isNull() && range_.adjusted(-rounding, -rounding, rounding, rounding).contains(extent) && extent.width() > 0.55 * range_.width() &&
      extent.height() > 0.5 * range_.height())
    return;
  range_ = wanted;
  set_log_axis(*ttft_axis_, std::pow(10, wanted.left()), std::pow(10, wanted.right()), tick_label,
               std::max(4, width_hint_ticks()));
  const std::vector<double> ticks = linear_ticks(wanted.top(), wanted.bottom());
  quality_axis_->setRange(wanted.top(), wanted.bottom());
  if (ticks.size() >= 2) {
    const double step = ticks[1] - ticks[0];
    quality_axis_->setTickAnchor(ticks[0]);
    quality_axis_->setTickInterval(step);
    quality_axis_->setLabelFormat(step < 0.0095 ? "%.3f" : step < 0.095 ? "%.2f" : "%.1f");
  }
}

void FrontierChart::fill_legend() {
  std::vector<LegendItem> items;
  std::vector<QString> policies;
  for (const auto& [policy, series] : series_) policies.push_back(policy);
  for (const QString& variant : model_.hidden_policies())
    if (std::find(policies.begin(), policies.end(), variant) == policies.end()) policies.push_back(variant);
  std::vector<QString> points;
  for (const ModelledPoint& point : model_.modelled())
    if (!point.shadow) points.push_back(point.policy);
  for (const QString& policy : policies) {
    if (std::find(points.begin(), points.end(), policy) != points.end()) continue;
    items.push_back({policy,
                     short_policy(policy),
                     QStringLiteral("%1: predicted over all alpha (steady state)").arg(policy),
                     LegendItem::Sign::line,
                     theme().policy(policy),
                     {},
                     hidden(policy)});
  }
  for (const QString& policy : points)
    items.push_back({policy, short_policy(policy),
                     QStringLiteral("%1: does not know alpha, so it is a point, modelled by the simulator").arg(policy),
                     LegendItem::Sign::marker, theme().policy(policy), MarkerLook::modelled, hidden(policy)});
  const QColor ink = theme().text;
  items.push_back({"", "predicted",
                   provenance_tip(Provenance::predicted) + QStringLiteral(". Ring: the present policy and alpha"),
                   LegendItem::Sign::marker, ink, MarkerLook::predicted, false});
  if (!points.empty()) {
    items.push_back({"", "modelled", provenance_tip(Provenance::modelled), LegendItem::Sign::marker, ink,
                     MarkerLook::modelled, false});
    items.push_back({"", "shadow", QStringLiteral("modelled on the very requests served so far, from a cold start"),
                     LegendItem::Sign::marker, ink, MarkerLook::shadow, false});
  }
  const bool shaped = std::any_of(measured_.begin(), measured_.end(), [](const auto& point) { return point.shaped; });
  const bool plain = measured_.empty() ||
                     std::any_of(measured_.begin(), measured_.end(), [](const auto& point) { return !point.shaped; });
  if (plain)
    items.push_back({"", "measured", provenance_tip(Provenance::measured) + QStringLiteral("; bars: 95 % interval"),
                     LegendItem::Sign::marker, ink, MarkerLook::measured, false});
  if (shaped)
    items.push_back({"", "measured, shaped tiers",
                     provenance_tip(Provenance::shaped) + QStringLiteral("; bars: 95 % interval"),
                     LegendItem::Sign::marker, ink, MarkerLook::shaped, false});
  legend().set_items(std::move(items));
}

int FrontierChart::width_hint_ticks() const {
  return std::clamp(width() / 85, 4, 14);
}

void FrontierChart::paint_over(QPainter& painter) {
  const Theme& t = theme();
  const QRectF plot = chart().plotArea();
  if (range_.isNull()) return;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setClipRect(plot.adjusted(-8, -8, 8, 8));
  QFont font = legend().font();
  painter.setFont(font);
  LabelPlacer labels(plot.adjusted(2, 2, -2, -2));

  painter.setPen(t.faint);
  painter.drawText(plot.adjusted(8, 6, -8, -6), static_cast<int>(Qt::AlignLeft | Qt::AlignTop),
                   QStringLiteral("↖ better"));
  labels.block(QRectF(plot.left(), plot.top(), 70, 24));

  for (const auto& [policy, series] : series_) {
    if (!series->isVisible()) continue;
    const auto points = series->points();
    for (qsizetype i = 0; i + 1 < points.size(); ++i) {
      const QLineF piece(chart().mapToPosition(points[i], series), chart().mapToPosition(points[i + 1], series));
      for (double along = 0; along < piece.length(); along += 9)
        labels.block(QRectF(piece.pointAt(along / piece.length()) - QPointF(3, 3), QSizeF(6, 6)));
    }
  }

  std::vector<std::pair<QPointF, QString>> names;
  for (const ModelledPoint& point : model_.modelled()) {
    if (!point.shadow || hidden(point.policy)) continue;
    const auto at = position(point.mean);
    if (!at) continue;
    const QColor colour = t.policy(point.policy);
    for (const ModelledPoint& steady : model_.modelled()) {
      if (steady.shadow || steady.policy != point.policy) continue;
      if (const auto to = position(steady.mean); to && distance(*at, *to) > 6) {
        QColor thin = colour;
        thin.setAlphaF(0.6f);
        painter.setPen(curve_pen(thin, 1.1, true));
        painter.drawLine(*at, *to);
      }
    }
    draw_marker(painter, *at, MarkerLook::shadow, colour, t.base, 4);
    labels.block(QRectF(at->x() - 5, at->y() - 5, 10, 10));
  }
  for (const ModelledPoint& point : model_.modelled()) {
    if (point.shadow || hidden(point.policy)) continue;
    if (const auto at = position(point.mean)) {
      draw_marker(painter, *at, MarkerLook::modelled, t.policy(point.policy), t.base, 4.5, true);
      labels.block(QRectF(at->x() - 6, at->y() - 6, 12, 12));
      names.emplace_back(*at, short_policy(point.policy));
    }
  }

  const auto draw_bar = [&](const QPointF& from, const QPointF& to) {
    painter.drawLine(from, to);
    labels.block(QRectF(from, to).normalized().adjusted(-1, -1, 1, 1));
  };
  for (const MeasuredPoint& point : measured_) {
    const auto at = position({point.quality.mean, point.ttft.mean});
    if (!at) continue;
    QColor colour = t.policy(point.policy);
    if (!point.current) colour.setAlphaF(0.55f);
    painter.setPen(curve_pen(colour, point.current ? 1.6 : 1.1));
    if (point.quality.has_interval) {
      const auto low = position({point.quality.low, point.ttft.mean}),
                 high = position({point.quality.high, point.ttft.mean});
      if (low && high) draw_bar(*low, *high);
    }
    if (point.ttft.has_interval) {
      const double floor = point.ttft.mean / 50;  // an interval that reaches below zero leaves the log axis
      const auto low = position({point.quality.mean, std::max(point.ttft.low, floor)}),
                 high = position({point.quality.mean, point.ttft.high});
      if (low && high) draw_bar(*low, *high);
    }
    draw_marker(painter, *at, point.shaped ? MarkerLook::shaped : MarkerLook::measured, colour, t.base,
                point.current ? 5.5 : 4, true);
    labels.block(QRectF(at->x() - 6, at->y() - 6, 12, 12));
  }

  const auto present = present_position();
  if (present) {
    const QColor colour = t.policy(model_.present_policy());
    QColor halo = colour;
    halo.setAlphaF(0.22f);
    painter.setPen(Qt::NoPen);
    painter.setBrush(halo);
    painter.drawEllipse(*present, 13, 13);
    draw_marker(painter, *present, MarkerLook::predicted, colour, t.base, 6.5);
    labels.block(QRectF(present->x() - 9, present->y() - 9, 18, 18));
    const bool knows = series_.contains(model_.present_policy());
    QFont bold = font;
    bold.setWeight(QFont::DemiBold);
    painter.setFont(bold);
    labels.draw(painter, *present,
                knows ? QStringLiteral("α = %1").arg(number_text(model_.present_alpha()))
                      : short_policy(model_.present_policy()),
                t.text, t.base, 15);
    painter.setFont(font);
  }
  for (const MeasuredPoint& point : measured_) {
    if (const auto at = position({point.quality.mean, point.ttft.mean});
        at && (point.current || measured_.size() < 7)) {
      const QString what = point.knows_alpha
                               ? QStringLiteral("α %1, n = %2").arg(number_text(point.alpha)).arg(point.quality.n)
                               : QStringLiteral("%1, n = %2").arg(short_policy(point.policy)).arg(point.quality.n);
      labels.draw(painter, *at, what, point.current ? t.text : t.muted, t.base);
    }
  }
  for (const auto& [at, name] : names) labels.draw(painter, at, name, t.muted, t.base);
  painter.restore();
}

QString FrontierChart::tip_at(const QPointF& at) const {
  constexpr double reach = 11;
  for (auto point = measured_.rbegin(); point != measured_.rend(); ++point) {
    const auto where = position({point->quality.mean, point->ttft.mean});
    if (!where || distance(*where, at) > reach) continue;
    QString tip = QStringLiteral("%1, measured%2 over %3 requests")
                      .arg(point->policy, point->shaped ? " on shaped tiers" : "")
                      .arg(point->quality.n);
    if (point->knows_alpha) tip += QStringLiteral("\nα = %1 s per unit of quality").arg(number_text(point->alpha));
    const auto spread = [](const MeasuredMean& mean, QString (*text)(double)) {
      return mean.has_interval
                 ? QStringLiteral("%1 (95 %: %2 to %3)").arg(text(mean.mean), text(mean.low), text(mean.high))
                 : text(mean.mean);
    };
    tip += "\nquality " + spread(point->quality, quality_text) + "\nTTFT " + spread(point->ttft, seconds_text);
    return tip + "\n" + point->settings;
  }
  if (const auto present = model_.present()) {
    if (const auto where = position(*present); where && distance(*where, at) <= reach + 2)
      return QStringLiteral("present: %1, α = %2\npredicted quality %3\npredicted TTFT %4")
          .arg(model_.present_policy(), number_text(model_.present_alpha()), quality_text(present->quality),
               seconds_text(present->ttft_seconds));
  }
  for (const ModelledPoint& point : model_.modelled()) {
    if (hidden(point.policy)) continue;
    if (const auto where = position(point.mean); where && distance(*where, at) <= reach)
      return QStringLiteral("%1, modelled%2 over %3 requests\nquality %4\nTTFT %5")
          .arg(point.policy, point.shadow ? " on the live requests (shadow)" : ", steady state")
          .arg(point.requests)
          .arg(quality_text(point.mean.quality), seconds_text(point.mean.ttft_seconds));
  }
  for (const FrontierCurve& curve : model_.curves()) {
    if (hidden(curve.policy)) continue;
    for (const FrontierSample& sample : curve.samples)
      if (const auto where = position(sample.mean); where && distance(*where, at) <= 6)
        return QStringLiteral("%1, α = %2\npredicted quality %3\npredicted TTFT %4")
            .arg(curve.policy, number_text(sample.alpha), quality_text(sample.mean.quality),
                 seconds_text(sample.mean.ttft_seconds));
  }
  return {};
}

void FrontierChart::clicked_at(const QPointF& at) {
  for (const MeasuredPoint& point : measured_)
    if (const auto where = position({point.quality.mean, point.ttft.mean}); where && distance(*where, at) <= 9)
      emit measuredPointClicked(point.epoch);
}

QString FrontierChart::empty_text() const {
  if (!model_.curves().empty() || !model_.modelled().empty() || !measured_.empty()) return {};
  return QStringLiteral(
      "No curve yet: contexts are being profiled. Points appear here as soon as the first profile is known.");
}

ChartTable FrontierChart::table() const {
  ChartTable table{{"policy", "provenance", "alpha_seconds_per_quality", "ttft_service_seconds", "ttft_low",
                    "ttft_high", "quality", "quality_low", "quality_high", "n"},
                   {}};
  const auto number = [](double value) { return QString::number(value, 'g', 9); };
  for (const FrontierCurve& curve : model_.curves())
    if (!hidden(curve.policy))
      for (const FrontierSample& sample : curve.samples)
        table.rows.append({curve.policy, "predicted", number(sample.alpha), number(sample.mean.ttft_seconds), "", "",
                           number(sample.mean.quality), "", "", ""});
  for (const ModelledPoint& point : model_.modelled())
    if (!hidden(point.policy))
      table.rows.append({point.policy, point.shadow ? "modelled (shadow)" : "modelled", "",
                         number(point.mean.ttft_seconds), "", "", number(point.mean.quality), "", "",
                         QString::number(point.requests)});
  for (const MeasuredPoint& point : model_.measured())
    table.rows.append({point.policy, point.shaped ? "shaped" : "measured",
                       point.knows_alpha ? number(point.alpha) : QString(), number(point.ttft.mean),
                       number(point.ttft.low), number(point.ttft.high), number(point.quality.mean),
                       number(point.quality.low), number(point.quality.high), QString::number(point.quality.n)});
  return table;
}

}  // namespace kvantage
