// How long figures take, and so how long is left of a reproduction of all of them.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kvantage::inline figures {

/// How `reproduce all` makes its figures: as they are, with PaperFigure::brief, or with PaperFigure::quick.
enum class FigureEffort { full, brief, quick };

/// Seconds that a figure takes on two cores, estimated from runs with --brief and from its number of cells and
/// requests. A view of other figures' runs takes as long as these. 0: unknown figure.
double expected_seconds(std::string_view figure, FigureEffort effort);

/// "8 s", "12 min", "1 h 50 min": two digits at most of the larger unit.
std::string rough_duration(double seconds);

/// What is left of a reproduction, by how long the figures that were made took beside what was expected of them.
class ReproductionPace {
 public:
  explicit ReproductionPace(FigureEffort effort) : effort_(effort) {}

  /// A figure with results.
  void made(std::string_view figure, double seconds);
  double seconds_left(std::span<const std::string> figures) const;

 private:
  /// Seconds here for each expected second; 1 before anything was made.
  double factor() const;

  const FigureEffort effort_;
  double taken_ = 0, expected_ = 0;
};

}  // namespace kvantage::inline figures
