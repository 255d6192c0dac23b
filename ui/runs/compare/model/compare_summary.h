// A comparison of two runs in sentences: what was compared under which conditions, what differs, and what to be careful
// about.
#pragma once

#include <QString>
#include <QStringList>

#include "ui/runs/model/run_comparison_model.h"

namespace kvantage {

struct ComparedSummary {
  QStringList warnings;  // a sentence each
  QString text;          // paragraphs, the warnings last
};

/// `other`: the run that is compared with the baseline of `model`. Empty where there is none.
ComparedSummary compared_summary(const RunComparisonModel& model, int other);

}  // namespace kvantage
