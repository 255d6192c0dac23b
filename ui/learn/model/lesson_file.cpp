#include "ui/learn/model/lesson_file.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <algorithm>
#include <set>
#include <utility>

#include "core/base/files.h"
#include "ui/learn/model/lesson_facts.h"
#include "ui/learn/model/lesson_slide.h"
#include "ui/text/core_text.h"
#include "ui/text/translated_texts.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr std::size_t longest_file = 256 * 1024;

template <std::size_t... I>
std::set<QString> types_of(std::index_sequence<I...>) {
  return {QString::fromLatin1(event_type(EventPayload(std::in_place_index<I>)))...};
}
const std::set<QString>& event_types() {
  static const auto types = types_of(std::make_index_sequence<std::variant_size_v<EventPayload>>());
  return types;
}

// Reads line by line; the first error ends it.
class Reader {
  Q_DECLARE_TR_FUNCTIONS(LessonFile)
 public:
  Reader(const QString& path) { lesson_.path = path; }

  Expected<Lesson> read(const std::string& text) {
    if (text.size() > longest_file) return stop(tr("is larger than 256 KiB; shorten the lesson"));
    const QString all = QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
    if (all.contains(QChar::ReplacementCharacter) || all.contains(QChar::Null))
      return stop(tr("is not UTF-8 text; save it as UTF-8"));
    for (const QString& line : all.split('\n')) {
      ++line_;
      KV_TRY(take(line.endsWith('\r') ? line.chopped(1) : line));
    }
    return finish();
  }

 private:
  tl::unexpected<Error> stop(const QString& why) const {
    return fail(ErrorCode::rejected_input,
                from_q(QStringLiteral("%1:%2: %3").arg(lesson_.path, QString::number(std::max(line_, 1)), why)));
  }

  Status take(const QString& line) {
    if (line.trimmed().isEmpty()) {
      if (words_ && !words_->isEmpty()) paragraph_ = true;
      return {};
    }
    if (line.startsWith('#')) return {};
    if (line.front().isSpace()) {
      if (!words_) return stop(tr("indented text without a field above; start the line with \"name: value\""));
      KV_TRY(facts_known(line));
      if (!words_->isEmpty()) *words_ += paragraph_ ? QStringLiteral("\n\n") : QStringLiteral(" ");
      *words_ += line.simplified();
      paragraph_ = false;
      return {};
    }
    const auto colon = line.indexOf(':');
    if (colon <= 0)
      return stop(
          tr("\"%1\" has no colon; write \"name: value\", or indent it as text of the field above").arg(line.left(40)));
    const QString name = line.left(colon).trimmed(), value = line.mid(colon + 1).simplified();
    words_ = nullptr;
    paragraph_ = false;
    if (lesson_.title.isEmpty() && name != QStringLiteral("lesson"))
      return stop(tr("the first line must be \"lesson: TITLE\", not \"%1\"; put it there").arg(name.left(40)));
    if (value.isEmpty()) return stop(tr("\"%1\" has no value; write it after the colon").arg(name.left(40)));
    return lesson_.steps.empty() && !begins_step(name) ? take_head(name, value) : take_step(name, value);
  }

  static bool begins_step(const QString& name) {
    return name == QStringLiteral("step") || name == QStringLiteral("predict") || name == QStringLiteral("question");
  }

  Status once(QString& into, const QString& name, const QString& value) {
    if (!into.isEmpty()) return stop(tr("\"%1\" appears twice; remove one").arg(name));
    into = value;
    return {};
  }

  Status take_head(const QString& name, const QString& value) {
    if (name == QStringLiteral("lesson")) return once(lesson_.title, name, value);
    if (name == QStringLiteral("about")) {
      KV_TRY(once(lesson_.about, name, value));
      words_ = &lesson_.about;
      return {};
    }
    if (name == QStringLiteral("source")) return once(lesson_.source, name, value);
    if (name == QStringLiteral("workload")) return once(lesson_.workload, name, value);
    if (name == QStringLiteral("layout")) {
      lesson_.layout_line = line_;
      return once(lesson_.layout, name, value);
    }
    if (name == QStringLiteral("order")) {
      bool number = false;
      const int order = value.toInt(&number);
      if (!number || order < 1 || order > 99)
        return stop(
            tr("order: \"%1\" is not an integer from 1 to 99; write its place among the lessons").arg(value.left(40)));
      if (lesson_.order) return stop(tr("\"order\" appears twice; remove one"));
      lesson_.order = order;
      return {};
    }
    if (name == QStringLiteral("dock")) {
      lesson_.docks.push_back({value, {}, line_});
      return {};
    }
    if (name == QStringLiteral("set")) {
      const auto equals = value.indexOf('=');
      if (equals <= 0 || value.mid(equals + 1).trimmed().isEmpty())
        return stop(
            tr("set: \"%1\" is not of the form \"NAME = VALUE\"; write it like \"alpha = 0.5\"").arg(value.left(40)));
      lesson_.settings.push_back({value.left(equals).trimmed(), value.mid(equals + 1).trimmed(), line_});
      return {};
    }
    return stop(
        tr("\"%1\" is unknown before the first step; use lesson, order, about, source, workload, layout, dock or set")
            .arg(name.left(40)));
  }

