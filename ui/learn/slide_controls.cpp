// One control in large type. What it commits is one undo step, as in Controls.
#include <QComboBox>
#include <QCoreApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/policy/policy.h"
#include "ui/learn/slide_views.h"
#include "ui/text/words.h"
#include "ui/widgets/log_slider.h"
#include "ui/widgets/plain_label.h"

namespace kvantage {
namespace {

struct SlideControlsText {
  Q_DECLARE_TR_FUNCTIONS(SlideControlsText)
};

constexpr double slide_mebibyte = 1048576.0, slide_least_budget = 65536;  // as in Controls: less holds no cache

/// A heading beside the control, and below it the names of its two ends.
QWidget* slide_row(const QString& heading, QWidget* control, const QStringList& ends) {
  auto* row = new QWidget;
  auto* beside = new QHBoxLayout(row);
  beside->setContentsMargins(0, 0, 0, 0);
  auto* label = plain_label(heading);
  label->setProperty("heading", true);
  beside->addWidget(label);
  auto* column = new QVBoxLayout;
  column->addWidget(control);
  if (ends.size() == 2) {
    auto* below = new QHBoxLayout;
    below->addWidget(plain_label(ends[0]));
    below->addStretch(1);
    below->addWidget(plain_label(ends[1]));
    column->addLayout(below);
  }
  beside->addLayout(column, 1);
  row->setFocusProxy(control);
  return row;
}

double uncompressed_bytes(const RunModel& run) {
  const auto snapshot = run.snapshot();
  double bytes = 0;
  if (snapshot)
    for (const ContextState& context : snapshot->contexts) bytes += static_cast<double>(context.full_bytes);
  return bytes;
}

}  // namespace

QWidget* make_slide_alpha(const SlideParts& parts) {
  auto* alpha = new LogSlider(SlideControlsText::tr("Alpha"), QString(), 1, 6);
  alpha->set_tip(SlideControlsText::tr("α: seconds of TTFT that an answer of quality 1 is worth, in s"));
  RunModel* run = &parts.run;
  SettingsController* settings = &parts.settings;
  const auto fit = [run, settings, alpha] {
    alpha->set_range(run->alpha_scale().lowest, run->alpha_scale().highest);
    alpha->set_value(settings->shown().alpha);
  };
  const auto with = [settings](double value) {
    SessionSettings changed = settings->committed();
    changed.alpha = value;
    return changed;
  };
  QObject::connect(run, &RunModel::alphaScaleChanged, alpha, fit);
  QObject::connect(settings, &SettingsController::shownChanged, alpha, [alpha](const SessionSettings& shown) {
    if (alpha->value() != shown.alpha) alpha->set_value(shown.alpha);
  });
  QObject::connect(alpha, &LogSlider::moving, settings,
                   [settings, with](double value) { settings->preview(with(value)); });
  QObject::connect(alpha, &LogSlider::released, settings, [settings, with, alpha](double value) {
    settings->commit(with(value), SlideControlsText::tr("α %1").arg(number_text(value)),
                     QStringLiteral("alpha") + alpha->hand());
  });
  fit();
  return slide_row(SlideControlsText::tr("α: value of quality (s)"), alpha,
                   {SlideControlsText::tr("Faster"), SlideControlsText::tr("Better")});
}

QWidget* make_slide_policy(const SlideParts& parts) {
  auto* policy = new QComboBox;
  policy->setAccessibleName(SlideControlsText::tr("Policy"));
  policy->setToolTip(SlideControlsText::tr("Placement and compression policy"));
  for (const std::string& text : known_policies()) policy->addItem(to_q(text), to_q(text));
  SettingsController* settings = &parts.settings;
  const auto show = [policy](const SessionSettings& shown) {
    const QString text = to_q(shown.policy);
    if (policy->findData(text) < 0) policy->addItem(text, text);
    policy->setCurrentIndex(policy->findData(text));
  };
  QObject::connect(settings, &SettingsController::shownChanged, policy, show);
  QObject::connect(policy, &QComboBox::activated, settings, [settings, policy](int index) {
    SessionSettings changed = settings->committed();
    changed.policy = from_q(policy->itemData(index).toString());
    settings->commit(changed, SlideControlsText::tr("policy %1").arg(policy->itemText(index)), QString());
  });
  show(settings->shown());
  return slide_row(SlideControlsText::tr("Policy"), policy, {});
}

QWidget* make_slide_budget(const SlideParts& parts) {
  SettingsController* settings = &parts.settings;
  RunModel* run = &parts.run;
  if (settings->committed().tiers.empty()) return plain_label(SlideControlsText::tr("This session has no tier."));
  const std::string tier = settings->committed().tiers.front().name;
  auto* budget =
      new LogSlider(SlideControlsText::tr("%1 budget").arg(to_q(tier)), QStringLiteral("MiB"), slide_mebibyte, 2);
  budget->set_smallest(slide_least_budget);
  budget->set_tip(SlideControlsText::tr("Budget of %1, in MiB including headers").arg(to_q(tier)));
  const auto with = [settings, tier](double bytes) {
    SessionSettings changed = settings->committed();
    for (TierConfig& known : changed.tiers)
      if (known.name == tier) known.budget = static_cast<std::uint64_t>(std::llround(bytes));
    return changed;
  };
  const auto show = [run, budget, tier](const SessionSettings& shown) {
    const auto found = std::ranges::find(shown.tiers, tier, &TierConfig::name);
    if (found == shown.tiers.end()) return;
    const double all = uncompressed_bytes(*run);
    budget->setEnabled(!found->budget.is_unlimited());
    if (all > 0)
      budget->set_range(std::max(all / 200, slide_least_budget), std::max(1.25 * all, 2 * slide_least_budget));
    if (!found->budget.is_unlimited()) budget->set_value(static_cast<double>(found->budget.bytes()));
  };
  QObject::connect(settings, &SettingsController::shownChanged, budget, show);
  QObject::connect(budget, &LogSlider::moving, settings,
                   [settings, with](double bytes) { settings->preview(with(bytes)); });
  QObject::connect(budget, &LogSlider::released, settings, [settings, with, budget, tier](double bytes) {
    settings->commit(with(bytes), SlideControlsText::tr("%1 budget %2").arg(to_q(tier), bytes_text(bytes)),
                     to_q(tier) + QStringLiteral(" budget") + budget->hand());
  });
  show(settings->shown());
  return slide_row(SlideControlsText::tr("Budget of %1").arg(to_q(tier)), budget, {});
}

}  // namespace kvantage
