#include "ui/live/tiers/occupancy_plot.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <map>

#include "ui/charts/screen_only.h"
#include "ui/charts/ticks.h"
#include "ui/look/method_look.h"
#include "ui/session/held_end.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr double occupancy_label_share = 0.88;  // of the font

/// What fills the area of a method, one over the other: as in the legend, methods of one hue are hatched.
std::vector<QBrush> area_brushes(const Theme& theme, const QString& method) {
  QColor color = theme.method(method);
  color.setAlphaF(0.8f);
  const Qt::BrushStyle pattern = method_pattern(method);
  if (pattern == Qt::SolidPattern) return {QBrush(color)};
  QColor pale = color;
  pale.setAlphaF(0.2f);
  return {QBrush(pale), QBrush(color, pattern)};
}

}  // namespace

OccupancyPlot::OccupancyPlot(TierSeriesModel& model, std::string tier, QWidget* parent)
    : QWidget(parent), model_(model), tier_(std::move(tier)), theme_(theme_of(ThemeKind::light)) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  setAccessibleName(tr("Occupancy of %1").arg(to_q(tier_)));
  lazy_ = new LazyRefresh(
      *this,
      [this] {
        if (range_) range_->reach(model_.last_seconds());
        zoom_->sync();
        update();
      },
      100);
  connect(&model_, &TierSeriesModel::changed, this, [this] { lazy_->invalidate(); });
  setProperty(label_share_property, occupancy_label_share);
  setToolTip(tr("Occupancy of %1 over time by method, and placement actions. Right-click or press the menu key for the "
                "table and export.")
                 .arg(to_q(tier_)));
  keys_ =
      new PointKeys(*this, *this, tr("Occupancy of %1 over time versus its budget, in bytes and s").arg(to_q(tier_)),
                    [this] { return key_rows(); });
  connect(keys_, &PointKeys::entered, this, [this](const PointStop& stop) {
    if (!stop.id.isEmpty()) emit contextPicked(stop.id);
  });
  const QString name = tr("Occupancy of %1").arg(to_q(tier_));
  install_chart_menu(*this, {this, name, [this] { return table(); }});
  zoom_ = new ChartZoom(*this, *this, *this, name, keys_);
  brush_ = new ChartBrush(*this, *this, name, *keys_, [this] { return key_rows(); });
}

void OccupancyPlot::set_theme(const Theme& theme) {
  theme_ = theme;
  update();
}

void OccupancyPlot::set_chosen(const QString& context, const QStringList& texts) {
  if (context == chosen_ && texts == chosen_texts_) return;
  chosen_ = context;
  chosen_texts_ = texts;
  update();
}

OccupancyPlot::Scale OccupancyPlot::scale(const TierSeriesModel::Tier* tier) const {
  if (shown_) return {plot(), shown_->x.lower, shown_->x.upper, shown_->y.lower, shown_->y.upper};
  return {plot(), 0, end_seconds(), 0, tier != nullptr ? top_bytes(*tier) : 1};
}

AxisRanges OccupancyPlot::data_ranges() const {
  const TierSeriesModel::Tier* tier = model_.find(tier_);
  return {{0, end_seconds()}, {0, tier != nullptr ? top_bytes(*tier) : 1}};
}

void OccupancyPlot::show_ranges(const AxisRanges& shown) {
  shown_ = zoom_->zoomed() || zoom_->view().held() ? std::optional(shown) : std::nullopt;
}

AxisChoice OccupancyPlot::zoom_axes() const {
  const TierSeriesModel::Tier* tier = model_.find(tier_);
  const bool any = tier != nullptr && !tier->samples.empty();
  return {any, any};
}

void OccupancyPlot::mousePressEvent(QMouseEvent* event) {
  if (const auto* mark = event->button() == Qt::LeftButton ? mark_at(event->position()) : nullptr;
      mark && !mark->context.isEmpty())
    emit contextPicked(mark->context);
  QWidget::mousePressEvent(event);
}

QFont OccupancyPlot::small_font() const {
  QFont small = font();
  small.setPointSizeF(small.pointSizeF() * occupancy_label_share);
  return small;
}

QRectF OccupancyPlot::plot() const {
  const double line = fontMetrics().height(),
               left = std::max(56.0, QFontMetricsF(small_font()).horizontalAdvance(QStringLiteral("500 MiB")) + 8);
  return QRectF(left, line + 8, width() - left - 12, height() - 2 * line - 16);
}

