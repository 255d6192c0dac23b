#include "ui/live/frontier/frontier_chart.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/live/frontier/frontier_legend.h"
#include "ui/live/frontier/frontier_overlay.h"
#include "ui/live/frontier/frontier_tips.h"
#include "ui/live/frontier/held_points.h"
#include "ui/live/frontier/model/pareto_envelope.h"
#include "ui/live/frontier/target_lines.h"
#include "ui/widgets/tip_lines.h"

namespace kvantage {
namespace {

QString what_it_shows() {
  return FrontierChart::tr("Mean TTFT versus mean answer quality; arrow keys move between points");
}

bool is_hidden_policy(const FrontierModel& model, const QString& policy) {
  return model.hidden_policies().contains(policy) && policy != model.present_policy();
}

QList<QPointF> chart_points(const std::vector<FrontierSample>& samples) {
  QList<QPointF> points;
  points.reserve(static_cast<qsizetype>(samples.size()));
  for (const FrontierSample& sample : samples)
    if (sample.mean.ttft_seconds > 0) points.append({std::log10(sample.mean.ttft_seconds), sample.mean.quality});
  return points;
}

/// log10 seconds by quality of all that is shown; nothing: there is nothing.
std::optional<QRectF> shown_extent(const FrontierCanvas& canvas) {
  std::optional<QRectF> extent;
  const auto take = [&](double ttft, double quality) {
    if (!(ttft > 0)) return;
    const QRectF point(std::log10(ttft), quality, 1e-9, 1e-9);
    extent = extent ? extent->united(point) : point;
  };
  for (const FrontierCurve& curve : canvas.model.curves())
    if (!canvas.hidden(curve.policy))
      for (const FrontierSample& sample : curve.samples) take(sample.mean.ttft_seconds, sample.mean.quality);
  for (const SimulatedPoint& point : canvas.model.simulated())
    if (!canvas.hidden(point.policy)) take(point.mean.ttft_seconds, point.mean.quality);
  for (const MeasuredPoint& point : canvas.measured) {
    // A wild interval after three requests shall not squeeze everything else.
    const bool wide = point.quality.n < 8;
    take(point.ttft.mean, wide ? point.quality.mean : point.quality.low);
    take(point.ttft.mean, wide ? point.quality.mean : point.quality.high);
    if (!wide) {
      take(std::max(point.ttft.low, point.ttft.mean / 4), point.quality.mean);
      take(point.ttft.high, point.quality.mean);
    }
  }
  if (canvas.held == nullptr) return extent;
  for (const HeldRun& run : *canvas.held)
    if (run.shown)
      for (const MeasuredPoint& point : run.points) take(point.ttft.mean, point.quality.mean);
  return extent;
}

/// Points of earlier runs are drawn with the runs that are `held`, where those are given.
std::vector<MeasuredPoint> own_points(std::vector<MeasuredPoint> points, bool held) {
  if (held) std::erase_if(points, [](const MeasuredPoint& point) { return point.earlier; });
  return points;
}

QStringList measured_row(const MeasuredPoint& point, const QString& run) {
  const auto number = [](double value) { return QString::number(value, 'g', 9); };
  return {point.policy,
          point.simulated   ? "modelled"
          : point.throttled ? "shaped"
                            : "measured",
          point.uses_alpha ? number(point.alpha) : QString(),
          number(point.ttft.mean),
          number(point.ttft.low),
          number(point.ttft.high),
          number(point.quality.mean),
          number(point.quality.low),
          number(point.quality.high),
          QString::number(point.quality.n),
          point.predicted ? number(point.predicted->ttft_seconds) : QString(),
          point.predicted ? number(point.predicted->quality) : QString(),
          run,
          QString()};
}

}  // namespace

FrontierChart::FrontierChart(FrontierModel& model, QWidget* parent)
    : ChartPanel(tr("Frontier"), parent),
      model_(model),
      axes_(chart(), *this),
      anchor_(new QLineSeries),
      note_(new FrontierNote(*this)) {
  keys().set_description(what_it_shows());
  set_tip_line(*this, TipLine::keys,
               tr("Left and Right move along points and curves, Up and Down between them; Enter opens the run of a "
                  "measured point."));
  zoomed_axes().zoom_log_axis(axes_.times(), [this](double low, double high) { axes_.show_times(low, high); });
  chart().addSeries(anchor_);
  axes_.attach(*anchor_);
  connect(&model_, &FrontierModel::measuredChanged, this, [this] { invalidate(); });
  connect(&model_, &FrontierModel::curvesChanged, this, [this] { invalidate_at_once(); });
  // The marker follows the hand within the frame: only the overlay is painted again.
  connect(&model_, &FrontierModel::presentChanged, this, [this] { repaint_overlay(); });
  connect(note_, &FrontierNote::openRequested, this,
          [this] { emit measuredPointClicked(pinned_.first, pinned_.second); });
  set_theme(theme());
}

void FrontierChart::set_quality_metric(const QString& metric) { axes_.set_metric(metric); }

void FrontierChart::set_outlook(const QString& outlook) {
  if (outlook == outlook_) return;
  outlook_ = outlook;
  if (!empty_text().isEmpty()) repaint_overlay();
}

void FrontierChart::set_held(std::vector<HeldRun> held) {
  held_ = std::move(held);
  invalidate();
}

void FrontierChart::set_targets(FrontierTargets& targets) {
  targets_ = &targets;
  connect(&targets, &FrontierTargets::targetChanged, this, [this] { repaint_overlay(); });
  connect(&targets, &FrontierTargets::answerChanged, this, [this] { repaint_overlay(); });
  TargetDrag::Chart view;
  view.canvas = [this] { return canvas(); };
  view.mean_at = [this](const QPointF& at) {
    const QPointF value = chart().mapToValue(at, anchor_);
    return FrontierMean{value.y(), std::pow(10, value.x())};
  };
  view.has_point = [this](const QPointF& at) { return keys().near(at).has_value(); };
  new TargetDrag(*findChild<QChartView*>()->viewport(), targets, std::move(view), this);
}

std::optional<QPointF> FrontierChart::position(const FrontierMean& mean) const {
  if (!(mean.ttft_seconds > 0) || axes_.range().isNull()) return std::nullopt;
  return chart().mapToPosition({std::log10(mean.ttft_seconds), mean.quality}, anchor_);
}

std::optional<QPointF> FrontierChart::present_position() const {
  const auto present = model_.present();
  return present ? position(*present) : std::nullopt;
}

void FrontierChart::refresh() {
  measured_ = own_points(model_.measured_so_far(), held_.has_value());
  const auto put = [this](CurveSeries& all, const QString& policy, const QList<QPointF>& points) {
    QLineSeries*& series = all[policy];
    if (!series) {
      series = new QLineSeries;
      series->setName(policy);
      chart().addSeries(series);
      axes_.attach(*series);
    }
    series->replace(points);
  };
  for (const FrontierCurve& curve : model_.curves()) {
    put(series_, curve.policy, chart_points(curve.samples));
    put(envelopes_, curve.policy, chart_points(pareto_envelope(curve.samples)));
  }
  for (auto& [policy, series] : series_) {
    QLineSeries* envelope = envelopes_.at(policy);
    const bool asked = std::any_of(model_.curves().begin(), model_.curves().end(),
                                   [&, name = policy](const auto& curve) { return curve.policy == name; });
    if (!asked)
      for (QLineSeries* each : {series, envelope}) each->replace(QList<QPointF>());
    QColor faint = theme().policy(policy);
    faint.setAlphaF(0.3f);
    series->setPen(curve_pen(faint, 1));
    envelope->setPen(curve_pen(theme().policy(policy), policy == model_.present_policy() ? 2.8 : 1.5));
    for (QLineSeries* each : {series, envelope}) each->setVisible(!is_hidden_policy(model_, policy));
  }
  anchor_->setPen(Qt::NoPen);
  axes_.set_agreement(model_.segments().shows_agreement());
  axes_.show_titles();
  if (const auto extent = shown_extent(canvas())) axes_.fit(*extent);
  legend().set_items(frontier_legend(canvas()));
  if (is_empty() == was_empty_) return;
  was_empty_ = !was_empty_;
  emit emptyChanged();
}

FrontierCanvas FrontierChart::canvas() const {
  const bool targets = targets_ && targets_->active();
  return {model_,
          measured_,
          theme(),
          chart().plotArea(),
          legend().font(),
          [this](const FrontierMean& mean) { return position(mean); },
          [this](const QString& policy) { return is_hidden_policy(model_, policy); },
          held_ ? &*held_ : nullptr,
          targets ? &targets_->target() : nullptr,
          targets ? targets_->solution() : std::nullopt};
}

void FrontierChart::paint_over(QPainter& painter) {
  if (axes_.range().isNull()) return;
  paint_frontier(painter, canvas());
}

// The whole of it: the panel shortens it and pins it with a click. Where a click opens a note, or moves alpha, it is
// short here already.
QString FrontierChart::tip_at(const QPointF& at) const {
  const FrontierCanvas now = canvas();
  const QString whole = frontier_tip(now, at);
  if (measured_at(now, at) != nullptr || held_at(now, at) || shows_answers(at)) return short_tip(whole);
  return alpha_at(now, at) ? whole.section('\n', 0, 2) : whole;
}

// The present point is that of the running run, as soon as it has answers.
const MeasuredPoint* FrontierChart::shows_answers(const QPointF& at) const {
  constexpr double reach = 10;
  const auto present = present_position();
  const auto current = std::ranges::find(measured_, true, &MeasuredPoint::current);
  const bool is_there = present && std::hypot(present->x() - at.x(), present->y() - at.y()) <= reach;
  return is_there && current != measured_.end() ? &*current : nullptr;
}

void FrontierChart::pin(const MeasuredPoint& point, const QString& text, const QPointF& at) {
  pinned_ = {point.epoch, point.run};
  const QWidget* view = findChild<QChartView*>()->viewport();
  note_->pin(text, view->mapTo(this, at.toPoint()), point.run.isEmpty() ? tr("Show requests") : tr("Open run"));
}

void FrontierChart::clicked_at(const QPointF& at) {
  note_->hide();
  const FrontierCanvas now = canvas();
  const auto tip_without_run = [](MeasuredPoint point) {
    point.run.clear();  // the note has a button for it
    return measured_tip(point);
  };
  if (const MeasuredPoint* point = measured_at(now, at)) return pin(*point, tip_without_run(*point), at);
  if (const auto held = held_at(now, at)) {
    MeasuredPoint point = *held->point;
    point.run = held->run->id;
    HeldRun run = *held->run;
    run.id.clear();
    return pin(point, held_tip(run, point), at);
  }
  if (const MeasuredPoint* current = shows_answers(at))
    pin(*current, present_tip(now, *model_.present()), at);
  else if (const auto alpha = alpha_at(now, at))
    emit alphaPicked(*alpha);
}

PointKeys::Rows FrontierChart::key_rows() const {
  PointKeys::Rows rows;
  if (axes_.range().isNull()) return rows;
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
  if (stop->kind == Kind::measured || (stop->kind == Kind::held && !stop->run.isEmpty()))
    emit measuredPointClicked(stop->epoch, stop->run);
  else if (stop->kind == Kind::present && current != measured_.end())
    emit measuredPointClicked(current->epoch, current->run);
  else if (stop->kind == Kind::curve && stop->policy == model_.present_policy())
    emit alphaPicked(stop->alpha);
}

bool FrontierChart::is_empty() const {
  const bool held =
      held_ && std::ranges::any_of(*held_, [](const HeldRun& run) { return run.shown && !run.points.empty(); });
  return model_.curves().empty() && model_.simulated().empty() && measured_.empty() && !held;
}

QString FrontierChart::empty_text() const {
  if (!is_empty()) return {};
  return (tr("No curve yet. It appears with the first profile.") + '\n' + outlook_).trimmed();
}

ChartTable FrontierChart::table() const {
  ChartTable table{
      {"policy", "provenance", "alpha_seconds_per_quality", "ttft_service_seconds", "ttft_low", "ttft_high", "quality",
       "quality_low", "quality_high", "n", "predicted_ttft_seconds", "predicted_quality", "run", "on_envelope"},
      {}};
  table.plot = {"ttft_service_seconds", {"quality"}, true};
  const auto number = [](double value) { return QString::number(value, 'g', 9); };
  for (const FrontierCurve& curve : model_.curves()) {
    if (is_hidden_policy(model_, curve.policy)) continue;
    const std::vector<FrontierSample> envelope = pareto_envelope(curve.samples);
    for (const FrontierSample& sample : curve.samples) {
      const bool on_envelope = std::ranges::find(envelope, sample.alpha, &FrontierSample::alpha) != envelope.end();
      table.rows.append({curve.policy, "predicted", number(sample.alpha), number(sample.mean.ttft_seconds), "", "",
                         number(sample.mean.quality), "", "", "", "", "", "", on_envelope ? "1" : "0"});
    }
  }
  for (const SimulatedPoint& point : model_.simulated())
    if (!is_hidden_policy(model_, point.policy))
      table.rows.append({point.policy, point.what_if ? "modelled (what-if)" : "modelled", "",
                         number(point.mean.ttft_seconds), "", "", number(point.mean.quality), "", "",
                         QString::number(point.requests), "", "", "", ""});
  const QualityLevels& levels = model_.quality_levels();
  for (const auto& [name, level] : {std::pair{"uncompressed", levels.uncompressed}, std::pair{"chance", levels.chance}})
    if (level)
      table.rows.append({name, "level (profiles)", "", "", "", "", number(*level), "", "", "", "", "", "", ""});
  for (const MeasuredPoint& point : own_points(model_.measured(), held_.has_value()))
    table.rows.append(measured_row(point, point.run));
  if (held_)
    for (const HeldRun& run : *held_)
      if (run.shown)
        for (const MeasuredPoint& point : run.points) table.rows.append(measured_row(point, run.name));
  return table;
}

}  // namespace kvantage
