#include "ui/charts/decimation.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace kvantage {

MinMaxPyramid::MinMaxPyramid(const std::vector<QPointF>& points) {
  points_.reserve(points.size());
  for (const QPointF& point : points) append(point);
}

void MinMaxPyramid::merge(Node& into, const Node& other) const {
  if (points_[other.lowest].y() < points_[into.lowest].y()) into.lowest = other.lowest;
  if (points_[other.highest].y() > points_[into.highest].y()) into.highest = other.highest;
}

void MinMaxPyramid::append(const QPointF& point) {
  const std::size_t at = points_.size();
  points_.push_back(point);
  const Node own{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at)};
  if (levels_.empty()) levels_.emplace_back();
  std::size_t block = fan;
  for (std::vector<Node>& level : levels_) {
    if (at / block == level.size())
      level.push_back(own);
    else
      merge(level.back(), own);
    block *= fan;
  }
  if (levels_.back().size() < 2) return;
  Node top = levels_.back().front();
  merge(top, levels_.back().back());
  levels_.push_back({top});
}

std::size_t MinMaxPyramid::first_at(double x) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(points_, x, {}, &QPointF::x) - points_.begin());
}

std::size_t MinMaxPyramid::first_behind(double x) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(points_, x, {}, &QPointF::x) - points_.begin());
}

std::optional<MinMaxPyramid::Extremes> MinMaxPyramid::extremes(std::size_t first, std::size_t last) const {
  if (first >= last || last > size()) return std::nullopt;
  Node found{static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(first)};
  for (std::size_t at = first; at < last;) {
    // The largest whole block that begins here.
    std::size_t level = 0, block = 1;
    while (level < levels_.size() && at % (block * fan) == 0 && at + block * fan <= last) {
      block *= fan;
      ++level;
    }
    const auto own = static_cast<std::uint32_t>(at);
    merge(found, level == 0 ? Node{own, own} : levels_[level - 1][at / block]);
    at += block;
  }
  return Extremes{found.lowest, found.highest};
}

std::vector<std::size_t> MinMaxPyramid::seen(double low, double high, int columns) const {
  std::vector<std::size_t> shown;
  if (points_.empty() || columns < 1 || !(high >= low)) return shown;
  const std::size_t begin = first_at(low), end = first_behind(high);
  const std::size_t from = begin > 0 ? begin - 1 : begin, to = std::min(end + 1, size());
  if (end - begin <= 2 * static_cast<std::size_t>(columns)) {
    shown.resize(to - from);
    std::iota(shown.begin(), shown.end(), from);
    return shown;
  }
  shown.reserve(2 * static_cast<std::size_t>(columns) + 2);
  if (from < begin) shown.push_back(from);
  const auto first = points_.begin(), last = first + static_cast<std::ptrdiff_t>(end);
  std::size_t at = begin;
  for (int column = 0; column < columns; ++column) {
    const double bound = column_end(low, high, columns, column);
    const std::size_t next =
        column + 1 == columns
            ? end
            : static_cast<std::size_t>(
                  std::ranges::lower_bound(first + static_cast<std::ptrdiff_t>(at), last, bound, {}, &QPointF::x) -
                  first);
    if (const auto both = extremes(at, next)) {
      const auto [one, other] = std::minmax(both->lowest, both->highest);
      shown.push_back(one);
      if (other != one) shown.push_back(other);
    }
    at = next;
  }
  if (to > end) shown.push_back(end);
  return shown;
}

PointCells::PointCells(const std::vector<QPointF>& points) : order_(points.size()) {
  std::iota(order_.begin(), order_.end(), 0u);
  std::ranges::stable_sort(order_, {}, [&](std::uint32_t index) { return points[index].x(); });
  points_.reserve(points.size());
  for (const std::uint32_t index : order_) points_.push_back(points[index]);
}

std::vector<std::size_t> PointCells::seen(const AxisRanges& shown, int columns, int rows) const {
  std::vector<std::size_t> found;
  const auto begin = std::ranges::lower_bound(points_, shown.x.lower, {}, &QPointF::x);
  const auto end = std::ranges::upper_bound(begin, points_.end(), shown.x.upper, {}, &QPointF::x);
  const double wide = shown.x.upper - shown.x.lower, high = shown.y.upper - shown.y.lower;
  const bool all =
      end - begin <= static_cast<std::ptrdiff_t>(few) || columns < 1 || rows < 1 || !(wide > 0) || !(high > 0);
  std::vector<bool> taken(all ? 0 : static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows));
  for (auto at = begin; at != end; ++at) {
    const QPointF& point = *at;
    if (point.y() < shown.y.lower || point.y() > shown.y.upper) continue;
    if (!all) {
      const auto column = std::min(columns - 1, static_cast<int>((point.x() - shown.x.lower) / wide * columns));
      const auto row = std::min(rows - 1, static_cast<int>((point.y() - shown.y.lower) / high * rows));
      const std::size_t cell =
          static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column);
      if (taken[cell]) continue;
      taken[cell] = true;
    }
    found.push_back(order_[static_cast<std::size_t>(at - points_.begin())]);
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace kvantage
