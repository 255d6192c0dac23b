#include "ui/live/tiers/hit_rate_chart.h"

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <set>

#include "ui/charts/chart_brush.h"
#include "ui/charts/ticks.h"
#include "ui/session/held_end.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {
constexpr double stroke_height = 10;

/// Of listed requests that were served, the newest first. The last of them is the last that was counted: those before
/// it follow backwards.
std::vector<const RequestRecord*> served_requests(const RequestsModel& requests, std::uint64_t counted) {
  std::vector<const RequestRecord*> served;
  served.reserve(static_cast<std::size_t>(requests.rowCount()));
  for (int r = requests.rowCount() - 1; r >= 0 && served.size() < counted; --r) {
    const RequestsModel::Row& row = *requests.row(r);
    if (!row.running && !row.record.cancelled) served.push_back(&row.record);
  }
  return served;
}

/// A band over each run of neighbors among `numbers`, descending.
void paint_brushed_requests(QPainter& painter, const std::vector<double>& numbers, const QRectF& plot, double low,
                            double high, QColor ground) {
  if (!(high > low)) return;
  ground.setAlphaF(0.16f);
  for (std::size_t first = 0; first < numbers.size();) {
    std::size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] - 1) ++last;
    const double begin = std::max(numbers[last] - 0.5, low), end = std::min(numbers[first] + 0.5, high);
    const double scale = plot.width() / (high - low);
    if (end > begin)
      painter.fillRect(QRectF(plot.left() + (begin - low) * scale, plot.top(), (end - begin) * scale, plot.height()),
                       ground);
    first = last + 1;
  }
}
}  // namespace

HitRateChart::HitRateChart(HitRateModel& model, QWidget* parent)
    : ChartPanel(tr("Hit rates"), parent, history_interval_ms),
      model_(model),
      request_axis_(new QValueAxis),
      rate_axis_(new QValueAxis) {
  request_axis_->setTitleText(tr("Requests served"));
  request_axis_->setLabelFormat("%.0f");
  request_axis_->setTickType(QValueAxis::TicksDynamic);
  rate_axis_->setTitleText(tr("Hit rate"));
  rate_axis_->setRange(0, 100);
  rate_axis_->setTickCount(5);
  rate_axis_->setLabelFormat("%.0f %%");
  chart().addAxis(request_axis_, Qt::AlignBottom);
  chart().addAxis(rate_axis_, Qt::AlignLeft);
  connect(&model_, &HitRateModel::changed, this, [this] { invalidate(); });
  set_theme(theme());
}

void HitRateChart::follow(const RequestsModel& requests, Selection& selection) {
  requests_ = &requests;
  selection_ = &selection;
  connect(&selection, &Selection::contextChanged, this, [this] { invalidate(); });
  link_time(selection.time(), time_reading());
  auto* brush = new ChartBrush(*this, canvas(), tr("Hit rates"), keys(), [this] {
    const auto served = served_requests(*requests_, model_.requests());
    PointKeys::Rows rows = key_rows();
    for (auto& row : rows)
      for (PointStop& stop : row) {
        const double back = static_cast<double>(model_.requests()) - stop.along;
        if (back >= 0 && back < static_cast<double>(served.size()))
          stop.id = QString::number(served[static_cast<std::size_t>(back)]->id);
      }
    return rows;
  });
  brush->take_boxes([this](const QRectF& box) {
    std::set<QString> ids;
    const QRectF plot = chart().plotArea();
    if (!(plot.width() > 0)) return ids;
    const double low = request_axis_->min(), scale = (request_axis_->max() - low) / plot.width();
    const double first = low + (box.left() - plot.left()) * scale, last = low + (box.right() - plot.left()) * scale;
    double number = static_cast<double>(model_.requests());
    for (const RequestRecord* request : served_requests(*requests_, model_.requests())) {
      if (number >= first && number <= last) ids.insert(QString::number(request->id));
      --number;
    }
    return ids;
  });
  share_requests(*brush, selection);
  connect(&selection, &Selection::requestsChanged, this, [this] { invalidate(); });
}