double OccupancyPlot::end_seconds() const {
  return range_ ? std::max(range_->extent(), model_.last_seconds())
                : held_end(model_.last_seconds(), TimeRange::least_extent);
}

double OccupancyPlot::top_bytes(const TierSeriesModel::Tier& tier) const {
  // What it has held and may hold now: a budget of before, tens of times as large, would leave nothing of both to be
  // seen.
  constexpr double room = 1.08, least_top = 1048576;
  const double budget = tier.samples.empty() ? 0 : static_cast<double>(tier.samples.back().budget_bytes) * room;
  double used = 0;
  for (const auto& sample : tier.samples) used = std::max(used, static_cast<double>(sample.used_bytes));
  return budget > 0 ? held_end(used, budget) : held_end(used * room, least_top);
}

PointKeys::Rows OccupancyPlot::key_rows() const {
  const TierSeriesModel::Tier* tier = model_.find(tier_);
  if (!tier || tier->samples.empty()) return {};
  const Scale now = scale(tier);
  const auto at = [&](double seconds, double bytes) { return QPointF(now.x(seconds), now.y(bytes)); };
  std::vector<PointStop> held, moves, chosen;
  for (const auto& sample : tier->samples)
    held.push_back({tr("occupancy"),
                    {},
                    sample.seconds,
                    mark_around(at(sample.seconds, static_cast<double>(sample.used_bytes))),
                    {},
                    [this, sample] { return sample_tip(sample); }});
  for (const auto& mark : tier->marks) {
    const QPointF below(now.x(mark.seconds), now.area.bottom());
    PointStop stop{tr("actions"), mark.context, mark.seconds, QRectF(below.x() - 7, below.y() - 13, 14, 14),
                   mark_tip(mark)};
    moves.push_back(stop);
    if (chosen_.isEmpty() || mark.context != chosen_) continue;
    stop.row = tr("actions on the selected context");
    chosen.push_back(stop);
  }
  PointKeys::Rows rows;
  for (auto* row : {&held, &moves, &chosen})
    if (!row->empty()) rows.push_back(std::move(*row));
  return rows;
}

/// Columns of pixels that one sample fills.
struct OccupancyPlot::Step {
  int left = 0, right = 0;
  const TierSeriesModel::Sample* sample = nullptr;
};

void OccupancyPlot::paint_title(QPainter& painter, const TierSeriesModel::Tier* tier) const {
  QFont bold = font();
  bold.setWeight(QFont::DemiBold);
  painter.setFont(bold);
  painter.setPen(theme_.text);
  const QRectF title(10, 5, width() - 20.0, fontMetrics().height());
  const QString purpose = tier ? purpose_text(*tier) : QString();
  const double share_room = painter.fontMetrics().horizontalAdvance(QStringLiteral("100 %")) + 10;
  QString name = purpose.isEmpty() ? to_q(tier_) : QStringLiteral("%1 (%2)").arg(to_q(tier_), purpose);
  if (painter.fontMetrics().horizontalAdvance(name) > title.width() - share_room) name = to_q(tier_);
  const QString shown =
      painter.fontMetrics().elidedText(name, Qt::ElideRight, static_cast<int>(title.width() - share_room));
  painter.drawText(title, Qt::AlignLeft, shown);
  const double after_name = title.left() + painter.fontMetrics().horizontalAdvance(shown) + 10;
  painter.setFont(small_font());
  if (!tier || tier->samples.empty()) return;
  const auto& last = tier->samples.back();
  const bool bounded = last.budget_bytes > 0;
  painter.setPen(theme_.muted);
  QString used = bytes_text(static_cast<double>(last.used_bytes));
  if (bounded) {
    const QString share = percent_text(
        std::round(100.0 * static_cast<double>(last.used_bytes) / static_cast<double>(last.budget_bytes)) / 100);
    used = tr("%1 of %2 (%3)").arg(used, bytes_text(static_cast<double>(last.budget_bytes)), share);
    if (painter.fontMetrics().horizontalAdvance(used) > title.right() - after_name)
      used = share;  // large text beside a long name
  }
  painter.drawText(title, Qt::AlignRight, used);
  if (!chosen_texts_.isEmpty()) {
    const double room = title.right() - painter.fontMetrics().horizontalAdvance(used) - 10 - after_name;
    painter.setPen(theme_.accent);
    painter.drawText(QRectF(after_name, title.top(), std::max(0.0, room), title.height()), Qt::AlignLeft,
                     chosen_words(painter.fontMetrics(), room));
  }
}

