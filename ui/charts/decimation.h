// What of many points of a line can be told apart on the screen: the lowest and the highest of each column of pixels.
// The cost of a frame follows the pixels, not the points.
#pragma once

#include <QPointF>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace kvantage {

/// The end of a column of pixels, the first is 0, of `columns` between two values of x.
inline double column_end(double low, double high, int columns, int column) {
  return column + 1 == columns ? high : low + (high - low) * (column + 1) / columns;
}

/// Points with ascending x and minima and maxima over blocks of 4, 16, 64, ... of them: 8/3 bytes a point more.
class MinMaxPyramid {
 public:
  struct Extremes {
    std::size_t lowest = 0, highest = 0;  // the first of equal ones
  };

  MinMaxPyramid() = default;
  explicit MinMaxPyramid(const std::vector<QPointF>& points);
  /// x not below that of the last point, y a number; levels grow with it.
  void append(const QPointF& point);
  std::size_t size() const { return points_.size(); }
  const std::vector<QPointF>& points() const { return points_; }
  /// The first point at or behind x, and the first behind it.
  std::size_t first_at(double x) const;
  std::size_t first_behind(double x) const;
  /// Of the points from `first` to before `last`; nothing of none. O(log size).
  std::optional<Extremes> extremes(std::size_t first, std::size_t last) const;
  /// What a line shows between two values of x: indices in order, of each column of pixels the lowest and the highest
  /// point, or all where they are no more than two a column; and a point on each side, as the line does not end there.
  std::vector<std::size_t> seen(double low, double high, int columns) const;

 private:
  static constexpr std::size_t fan = 4;
  struct Node {
    std::uint32_t lowest = 0, highest = 0;
  };
  void merge(Node& into, const Node& other) const;
  std::vector<QPointF> points_;
  std::vector<std::vector<Node>> levels_;  // blocks of fan, fan * fan, ... points; the last has one
};

}  // namespace kvantage
