// What the slide mode shows of a step: one chart and one control, by ids that ui/learn/slide_views.h makes views of.
#pragma once

#include <QStringList>

#include "ui/learn/model/lesson_file.h"

namespace kvantage {

const QStringList& slide_chart_ids();
const QStringList& slide_control_ids();

/// Takes "chart=frontier control=alpha"; the control may be left out. What is wrong with it and how to fix it; empty:
/// nothing.
QString take_slide(const QString& value, LessonSlide& slide);
/// That of the step, else what it points at. Empty where no slide shows that: the one before stays.
LessonSlide slide_of(const LessonStep& step);

}  // namespace kvantage
