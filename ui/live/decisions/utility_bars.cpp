#include "ui/live/decisions/utility_bars.h"

#include <QFontMetrics>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "core/policy/plan_text.h"
#include "ui/charts/ticks.h"
#include "ui/live/decisions/model/decision_headline.h"
#include "ui/look/provenance_look.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr double least_bar_height = 4;  // pixels

/// Beside their colors, what tells the parts of a bar from one another.
Qt::BrushStyle utility_pattern(UtilityBars::Part part) {
  return part == UtilityBars::quality ? Qt::SolidPattern
         : part == UtilityBars::ttft  ? Qt::BDiagPattern
                                      : Qt::DiagCrossPattern;
}

QString exact_utility(double value) { return QString::number(value, 'g', 9); }

}  // namespace

UtilityBars::UtilityBars(const DecisionModel& model, QWidget* parent)
    : ChartPanel(tr("Utility of the alternatives"), parent), model_(model), axis_(new QValueAxis) {
  axis_->setTickType(QValueAxis::TicksDynamic);
  axis_->setTitleText(tr("Utility (s)"));
  chart().addAxis(axis_, Qt::AlignBottom);
  // There is no axis at the left: half of the first label is beyond the bottom one.
  QMargins margins = chart().margins();
  margins.setLeft(margins.right());
  chart().setMargins(margins);
  keys().set_description(tr("Utility of the alternatives, one bar each; arrow keys move between bars"));
  connect(&model_, &DecisionModel::changed, this, [this] { invalidate(); });
  set_theme(theme());
}

std::array<UtilityBars::Segment, UtilityBars::part_count> UtilityBars::segments(const UtilitySplit& split) {
  std::array<Segment, part_count> all;
  double right = 0, left = 0;  // ends of what is drawn so far
  // A formula has no parts: it is drawn as the first.
  const std::array values{split.formula_term.value_or(split.quality_term), split.ttft_term,
                          split.displacement_term.value_or(0)};
  for (std::size_t part = 0; part < values.size(); ++part) {
    double& end = values[part] < 0 ? left : right;
    all[part] = {end, end + values[part]};
    end += values[part];
  }
  return all;
}

void UtilityBars::refresh() {
  bars_.clear();
  const auto& planned = model_.planned();
  if (planned) {
    bars_.reserve(model_.splits().size());
    for (const UtilitySplit& split : model_.splits()) {
      const Configuration& configuration = split.alternative.configuration;
      bars_.push_back({configuration_id(configuration), configuration_name(*planned, configuration), split});
    }
  }
  double low = 0, high = 0;
  for (const Bar& bar : bars_)
    for (const Segment& segment : segments(bar.split)) {
      low = std::min({low, segment.from, segment.to});
      high = std::max({high, segment.from, segment.to});
    }
  if (low == high) high = 1;
  axis_->setTitleText(by_formula() ? tr("Value of the formula") : tr("Utility (s)"));
  const double room = 0.04 * (high - low);
  constexpr int narrow = 420;  // pixels
  set_round_ticks(*axis_, low < 0 ? low - room : 0, high > 0 ? high + room : 0, width() < narrow ? 4 : 7);
  set_legend();
}

QColor UtilityBars::color_of(Part part) const {
  return part == quality ? theme().accent : part == ttft ? theme().neutral(1) : theme().warning;
}

void UtilityBars::set_legend() {
  std::vector<LegendItem> items;
  if (!bars_.empty()) {
    const auto add = [&](Part part, const QString& text, const QString& tip) {
      const Qt::BrushStyle pattern = utility_pattern(part);
      items.push_back({"",
                       text,
                       tip,
                       pattern == Qt::SolidPattern ? LegendItem::Sign::swatch : LegendItem::Sign::hatched,
                       color_of(part),
                       {},
                       false,
                       0,
                       {},
                       pattern});
    };
    if (by_formula()) {
      add(quality, tr("formula"), tr("Value of the policy's formula"));
    } else {
      add(quality, tr("quality"), tr("α × quality × request frequency, in s"));
      add(ttft, tr("TTFT"), tr("−TTFT × request frequency, in s"));
    }
    if (std::ranges::any_of(bars_, [](const Bar& bar) { return bar.split.displacement_term.has_value(); }))
      add(displacement, tr("displacement"),
          by_formula() ? tr("Change of the formula's value of all other contexts when the policy plans around it")
                       : tr("Change of the utility of all other contexts when the policy plans around it, in s"));
    items.push_back({"", tr("sum"), tr("Sum of the parts, predicted; bold: the plan's choice"),
                     LegendItem::Sign::marker, theme().text, MarkerLook::predicted, false});
  }
  legend().set_items(std::move(items));
}

