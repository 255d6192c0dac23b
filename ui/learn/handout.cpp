#include "ui/learn/handout.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

#include "core/report/markup.h"
#include "ui/report/pages_files.h"
#include "ui/text/language.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

using HandoutKind = HandoutBlock::Kind;
using HandoutBlocks = std::vector<HandoutBlock>;

struct HandoutText {
  Q_DECLARE_TR_FUNCTIONS(HandoutText)
};

constexpr int answer_lines = 2, line_letters = 92;

// Paragraphs, and lines of a fact.
void add_handout_text(const QString& text, HandoutBlocks& blocks) {
  for (const QString& line : text.split('\n', Qt::SkipEmptyParts))
    blocks.push_back({HandoutKind::text, line.trimmed()});
}

void add_handout_lines(HandoutBlocks& blocks) {
  for (int line = 0; line < answer_lines; ++line) blocks.push_back({HandoutKind::line});
}

void add_handout_prediction(const LessonStep& step, const HandoutSource& source, HandoutBlocks& blocks) {
  const LessonGuess& guess = step.guess;
  for (const LessonChoice& choice : guess.choices) blocks.push_back({HandoutKind::choice, choice.text});
  if (guess.kind != LessonGuess::Kind::choice)
    blocks.push_back(
        {HandoutKind::note, guess.unit.isEmpty()
                                ? HandoutText::tr("Your prediction, before you look:")
                                : HandoutText::tr("Your prediction in %1, before you look:").arg(guess.unit)});
  blocks.push_back({HandoutKind::line});
  if (!guess.then.isEmpty()) add_handout_text(source.with_facts(guess.then), blocks);
  blocks.push_back({HandoutKind::note, HandoutText::tr("The result:")});
  blocks.push_back({HandoutKind::line});
}

void add_handout_question(const LessonStep& step, HandoutBlocks& blocks) {
  for (const LessonAnswer& answer : step.answers) blocks.push_back({HandoutKind::choice, answer.text});
  blocks.push_back({HandoutKind::note, HandoutText::tr("Why?")});
  add_handout_lines(blocks);
}

void add_handout_step(const LessonStep& step, int number, const HandoutSource& source, HandoutBlocks& blocks) {
  blocks.push_back({HandoutKind::heading, HandoutText::tr("%1. %2").arg(number + 1).arg(step.title)});
  add_handout_text(source.with_facts(step.text), blocks);
  const bool hidden = step.guess.asked &&
                      !(source.predictions && source.predictions->at(number) && !source.predictions->is_open(number));
  if (!hidden)
    if (auto plot = source.chart(step)) blocks.push_back({HandoutKind::chart, {}, std::move(*plot)});
  if (step.guess.asked) add_handout_prediction(step, source, blocks);
  if (!step.answers.empty()) add_handout_question(step, blocks);
}

void add_handout_answer(const LessonStep& step, int number, const HandoutSource& source, HandoutBlocks& blocks) {
  if (!step.guess.asked && step.answers.empty()) return;
  blocks.push_back({HandoutKind::heading, HandoutText::tr("%1. %2").arg(number + 1).arg(step.title)});
  for (const LessonAnswer& answer : step.answers) {
    blocks.push_back({HandoutKind::text, (answer.right ? QStringLiteral("✓ ") : QStringLiteral("✗ ")) + answer.text});
    add_handout_text(answer.reply, blocks);
  }
  if (!step.guess.asked) return;
  const QString result = source.predictions ? source.predictions->result_text(number) : QString();
  if (!result.isEmpty()) add_handout_text(result, blocks);
  if (const QString within = within_text(step.guess); !within.isEmpty())
    blocks.push_back({HandoutKind::note, HandoutText::tr("Right: at most %1 from what the window shows").arg(within)});
  else
    blocks.push_back({HandoutKind::note, HandoutText::tr("Right: the choice that fits what the window shows")});
}

