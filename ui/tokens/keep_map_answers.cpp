#include "ui/tokens/keep_map_answers.h"

#include <QCoreApplication>

#include "ui/text/text_difference.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

struct KeepMapAnswersText {
  Q_DECLARE_TR_FUNCTIONS(KeepMapAnswersText)
};

QString paragraph(const Theme& theme, const QString& head, const QString& html) {
  return QStringLiteral("<p style='margin:0 0 4px 0'><span style='color:%1'>%2:</span> %3</p>")
      .arg(theme.muted.name(), head.toHtmlEscaped(), html);
}

// "Full KV cache, F1 0.812".
QString scored(const QString& head, const KeepMapAnswer& answer) {
  return answer.token_f1 ? KeepMapAnswersText::tr("%1, F1 %2").arg(head, quality_text(*answer.token_f1)) : head;
}

QString italic(const QString& text) { return QStringLiteral("<i>%1</i>").arg(text); }

QString answer_html(const QString& html, const KeepMapAnswer& answer) {
  const QString shown = html.trimmed().isEmpty() ? italic(KeepMapAnswersText::tr("empty")) : html;
  return answer.ended ? shown : KeepMapAnswersText::tr("%1 <i>… cut at the maximum answer length</i>").arg(shown);
}

}  // namespace

QString keep_map_answers_html(const KeepMapModel& model, const Theme& theme) {
  const KeepMapResult* shown = model.shown();
  if (shown == nullptr) return {};
  const bool asked = shown->request.question && *shown->request.question < shown->context->questions.size();
  if (!asked)
    return paragraph(theme, KeepMapAnswersText::tr("Answers"),
                     shown->context->questions.empty()
                         ? KeepMapAnswersText::tr("This context has no questions.")
                         : KeepMapAnswersText::tr("Select a question to see the answer from the kept tokens."));
  const KeepMapQuestion& question = shown->context->questions[*shown->request.question];
  QString html = paragraph(theme, KeepMapAnswersText::tr("Reference answer"),
                           question.gold.empty() ? italic(KeepMapAnswersText::tr("none in the workload"))
                                                 : to_q(question.gold).toHtmlEscaped());
  const QString computing = italic(KeepMapAnswersText::tr("computing…"));
  html += shown->uncompressed
              ? paragraph(theme, scored(KeepMapAnswersText::tr("Full KV cache"), *shown->uncompressed),
                          answer_html(to_q(shown->uncompressed->text).toHtmlEscaped(), *shown->uncompressed))
              : paragraph(theme, KeepMapAnswersText::tr("Full KV cache"), computing);
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
    html += paragraph(
        theme,
        same ? KeepMapAnswersText::tr("%1, same answer").arg(scored(head, *form.answer)) : scored(head, *form.answer),
        answer_html(marked, *form.answer));
  }
  return html + paragraph(theme, KeepMapAnswersText::tr("Question"), to_q(question.text).toHtmlEscaped());
}

}  // namespace kvantage
