// A word of a command line as a shell reads it.
#pragma once

#include <QString>

#include "core/report/window_command.h"

namespace kvantage {

/// report::shell_word() of the window's texts.
inline QString shell_word(const QString& word) {
  return QString::fromStdString(report::shell_word(word.toStdString()));
}

}  // namespace kvantage
