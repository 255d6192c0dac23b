// kvantage: the window. It opens at once on the quick-start workload with the default model; slow work runs on the
// engine's thread.
#include <QApplication>

#include <utility>

#include "app/cli/base/interrupts.h"
#include "app/runtime_folder.h"
#include "app/startup_timing.h"
#include "app/window_program.h"
#include "app/wiring/openmp.h"
#include "app/wiring/standard_streams.h"
#include "core/base/last_line.h"
#include "ui/files/settings_file.h"
#include "ui/text/language.h"
#include "ui/window/language_menu.h"

namespace {

class WindowApplication final : public QApplication {
 public:
  using QApplication::QApplication;

  /// The event loop is written without exceptions in mind: none may leave a receiver.
  bool notify(QObject* receiver, QEvent* event) override {
    try {
      return QApplication::notify(receiver, event);
    } catch (...) {
      kvantage::end_with_current_exception();
    }
  }
};

int run_window(int argc, char** argv) {
  kvantage::StartupTiming timing;
  if (const auto code = kvantage::answer_without_display(argc, argv)) return *code;
  kvantage::name_runtime_folder();
  WindowApplication application(argc, argv);  // removes its own options from argv
  timing.note("application");
  QApplication::setApplicationName("KVantage");
  QApplication::setOrganizationName("KVantage");
  kvantage::WindowArguments arguments;
  if (const auto code = kvantage::read_window_arguments(argc, argv, arguments)) return *code;
  QString language = QString::fromStdString(arguments.language);
  if (language.isEmpty())
    language = arguments.screenshots.empty()
                   ? kvantage::kept_language(QSettings(
                         kvantage::openable_settings_file(kvantage::default_settings_file()), QSettings::IniFormat))
                   : QStringLiteral("en");
  kvantage::install_language(language);
  kvantage::cli::note_interrupts();
  return kvantage::WindowProgram(std::move(arguments), std::move(timing)).run();
}

}  // namespace

int main(int argc, char** argv) {
  kvantage::hold_standard_streams();
  kvantage::install_last_line();
  kvantage::restart_with_short_spins(argv);
  try {
    return kvantage::exit_code_after_output(run_window(argc, argv));
  } catch (...) {
    kvantage::end_with_current_exception();
  }
}
