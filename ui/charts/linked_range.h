// A time chart that shows the part of the run that all time charts show: zooming it moves the others, and they move it.
#pragma once

#include <QObject>
#include <QPointer>

#include "ui/charts/chart_zoom.h"
#include "ui/charts/linked_cursor.h"

namespace kvantage {

class LinkedRange : public QObject {
  Q_OBJECT
 public:
  /// `axis`: of the chart that `zoom` zooms. Lives as long as `zoom`.
  LinkedRange(ChartZoom& zoom, TimeRange& range, TimeAxis axis = {});
  /// The chart has data until `end` of its axis; nothing where that is not in seconds.
  void reach(double end);

 private:
  void take();
  void show();
  ChartZoom& zoom_;
  QPointer<TimeRange> range_;
  TimeAxis axis_;
  AxisSpan last_;         // of x, as it was shown or taken last
  bool taking_ = false;   // what changes is the chart's own
  bool in_part_ = false;  // the chart shows a part
};

}  // namespace kvantage
