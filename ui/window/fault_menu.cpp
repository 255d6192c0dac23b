#include "ui/window/fault_menu.h"

#include <QActionGroup>
#include <QCoreApplication>

#include "ui/live/controls/model/fault_presets.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

struct FaultMenuText {
  Q_DECLARE_TR_FUNCTIONS(FaultMenuText)
};

void set_faults(SettingsController& controller, const std::string& tier, const FaultPlan& plan, const QString& what) {
  SessionSettings changed = controller.committed();
  for (TierConfig& setting : changed.tiers) {
    if (setting.name != tier) continue;
    const auto before = parse_faults(setting.faults);
    setting.faults = to_string(InjectedFaults{plan, before ? before->seed : 1});
  }
  controller.commit(changed, FaultMenuText::tr("%1 faults: %2").arg(to_q(tier), what), QString());
}

void fill_fault_menu(QMenu& menu, SettingsController& controller, const TierConfig& tier) {
  menu.setToolTipsVisible(true);
  const auto present = parse_faults(tier.faults);
  const auto preset = present ? recognized(present->plan) : std::nullopt;
  auto* group = new QActionGroup(&menu);
  const auto add = [&](const QString& text, const QString& tip, const FaultPlan& plan, bool checked) {
    QAction* action = menu.addAction(text);
    action->setToolTip(tip);
    action->setStatusTip(tip);
    action->setCheckable(true);
    action->setChecked(checked);
    group->addAction(action);
    QObject::connect(action, &QAction::triggered, &controller, [&controller, name = tier.name, plan, text] {
      set_faults(controller, name, plan, text.toLower());
    });
  };
  add(FaultMenuText::tr("None"), FaultMenuText::tr("No injected faults"), FaultPlan{},
      !present || !present->plan.any());
  for (std::size_t i = 0; i < fault_presets().size(); ++i) {
    const FaultPreset& known = fault_presets()[i];
    add(known.name, known.tip, known.plan(known.default_probability), preset && preset->preset == i);
  }
}

}  // namespace

QMenu* make_fault_menu(SettingsController& settings, QWidget* parent) {
  auto* menu = new QMenu(FaultMenuText::tr("Inject &faults"), parent);
  QObject::connect(menu, &QMenu::aboutToShow, menu, [menu, &settings] {
    menu->clear();
    const std::vector<TierConfig> tiers = settings.committed().tiers;
    for (const TierConfig& tier : tiers)
      if (kind_of(tier).supports_fault_injection()) fill_fault_menu(*menu->addMenu(to_q(tier.name)), settings, tier);
    if (menu->isEmpty()) menu->addAction(FaultMenuText::tr("No disk tier"))->setEnabled(false);
  });
  return menu;
}

QString faults_of_session(const SessionSettings& settings) {
  QStringList lines;
  for (const TierConfig& tier : settings.tiers)
    if (const QString words = faults_text(tier.faults); !words.isEmpty())
      lines << QStringLiteral("%1: %2").arg(to_q(tier.name), words);
  return lines.join(QStringLiteral("\n"));
}

}  // namespace kvantage
