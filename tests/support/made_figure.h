// A figure as the command makes it, in a copy of the test's process, and without waiting for a machine at rest: beside
// other tests that would take most of the time.
#pragma once

#include <string>
#include <vector>

#include "app/cli/console_figure_host.h"
#include "app/cli/figures/figure_request.h"
#include "app/cli/session_options.h"
#include "core/report/figure.h"
#include "tests/support/forked_command_line.h"
#include "tests/support/test_model.h"

namespace kvantage::test {

/// As `workload make` takes them: so many short contexts of two families, with two questions of each kind and 16
/// requests.
inline QStringList few_contexts(const QString& of_each_family) {
  return {"--families",
          "registry,news",
          "--contexts-per-family",
          of_each_family,
          "--min-tokens",
          "200",
          "--max-tokens",
          "320",
          "--profile-questions",
          "2",
          "--held-out-questions",
          "2",
          "--requests",
          "16"};
}

/// As call({"reproduce"} + words).
inline Answer call_figure(const QStringList& words) {
  return forked([&words]() -> int {
    std::vector<std::string> text;
    for (const QString& word : words) text.push_back(word.toStdString());
    cli::ConsoleFigureHost host;
    host.set_patience({.rounds = 1, .repeats = 0});
    FigureArguments arguments;
    const Status made = cli::make_figure_of_words(text, arguments, host, {});
    return made ? 0 : cli::report_error(made.error());
  });
}

/// Of an answer that is one figure, on the model of the tests; else an empty one.
inline FigureResult made_figure(const QStringList& words) {
  const Answer answer =
      call_figure(words + QStringList{"--json", "--model", QString::fromStdString(model_directory().string())});
  if (answer.exit_code != 0) qWarning("%s", answer.text().constData());
  const auto results = answer.exit_code == 0 ? figure_results_of(answer.out.toStdString(), "out")
                                             : fail(ErrorCode::internal, "it failed");
  return results && results->size() == 1 ? results->front() : FigureResult{};
}

}  // namespace kvantage::test