double UtilityBars::x_of(double value) const {
  const QRectF plot = chart().plotArea();
  const double span = axis_->max() - axis_->min();
  return span > 0 ? plot.left() + plot.width() * (value - axis_->min()) / span : plot.left();
}

QRectF UtilityBars::box(std::size_t bar) const {
  const QRectF plot = chart().plotArea();
  const double height = plot.height() / static_cast<double>(std::max<std::size_t>(bars_.size(), 1));
  return {plot.left(), plot.top() + height * static_cast<double>(bar), plot.width(), height};
}

std::optional<std::size_t> UtilityBars::bar_at(const QPointF& at) const {
  for (std::size_t bar = 0; bar < bars_.size(); ++bar)
    if (box(bar).contains(at)) return bar;
  return std::nullopt;
}

int UtilityBars::wanted_height() const {
  constexpr std::size_t least_bars = 3;
  constexpr int least_height = 200;  // lower ones are compact, without a title of the axis
  const int line = QFontMetrics(font()).height();
  const auto count = static_cast<int>(std::max(model_.splits().size(), least_bars));
  return std::max(least_height, count * line * 9 / 5 + 6 * line);
}

void UtilityBars::set_marked(const QString& id) {
  if (id == marked_) return;
  marked_ = id;
  repaint_overlay();
}

void UtilityBars::paint_over(QPainter& painter) {
  if (bars_.empty()) return;
  painter.save();
  const QRectF plot = chart().plotArea();
  painter.setClipRect(plot.adjusted(-9, 0, 9, 0), Qt::IntersectClip);
  for (std::size_t bar = 0; bar < bars_.size(); ++bar) paint_bar(painter, bar);
  const double zero = x_of(0);
  painter.setPen(curve_pen(theme().muted, 1));
  painter.drawLine(QPointF(zero, plot.top()), QPointF(zero, plot.bottom()));
  painter.restore();
}

void UtilityBars::paint_bar(QPainter& painter, std::size_t index) const {
  const Bar& bar = bars_[index];
  QRectF room = box(index);
  if (bar.id == marked_) {
    painter.setPen(QPen(theme().accent, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(room.adjusted(1, 1, -1, -1));
  }
  const double line = QFontMetrics(font()).height();
  if (room.height() >= line + least_bar_height + 2) {
    paint_name(painter, index, QRectF(room.left() + 3, room.top() + 1, room.width() - 6, line));
    room.setTop(room.top() + 1 + line);
  }
  const double height = std::max(least_bar_height, room.height() - 4);
  const auto parts = segments(bar.split);
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const double from = x_of(parts[part].from), to = x_of(parts[part].to);
    if (from == to) continue;
    const QRectF segment = QRectF(QPointF(from, room.top() + 1), QPointF(to, room.top() + 1 + height)).normalized();
    const QColor color = color_of(static_cast<Part>(part));
    const Qt::BrushStyle pattern = utility_pattern(static_cast<Part>(part));
    if (pattern != Qt::SolidPattern) {  // as in the legend
      QColor thin = color;
      thin.setAlphaF(0.25f);
      painter.fillRect(segment, thin);
    }
    painter.setPen(QPen(color, 1));
    painter.setBrush(QBrush(color, pattern));
    painter.drawRect(segment);
  }
  draw_marker(painter, QPointF(x_of(bar.split.net()), room.top() + 1 + height / 2), MarkerLook::predicted, theme().text,
              theme().base, std::clamp(height / 3, 2.5, 4.5));
}

// Its name at the left, its sum at the right; of a shorter line the name is cut.
void UtilityBars::paint_name(QPainter& painter, std::size_t index, const QRectF& line) const {
  const Bar& bar = bars_[index];
  QFont written = font();
  written.setBold(bar.split.alternative.chosen);
  const QFontMetrics metrics(written);
  const QString value = bar.split.too_large ? tr("larger than the budget") : with_unit(bar.split.net(), true);
  painter.setFont(written);
  painter.setPen(theme().text);
  painter.drawText(line, static_cast<int>(Qt::AlignRight | Qt::AlignVCenter), value);
  const int left = static_cast<int>(line.width()) - metrics.horizontalAdvance(value) - 8;
  painter.drawText(line, static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter),
                   metrics.elidedText(bar.name, Qt::ElideRight, std::max(left, 0)));
}

