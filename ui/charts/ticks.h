// Readable ticks: 1-2-5 steps, on a logarithmic scale too, where Qt Charts' own axis labels whole decades only.
#pragma once

#include <QCategoryAxis>
#include <QString>
#include <QValueAxis>
#include <functional>
#include <vector>

namespace kvantage {

/// 1-2-5 (or only decades, where there are many) values within [low, high], 0 < low < high.
std::vector<double> log_ticks(double low, double high, int max_ticks = 9);
/// Multiples of a 1-2-5 step that cover [low, high].
std::vector<double> linear_ticks(double low, double high, int max_ticks = 7);

/// Range and distance of dynamic ticks, in the order in which there are never more ticks than before or after: an axis
/// makes them at once, and a hundred thousand of the old distance over the new range take it minutes. Nothing happens
/// where both are as they were.
void set_ticks(QValueAxis& axis, double low, double high, double interval);

/// The same with ticks at round numbers, at most so many, whose labels have as many decimals as they need, and `unit`
/// after the number.
void set_round_ticks(QValueAxis& axis, double low, double high, int max_ticks, const QString& unit = {});

/// An axis over log10 of a positive quantity, labeled with the quantity. Coordinates are log10(value): a value of zero
/// cannot get in and make the series vanish.
void set_log_axis(QCategoryAxis& axis, double low, double high, const std::function<QString(double)>& label,
                  int max_ticks = 9);

}  // namespace kvantage