/// The longest text about the selected context that fits.
QString OccupancyPlot::chosen_words(const QFontMetrics& letters, double room) const {
  for (const QString& words : chosen_texts_)
    if (letters.horizontalAdvance(words) <= room) return words;
  return letters.elidedText(chosen_, Qt::ElideRight, static_cast<int>(room));
}

std::vector<OccupancyPlot::TimeLabel> OccupancyPlot::time_labels(const QFontMetrics& letters) const {
  const Scale scale = this->scale(nullptr);
  const auto ticks =
      linear_ticks(scale.begin_seconds, scale.end_seconds, std::clamp(static_cast<int>(scale.area.width() / 58), 2, 8));
  std::vector<TimeLabel> labels;
  labels.reserve(ticks.size());
  // Few digits, but as many as distinguish two ticks.
  const bool minutes = scale.end_seconds > 600 && scale.end_seconds - scale.begin_seconds > 120;
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : scale.end_seconds;
  const int digits = static_cast<int>(std::ceil(std::log10(std::max(10.0, scale.end_seconds / step)))) + 2;
  for (const double tick : ticks) {
    const QString text = minutes ? QString::number(tick / 60, 'g', std::max(3, digits)) + " min"
                                 : QString::number(tick, 'g', std::max(4, digits)) + " s";
    const double wide = letters.horizontalAdvance(text) + 2.0;
    // The first one begins at the axis, apart from the 0 beside it; the last one is whole.
    const double left = tick == 0 ? scale.x(tick) : std::min(scale.x(tick) - wide / 2, width() - wide - 2);
    labels.push_back({text, QRectF(left, scale.area.bottom() + 2, wide, fontMetrics().height())});
  }
  return labels;
}

void OccupancyPlot::paint_axes(QPainter& painter, const Scale& scale) const {
  painter.setRenderHint(QPainter::Antialiasing, false);
  const double unit = 1048576.0;
  const int y_ticks = std::clamp(static_cast<int>(scale.area.height() / 26), 2, 6);
  const auto ticks = linear_ticks(scale.bottom_bytes / unit, scale.top_bytes / unit, y_ticks);
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : scale.top_bytes / unit;
  const int digits = std::max(3, static_cast<int>(std::ceil(std::log10(scale.top_bytes / unit / step))) + 1);
  for (const double tick : ticks) {
    const double y = scale.y(tick * unit);
    painter.setPen(theme_.grid);
    painter.drawLine(QPointF(scale.area.left(), y), QPointF(scale.area.right(), y));
    painter.setPen(theme_.muted);
    painter.drawText(QRectF(0, y - fontMetrics().height() / 2.0, scale.area.left() - 5, fontMetrics().height()),
                     static_cast<int>(Qt::AlignRight | Qt::AlignVCenter),
                     tick == 0      ? QStringLiteral("0")
                     : tick >= 1024 ? QString::number(tick / 1024, 'g', digits) + " GiB"
                                    : QString::number(tick, 'g', digits) + " MiB");
  }
  painter.setPen(theme_.muted);
  for (const TimeLabel& label : time_labels(painter.fontMetrics()))
    painter.drawText(label.place, Qt::AlignHCenter | Qt::AlignTop, label.text);
  painter.setRenderHint(QPainter::Antialiasing);
}

// Step-wise: occupancy holds until it changes. Of the samples on one column of pixels the last is seen.
std::vector<OccupancyPlot::Step> OccupancyPlot::steps(const TierSeriesModel::Tier& tier, const Scale& scale) const {
  std::vector<Step> steps;
  const int now =
      static_cast<int>(std::lround(scale.x(model_.last_seconds())));  // nothing is known of what comes after
  // From the one that holds where the axis begins to the first beyond its end.
  using Sample = TierSeriesModel::Sample;
  auto first = std::ranges::upper_bound(tier.samples, scale.begin_seconds, {}, &Sample::seconds);
  if (first != tier.samples.begin()) --first;
  auto last = std::ranges::upper_bound(tier.samples, scale.end_seconds, {}, &Sample::seconds);
  if (last != tier.samples.end()) ++last;
  for (auto sample = first; sample < last; ++sample) {
    const int left = static_cast<int>(std::lround(scale.x(sample->seconds)));
    if (!steps.empty()) steps.back().right = left;
    if (!steps.empty() && steps.back().left == left) steps.pop_back();
    steps.push_back({left, std::max(left + 2, now), &*sample});
  }
  return steps;
}

