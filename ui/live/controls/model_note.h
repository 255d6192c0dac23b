// What a ranking of methods on the loaded model must say ("by construction"), for views that show such rankings.
#pragma once

#include <QBoxLayout>

#include "ui/session/run_model.h"

namespace kvantage {

/// Adds a line that is hidden while the model has no note. `column` must be the layout of a widget.
void add_model_note(RunModel& run, QBoxLayout& column, const QString& name);

}  // namespace kvantage
