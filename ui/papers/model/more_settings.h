// Options of a figure beside its settings (PaperFigure::more), which it rarely needs, with texts for a form.
#pragma once

#include <QString>
#include <vector>

#include "core/experiments/paper_figures.h"

namespace kvantage {

struct MoreSetting {
  QString option;            // "--max-batch"
  QString label, otherwise;  // otherwise: what holds without a value
  QString tip;               // its meaning and unit
  bool is_flag = false;      // has no value
};

/// Those that have texts, in the order of the figure; then the models that it takes.
std::vector<MoreSetting> more_settings(const PaperFigure& figure);

/// The value of a flag that is given.
inline constexpr const char* flag_on = "on";
/// Whether the command line takes this option without a value.
bool is_figure_flag(const QString& option);

}  // namespace kvantage
