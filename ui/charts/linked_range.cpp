#include "ui/charts/linked_range.h"

#include <utility>

namespace kvantage {

LinkedRange::LinkedRange(ChartZoom& zoom, TimeRange& range, TimeAxis axis)
    : QObject(&zoom), zoom_(zoom), range_(&range), axis_(std::move(axis)) {
  connect(&zoom_, &ChartZoom::moved, this, &LinkedRange::take);
  connect(&range, &TimeRange::changed, this, &LinkedRange::show);
  if (!range.whole()) show();
}

void LinkedRange::reach(double end) {
  if (range_ && axis_.in_seconds()) range_->reach(end);
}

void LinkedRange::take() {
  const AxisSpan x = zoom_.view().shown().x;
  if (!range_ || x == last_) return;  // the other axis moved
  last_ = x;
  const bool all = x == zoom_.view().data().x;
  if (all && range_->begin() <= 0 && range_->end() >= range_->extent()) return;  // likewise
  taking_ = true;
  if (all)
    range_->show_all();
  else if (axis_.in_seconds())
    range_->show(x.lower, x.upper);
  else
    range_->show(axis_.seconds_of(x.lower), axis_.seconds_of(x.upper));
  taking_ = false;
  in_part_ = !range_->whole();
}

void LinkedRange::show() {
  if (!range_ || taking_) return;
  if (!range_->whole())
    zoom_.show_x(axis_.in_seconds() ? AxisSpan{range_->begin(), range_->end()}
                                    : AxisSpan{axis_.x_of(range_->begin()), axis_.x_of(range_->end())});
  else if (in_part_)
    zoom_.show_x(std::nullopt);
  else
    zoom_.sync();  // the whole is longer now; held axes stay
  in_part_ = !range_->whole();
  last_ = zoom_.view().shown().x;
}

}  // namespace kvantage