// The axis counts requests: a moment is at as many as had finished by then.
TimeReading HitRateChart::time_reading() const {
  return {[this] { return chart().plotArea(); },
          [this](double share) -> std::optional<double> {
            const double at = request_axis_->min() + share * (request_axis_->max() - request_axis_->min());
            const auto requests = static_cast<std::uint64_t>(std::max(0.0, std::round(at)));
            if (requests == 0 || requests > model_.requests()) return std::nullopt;
            return model_.seconds_of(requests);
          },
          [this](double seconds) -> std::optional<double> {
            const std::uint64_t requests = model_.requests_at(seconds);
            if (requests == 0) return std::nullopt;
            return (static_cast<double>(requests) - request_axis_->min()) /
                   (request_axis_->max() - request_axis_->min());
          },
          [this](double seconds) { return rates_text(model_.requests_at(seconds)); },
          {[this](double x) {
             return model_.seconds_of(
                 std::min(static_cast<std::uint64_t>(std::max(0.0, std::round(x))), model_.requests()));
           },
           [this](double seconds) { return requests_of(seconds); }}};
}

double HitRateChart::requests_of(double seconds) const {
  const double served = static_cast<double>(model_.requests()), now = model_.seconds_of(model_.requests());
  if (seconds <= now || !(now > 0)) return static_cast<double>(model_.requests_at(seconds));
  return std::ceil(served * seconds / now);
}

QString HitRateChart::rates_text(std::uint64_t requests) const {
  if (requests == 0) return {};
  QStringList parts;
  for (std::size_t i = 0; i < model_.sources().size(); ++i)
    parts << QStringLiteral("%1 %2").arg(core_text(model_.sources()[i]),
                                         percent_text(model_.rate_after(i, measure_, requests, window_)));
  return tr("after %1 requests: %2").arg(requests).arg(parts.join(QStringLiteral(", ")));
}

void HitRateChart::find_marks() {
  marks_.clear();
  brushed_.clear();
  chosen_ = selection_ != nullptr ? selection_->context() : QString();
  if (selection_ == nullptr || (chosen_.isEmpty() && selection_->chosen_requests().empty())) return;
  const std::string context = from_q(chosen_);
  double number = static_cast<double>(model_.requests());
  for (const RequestRecord* request : served_requests(*requests_, model_.requests())) {
    if (!context.empty() && request->context_id == context) marks_.push_back({number, to_q(request->source)});
    if (selection_->chosen_requests().contains(request->id)) brushed_.push_back(number);
    --number;
  }
  std::ranges::reverse(marks_);
}

QString HitRateChart::marks_text() const {
  if (chosen_.isEmpty()) return {};
  QStringList parts;
  for (const QString& source : model_.sources())
    if (const auto count = std::ranges::count(marks_, source, &Mark::source); count > 0)
      parts << QStringLiteral("%1 %2").arg(core_text(source)).arg(count);
  return QStringLiteral("%1: %2").arg(chosen_,
                                      parts.isEmpty() ? tr("no requests yet") : parts.join(QStringLiteral(", ")));
}

QLineF HitRateChart::stroke(const Mark& mark) const {
  const QRectF plot = chart().plotArea();
  const double low = request_axis_->min(), high = request_axis_->max();
  if (mark.number < low || mark.number > high || high <= low) return {};
  const double x = plot.left() + plot.width() * (mark.number - low) / (high - low);
  return {x, plot.bottom() - stroke_height, x, plot.bottom()};
}

void HitRateChart::paint_over(QPainter& painter) {
  paint_brushed_requests(painter, brushed_, chart().plotArea(), request_axis_->min(), request_axis_->max(),
                         theme().accent);
  if (marks_.empty()) return;
  painter.save();
  const QRectF plot = chart().plotArea();
  QColor ground = theme().base;
  ground.setAlphaF(0.8f);
  painter.fillRect(QRectF(plot.left(), plot.bottom() - stroke_height - 1, plot.width(), stroke_height + 1), ground);
  std::set<std::pair<int, QString>> painted;  // more strokes than pixels are not seen
  for (const Mark& mark : marks_) {
    const QLineF line = stroke(mark);
    if (line.isNull() || !painted.emplace(static_cast<int>(line.x1()), mark.source).second) continue;
    painter.setPen(QPen(theme().tier(mark.source, model_.roles().color(mark.source)), 2));
    painter.drawLine(line);
  }
  painter.setPen(QPen(theme().accent, 1));
  painter.drawLine(QPointF(plot.left(), plot.bottom() - stroke_height - 1),
                   QPointF(plot.right(), plot.bottom() - stroke_height - 1));
  painter.restore();
}

