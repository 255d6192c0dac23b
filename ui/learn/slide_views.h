// Charts and controls of the slide mode. Each is a second view of the same models: those in the window stay as they
// are.
#pragma once

#include <QString>
#include <QWidget>
#include <vector>

#include "ui/look/theme.h"
#include "ui/session/run_model.h"
#include "ui/session/settings_controller.h"

namespace kvantage {

/// Outlives the views.
struct SlideParts {
  RunModel& run;
  SettingsController& settings;
};

struct SlideView {
  QString id;     // as in lesson_slide.h
  QString title;  // in the list
  QWidget* (*make)(const SlideParts& parts);
};

const std::vector<SlideView>& slide_charts();
const std::vector<SlideView>& slide_controls();
/// Null: there is none of that id.
const SlideView* find_slide_view(const std::vector<SlideView>& views, const QString& id);

/// Colors, and text as large as `font`: charts have fonts of their own.
void style_slide_chart(QWidget& view, const Theme& theme, const QFont& font);

/// In slide_controls.cpp.
QWidget* make_slide_alpha(const SlideParts& parts);
QWidget* make_slide_policy(const SlideParts& parts);
QWidget* make_slide_budget(const SlideParts& parts);

}  // namespace kvantage
