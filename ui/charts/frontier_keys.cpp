#include "ui/charts/frontier_keys.h"

#include <algorithm>
#include <cmath>

#include "ui/charts/frontier_tips.h"

namespace kvantage {
namespace {

constexpr std::size_t page = 10;

using Kind = FrontierStop::Kind;

bool same_row(const FrontierStop& a, const FrontierStop& b) { return a.kind == b.kind && (a.kind != Kind::curve || a.policy == b.policy); }

double distance(const FrontierStop& a, const FrontierStop& b) {
  switch (a.kind) {
    case Kind::measured: return std::abs(a.epoch - b.epoch);
    case Kind::curve: return std::abs(std::log(std::max(a.alpha, 1e-12)) - std::log(std::max(b.alpha, 1e-12)));
    case Kind::modelled: return a.policy == b.policy && a.shadow == b.shadow ? 0 : 1;
    case Kind::present: return 0;
  }
  return 0;
}

}  // namespace

std::vector<FrontierRow> frontier_rows(const FrontierCanvas& canvas) {
  const FrontierModel& model = canvas.model;
  std::vector<FrontierRow> rows;
  const auto shown = [&](const FrontierMean& mean) { return canvas.position(mean).has_value(); };
  const auto take = [&rows](FrontierRow row) {
    if (!row.empty()) rows.push_back(std::move(row));
  };
  if (const auto present = model.present(); present && shown(*present)) {
    FrontierStop stop{Kind::present, model.present_policy(), *present, present_tip(canvas, *present)};
    for (const MeasuredPoint& point : canvas.measured)
      if (point.current) stop.run = point.run;
    take({stop});
  }
  FrontierRow measured, modelled;
  for (const MeasuredPoint& point : canvas.measured) {
    const FrontierMean mean{point.quality.mean, point.ttft.mean};
    if (shown(mean)) measured.push_back({Kind::measured, QString(), mean, measured_tip(point), 0, point.epoch, point.run});
  }
  take(std::move(measured));
  const auto curve_row = [&](const FrontierCurve& curve) {
    FrontierRow row;
    for (const FrontierSample& sample : curve.samples)
      if (shown(sample.mean)) row.push_back({Kind::curve, curve.policy, sample.mean, sample_tip(model, curve.policy, sample), sample.alpha});
    take(std::move(row));
  };
  for (const bool present : {true, false})
    for (const FrontierCurve& curve : model.curves())
      if (!canvas.hidden(curve.policy) && (curve.policy == model.present_policy()) == present) curve_row(curve);
  for (const ModelledPoint& point : model.modelled())
    if (!canvas.hidden(point.policy) && shown(point.mean))
      modelled.push_back({Kind::modelled, point.policy, point.mean, modelled_tip(model, point), 0, 0, QString(), point.shadow});
  std::ranges::stable_sort(modelled, {}, [](const FrontierStop& stop) { return stop.mean.ttft_seconds; });
  take(std::move(modelled));
  return rows;
}

std::optional<FrontierCursor::Place> FrontierCursor::place(const std::vector<FrontierRow>& rows) const {
  if (!at_) return {};
  const auto row = std::ranges::find_if(rows, [this](const FrontierRow& each) { return same_row(each.front(), *at_); });
  if (row == rows.end()) return {};
  const auto stop = std::ranges::min_element(*row, {}, [this](const FrontierStop& each) { return distance(each, *at_); });
  return Place{static_cast<std::size_t>(row - rows.begin()), static_cast<std::size_t>(stop - row->begin())};
}

std::optional<FrontierStop> FrontierCursor::stop(const std::vector<FrontierRow>& rows) const {
  const auto found = place(rows);
  return found ? std::optional(rows[found->row][found->stop]) : std::nullopt;
}

bool FrontierCursor::move(int key, const std::vector<FrontierRow>& rows) {
  switch (key) {
    case Qt::Key_Left: case Qt::Key_Right: case Qt::Key_Up: case Qt::Key_Down:
    case Qt::Key_Home: case Qt::Key_End: case Qt::Key_PageUp: case Qt::Key_PageDown: break;
    default: return false;
  }
  if (rows.empty()) return true;
  const auto found = place(rows);
  if (!found) {
    at_ = rows.front().front();  // the first key only shows where one is
    return true;
  }
  auto [row, stop] = *found;
  const std::size_t last = rows[row].size() - 1;
  switch (key) {
    case Qt::Key_Left: stop -= std::min<std::size_t>(stop, 1); break;
    case Qt::Key_Right: stop = std::min(stop + 1, last); break;
    case Qt::Key_PageUp: stop -= std::min(stop, page); break;
    case Qt::Key_PageDown: stop = std::min(stop + page, last); break;
    case Qt::Key_Home: stop = 0; break;
    case Qt::Key_End: stop = last; break;
    default: {  // the point of the next row that is nearest to this one
      const std::size_t to = key == Qt::Key_Up ? row - std::min<std::size_t>(row, 1) : std::min(row + 1, rows.size() - 1);
      if (to == row) break;
      const FrontierMean from = rows[row][stop].mean;
      const auto nearest = std::ranges::min_element(rows[to], {}, [&](const FrontierStop& each) {
        return std::hypot(std::log10(each.mean.ttft_seconds / from.ttft_seconds), each.mean.quality - from.quality);
      });
      stop = static_cast<std::size_t>(nearest - rows[to].begin());
      row = to;
    }
  }
  at_ = rows[row][stop];
  return true;
}

}  // namespace kvantage