  Status take_step(const QString& name, const QString& value) {
    if (begins_step(name)) {
      KV_TRY(step_ended());
      if (asked_) return stop(tr("the question must be the last step; move this before it"));
      asked_ = name == QStringLiteral("question");
      LessonStep step;
      step.title = value;
      step.line = line_;
      step.guess.asked = name == QStringLiteral("predict");
      lesson_.steps.push_back(std::move(step));
      words_ = &lesson_.steps.back().text;
      return {};
    }
    LessonStep& step = lesson_.steps.back();
    if (name == QStringLiteral("at")) {
      if (!step.target.dock.isEmpty()) return stop(tr("\"at\" appears twice in this step; remove one"));
      const auto slash = value.indexOf(QStringLiteral(" / "));
      step.target = {slash < 0 ? value : value.left(slash).trimmed(),
                     slash < 0 ? QString() : value.mid(slash + 3).trimmed(), line_};
      return {};
    }
    if (name == QStringLiteral("do")) return take_act(step, value);
    if (name == QStringLiteral("wait")) return take_wait(step, value);
    if (name == QStringLiteral("slide")) return sound(take_slide(value, step.slide));
    if (name == QStringLiteral("then") || is_guess_field(name)) return take_guess(step, name, value);
    if (name == QStringLiteral("answer") || name == QStringLiteral("right")) {
      if (!asked_) return stop(tr("\"%1\" belongs to a question; write \"question: ...\" first").arg(name));
      step.answers.push_back({value, {}, name == QStringLiteral("right")});
      words_ = &step.answers.back().reply;
      return {};
    }
    return stop(tr("\"%1\" is unknown in a step; use step, predict, at, do, wait, slide, question, answer or right")
                    .arg(name.left(40)));
  }

  /// What others say is wrong; empty: nothing.
  Status sound(const QString& fault) const {
    if (!fault.isEmpty()) return stop(fault);
    return {};
  }

  Status take_guess(LessonStep& step, const QString& name, const QString& value) {
    if (!step.guess.asked) return stop(tr("\"%1\" belongs to a prediction; write \"predict: ...\" first").arg(name));
    if (name != QStringLiteral("then")) return sound(take_guess_field(name, value, step.guess));
    KV_TRY(once(step.guess.then, name, value));
    KV_TRY(facts_known(value));
    words_ = &step.guess.then;
    return {};
  }

  Status take_act(LessonStep& step, const QString& value) {
    using Kind = LessonAct::Kind;
    static const std::map<QString, Kind> acts = {{"press", Kind::press},     {"lowest", Kind::lowest},
                                                 {"highest", Kind::highest}, {"change", Kind::change},
                                                 {"on", Kind::on},           {"off", Kind::off}};
    if (step.act.kind != Kind::none) return stop(tr("\"do\" appears twice in this step; split it into two steps"));
    if (asked_) return stop(tr("\"do\" is not allowed in a question; move it to a step"));
    step.act.line = line_;
    if (const auto known = acts.find(value); known != acts.end()) {
      step.act.kind = known->second;
    } else if (value.startsWith(QStringLiteral("choose ")) && value.size() > 7) {
      step.act.kind = Kind::choose;
      step.act.value = value.mid(7);
    } else {
      return stop(
          tr("do: \"%1\" is unknown; use press, lowest, highest, change, on, off or choose ITEM").arg(value.left(40)));
    }
    return {};
  }

