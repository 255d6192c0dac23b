#include "ui/live/frontier/frontier_overlay.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "ui/charts/chart_panel.h"
#include "ui/charts/label_placer.h"
#include "ui/live/frontier/frontier_levels.h"
#include "ui/live/frontier/frontier_tips.h"
#include "ui/live/frontier/held_points.h"
#include "ui/live/frontier/model/pareto_envelope.h"
#include "ui/live/frontier/target_lines.h"
#include "ui/look/provenance_look.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

class Overlay {
  Q_DECLARE_TR_FUNCTIONS(FrontierOverlay)
 public:
  Overlay(QPainter& painter, const FrontierCanvas& canvas)
      : painter_(painter), canvas_(canvas), theme_(canvas.theme), labels_(canvas.plot.adjusted(2, 2, -2, -2)) {}

  void paint() {
    const double free_from = paint_levels(painter_, canvas_, labels_);
    const QString better = tr("↖ better");
    const QFontMetricsF letters(painter_.font());
    const QRectF corner =
        corner_label_box(canvas_, free_from, QSizeF(letters.horizontalAdvance(better) + 2, letters.height()));
    painter_.setPen(theme_.muted);
    painter_.drawText(corner, static_cast<int>(Qt::AlignLeft | Qt::AlignTop), better);
    labels_.block(corner);
    keep_curves_free();
    paint_held(painter_, canvas_, labels_);
    paint_what_ifs();
    paint_simulated();
    for (const MeasuredPoint& point : canvas_.measured) paint_measured(point);
    paint_chosen();
    paint_second();
    paint_present();
    paint_targets(painter_, canvas_, labels_);
    name_curves();
    name_measured();
    name_held(painter_, canvas_, labels_);
    for (const auto& [at, name] : names_) labels_.draw(painter_, at, name, theme_.muted, theme_.base);
  }

 private:
  void block(const QPointF& at, double half) {
    labels_.block(QRectF(at.x() - half, at.y() - half, 2 * half, 2 * half));
  }

  /// No label covers a line.
  void keep_curves_free() {
    for (const FrontierCurve& curve : canvas_.model.curves()) {
      if (canvas_.hidden(curve.policy)) continue;
      for (const QPointF& at : points_along(canvas_, curve)) block(at, 3);
      const FrontierCurve envelope{curve.policy, pareto_envelope(curve.samples), curve.job};
      for (const QPointF& at : points_along(canvas_, envelope)) block(at, 3);
    }
  }

  /// At the slow end of each curve, where quality is best; else where there is room along it. The present one first.
  void name_curves() {
    const QString present = canvas_.model.present_policy();
    for (const bool is_present : {true, false})
      for (const FrontierCurve& curve : canvas_.model.curves())
        if (!canvas_.hidden(curve.policy) && (curve.policy == present) == is_present) name_curve(curve, is_present);
  }

  void name_curve(const FrontierCurve& curve, bool is_present) {
    std::vector<QPointF> seen;
    for (const FrontierSample& sample : pareto_envelope(curve.samples))
      if (const auto at = canvas_.position(sample.mean); at && canvas_.plot.contains(*at)) seen.push_back(*at);
    if (seen.empty()) return;
    QFont font = canvas_.font;
    if (is_present) font.setWeight(QFont::DemiBold);
    painter_.setFont(font);
    for (const std::size_t place : {seen.size() - 1, seen.size() / 2, std::size_t{0}})
      if (labels_.draw(painter_, seen[place], short_policy(curve.policy), theme_.policy(curve.policy), theme_.base, 8))
        break;
    painter_.setFont(canvas_.font);
  }

  void paint_what_ifs() {
    for (const SimulatedPoint& point : canvas_.model.simulated()) {
      if (!point.what_if || canvas_.hidden(point.policy)) continue;
      const auto at = canvas_.position(point.mean);
      if (!at) continue;
      const QColor color = theme_.policy(point.policy);
      for (const SimulatedPoint& steady : canvas_.model.simulated()) {
        if (steady.what_if || steady.policy != point.policy) continue;
        if (const auto to = canvas_.position(steady.mean); to && QLineF(*at, *to).length() > 6) {
          QColor thin = color;
          thin.setAlphaF(0.6f);
          painter_.setPen(curve_pen(thin, 1.1, {4, 3}));
          painter_.drawLine(*at, *to);
        }
      }
      draw_marker(painter_, *at, MarkerLook::what_if, color, theme_.base, 4, true, policy_strokes(point.policy));
      block(*at, 5);
    }
  }

  void paint_simulated() {
    for (const SimulatedPoint& point : canvas_.model.simulated()) {
      if (point.what_if || canvas_.hidden(point.policy)) continue;
      if (const auto at = canvas_.position(point.mean)) {
        draw_marker(painter_, *at, MarkerLook::simulated, theme_.policy(point.policy), theme_.base, 4.5, true,
                    policy_strokes(point.policy));
        block(*at, 6);
        names_.emplace_back(*at, short_policy(point.policy));
      }
    }
  }

  /// As much of it as is within the plot: beyond the axes it would say nothing.
  void draw_bar(const std::optional<QPointF>& from, const std::optional<QPointF>& to) {
    if (!from || !to) return;
    const QRectF bar = QRectF(*from, *to).normalized().adjusted(-1, -1, 1, 1);
    if (!bar.intersects(canvas_.plot)) return;
    painter_.save();
    painter_.setClipRect(canvas_.plot, Qt::IntersectClip);
    painter_.drawLine(*from, *to);
    painter_.restore();
    labels_.block(bar & canvas_.plot);
  }

