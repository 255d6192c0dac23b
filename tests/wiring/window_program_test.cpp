// links: kv_ui app_wiring kv_window_program
// The window's sessions, one after the other: what cannot be opened is said on the start page, and the window stays.
#include <QApplication>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include "app/wiring/default_database.h"
#include "app/wiring/resources.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_program.h"
#include "tests/ui/window/window_parts.h"
#include "ui/files/settings_file.h"

namespace window_program_test {

using namespace kvantage;
using test::VirtualProgram;

class WindowProgramTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  /// What to do once `ready` says that the window of a step is there.
  struct Step {
    std::function<bool(MainWindow&)> ready;
    std::function<void(MainWindow&)> act;
  };

  static WindowFrame* frame() {
    for (QWidget* top : QApplication::topLevelWidgets())
      if (auto* found = dynamic_cast<WindowFrame*>(top); found && found->isVisible()) return found;
    return nullptr;
  }
  /// Runs the program through the steps; its exit code, or -1 where a step never came.
  static int run(VirtualProgram& program, std::vector<Step> steps) {
    std::size_t step = 0;
    int looks = 0;
    QTimer timer;
    connect(&timer, &QTimer::timeout, &timer, [&] {
      WindowFrame* shown = frame();
      auto* window = shown ? shown->findChild<MainWindow*>() : nullptr;
      if (++looks > 3000) return QCoreApplication::exit(-1);
      if (!window || step >= steps.size() || !steps[step].ready(*window)) return;
      looks = 0;
      steps[step++].act(*window);
    });
    timer.start(20);
    const int code = program.run();
    return step == steps.size() ? code : -1;
  }
  static bool serves(MainWindow& window) { return run_of(window).state() == RunState::running; }
  static bool says(MainWindow& window, const QString& text) {
    if (!shows_start_page(window)) return false;
    for (const QLabel* label : window.findChild<StartPage*>()->findChildren<QLabel*>())
      if (label->isVisible() && label->text().startsWith("Loading failed: ") && label->text().contains(text))
        return true;
    return false;
  }
  static QPushButton* button(MainWindow& window, const char* name) {
    auto* found = window.findChild<StartPage*>()->findChild<QPushButton*>(name);
    return found && found->isVisible() ? found : nullptr;
  }
  WindowArguments arguments() const {
    WindowArguments given;
    given.options.model = default_model_directory();
    given.options.workload = worked_example_name;
    given.options.endless = true;
    given.options.separate_store_if_busy = true;
    given.model_given = given.workload_given = true;
    return given;
  }

 private slots:
  void initTestCase() {
    qputenv("XDG_CONFIG_HOME", folder_.filePath("config").toUtf8());
    qputenv("KVANTAGE_CACHE", folder_.filePath("cache").toUtf8());
  }

  void theWindowStaysWhereTheNextWorkloadCannotBeOpened() {
    const QString gone = folder_.filePath("gone");
    VirtualProgram program(arguments());
    WindowFrame* first = nullptr;
    const auto failed = [&gone](MainWindow& window) { return says(window, gone); };
    const int code = run(program, {{serves,
                                    [&](MainWindow& window) {
                                      first = frame();
                                      emit window.openRequested(gone);
                                    }},
                                   {failed,
                                    [&](MainWindow& window) {
                                      QVERIFY(frame() == first && !button(window, "startSeparateStore"));
                                      button(window, "startRetry")->click();
                                    }},
                                   {failed,  // it is still not there
                                    [&](MainWindow& window) {
                                      QVERIFY(button(window, "startOther"));
                                      emit window.openRequested(worked_example_name);
                                    }},
                                   {serves, [&](MainWindow&) { QVERIFY(frame() == first && first->close()); }}});
    QCOMPARE(code, 0);
  }