  Status take_wait(LessonStep& step, const QString& value) {
    if (asked_ || step.events) return stop(tr("\"wait\" is allowed once in a step and not in a question; remove it"));
    const QStringList parts = value.split(' ');
    bool number = false;
    step.events = parts.front().toInt(&number);
    if (parts.size() != 2 || !number || step.events < 1 || step.events > 10'000)
      return stop(
          tr("wait: \"%1\" is not an integer from 1 to 10000 and an event type; write it like \"10 request.finished\"")
              .arg(value.left(40)));
    if (!event_types().contains(parts[1]))
      return stop(tr("wait: unknown event \"%1\"; see the Events dock for names").arg(parts[1].left(40)));
    step.event = parts[1];
    return {};
  }

  Status facts_known(const QString& line) const {
    static const QRegularExpression braces(QStringLiteral("\\{([^}]*)\\}?"));
    auto found = braces.globalMatch(line);
    while (found.hasNext()) {
      const QString name = found.next().captured(1);
      if (!lesson_fact_names().contains(name))
        return stop(
            tr("unknown fact {%1}; use one of %2").arg(name.left(40), lesson_fact_names().join(QStringLiteral(", "))));
    }
    return {};
  }

  // What a step must have; an error names the line where it began.
  Status step_ended() {
    if (lesson_.steps.empty()) return {};
    const LessonStep& step = lesson_.steps.back();
    const int here = std::exchange(line_, step.line);
    if (step.text.isEmpty()) return stop(tr("this step has no text; write it indented below"));
    if (step.target.dock.isEmpty())
      return stop(tr("this step has no target; write \"at: DOCK\" or \"at: DOCK / CONTROL\""));
    if (step.act.kind != LessonAct::Kind::none && step.target.control.isEmpty())
      return stop(tr("\"do\" needs a control; write \"at: DOCK / CONTROL\""));
    if (step.guess.asked) KV_TRY(sound(guess_fault(step.guess)));
    if (asked_) {
      const auto right = std::ranges::count(step.answers, true, &LessonAnswer::right);
      if (step.answers.size() < 2 || right != 1)
        return stop(tr("a question needs two or more answers, exactly one of them \"right: ...\"; correct them"));
      for (const LessonAnswer& answer : step.answers)
        if (answer.reply.isEmpty())
          return stop(tr("the answer \"%1\" has no reply; write it indented below").arg(answer.text.left(40)));
    }
    line_ = here;
    return {};
  }

  Expected<Lesson> finish() {
    KV_TRY(step_ended());
    const std::pair<const QString*, const char*> needed[] = {{&lesson_.title, "lesson"},
                                                             {&lesson_.about, "about"},
                                                             {&lesson_.workload, "workload"},
                                                             {&lesson_.layout, "layout"}};
    for (const auto& [value, name] : needed)
      if (value->isEmpty())
        return stop(tr("\"%1: ...\" is missing; write it before the first step").arg(QString::fromLatin1(name)));
    if (!lesson_.order) return stop(tr("\"order: NUMBER\" is missing; write it before the first step"));
    if (!asked_) return stop(tr("the final question is missing; end the lesson with one"));
    return std::move(lesson_);
  }

  Lesson lesson_;
  int line_ = 0;
  QString* words_ = nullptr;  // what indented lines belong to
  bool paragraph_ = false, asked_ = false;
};

// What is wrong with its translations is reported in `errors`; it is English then.
Expected<Lesson> read_in(const QString& path, const QString& language, QStringList& errors) {
  KV_ASSIGN(const auto text, read_text_file(from_q(path)));
  KV_ASSIGN(auto lesson, parse_lesson(text, path));
  if (const auto texts = read_translated_texts(translations_path(path, language), language))
    for (QString* shown : shown_texts(lesson)) *shown = translated(*texts, *shown);
  else
    errors << core_text(texts.error().message);
  return lesson;
}

}  // namespace

Expected<Lesson> parse_lesson(const std::string& text, const QString& path) { return Reader(path).read(text); }

Expected<Lesson> read_lesson(const QString& path, const QString& language) {
  QStringList errors;
  return read_in(path, language, errors);
}

std::vector<Lesson> read_lessons(const QString& folder, QStringList& errors, const QString& language) {
  std::vector<Lesson> lessons;
  if (folder.isEmpty()) return lessons;
  for (const QString& name : QDir(folder).entryList({QStringLiteral("*.lesson")}, QDir::Files, QDir::Name)) {
    auto lesson = read_in(QDir(folder).filePath(name), language, errors);
    if (lesson)
      lessons.push_back(std::move(*lesson));
    else
      errors << core_text(lesson.error().message);
  }
  std::ranges::stable_sort(lessons, {}, &Lesson::order);
  return lessons;
}

std::vector<QString*> shown_texts(Lesson& lesson) {
  std::vector<QString*> texts{&lesson.title, &lesson.about};
  for (LessonStep& step : lesson.steps) {
    texts.insert(texts.end(), {&step.title, &step.text});
    for (LessonChoice& choice : step.guess.choices) texts.push_back(&choice.text);
    if (!step.guess.then.isEmpty()) texts.push_back(&step.guess.then);
    for (LessonAnswer& answer : step.answers) texts.insert(texts.end(), {&answer.text, &answer.reply});
  }
  return texts;
}

QString translations_path(const QString& lesson, const QString& language) {
  const QFileInfo file(lesson);
  return QStringLiteral("%1/%2/%3.texts").arg(file.path(), language, file.completeBaseName());
}

}  // namespace kvantage
