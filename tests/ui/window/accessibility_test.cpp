// links: kv_ui
// Whoever does not see the window, or has no mouse, can use all of it: whatever takes the keyboard has a name that is
// read out, a role, and a tip that says what it is. That Tab leads there: reachable_controls_test.cpp.
#include <QApplication>
#include <QDialog>
#include <QDockWidget>
#include <QFileDialog>
#include <QTest>
#include <algorithm>

#include "tests/support/test_program.h"
#include "tests/ui/window/filled_window.h"
#include "tests/ui/window/keyboard_controls.h"
#include "ui/learn/lesson_tools.h"
#include "ui/learn/slide_page.h"
#include "ui/pictures/picture_stage.h"
#include "ui/pictures/screenshot_scenes.h"
#include "ui/widgets/accessible_role.h"

namespace accessibility_test {

using namespace kvantage;
using namespace kvantage::keyboard_controls;

class AccessibilityTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;
  QTemporaryDir folder_;

 private slots:
  // Whoever looks for a role finds that a bare widget has none.
  void aRoleIsMissed() {
    QWidget bare;
    QVERIFY(!has_role(bare));
    set_accessible_role(bare, QAccessible::Chart);
    QVERIFY(has_role(bare));  // although its face was made before
    QWidget chart;
    chart.setAccessibleName("Chart");
    set_accessible_role(chart, QAccessible::Chart);
    const QAccessibleInterface* face = QAccessible::queryAccessibleInterface(&chart);
    QVERIFY(face && face->role() == QAccessible::Chart && has_role(chart));
    QCOMPARE(face->text(QAccessible::Name), QString("Chart"));
  }

