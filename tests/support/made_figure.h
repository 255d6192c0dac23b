// A figure as the command makes it.
#pragma once

#include "core/report/figure.h"
#include "tests/support/command_line.h"
#include "tests/support/test_model.h"

namespace kvantage::test {

/// Of an answer that is one figure, on the model of the tests; else an empty one.
inline FigureResult made_figure(const QStringList& words) {
  const Answer answer =
      call(words + QStringList{"--json", "--model", QString::fromStdString(model_directory().string())});
  if (answer.exit_code != 0) qWarning("%s", answer.text().constData());
  const auto results = answer.exit_code == 0 ? figure_results_of(answer.out.toStdString(), "out")
                                             : fail(ErrorCode::internal, "it failed");
  return results && results->size() == 1 ? results->front() : FigureResult{};
}

}  // namespace kvantage::test
