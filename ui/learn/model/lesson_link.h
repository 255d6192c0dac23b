// Links to lessons, kvantage://lesson/NAME or kvantage://lesson/NAME#STEP, and NAME or NAME#STEP on the command line. A
// link comes from anywhere: it names one of the lessons that are here, by its file's name, and nothing else.
#pragma once

#include <QString>
#include <vector>

#include "ui/learn/model/lesson_file.h"

namespace kvantage {

struct KnownLesson {
  QString name, path;  // alpha, of .../alpha.lesson
  int steps = 0;
};
std::vector<KnownLesson> known_lessons(const std::vector<Lesson>& lessons);
/// "alpha" of ".../alpha.lesson".
QString lesson_name(const QString& path);

struct LessonLink {
  QString name;  // of a known lesson
  int step = 0;  // from 1; 0: none is named
};

/// Whether a text is meant as such a link: it begins with the scheme, in letters of any case.
bool is_lesson_url(const QString& text);
/// usage error of one line: it is no such link, or the lesson or step is unknown.
Expected<LessonLink> parse_lesson_url(const QString& text, const std::vector<KnownLesson>& known);
/// The same of NAME or NAME#STEP.
Expected<LessonLink> parse_lesson_name(const QString& text, const std::vector<KnownLesson>& known);
/// `step`: from 1; 0: none.
QString lesson_url(const QString& name, int step);

/// Where a window begins: a lesson's file, and with "#STEP" behind it a step of it.
struct LessonPlace {
  QString path;
  int step = 0;  // from 1; 0: the beginning
};
QString lesson_place(const LessonPlace& place);
/// A name of a file without a step behind it is its beginning.
LessonPlace split_lesson_place(const QString& place);

}  // namespace kvantage
