// links: kv_ui kv_experiments
// The window in Simplified Chinese: nothing of its own stays English, and lessons find the controls that they name in
// English.
#include <QAbstractButton>
#include <QApplication>
#include <QGroupBox>
#include <QMenu>
#include <QMenuBar>
#include <QRegularExpression>
#include <QSettings>
#include <QTest>

#include "core/experiments/model/pool_walk.h"
#include "tests/support/test_program.h"
#include "tests/ui/scripted_window.h"
#include "ui/language_menu.h"
#include "ui/lesson_stage.h"
#include "ui/models/language.h"
#include "ui/models/words.h"

namespace language_test {

using namespace kvantage;

class LanguageTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

  WindowOptions options() {
    WindowOptions made = scripted_.options();
    made.lessons_folder = QStringLiteral(KVANTAGE_SOURCE_DIR "/resources/lessons");
    made.walk_pool = walk_pool;
    return made;
  }

  /// Labels of a figure's settings come from core, which is in English.
  static bool is_in_form(const QWidget& widget) {
    for (const QWidget* at = &widget; at; at = at->parentWidget())
      if (at->inherits("kvantage::FigureSettingsForm")) return true;
    return false;
  }

  static QAction* of_menu(MainWindow& window, const QString& text) {
    for (QMenu* menu : window.findChildren<QMenu*>())
      for (QAction* action : menu->actions())
        if (action->text() == text) return action;
    return nullptr;
  }

 private slots:
  void initTestCase() {
    QCOMPARE(QCoreApplication::translate("kvantage::RunsDock", "%n run(s)", nullptr, 1), QString("1 run"));
    QCOMPARE(QCoreApplication::translate("kvantage::RunsDock", "%n run(s)", nullptr, 2), QString("2 runs"));
    install_language("zh_CN");
  }

  void aLanguageThatIsNotThereIsThatOfTheSystem() {
    QCOMPARE(language_for("en"), QString("en"));
    QCOMPARE(language_for("zh_CN"), QString("zh_CN"));
    QVERIFY(QStringList({"en", "zh_CN"}).contains(language_for("xx")));
  }

  void nothingOfTheWindowStaysEnglish() {
    ScriptedSession session;
    auto window = scripted_.loaded(session, options());
    QCOMPARE(window->menuBar()->actions().front()->text(), QString("文件(&F)"));
    QCOMPARE(state_text(RunState::paused), QString("已暂停"));
    QStringList texts;
    for (const QWidget* widget : window->findChildren<QWidget*>()) {
      if (widget->objectName().startsWith("qt_") || is_in_form(*widget)) continue;
      texts << widget->accessibleName();
      if (const auto* button = qobject_cast<const QAbstractButton*>(widget)) texts << button->text();
      if (const auto* box = qobject_cast<const QGroupBox*>(widget)) texts << box->title();
    }
    for (const QAction* action : window->actions()) texts << action->text();
    for (const Lesson& lesson : window->lessons().all()) texts.removeAll(lesson.title);
    QVERIFY(texts.size() > 200);
    static const QRegularExpression english("[A-Za-z]{3,} [a-z]{3,}");
    QStringList found;
    for (const QString& text : texts)
      if (english.match(text).hasMatch()) found << text;
    QVERIFY2(found.isEmpty(), qPrintable(found.join("; ")));
  }

  void lessonsFindWhatTheyName() {
    for (const Lesson& lesson : [this] {
           QStringList errors;
           return read_lessons(options().lessons_folder, errors);
         }()) {
      if (lesson.workload == "worked-example") continue;  // other tiers and policies
      ScriptedSession session;
      auto window = scripted_.loaded(session, options());
      const Status found = LessonStage(*window).check(lesson);
      QVERIFY2(found, found ? "" : found.error().message.c_str());
    }
  }

  void theChoiceIsKeptForTheNextStart() {
    ScriptedSession session;
    auto window = scripted_.loaded(session, options());
    QVERIFY(kept_language(window->preferences()).isEmpty());
    QAction* english = of_menu(*window, "English");
    QVERIFY(english && !english->isChecked());
    english->trigger();
    QCOMPARE(kept_language(window->preferences()), QString("en"));
    QVERIFY(english->isChecked() && window->banner().text().contains("重启"));
    QCOMPARE(of_menu(*window, "简体中文")->isChecked(), false);
  }
};

KV_TEST_MAIN(LanguageTest)

}  // namespace language_test

#include "language_test.moc"
