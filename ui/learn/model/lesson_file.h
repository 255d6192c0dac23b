// A lesson as a file: a layout, a workload, settings to begin with, and steps that the window goes through with whoever
// learns. Text, so that a lesson is added by adding a file (docs/lessons.md says how). Lines that begin a thing are
// "name: value", the words of a thing are indented below it, '#' begins a comment:
//   lesson: Alpha's extremes          step: Alpha to its left end
//   order: 2                            Words, with {facts} that follow the run.
//   about: What the two ends choose   at: controls / Alpha
//   workload: quickstart              do: lowest
//   layout: Trade-offs                wait: 10 request.finished
//   dock: tiers                       question: Where do answers come from now?
//   set: alpha = 0.3                  answer: From prefill        right: From dram
// A step that begins with "predict:" asks before it shows (lesson_guess.h).
// Its texts are English. Translations are in files of their own, so that steps and settings are there only once.
#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "core/ports/session.h"
#include "ui/learn/model/lesson_guess.h"

namespace kvantage {

/// A thing in the window: a dock of the registry or "frontier", and in it a control by its accessible name; empty: all
/// of it.
struct LessonTarget {
  QString dock, control;
  int line = 0;
};

/// What is to be done with the control of a step.
struct LessonAct {
  enum class Kind { none, press, lowest, highest, change, on, off, choose };
  Kind kind = Kind::none;
  QString value;  // of choose: an item, a page or a number
  int line = 0;
};

struct LessonAnswer {
  QString text, reply;
  bool right = false;
};

/// What a slide shows of a step (lesson_slide.h); empty: what follows from its target.
struct LessonSlide {
  QString chart, control;
};

struct LessonStep {
  QString title, text;  // paragraphs are separated by an empty line
  LessonTarget target;
  LessonAct act;
  int events = 0;                     // that many of this type, counted from the beginning of the step or after the act
  QString event;                      // "request.finished"; empty: none are waited for
  std::vector<LessonAnswer> answers;  // of a question; else none
  LessonGuess guess;                  // of a prediction: act and events follow once it is committed
  LessonSlide slide;
  int line = 0;
};

struct LessonSetting {
  QString name, value;
  int line = 0;
};

struct Lesson {
  QString path, title, about, source, workload, layout;
  int order = 0, layout_line = 0;
  std::vector<LessonTarget> docks;  // brought up, the last one on top
  std::vector<LessonSetting> settings;
  std::vector<LessonStep> steps;  // the last one is a question
};

/// rejected_input: "FILE:LINE: what is wrong; how to fix it".
Expected<Lesson> parse_lesson(const std::string& text, const QString& path);
/// `language`: code as in `languages()`. A text without a translation stays English, and so do all of a lesson whose
/// translations cannot be read.
Expected<Lesson> read_lesson(const QString& path, const QString& language = QStringLiteral("en"));
/// Every *.lesson of a folder by its order; what cannot be read, translations included, is reported in `errors`.
std::vector<Lesson> read_lessons(const QString& folder, QStringList& errors,
                                 const QString& language = QStringLiteral("en"));

/// What the window shows of a lesson: title and description, then titles, texts, predictions, answers and replies of
/// its steps.
std::vector<QString*> shown_texts(Lesson& lesson);
/// Where translations of a lesson are: LANGUAGE/NAME.texts in its folder (translated_texts.h).
QString translations_path(const QString& lesson, const QString& language);

/// The settings that a lesson begins with, over those of its session. `balanced`: bytes per second of "TIER bandwidth =
/// balanced", full speed where it is not known yet. rejected_input as above.
Expected<SessionSettings> with_lesson_settings(const Lesson& lesson, SessionSettings settings,
                                               std::optional<double> balanced = {});

}  // namespace kvantage
