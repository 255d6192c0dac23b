// kvantage: the window. It opens at once on the quick-start workload with the default model; slow work runs on the
// engine's thread.
#include <QApplication>

#include "app/window_program.h"
#include "app/wiring/openmp.h"
#include "ui/language_menu.h"
#include "ui/models/language.h"
#include "ui/settings_file.h"

int main(int argc, char** argv) {
  kvantage::restart_with_passive_openmp(argv);
  if (const auto code = kvantage::answer_without_display(argc, argv)) return *code;
  QApplication application(argc, argv);  // removes its own options from argv
  QApplication::setApplicationName("KVantage");
  QApplication::setOrganizationName("KVantage");
  kvantage::WindowArguments arguments;
  if (const auto code = kvantage::read_window_arguments(argc, argv, arguments)) return *code;
  QString language = QString::fromStdString(arguments.language);
  if (language.isEmpty())
    language = arguments.screenshots.empty()
                   ? kvantage::kept_language(QSettings(kvantage::default_settings_file(), QSettings::IniFormat))
                   : QStringLiteral("en");
  kvantage::install_language(language);
  return kvantage::WindowProgram(std::move(arguments)).run();
}