// Edges are upright and level, so they need no smoothing, which would be what painting costs.
void OccupancyPlot::paint_areas(QPainter& painter, const std::vector<Step>& steps, const Scale& scale) const {
  painter.setRenderHint(QPainter::Antialiasing, false);
  std::map<std::string, std::vector<QBrush>> fills;
  for (const Step& step : steps) {
    double below = 0;
    for (const auto& [method, bytes] : step.sample->bytes_by_method) {
      auto fill = fills.find(method);
      if (fill == fills.end()) fill = fills.emplace(method, area_brushes(theme_, to_q(method))).first;
      const int bottom = static_cast<int>(std::lround(scale.y(below)));
      below += static_cast<double>(bytes);
      const int over = static_cast<int>(std::lround(scale.y(below)));
      for (const QBrush& brush : fill->second)
        painter.fillRect(QRect(step.left, over, step.right - step.left, bottom - over), brush);
    }
  }
}

void OccupancyPlot::paint_budget(QPainter& painter, const std::vector<Step>& steps, const Scale& scale) const {
  QPolygonF budget;
  for (const Step& step : steps) {
    if (step.sample->budget_bytes == 0) continue;
    const double y = scale.y(static_cast<double>(step.sample->budget_bytes));
    if (budget.size() > 1 && budget.back().y() == y)
      budget.back().setX(step.right);
    else
      budget << QPointF(step.left, y) << QPointF(step.right, y);
  }
  painter.setPen(QPen(theme_.text, 1.5));
  painter.save();
  painter.setClipRect(scale.area.adjusted(-2, -3, 2, 2), Qt::IntersectClip);
  painter.drawPolyline(budget);
  painter.restore();
  painter.setRenderHint(QPainter::Antialiasing);
}

// Where many actions crowd, one mark of each kind stands for its neighbors.
void OccupancyPlot::paint_marks(QPainter& painter, const TierSeriesModel::Tier& tier, const Scale& scale) const {
  std::map<ActionKind, double> last_x;
  for (const auto& mark : tier.marks) {
    const double x = scale.x(mark.seconds);
    const auto before = last_x.find(mark.kind);
    if (before != last_x.end() && x - before->second < 9) continue;
    last_x[mark.kind] = x;
    draw_action_mark(painter, {x, scale.area.bottom() - 5}, mark.kind, theme_, 3.4);
  }
  for (const auto& mark : tier.marks) {
    if (chosen_.isEmpty() || mark.context != chosen_) continue;
    const QPointF at(scale.x(mark.seconds), scale.area.bottom() - 6);
    painter.setPen(QPen(theme_.accent, 1.4));
    painter.setBrush(theme_.base);
    painter.drawEllipse(at, 7, 7);
    draw_action_mark(painter, at, mark.kind, theme_, 4);
  }
}

void OccupancyPlot::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(rect(), theme_.base);
  const TierSeriesModel::Tier* tier = model_.find(tier_);
  const QRectF area = plot();
  paint_title(painter, tier);
  if (!tier || tier->samples.empty()) {
    painter.setPen(theme_.muted);
    painter.drawText(area, Qt::AlignCenter, tr("nothing stored yet"));
    paint_focus(painter, *this, theme_);
    return;
  }
  const Scale scale = this->scale(tier);
  paint_axes(painter, scale);
  const std::vector<Step> held = steps(*tier, scale);
  painter.save();
  if (shown_) painter.setClipRect(area);
  paint_areas(painter, held, scale);
  paint_budget(painter, held, scale);
  paint_marks(painter, *tier, scale);
  painter.restore();
  painter.setPen(theme_.border);
  painter.drawLine(area.bottomLeft(), area.bottomRight());
  if (linked_ != nullptr) linked_->paint(painter, theme_);
  brush_->paint(painter, theme_);
  keys_->paint(painter, theme_);
  paint_focus(painter, *this, theme_);
}

ChartTable OccupancyPlot::table() const {
  ChartTable table{{"tier", "seconds", "used_bytes", "budget_bytes", "method", "method_bytes"}, {}};
  table.plot = {"seconds", {"method_bytes"}};
  if (const TierSeriesModel::Tier* tier = model_.find(tier_))
    for (const auto& sample : tier->samples) {
      const QStringList head = {to_q(tier_), QString::number(sample.seconds, 'f', 3),
                                QString::number(sample.used_bytes), QString::number(sample.budget_bytes)};
      if (sample.bytes_by_method.empty()) table.rows.append(head + QStringList{"", ""});
      for (const auto& [method, bytes] : sample.bytes_by_method)
        table.rows.append(head + QStringList{to_q(method), QString::number(bytes)});
    }
  return table;
}

}  // namespace kvantage