PageBlock handout_page_block(const HandoutBlock& block) {
  using Style = PageText::Style;
  const std::string text = from_q(block.text);
  switch (block.kind) {
    case HandoutKind::title:
      return PageText{Style::title, text};
    case HandoutKind::heading:
      return PageText{Style::heading, text};
    case HandoutKind::note:
      return PageText{Style::note, text};
    case HandoutKind::choice:
      return PageText{Style::body, "☐ " + text};
    case HandoutKind::line:
      return PageText{Style::lead, std::string(line_letters, '_')};
    case HandoutKind::chart:
      return PageChart{block.plot};
    case HandoutKind::text:
      break;
  }
  return PageText{Style::body, text};
}

PageSection handout_section(const HandoutBlocks& blocks) {
  PageSection section;
  section.blocks.reserve(blocks.size());
  for (const HandoutBlock& block : blocks) section.blocks.push_back(handout_page_block(block));
  return section;
}

// Ends in front of its last brace: docs/words-check.txt tells style sheets from texts by that.
constexpr const char* handout_style =
    "@page { size: A4; margin: 15mm; }\n"
    "body { margin: 0 auto; max-width: 46rem; padding: 1.5rem; background: #ffffff; color: #1b1f24;\n"
    "  font: 15px/1.5 \"DejaVu Sans\", system-ui, sans-serif; }\n"
    "h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 1.8rem; break-after: avoid; }\n"
    ".note { color: #57606a; margin-bottom: 0; } .line { border-bottom: 1px solid #57606a; height: 2rem; }\n"
    ".answers { break-before: page; } svg { display: block; width: 100%; height: auto; }\n"
    "figure { margin: 1rem 0; break-inside: avoid;";

std::string handout_html_block(const HandoutBlock& block) {
  const std::string text = escape_markup(from_q(block.text));
  switch (block.kind) {
    case HandoutKind::title:
      return "<h1>" + text + "</h1>\n";
    case HandoutKind::heading:
      return "<h2>" + text + "</h2>\n";
    case HandoutKind::note:
      return "<p class=\"note\">" + text + "</p>\n";
    case HandoutKind::choice:
      return "<p>☐ " + text + "</p>\n";
    case HandoutKind::line:
      return "<div class=\"line\"></div>\n";
    case HandoutKind::chart:
      return "<figure>\n" + chart_svg(PageChart{block.plot}) + "<figcaption>" + escape_markup(block.plot.title) +
             "</figcaption>\n</figure>\n";
    case HandoutKind::text:
      break;
  }
  return "<p>" + text + "</p>\n";
}

}  // namespace

Handout handout_of(const Lesson& lesson, const HandoutSource& source) {
  Handout handout{lesson.title, {}, {}};
  handout.steps.push_back({HandoutKind::title, lesson.title});
  add_handout_text(lesson.about, handout.steps);
  if (!lesson.source.isEmpty()) handout.steps.push_back({HandoutKind::note, lesson.source});
  handout.answers.push_back({HandoutKind::title, HandoutText::tr("Answers")});
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    add_handout_step(lesson.steps[i], static_cast<int>(i), source, handout.steps);
    add_handout_answer(lesson.steps[i], static_cast<int>(i), source, handout.answers);
  }
  return handout;
}

Expected<std::string> handout_pdf(const Handout& handout) {
  return pages_pdf({from_q(handout.title), {handout_section(handout.steps), handout_section(handout.answers)}});
}

std::string handout_html(const Handout& handout) {
  const QString beginning =
      QStringLiteral("<!DOCTYPE html>\n<html lang=\"%1\">\n<head>\n<meta charset=\"utf-8\">\n<title>")
          .arg(installed_language().left(2));
  std::string page = from_q(beginning) + escape_markup(from_q(handout.title)) + "</title>\n<style>\n" + handout_style +
                     " }\n</style>\n</head>\n<body>\n";
  for (const HandoutBlock& block : handout.steps) page += handout_html_block(block);
  page += "<div class=\"answers\">\n";
  for (const HandoutBlock& block : handout.answers) page += handout_html_block(block);
  return page + "</div>\n</body>\n</html>\n";
}

}  // namespace kvantage
