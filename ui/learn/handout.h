// A lesson on paper: its steps with their charts as they are now, questions and predictions with lines to fill in, and
// a last page with the answers. In the language of the window; PDF and HTML by the pages of reports (ui/report).
#pragma once

#include <QString>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/report/report_sections.h"
#include "ui/learn/model/lesson_predictions.h"

namespace kvantage {

/// A part of a handout. line: empty, to write on; choice: with a box to tick.
struct HandoutBlock {
  enum class Kind { title, heading, text, note, choice, line, chart };
  Kind kind = Kind::text;
  QString text{};
  ReportPlot plot{};  // of a chart
};

struct Handout {
  QString title;
  std::vector<HandoutBlock> steps, answers;  // the answers begin a page
};

/// What a handout asks the window.
struct HandoutSource {
  std::function<QString(const QString& text)> with_facts;
  /// The chart of a step as it is now; nothing: it has none, or no data yet.
  std::function<std::optional<ReportPlot>(const LessonStep& step)> chart;
  const LessonPredictions* predictions = nullptr;  // of the lesson that runs; null: it does not run
};

/// A prediction that is not committed yet has no chart: that would show its result.
Handout handout_of(const Lesson& lesson, const HandoutSource& source);

/// The bytes of the file; errors of pages_pdf(). Both need a QApplication and its thread.
Expected<std::string> handout_pdf(const Handout& handout);
std::string handout_html(const Handout& handout);

}  // namespace kvantage
