// links: kv_ui kv_experiments
// The window in Simplified Chinese: nothing of its own stays English, and neither do lessons, which find the controls
// that they name in English.
#include <QAbstractButton>
#include <QApplication>
#include <QGroupBox>
#include <QMenu>
#include <QMenuBar>
#include <QRadioButton>
#include <QRegularExpression>
#include <QSettings>
#include <QTest>

#include "core/experiments/model/pool_walk.h"
#include "core/experiments/simulated_session.h"
#include "tests/support/test_program.h"
#include "tests/ui/window/cut_texts.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/learn/lesson_stage.h"
#include "ui/text/language.h"
#include "ui/text/words.h"
#include "ui/window/language_menu.h"

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

  struct Opened {
    std::unique_ptr<Session> session;
    std::unique_ptr<MainWindow> window;
  };
  /// A window on the workload that the lesson names.
  Opened opened(const Lesson& lesson) {
    WindowOptions wanted = options();
    wanted.workload_path = "/samples/" + lesson.workload;
    Opened made;
    if (lesson.workload == worked_example_name) {
      made.session = worked_example_session([] { return 0.0; });
      made.window = std::make_unique<MainWindow>(*made.session, wanted);
      made.window->show();
      return made;
    }
    auto scripted = std::make_unique<ScriptedSession>();
    made.window = scripted_.loaded(*scripted, wanted);
    made.session = std::move(scripted);
    return made;
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
      if (widget->objectName().startsWith("qt_")) continue;
      texts << widget->accessibleName();
      if (const auto* button = qobject_cast<const QAbstractButton*>(widget)) texts << button->text();
      if (const auto* box = qobject_cast<const QGroupBox*>(widget)) texts << box->title();
    }
    for (const QAction* action : window->actions()) texts << action->text() << action->toolTip();
    QVERIFY(texts.size() > 200);
    static const QRegularExpression english("[A-Za-z]{3,} [a-z]{3,}");
    QStringList found;
    for (const QString& text : texts)
      if (english.match(text).hasMatch()) found << text;
    QVERIFY2(found.isEmpty(), qPrintable(found.join("; ")));
  }

  void nothingIsCutOffOnASmallScreen() {
    ScriptedSession session;
    auto window = scripted_.loaded(session, options());
    session.serve(30);
    QTRY_COMPARE(run_of(*window).served(), 30u);
    window->resize(1280, 800);
    const CutTexts texts = cut_texts(*window);
    QVERIFY2(texts.cut.isEmpty(), qPrintable(texts.cut.join('\n')));
    QVERIFY(texts.titles > 15 && texts.buttons > 10);
    QVERIFY(window->width() == 1280 && window->height() == 800);  // nothing asked for more
  }

  void lessonsFindWhatTheyName() {
    for (const Lesson& lesson : [this] {
           QStringList errors;
           return read_lessons(options().lessons_folder, errors);
         }()) {
      if (lesson.workload == "worked-example") continue;  // other tiers and policies
      ScriptedSession session;
      auto window = scripted_.loaded(session, options());
      const Status found = stage_of(*window).check(lesson);
      QVERIFY2(found, found ? "" : found.error().message.c_str());
    }
  }

  void lessonsAreShownInChinese_data() {
    QTest::addColumn<QString>("path");
    QStringList errors;
    for (const Lesson& lesson : read_lessons(options().lessons_folder, errors))
      QTest::newRow(qPrintable(lesson.title)) << lesson.path;
    QVERIFY(errors.isEmpty());
  }
  void lessonsAreShownInChinese() {
    QFETCH(QString, path);
    static const QRegularExpression chinese("\\p{Han}"), english("(?<![-A-Za-z])[A-Za-z]{3,} [a-z]{3,} [a-z]{2,}");
    const Lesson lesson = read_lesson(path, "zh_CN").value();
    const Opened opened = this->opened(lesson);
    MainWindow& window = *opened.window;
    QTRY_VERIFY(!shows_start_page(window));
    QAction* entry = of_menu(window, lesson.title);
    QVERIFY(entry && entry->toolTip().contains(lesson.about));
    entry->trigger();
    QTRY_VERIFY(lessons_of(window).running());
    TourCard& card = lessons_of(window).card();
    for (std::size_t at = 0; at < lesson.steps.size(); ++at) {
      const LessonStep& step = lesson.steps[at];
      QCOMPARE(lessons_of(window).step(), static_cast<int>(at));
      QCOMPARE(card.title(), step.title);
      // As far as its first fact, which is in Chinese as well.
      QVERIFY2(card.text().startsWith(step.text.section('{', 0, 0)), qPrintable(card.text()));
      QVERIFY2(card.title().contains(chinese) && card.text().contains(chinese), qPrintable(card.text()));
      QVERIFY2(!card.text().contains('{') && !card.text().contains(english), qPrintable(card.text()));
      QCOMPARE(card.choices().size(), step.answers.size());
      for (std::size_t i = 0; i < step.answers.size(); ++i) {
        QRadioButton& choice = *card.choices()[i];
        QCOMPARE(QString(choice.text()).remove('\n'), QString(step.answers[i].text).remove('\n'));
        QVERIFY2(choice.sizeHint().width() <= choice.width(), qPrintable(choice.text()));  // none is cut
        choice.click();
        QVERIFY(card.reply().endsWith(step.answers[i].reply));
      }
      if (at + 1 < lesson.steps.size()) card.next().click();
    }
    lessons_of(window).close();
  }

  void aLongAnswerInChineseIsWrapped() {
    ScriptedSession session;
    auto window = scripted_.loaded(session, options());
    TourCard& card = lessons_of(*window).card();
    const QString answer = QString("整理移动条目，不淘汰任何条目。").repeated(8);
    card.show_step({.number = 1, .count = 1, .title = "标题", .text = "文本", .answers = {{answer, "是", true}}});
    const QRadioButton& choice = *card.choices().front();
    QCOMPARE(choice.accessibleName(), answer);
    QCOMPARE(QString(choice.text()).remove('\n'), answer);
    QVERIFY(choice.text().count('\n') >= 2);
    QVERIFY(choice.sizeHint().width() <= card.width());
    for (const QString& line : choice.text().split('\n')) QVERIFY2(!line.startsWith("，"), qPrintable(choice.text()));
  }

  void theChoiceIsKeptForTheNextStart() {
    ScriptedSession session;
    const WindowOptions wanted = options();
    auto window = scripted_.loaded(session, wanted);
    const QSettings kept(wanted.settings_file, QSettings::IniFormat);
    QVERIFY(kept_language(kept).isEmpty());
    QAction* english = of_menu(*window, "English");
    QVERIFY(english && !english->isChecked());
    english->trigger();
    QCOMPARE(kept_language(kept), QString("en"));
    QVERIFY(english->isChecked() && window->banner().text().contains("重启"));
    QCOMPARE(of_menu(*window, "简体中文")->isChecked(), false);
  }
};

KV_TEST_MAIN(LanguageTest)

}  // namespace language_test

#include "language_test.moc"