  void whateverTakesTheKeyboardHasANameATipAndARole() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    session.serve(40);
    QTRY_COMPARE(run_of(*window).served(), 40u);
    for (auto& [id, dock] : docks_of(*window).all()) {
      dock->show();
      dock->raise();
      test::settle(20);
    }
    int walked = 0;
    QStringList nameless, tipless, roleless;
    for (QWidget* widget : window->findChildren<QWidget*>()) {
      if (!takes_keyboard(*widget)) continue;
      ++walked;
      if (name_of(*widget).trimmed().isEmpty()) nameless << where(*widget);
      if (widget->toolTip().trimmed().isEmpty()) tipless << where(*widget) + name_of(*widget);
      if (!has_role(*widget)) roleless << where(*widget) + name_of(*widget);
    }
    for (const QString& one : nameless) qWarning("without a name: %s", qPrintable(one));
    for (const QString& one : tipless) qWarning("without a tip: %s", qPrintable(one));
    for (const QString& one : roleless) qWarning("without a role: %s", qPrintable(one));
    QVERIFY(nameless.isEmpty());
    QVERIFY(tipless.isEmpty());
    QVERIFY(roleless.isEmpty());
    QVERIFY2(walked > 40, qPrintable(QString::number(walked)));
  }

  // Every mode with something to show, hidden pages included, and the windows that a lesson has of its own.
  void everyModeHasNamesTipsAndRoles() {
    ScriptedSession session;
    ScriptedInspector inspector(400);
    ScriptedAsker asker;
    WindowOptions options = filled_options(scripted_, folder_, inspector, asker);
    options.workload_path = "/samples/quickstart";  // of the lesson
    auto window = scripted_.loaded(session, options);
    session.serve(30);
    QTRY_COMPARE(run_of(*window).served(), 30u);
    fill_pages(*window, asker);
    if (QTest::currentTestFailed()) return;
    int walked = 0;
    QStringList faults;
    const auto look = [&](const QString& place, const QWidget& root) {
      const int before = walked;
      for (QWidget* widget : root.findChildren<QWidget*>()) {
        if (!takes_keyboard(*widget)) continue;
        ++walked;
        const QString which = place + ": " + where(*widget) + name_of(*widget);
        if (name_of(*widget).trimmed().isEmpty()) faults << "without a name: " + which;
        if (widget->toolTip().trimmed().isEmpty()) faults << "without a tip: " + which;
        if (widget->toolTip().count('\n') > 2) faults << "a tip of more than three lines: " + which;
        if (!has_role(*widget)) faults << "without a role: " + which;
      }
      if (walked == before) faults << "nothing to walk through: " + place;
    };
    for (const ModeEntry& mode : mode_registry()) {
      window->show_view(mode.id);
      test::settle(60);
      look(mode.id, mode.id == live_mode ? *window : *modes_of(*window).page(mode.id));
    }
    Lessons& lessons = lessons_of(*window);
    const auto lesson =
        std::ranges::find_if(lessons.all(), [](const Lesson& each) { return each.path.endsWith("alpha.lesson"); });
    QVERIFY(lesson != lessons.all().end());
    lessons.start(lesson->path);
    QVERIFY(lessons.running());
    look("the card of a lesson", lessons.card());
    lessons.tools().slide().trigger();
    QTRY_VERIFY(lessons.tools().slide_page() != nullptr && lessons.tools().slide_page()->isVisible());
    look("slides", *lessons.tools().slide_page());
    QVERIFY2(faults.isEmpty(), qPrintable(faults.join('\n')));
    QVERIFY2(walked > 200, qPrintable(QString::number(walked)));
  }

  // Every dialog that a picture is taken of; those of files are Qt's own. All dialogs: dialog_controls_test.cpp.
  void whatTakesTheKeyboardInDialogsHasANameAndATip() {
    ScriptedSession session;
    WindowOptions options = scripted_.options();
    auto library = std::make_shared<MemoryLibrary>();
    for (const char* id : {"a", "b", "c"}) library->runs[id] = scripted_run(id, 6, 20, 1);
    options.runs = library;
    options.figures = std::make_shared<ScriptedFigures>();
    options.check_workload = options.check_model = [](const QString&) { return QString(); };
    options.samples = {
        {"quickstart", QStringLiteral(KVANTAGE_SOURCE_DIR "/sample_workloads/quickstart"), "what ships"}};
    auto window = scripted_.loaded(session, options);
    session.serve(40);
    QTRY_COMPARE(run_of(*window).served(), 40u);
    window->show_view("runs");
    QTRY_COMPARE(window->body<RunsDock>("runs")->model().rowCount(), 3);
    QSet<QString> dialogs;
    QStringList nameless, tipless;
    int walked = 0;
    for (const ScreenshotScene& scene : screenshot_scenes(picture_stage(*window, options))) {
      if (!scene.name.startsWith("dialog ")) continue;
      scene.prepare();
      const auto shown = [] {
        return std::ranges::any_of(QApplication::topLevelWidgets(), [](const QWidget* top) {
          return top->isVisible() && qobject_cast<const QDialog*>(top);
        });
      };
      (void)QTest::qWaitFor(shown, 60000);
      for (QWidget* top : QApplication::topLevelWidgets()) {
        if (!top->isVisible() || !qobject_cast<QDialog*>(top) || qobject_cast<QFileDialog*>(top)) continue;
        dialogs << scene.name;
        for (QWidget* widget : top->findChildren<QWidget*>()) {
          if (!takes_keyboard(*widget)) continue;
          ++walked;
          if (name_of(*widget).trimmed().isEmpty()) nameless << scene.name + ": " + where(*widget);
          if (widget->toolTip().trimmed().isEmpty()) tipless << scene.name + ": " + where(*widget) + name_of(*widget);
        }
      }
      if (scene.clean) scene.clean();
    }
    QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join('\n')));
    QVERIFY2(tipless.isEmpty(), qPrintable(tipless.join('\n')));
    for (const char* name : {"dialog commands", "dialog about", "dialog save layout", "dialog table",
                             "dialog delete runs", "dialog open workload", "dialog use my model", "dialog end figure",
                             "dialog export charts at work", "dialog picture for a paper"})
      QVERIFY2(dialogs.contains(name), name);
    QVERIFY2(walked > 10, qPrintable(QString::number(walked)));
  }

  void everyActionHasATipAndNoTwoShareAKey() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    QMap<QString, QStringList> keys;
    for (QAction* action : window->actions()) {
      QVERIFY2(!action->text().isEmpty() && !action->toolTip().isEmpty(), qPrintable(action->text()));
      for (const QKeySequence& key : action->shortcuts()) keys[key.toString()] << action->text();
    }
    QVERIFY(keys.size() > 20);
    for (auto at = keys.begin(); at != keys.end(); ++at)
      QVERIFY2(at->size() == 1, qPrintable(at.key() + ": " + at->join(", ")));
  }
};

KV_TEST_PROGRAM(argc, argv) {
  QApplication application(argc, argv);
  AccessibilityTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace accessibility_test

#include "accessibility_test.moc"
