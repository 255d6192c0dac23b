#include "ui/learn/model/lesson_link.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStringList>
#include <algorithm>
#include <optional>

#include "core/base/shown_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

struct LessonLinkText {
  Q_DECLARE_TR_FUNCTIONS(LessonLinkText)
};

constexpr qsizetype longest_link = 200;

QString quoted_link(const QString& text) { return to_q(shown_line(shortened(from_q(text.left(60)), 60))); }

tl::unexpected<Error> no_link(const QString& why) { return fail(ErrorCode::usage, from_q(why)); }

int hex_digit(QChar letter) {
  const char16_t code = letter.unicode();
  if (code >= '0' && code <= '9') return code - '0';
  if (code >= 'a' && code <= 'f') return code - 'a' + 10;
  return code >= 'A' && code <= 'F' ? code - 'A' + 10 : -1;
}

bool of_a_name(QChar letter) {
  const char16_t code = letter.unicode();
  return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z') || (code >= '0' && code <= '9') || code == '-' ||
         code == '_';
}

/// Letters, digits, '-' and '_', each of which may be written as %XX, once. Nothing: something else is there.
std::optional<QString> decoded_name(const QString& text) {
  QString name;
  name.reserve(text.size());
  for (qsizetype at = 0; at < text.size(); ++at) {
    QChar letter = text[at];
    if (letter == '%') {
      if (at + 2 >= text.size()) return std::nullopt;
      const int high = hex_digit(text[at + 1]), low = hex_digit(text[at + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      letter = QChar(static_cast<char16_t>(16 * high + low));
      at += 2;
    }
    if (!of_a_name(letter)) return std::nullopt;
    name += letter;
  }
  return name;
}

Expected<LessonLink> known_link(const QString& name, const std::optional<QString>& step,
                                const std::vector<KnownLesson>& known) {
  const auto found = std::ranges::find(known, name, &KnownLesson::name);
  if (found == known.end()) {
    QStringList names;
    for (const KnownLesson& lesson : known) names << lesson.name;
    return no_link(LessonLinkText::tr("unknown lesson \"%1\"; use one of %2")
                       .arg(quoted_link(name), names.join(QStringLiteral(", "))));
  }
  if (!step) return LessonLink{name, 0};
  static const QRegularExpression digits(QStringLiteral("\\A[1-9][0-9]{0,2}\\z"));
  const int number = digits.match(*step).hasMatch() ? step->toInt() : 0;
  if (number < 1 || number > found->steps)
    return no_link(LessonLinkText::tr("lesson \"%1\" has no step \"%2\"; use a number from 1 to %3")
                       .arg(name, quoted_link(*step))
                       .arg(found->steps));
  return LessonLink{name, number};
}

/// Behind the first '#'; nothing: there is none.
std::optional<QString> step_behind(const QString& text) {
  const auto hash = text.indexOf('#');
  return hash < 0 ? std::nullopt : std::optional(text.mid(hash + 1));
}

const QString& url_beginning() {
  static const QString beginning = QStringLiteral("kvantage://lesson/");
  return beginning;
}

}  // namespace

std::vector<KnownLesson> known_lessons(const std::vector<Lesson>& lessons) {
  std::vector<KnownLesson> known;
  known.reserve(lessons.size());
  for (const Lesson& lesson : lessons)
    known.push_back({lesson_name(lesson.path), lesson.path, static_cast<int>(lesson.steps.size())});
  return known;
}

QString lesson_name(const QString& path) { return QFileInfo(path).completeBaseName(); }

bool is_lesson_url(const QString& text) { return text.startsWith(QStringLiteral("kvantage:"), Qt::CaseInsensitive); }

Expected<LessonLink> parse_lesson_url(const QString& text, const std::vector<KnownLesson>& known) {
  if (text.size() > longest_link)
    return no_link(LessonLinkText::tr("the link \"%1\" has more than %2 characters; shorten it")
                       .arg(quoted_link(text))
                       .arg(longest_link));
  const auto name = text.startsWith(url_beginning()) ? decoded_name(text.mid(url_beginning().size()).section('#', 0, 0))
                                                     : std::nullopt;
  if (!name || name->isEmpty())
    return no_link(
        LessonLinkText::tr("\"%1\" is no link to a lesson; write kvantage://lesson/NAME or kvantage://lesson/NAME#STEP")
            .arg(quoted_link(text)));
  return known_link(*name, step_behind(text), known);
}

Expected<LessonLink> parse_lesson_name(const QString& text, const std::vector<KnownLesson>& known) {
  return known_link(text.section('#', 0, 0), step_behind(text), known);
}

QString lesson_url(const QString& name, int step) {
  return url_beginning() + name + (step > 0 ? QStringLiteral("#%1").arg(step) : QString());
}

QString lesson_place(const LessonPlace& place) {
  return place.step > 0 ? QStringLiteral("%1#%2").arg(place.path).arg(place.step) : place.path;
}

LessonPlace split_lesson_place(const QString& place) {
  static const QRegularExpression form(QStringLiteral("\\A(.*\\.lesson)#([1-9][0-9]{0,2})\\z"),
                                       QRegularExpression::DotMatchesEverythingOption);
  const auto found = form.match(place);
  return found.hasMatch() ? LessonPlace{found.captured(1), found.captured(2).toInt()} : LessonPlace{place, 0};
}

}  // namespace kvantage
