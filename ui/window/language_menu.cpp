#include "ui/window/language_menu.h"

#include <QActionGroup>
#include <QCoreApplication>

#include "ui/text/language.h"

namespace kvantage {
namespace {

constexpr const char* language_key = "window/language";

struct LanguageMenu {
  Q_DECLARE_TR_FUNCTIONS(LanguageMenu)
};

}  // namespace

QString kept_language(const QSettings& settings) { return settings.value(language_key).toString(); }

QMenu* make_language_menu(QSettings& settings, const std::function<void()>& changed, QWidget* parent) {
  auto* menu = new QMenu(LanguageMenu::tr("Lan&guage"), parent);
  menu->setToolTipsVisible(true);
  auto* group = new QActionGroup(menu);
  const auto add = [&, kept = kept_language(settings)](const QString& code, const QString& name) {
    QAction* action = menu->addAction(name);
    action->setToolTip(LanguageMenu::tr("Language of the window; takes effect after a restart"));
    action->setStatusTip(action->toolTip());
    action->setCheckable(true);
    action->setChecked(code == kept);
    group->addAction(action);
    QObject::connect(action, &QAction::triggered, menu, [&settings, changed, code] {
      if (code == kept_language(settings)) return;
      settings.setValue(language_key, code);
      changed();
    });
  };
  add({}, LanguageMenu::tr("System default"));
  for (const Language& language : languages()) add(language.code, language.name);
  return menu;
}

}  // namespace kvantage