QString HitRateChart::mark_tip(const Mark& mark) const {
  return tr("%1, request %2 overall: from %3\n%4")
      .arg(chosen_)
      .arg(mark.number, 0, 'f', 0)
      .arg(mark.source, marks_text());
}

QString HitRateChart::tip_at(const QPointF& at) const {
  const Mark* nearest = nullptr;
  double reach = 4;
  for (const Mark& mark : marks_) {
    const QLineF line = stroke(mark);
    if (line.isNull() || at.y() < line.y1() - 2 || at.y() > line.y2() + 2 || std::abs(at.x() - line.x1()) > reach)
      continue;
    reach = std::abs(at.x() - line.x1());
    nearest = &mark;
  }
  return nearest != nullptr ? mark_tip(*nearest) : tip_near(at);
}

// A row for each source, over the window; then the requests of the chosen context.
PointKeys::Rows HitRateChart::key_rows() const {
  PointKeys::Rows rows;
  for (const QString& name : model_.sources()) {
    const auto windowed = windowed_.find(name), total = cumulative_.find(name);
    if (windowed == windowed_.end() || windowed->second->count() == 0) continue;
    const QList<QPointF> points = windowed->second->points(), since_start = total->second->points();
    auto& row = rows.emplace_back();
    for (qsizetype i = 0; i < points.size(); ++i) {
      const QPointF point = points[i];
      const double whole = i < since_start.size() ? since_start[i].y() : point.y();
      row.push_back({core_text(name),
                     {},
                     point.x(),
                     mark_around(chart().mapToPosition(point, windowed->second)),
                     {},
                     [this, name, point, whole] {
                       return tr("%1 after %2 requests: %3 over the last %4, %5 since the start (measured)")
                           .arg(name)
                           .arg(point.x(), 0, 'f', 0)
                           .arg(percent_text(point.y() / 100))
                           .arg(model_.window_after(static_cast<std::uint64_t>(point.x()), window_))
                           .arg(percent_text(whole / 100));
                     }});
    }
  }
  std::vector<PointStop> chosen;
  for (const Mark& mark : marks_)
    if (const QLineF line = stroke(mark); !line.isNull())
      chosen.push_back({tr("requests of the selected context"),
                        {},
                        mark.number,
                        QRectF(line.x1() - 4, line.y1() - 1, 8, stroke_height + 2),
                        mark_tip(mark)});
  if (!chosen.empty()) rows.push_back(std::move(chosen));
  return rows;
}

void HitRateChart::set_measure(HitRateModel::Measure measure) {
  measure_ = measure;
  invalidate();
}

void HitRateChart::set_window(int requests) {
  window_ = requests;
  invalidate();
}

QLineSeries* HitRateChart::series_of(std::map<QString, QLineSeries*>& all, const QString& name) {
  QLineSeries*& series = all[name];
  if (!series) {
    series = new QLineSeries;
    series->setName(name);
    chart().addSeries(series);
    series->attachAxis(request_axis_);
    series->attachAxis(rate_axis_);
  }
  return series;
}