  void paint_measured(const MeasuredPoint& point) {
    const auto at = canvas_.position({point.quality.mean, point.ttft.mean});
    if (!at) return;
    QColor color = theme_.policy(point.policy);
    if (!point.current) color.setAlphaF(0.55f);
    painter_.setPen(curve_pen(color, point.current ? 1.6 : 1.1));
    if (point.quality.has_interval)
      draw_bar(canvas_.position({point.quality.low, point.ttft.mean}),
               canvas_.position({point.quality.high, point.ttft.mean}));
    const double floor = point.ttft.mean / 50;  // an interval that reaches below zero leaves the log axis
    if (point.ttft.has_interval)
      draw_bar(canvas_.position({point.quality.mean, std::max(point.ttft.low, floor)}),
               canvas_.position({point.quality.mean, point.ttft.high}));
    draw_marker(painter_, *at,
                point.simulated   ? MarkerLook::simulated
                : point.throttled ? MarkerLook::throttled
                                  : MarkerLook::measured,
                color, theme_.base, point.current ? 5.5 : 4, true, policy_strokes(point.policy));
    block(*at, 6);
  }

  void name_measured() {
    for (const MeasuredPoint& point : canvas_.measured) {
      const auto at = canvas_.position({point.quality.mean, point.ttft.mean});
      if (!at || !(point.current || canvas_.measured.size() < 7)) continue;
      const QString what = point.current      ? tr("measured, n = %1").arg(point.quality.n)
                           : point.uses_alpha ? tr("α %1, n = %2").arg(number_text(point.alpha)).arg(point.quality.n)
                                              : tr("%1, n = %2").arg(short_policy(point.policy)).arg(point.quality.n);
      labels_.draw(painter_, *at, what, point.current ? theme_.text : theme_.muted, theme_.base);
    }
  }

  /// A chosen context is often far from the means: then an arrow at the edge points to it.
  void paint_chosen() {
    const auto mark = chosen_mark(canvas_);
    if (!mark) return;
    const QPointF at = mark->at;
    painter_.setPen(QPen(theme_.accent, 1.6));
    if (mark->outside) {
      const QPointF away = *canvas_.position(*canvas_.model.chosen_mean()) - at;
      const double length = std::max(1.0, std::hypot(away.x(), away.y()));
      const QPointF along = away / length * 7, across(-along.y() * 0.7, along.x() * 0.7);
      painter_.setBrush(theme_.accent);
      painter_.drawPolygon(QPolygonF{at + along, at - along + across, at - along - across});
    } else {
      painter_.drawLine(at - QPointF(5, 0), at + QPointF(5, 0));
      painter_.drawLine(at - QPointF(0, 5), at + QPointF(0, 5));
    }
    block(at, 6);
    labels_.draw(painter_, at, canvas_.model.chosen_context(), theme_.accent, theme_.base);
  }

  void paint_second() {
    const auto mean = canvas_.model.second();
    const auto at = mean ? canvas_.position(*mean) : std::nullopt;
    if (!at) return;
    painter_.setPen(QPen(theme_.policy(canvas_.model.present_policy()), 1.6, Qt::DotLine));
    painter_.setBrush(theme_.base);
    painter_.drawEllipse(*at, 6.5, 6.5);
    block(*at, 8);
    labels_.draw(painter_, *at, QStringLiteral("α = %1").arg(number_text(*canvas_.model.second_alpha())), theme_.muted,
                 theme_.base, 12);
  }

  void paint_present() {
    const auto mean = canvas_.model.present();
    const auto present = mean ? canvas_.position(*mean) : std::nullopt;
    if (!present) return;
    const QString policy = canvas_.model.present_policy();
    const QColor color = theme_.policy(policy);
    QColor halo = color;
    halo.setAlphaF(0.22f);
    painter_.setPen(Qt::NoPen);
    painter_.setBrush(halo);
    painter_.drawEllipse(*present, 13, 13);
    draw_marker(painter_, *present, MarkerLook::predicted, color, theme_.base, 6.5);
    block(*present, 9);
    const auto& curves = canvas_.model.curves();
    const bool knows =
        std::any_of(curves.begin(), curves.end(), [&](const auto& curve) { return curve.policy == policy; });
    QFont bold = canvas_.font;
    bold.setWeight(QFont::DemiBold);
    painter_.setFont(bold);
    labels_.draw(
        painter_, *present,
        knows ? QStringLiteral("α = %1").arg(number_text(canvas_.model.present_alpha())) : short_policy(policy),
        theme_.text, theme_.base, 15);
    painter_.setFont(canvas_.font);
  }

  QPainter& painter_;
  const FrontierCanvas& canvas_;
  const Theme& theme_;
  LabelPlacer labels_;
  std::vector<std::pair<QPointF, QString>> names_;
};

}  // namespace

void paint_frontier(QPainter& painter, const FrontierCanvas& canvas) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setClipRect(canvas.plot.adjusted(-8, -8, 8, 8));
  painter.setFont(canvas.font);
  Overlay(painter, canvas).paint();
  painter.restore();
}

}  // namespace kvantage
