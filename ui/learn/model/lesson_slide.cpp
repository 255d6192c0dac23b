#include "ui/learn/model/lesson_slide.h"

#include <QCoreApplication>
#include <QRegularExpression>

namespace kvantage {
namespace {

struct LessonSlideText {
  Q_DECLARE_TR_FUNCTIONS(LessonSlideText)
};

}  // namespace

const QStringList& slide_chart_ids() {
  static const QStringList ids{QStringLiteral("frontier"), QStringLiteral("hitRates"), QStringLiteral("sensitivity"),
                               QStringLiteral("tiers"), QStringLiteral("fit")};
  return ids;
}

const QStringList& slide_control_ids() {
  static const QStringList ids{QStringLiteral("alpha"), QStringLiteral("policy"), QStringLiteral("budget")};
  return ids;
}

QString take_slide(const QString& value, LessonSlide& slide) {
  static const QRegularExpression form(QStringLiteral("^chart=(\\S+)(?: control=(\\S+))?$"));
  if (!slide.chart.isEmpty()) return LessonSlideText::tr("\"slide\" appears twice in this step; remove one");
  const auto found = form.match(value);
  if (!found.hasMatch())
    return LessonSlideText::tr(
               "slide: \"%1\" is not of the form \"chart=NAME control=NAME\"; write it like "
               "\"chart=frontier control=alpha\"")
        .arg(value.left(40));
  if (!slide_chart_ids().contains(found.captured(1)))
    return LessonSlideText::tr("slide: unknown chart \"%1\"; use one of %2")
        .arg(found.captured(1).left(40), slide_chart_ids().join(QStringLiteral(", ")));
  if (!found.captured(2).isEmpty() && !slide_control_ids().contains(found.captured(2)))
    return LessonSlideText::tr("slide: unknown control \"%1\"; use one of %2")
        .arg(found.captured(2).left(40), slide_control_ids().join(QStringLiteral(", ")));
  slide = {found.captured(1), found.captured(2)};
  return {};
}

LessonSlide slide_of(const LessonStep& step) {
  if (!step.slide.chart.isEmpty()) return step.slide;
  LessonSlide slide;
  const QString &dock = step.target.dock, &control = step.target.control;
  if (dock == QStringLiteral("controls")) {  // what a control changes is seen on the curve
    slide.chart = QStringLiteral("frontier");
    if (control == QStringLiteral("Alpha")) slide.control = QStringLiteral("alpha");
    if (control == QStringLiteral("Policy")) slide.control = QStringLiteral("policy");
    if (control.endsWith(QStringLiteral(" budget"))) slide.control = QStringLiteral("budget");
  } else if (slide_chart_ids().contains(dock)) {
    slide.chart = dock;
  }
  return slide;
}

}  // namespace kvantage
