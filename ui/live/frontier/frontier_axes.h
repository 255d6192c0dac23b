// The axes of the Frontier: log10 of TTFT by quality. Titles and ticks are words that fit, and the range does not move
// with every request.
#pragma once

#include <QCategoryAxis>
#include <QChart>
#include <QRectF>
#include <QString>
#include <QValueAxis>
#include <QWidget>

class QAbstractSeries;

namespace kvantage {

class FrontierAxes {
 public:
  /// Adds them to `chart`; `panel` has the width and the letters of the ticks. Both outlive this.
  FrontierAxes(QChart& chart, const QWidget& panel);
  QCategoryAxis& times() const { return *times_; }
  void attach(QAbstractSeries& series) const;

  void set_metric(const QString& metric);
  /// Whether the metric compares answers with uncompressed ones, for want of reference answers.
  void set_agreement(bool agreement) { agreement_ = agreement; }
  /// Titles in words that fit: one that is cut off says nothing.
  void show_titles();
  /// Ticks of the axis of times between two times, in seconds.
  void show_times(double low, double high);
  /// Shows `extent`, log10 seconds by quality; what is shown stays while the extent fits into it and fills it well.
  void fit(const QRectF& extent);
  /// log10 seconds by quality, as fitted; null before the first data.
  const QRectF& range() const { return range_; }

 private:
  void show_times();
  int width_hint_ticks() const;

  QChart& chart_;
  const QWidget& panel_;
  QCategoryAxis* times_;
  QValueAxis* qualities_;
  QString metric_;
  bool agreement_ = false;
  QRectF range_;
  int max_ticks_ = 0;  // of the axis of times, as it stands
};

}  // namespace kvantage