QString UtilityBars::with_unit(double value, bool with_sign) const {
  const QString number = with_sign ? signed_text(value) : to_q(short_number(value));
  return by_formula() ? number : tr("%1 s").arg(number);
}

QString UtilityBars::tip_of(std::size_t index) const {
  const Bar& bar = bars_[index];
  const UtilitySplit& split = bar.split;
  const QString sum = with_unit(split.net(), false);
  const QString first = split.too_large
                            ? tr("%1: larger than the budget of its tier; ignoring other contexts %2 of utility")
                        : split.alternative.chosen ? tr("%1, the plan's choice: %2 of utility")
                                                   : tr("%1: %2 of utility");
  const QString others =
      split.formula_term ? tr("formula %1, displacement %2 (predicted)")
                               .arg(signed_text(*split.formula_term),
                                    split.displacement_term ? signed_text(*split.displacement_term) : tr("not known"))
      : split.displacement_term ? tr("quality %1 s, TTFT %2 s, displacement %3 s (predicted)")
                                      .arg(signed_text(split.quality_term), signed_text(split.ttft_term),
                                           signed_text(*split.displacement_term))
                                : tr("quality %1 s, TTFT %2 s (predicted)")
                                      .arg(signed_text(split.quality_term), signed_text(split.ttft_term));
  return first.arg(bar.name, sum) + '\n' + others + '\n' + tr("Click or Enter: what would have to change");
}

QString UtilityBars::tip_at(const QPointF& at) const {
  const auto bar = bar_at(at);
  return bar ? tip_of(*bar) : QString();
}

void UtilityBars::clicked_at(const QPointF& at) {
  if (const auto bar = bar_at(at)) emit picked(bars_[*bar].id);
}

// A row for each bar: up and down move between them.
PointKeys::Rows UtilityBars::key_rows() const {
  PointKeys::Rows rows;
  rows.reserve(bars_.size());
  for (std::size_t bar = 0; bar < bars_.size(); ++bar)
    rows.emplace_back().push_back({bars_[bar].id, bars_[bar].id, 0, box(bar).adjusted(1, 1, -1, -1), tip_of(bar)});
  return rows;
}

QString UtilityBars::empty_text() const {
  if (!bars_.empty()) return {};
  return model_.decision() ? tr("Not requested yet: the utility of each configuration is 0.")
                           : tr("Select a context to see the utility of each configuration.");
}

ChartTable UtilityBars::table() const {
  // A formula's values have no unit that is known.
  const bool formula = by_formula();
  ChartTable table{formula ? QStringList{"tier", "method", "removed_fraction", "formula_value", "displacement_term",
                                         "net_formula_value", "too_large", "chosen"}
                           : QStringList{"tier", "method", "removed_fraction", "quality_term_s", "ttft_term_s",
                                         "displacement_term_s", "utility_s", "net_utility_s", "too_large", "chosen"},
                   {}};
  const auto& planned = model_.planned();
  if (!planned) return table;
  for (const UtilitySplit& split : model_.splits()) {
    const Configuration& c = split.alternative.configuration;
    const QString displaced = split.displacement_term ? exact_utility(*split.displacement_term) : QString();
    QStringList row{tier_text(*planned, c.tier), c.stored() ? to_q(c.method) : QString(),
                    c.stored() ? exact_utility(c.removed_fraction) : QString()};
    if (formula)
      row << exact_utility(split.own()) << displaced;
    else
      row << exact_utility(split.quality_term) << exact_utility(split.ttft_term) << displaced
          << exact_utility(split.own());
    row << exact_utility(split.net()) << (split.too_large ? "1" : "0") << (split.alternative.chosen ? "1" : "0");
    table.rows.append(row);
  }
  return table;
}

}  // namespace kvantage
