#include "ui/docks/keep_map_answers.h"

#include "ui/models/text_difference.h"
#include "ui/models/words.h"

namespace kvantage {
namespace {

QString paragraph(const Theme& theme, const QString& head, const QString& html) {
  return QStringLiteral("<p style='margin:0 0 4px 0'><span style='color:%1'>%2:</span> %3</p>")
      .arg(theme.muted.name(), head.toHtmlEscaped(), html);
}

QString f1_text(const KeepMapAnswer& answer) {
  return answer.token_f1 ? QStringLiteral(", F1 %1").arg(quality_text(*answer.token_f1)) : QString();
}

QString answer_html(const QString& html, const KeepMapAnswer& answer) {
  const QString shown = html.trimmed().isEmpty() ? QStringLiteral("<i>nothing</i>") : html;
  return answer.ended ? shown : shown + QStringLiteral("<i> … cut at the longest answer</i>");
}

}  // namespace

QString keep_map_answers_html(const KeepMapModel& model, const Theme& theme) {
  const KeepMapResult* shown = model.shown();
  if (shown == nullptr) return {};
  const bool asked = shown->request.question && *shown->request.question < shown->context->questions.size();
  if (!asked)
    return paragraph(theme, QStringLiteral("Answers"),
                     shown->context->questions.empty()
                         ? QStringLiteral("This context has no questions.")
                         : QStringLiteral("Choose a question to see what is answered from the kept tokens."));
  const KeepMapQuestion& question = shown->context->questions[*shown->request.question];
  QString html = paragraph(
      theme, QStringLiteral("Gold"),
      question.gold.empty() ? QStringLiteral("<i>none in the workload</i>") : to_q(question.gold).toHtmlEscaped());
  const QString computing = QStringLiteral("<i>computing…</i>");
  html += shown->uncompressed
              ? paragraph(theme, QStringLiteral("Over all tokens") + f1_text(*shown->uncompressed),
                          answer_html(to_q(shown->uncompressed->text).toHtmlEscaped(), *shown->uncompressed))
              : paragraph(theme, QStringLiteral("Over all tokens"), computing);
  for (const KeepMapForm& form : shown->forms) {
    const QString head = configuration_text(form.method, form.removed_fraction);
    if (!form.answer) {
      html += paragraph(theme, head, computing);
      continue;
    }
    const QString text = to_q(form.answer->text);
    const bool same = shown->uncompressed && shown->uncompressed->text == form.answer->text;
    const QString marked = shown->uncompressed
                               ? marked_difference(text, to_q(shown->uncompressed->text), theme.error.name())
                               : text.toHtmlEscaped();
    html += paragraph(theme, head + f1_text(*form.answer) + (same ? QStringLiteral(", the same answer") : QString()),
                      answer_html(marked, *form.answer));
  }
  return html + paragraph(theme, QStringLiteral("Question"), to_q(question.text).toHtmlEscaped());
}

}  // namespace kvantage
