#include "ui/charts/decimation.h"

#include <algorithm>
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

}  // namespace kvantage