// Of what the axis shows, at full resolution however long the run is.
void HitRateChart::shown_changed() {
  const auto scaled = [](const std::vector<QPointF>& points) {
    QList<QPointF> percent;
    percent.reserve(static_cast<qsizetype>(points.size()));
    for (const QPointF& point : points) percent.append({point.x(), point.y() * 100});
    return percent;
  };
  for (auto* all : {&cumulative_, &windowed_})
    for (auto& [name, series] : *all)
      if (std::ranges::find(model_.sources(), name) == model_.sources().end()) series->clear();  // of another session
  // More points than every third column of pixels cannot be told apart, and the strokes between them are what painting
  // costs.
  const int limit = std::clamp(static_cast<int>(chart().plotArea().width() / 3), 60, HitRateModel::point_limit);
  const auto first = static_cast<std::uint64_t>(std::max(1.0, std::floor(request_axis_->min()))),
             last = static_cast<std::uint64_t>(std::max(1.0, std::ceil(request_axis_->max()) + 1));
  for (std::size_t i = 0; i < model_.sources().size(); ++i) {
    const QString& name = model_.sources()[i];
    const QColor color = theme().tier(name, model_.roles().color(name));
    const QList<qreal> dashes = theme().tier_dashes(name, model_.roles().color(name));
    QColor soft = color;
    soft.setAlphaF(0.55f);
    QLineSeries* cumulative = series_of(cumulative_, name);
    cumulative->replace(scaled(model_.series_between(i, measure_, 0, limit, first, last)));
    cumulative->setPen(curve_pen(soft, 1.1, dashes));
    QLineSeries* windowed = series_of(windowed_, name);
    windowed->replace(scaled(model_.series_between(i, measure_, window_, limit, first, last)));
    windowed->setPen(curve_pen(color, 2.2, dashes));
  }
}

void HitRateChart::add_legend() {
  std::vector<LegendItem> items;
  for (std::size_t i = 0; i < model_.sources().size(); ++i) {
    const QString& name = model_.sources()[i];
    const QColor color = theme().tier(name, model_.roles().color(name));
    const QList<qreal> dashes = theme().tier_dashes(name, model_.roles().color(name));
    const double latest = model_.latest(i, measure_, window_), total = model_.latest(i, measure_, 0);
    items.push_back({"",
                     latest < 0 ? core_text(name) : QStringLiteral("%1 %2").arg(core_text(name), percent_text(latest)),
                     latest < 0 ? core_text(name)
                                : tr("%1: %2 over the last %3 requests, %4 since the start (measured)")
                                      .arg(core_text(name), percent_text(latest))
                                      .arg(window_)
                                      .arg(percent_text(total)),
                     LegendItem::Sign::line,
                     color,
                     {},
                     false,
                     0,
                     dashes});
  }
  items.push_back({"",
                   tr("last %1").arg(window_),
                   tr("Thick: over the last %1 requests").arg(window_),
                   LegendItem::Sign::line,
                   theme().muted,
                   {},
                   false});
  items.push_back({"",
                   tr("since start"),
                   tr("Thin: since the start of the run"),
                   LegendItem::Sign::thin_line,
                   theme().muted,
                   {},
                   false});
  if (!chosen_.isEmpty())
    items.push_back({"",
                     marks_text(),
                     tr("Ticks: requests of the selected context, colored by source. Esc clears the selection."),
                     LegendItem::Sign::swatch,
                     theme().accent,
                     {},
                     false});
  legend().set_items(std::move(items));
}

void HitRateChart::refresh() {
  find_marks();
  add_legend();
  // It holds still until it is full.
  constexpr double least_axis = 10;
  const double end = held_end(static_cast<double>(model_.requests()), least_axis);
  if (end != request_axis_->max() || request_axis_->min() != 0) {
    const auto ticks = linear_ticks(0, end, 6);
    set_ticks(*request_axis_, 0, end, ticks.size() > 1 ? std::max(1.0, ticks[1]) : end);
  }
  rate_axis_->setTickCount(compact() ? 3 : 5);
}

QString HitRateChart::empty_text() const {
  return model_.requests() == 0 ? tr("No requests served yet. Rates appear once you press Start.") : QString();
}

ChartTable HitRateChart::table() const {
  ChartTable table{{"source", "requests_served", "rate_window", "rate_since_start"}, {}};
  for (std::size_t i = 0; i < model_.sources().size(); ++i) {
    const auto windowed = model_.series(i, measure_, window_), total = model_.series(i, measure_, 0);
    for (std::size_t k = 0; k < windowed.size() && k < total.size(); ++k)
      table.rows.append({model_.sources()[i], QString::number(windowed[k].x(), 'f', 0),
                         QString::number(windowed[k].y(), 'g', 6), QString::number(total[k].y(), 'g', 6)});
  }
  return table;
}

}  // namespace kvantage
