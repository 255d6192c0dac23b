// What legend, overlay and tooltips of the Frontier share: the data, and where it is on the chart.
#pragma once

#include <QFont>
#include <QPointF>
#include <QRectF>
#include <functional>
#include <optional>
#include <vector>

#include "core/policy/explain/target_search.h"
#include "ui/live/frontier/model/frontier_model.h"
#include "ui/live/frontier/model/held_run.h"
#include "ui/look/theme.h"

namespace kvantage {

struct FrontierCanvas {
  const FrontierModel& model;
  const std::vector<MeasuredPoint>& measured;
  const Theme& theme;
  QRectF plot;
  QFont font;
  /// In chart coordinates; nothing where the log axis has no place for it.
  std::function<std::optional<QPointF>(const FrontierMean&)> position;
  std::function<bool(const QString& policy)> hidden;
  const std::vector<HeldRun>* held = nullptr;           // of other runs; null: none
  const PlanTarget* target = nullptr;                   // null: targets are not shown
  std::optional<FrontierMean> solution = std::nullopt;  // what the cheapest plan that meets the target predicts
};

/// "fixed(keydiff,0.5)" as a person reads it on a chart: "fixed keydiff 50 %".
QString short_policy(const QString& text_form);

}  // namespace kvantage