  // A file where the store should be: the session gets a folder beside it, and the file stays.
  void aStoreThatFailsIsLeftForAnother() {
    if (!std::filesystem::exists(default_model_directory())) QSKIP("no model");
    const std::filesystem::path store = folder_.filePath("taken").toStdString();
    QVERIFY(write_text_file(store, "not a folder"));
    WindowArguments given = arguments();
    given.options.store = store;
    given.wait = true;
    VirtualProgram program(given);
    const QString sample = QString::fromStdString(quickstart_directory().string());
    const auto loads = [](MainWindow& window) { return run_of(window).state() != RunState::failed; };
    const int code = run(
        program, {{[](MainWindow&) { return true; }, [&](MainWindow& window) { emit window.openRequested(sample); }},
                  {[&](MainWindow& window) { return says(window, QString::fromStdString(store.string())); },
                   [&](MainWindow& window) {
                     QVERIFY(button(window, "startSeparateStore"));
                     button(window, "startSeparateStore")->click();
                   }},
                  {[&](MainWindow& window) {
                     return loads(window) && std::filesystem::exists(store.string() + "-2/kvantage.db");
                   },
                   [&](MainWindow&) { QVERIFY(frame()->close()); }}});
    QCOMPARE(code, 0);
    QCOMPARE(read_text_file(store).value(), std::string("not a folder"));
  }

  // Matrix products are chosen with the model, hold for what is opened next, and are kept for the next start.
  void productsAreChosenWithTheModel() {
    if (!std::filesystem::exists(default_model_directory())) QSKIP("no model");
    WindowArguments given = arguments();
    given.options.workload = quickstart_directory();
    given.options.store = folder_.filePath("products").toStdString();
    given.wait = true;
    const auto products = [](MainWindow& window) { return window.models().session.live().settings().products; };
    const auto has_invariant = [&](MainWindow& window) { return products(window) == batch_invariant_products; };
    {
      VirtualProgram program(given);
      const int code = run(program, {{[](MainWindow&) { return true; },
                                      [&](MainWindow& window) {
                                        QCOMPARE(products(window), std::string(library_products));
                                        files_of(window).choose_products("batch_invariant");
                                        emit window.modelRequested(text_of(default_model_directory()));
                                      }},
                                     {has_invariant, [](MainWindow&) { QVERIFY(frame()->close()); }}});
      QCOMPARE(code, 0);
    }
    auto last = session_settings(given.options);
    QVERIFY(last.has_value());
    last->products = std::string(batch_invariant_products);
    QSettings kept(default_settings_file(), QSettings::IniFormat);
    kept.setValue("session/workload", text_of(quickstart_directory()));
    kept.setValue("session/settings", QString::fromStdString(dump_json(to_json(*last))));
    kept.sync();
    given.workload_given = given.model_given = false;
    VirtualProgram next(given);
    QCOMPARE(run(next, {{has_invariant, [](MainWindow&) { QVERIFY(frame()->close()); }}}), 0);
    kept.clear();
    kept.sync();
  }

  // Before there is a window, the error goes to the terminal.
  void aFirstSessionThatCannotBeOpenedEndsTheProgram() {
    WindowArguments given = arguments();
    given.options.workload = folder_.filePath("gone").toStdString();
    VirtualProgram program(given);
    QCOMPARE(program.run(), 3);
  }

  void storesThatFailAreTold() {
    SessionOptions options;
    options.store = folder_.filePath("a store").toStdString();
    QVERIFY(is_about_store(options, {ErrorCode::busy, "store in use"}));
    QVERIFY(is_about_store(options, {ErrorCode::rejected_input, options.store.string() + "/x: not writable; mend it"}));
    QVERIFY(!is_about_store(options, {ErrorCode::rejected_input, "/texts/a.txt: no such file; check the path"}));
    const auto first = fresh_store(options), second = fresh_store(options);
    QVERIFY(first && second);
    QCOMPARE(first->string(), options.store.string() + "-2");
    QCOMPARE(second->string(), options.store.string() + "-3");
    options.store = "/proc/kvantage";
    const auto elsewhere = fresh_store(options);
    QVERIFY(elsewhere && elsewhere->parent_path() == std::filesystem::temp_directory_path());
    std::filesystem::remove_all(*elsewhere);
  }
};

KV_TEST_MAIN(WindowProgramTest)

}  // namespace window_program_test

#include "window_program_test.moc"
