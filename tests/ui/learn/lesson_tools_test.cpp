// links: kv_ui
// What can be done with a lesson besides going through it: a step is reset in one undo step, a link leads to a step,
// predictions hold results back, slides go through the steps, a handout has all of it on paper.
#include "ui/learn/lesson_tools.h"

#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QScopeGuard>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <fstream>

#include "core/base/files.h"
#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"
#include "tests/ui/window/window_parts.h"
#include "ui/learn/learn_page.h"
#include "ui/learn/model/lesson_link.h"
#include "ui/learn/model/lesson_slide.h"
#include "ui/learn/prediction_panel.h"
#include "ui/look/font_scale.h"

namespace lesson_tools_test {

using namespace kvantage;

class LessonToolsTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;
  QTemporaryDir folder_;

  WindowOptions options() {
    WindowOptions made = scripted_.options();
    made.lessons_folder = folder_.path();
    return made;
  }
  QString path() const { return folder_.filePath("own.lesson"); }
  /// The slide, once keys reach it.
  static SlidePage* opened_slide(MainWindow& window) {
    LessonTools& tools = lessons_of(window).tools();
    tools.slide().trigger();
    SlidePage* page = tools.slide_page();
    if (!page || !QTest::qWaitForWindowActive(page)) QTest::qFail("no slide", __FILE__, __LINE__);
    return page;
  }
  static int undo_steps(MainWindow& window) { return settings_of(window).undo_stack().count(); }

 private slots:
  void initTestCase() {
    std::ofstream(path().toStdString())
        << "lesson: Own lesson\norder: 1\nabout: About it.\nworkload: any\nlayout: Trade-offs\nset: alpha = 0.3\n"
           "step: First\n  Look at {measured}.\nat: frontier\n"
           "step: Lowest\n  Left.\nat: controls / Alpha\ndo: lowest\nslide: chart=tiers control=policy\n"
           "predict: How good?\n  Guess it.\nat: controls / Alpha\nguess: number 0 to 1\nvalue: measured_quality\n"
           "within: 1\nhide: hitRates\nthen: Then right.\ndo: highest\nwait: 5 request.finished\n"
           "step: Last\n  Look.\nat: hitRates\n"
           "question: Why?\n  Think.\nat: tiers\nanswer: Because\n  No.\nright: Therefore\n  Yes.\n";
  }

  void aStepIsResetInOneUndoStep() {
    ScriptedSession session;
    auto window = scripted_.loaded(session, options());
    Lessons& lessons = lessons_of(*window);
    QVERIFY(!lessons.tools().reset().isEnabled() && lessons.link().isEmpty());
    lessons.start(path());
    QVERIFY(lessons.running() && lessons.tools().reset().isEnabled());
    QCOMPARE(settings_of(*window).committed().alpha, 0.3);
    SessionSettings changed = settings_of(*window).committed();
    changed.alpha = 0.7;
    QVERIFY(settings_of(*window).commit(changed, "one", {}));
    changed.policy = "lru";
    QVERIFY(settings_of(*window).commit(changed, "two", {}));
    const int before = undo_steps(*window);
    session.pause();
    QTRY_VERIFY(run_of(*window).state() == RunState::paused);
    lessons.tools().reset().trigger();
    QCOMPARE(lessons.step(), 0);
    QCOMPARE(settings_of(*window).committed().alpha, 0.3);
    QVERIFY(settings_of(*window).committed().policy != "lru");
    QCOMPARE(undo_steps(*window), before + 1);
    QTRY_VERIFY(session.state() == RunState::running);  // a lesson is about what happens
    settings_of(*window).undo_stack().undo();
    QVERIFY(settings_of(*window).committed().alpha == 0.7 && settings_of(*window).committed().policy == "lru");
    lessons.tools().reset().trigger();
    QCOMPARE(settings_of(*window).committed().alpha, 0.3);
  }

  void everyStepThatWasShownIsReturnedTo() {
    ScriptedSession session;
    auto window = scripted_.loaded(session, options());
    Lessons& lessons = lessons_of(*window);
    lessons.start(path());
    lessons.card().next().click();
    lessons.card().show_me().click();
    QTRY_COMPARE(lessons.step(), 2);
    const double lowest = settings_of(*window).committed().alpha;
    QVERIFY(lowest < 0.3);
    QVERIFY(lessons.was_shown(1) && lessons.was_shown(2) && !lessons.was_shown(3));
    lessons.go_to_step(1);
    QCOMPARE(lessons.step(), 1);
    QCOMPARE(settings_of(*window).committed().alpha, 0.3);  // as it was when that step began
    lessons.go_to_step(2);
    QCOMPARE(settings_of(*window).committed().alpha, lowest);
    test::settle(Walkthrough::pause_ms + 200);
    QCOMPARE(lessons.step(), 2);  // what was done before does not continue it
  }

  void aLinkLeadsToAStepWithWhatIsDoneBeforeIt() {
    ScriptedSession session;
    auto window = scripted_.loaded(session, options());
    Lessons& lessons = lessons_of(*window);
    const int before = undo_steps(*window);
    QVERIFY(QDesktopServices::openUrl(QUrl("kvantage://lesson/own#4")));  // as the documentation does
    QVERIFY(lessons.running());
    QCOMPARE(lessons.step(), 3);
    LogSlider& alpha = controls_of(*window).alpha();
    QCOMPARE(alpha.slider().value(), alpha.slider().maximum());  // "do: highest" of step 3
    QCOMPARE(undo_steps(*window), before + 2);                   // the lesson's own settings, and all steps before it
    QCOMPARE(lessons.link(), QString("kvantage://lesson/own#4"));
    lessons.tools().copy_link().trigger();
    QCOMPARE(QGuiApplication::clipboard()->text(), lessons.link());
    QVERIFY(lessons.predictions().at(2)->state == LessonPrediction::State::skipped);
    lessons.go_to_step(1);  // it was left out
    QCOMPARE(lessons.step(), 1);
    QCOMPARE(settings_of(*window).committed().alpha, 0.3);
  }

  void otherLinksAreRefusedInTheBanner() {
    ScriptedSession session;
    auto window = scripted_.loaded(session, options());
    QSignalSpy refused(&lessons_of(*window), &Lessons::refused);
    for (const char* link : {"kvantage://lesson/none", "kvantage://lesson/own#9", "kvantage://other/own"})
      QDesktopServices::openUrl(QUrl(QString::fromLatin1(link)));
    QCOMPARE(refused.size(), 3);
    QVERIFY(!lessons_of(*window).running());
    QVERIFY2(refused[1][0].toString().contains("from 1 to 5"), qPrintable(refused[1][0].toString()));
  }

  void aPlaceBeginsAtItsStep() {
    ScriptedSession session;
    WindowOptions wanted = options();
    wanted.begin.lesson = lesson_place({path(), 2});
    MainWindow window(session, wanted);
    window.show();
    session.set_state(RunState::ready);
    QTRY_VERIFY(lessons_of(window).running());
    QCOMPARE(lessons_of(window).step(), 1);
    QVERIFY(!tour_of(window).running());
  }

  void aResultIsHeldUntilThePredictionIsCommitted() {
    ScriptedSession session;
    auto window = scripted_.loaded(session, options());
    Lessons& lessons = lessons_of(*window);
    lessons.start(path());
    lessons.go_to_step(2);
    auto* panel = qobject_cast<PredictionPanel*>(lessons.card().extra());
    QVERIFY(panel && panel->result().isEmpty());
    HitRatesDock& hidden = hit_rates_of(*window);
    QVERIFY(!hidden.isEnabled());
    const auto covers = [&hidden] { return hidden.parentWidget()->findChildren<QLabel*>("resultCover").size(); };
    QCOMPARE(covers(), 1);
    QVERIFY(!lessons.card().text().contains("Then right.") && lessons.card().show_me().isHidden());
    session.serve(6);
    test::settle(400);
    QVERIFY(!lessons.card().says_done() && lessons.predictions().is_open(2));

    panel->box()->setValue(0.25);
    panel->commit_button().click();
    QVERIFY(hidden.isEnabled());
    QCOMPARE(covers(), 0);
    QVERIFY(lessons.card().text().contains("Then right.") && !lessons.card().show_me().isHidden());
    QVERIFY(!panel->box()->isEnabled() && panel->commit_button().isHidden());
    lessons.card().show_me().click();
    session.serve(6);
    QTRY_VERIFY(lessons.card().says_done());
    const LessonPrediction* prediction = lessons.predictions().at(2);
    QVERIFY(prediction->state == LessonPrediction::State::compared && prediction->result);
    // What the window shows, and nothing that is written in the file.
    const auto points = run_of(*window).frontier.measured();
    const auto now = std::ranges::find(points, true, &MeasuredPoint::current);
    QVERIFY(now != points.end());
    QCOMPARE(prediction->result->value, now->quality.mean);
    QVERIFY(panel->result().contains("Your prediction: 0.250") && panel->result().contains("✓ Right"));

    lessons.tools().reset().trigger();  // it is asked again
    QVERIFY(lessons.predictions().is_open(2) && !hidden.isEnabled());
    lessons.card().next().click();
    QVERIFY(lessons.predictions().at(2)->state == LessonPrediction::State::skipped);
    QVERIFY(hidden.isEnabled());
    QVERIFY(lessons.predictions().summary().startsWith("0 of 1 right, 1 skipped"));
  }

  void leavingUncoversWhatWasHidden() {
    ScriptedSession session;
    auto window = scripted_.loaded(session, options());
    lessons_of(*window).start(path());
    lessons_of(*window).go_to_step(2);
    QVERIFY(!hit_rates_of(*window).isEnabled());
    lessons_of(*window).close();
    QVERIFY(hit_rates_of(*window).isEnabled());
  }

  void aSlideGoesThroughTheSteps() {
    ScriptedSession session;
    auto window = scripted_.loaded(session, options());
    Lessons& lessons = lessons_of(*window);
    lessons.start(path());
    test::settle(100);  // the docks share the room when the window is shown
    const QByteArray arranged = window->saveState();
    QVERIFY(opened_slide(*window)->isFullScreen());
    lessons.tools().slide().trigger();  // the same key leaves it
    QVERIFY(!lessons.tools().slide_page());
    QCOMPARE(window->saveState(), arranged);
    SlidePage* page = opened_slide(*window);
    QVERIFY(page && page->isVisible());
    QVERIFY(page->font().pointSizeF() > 1.3 * QApplication::font().pointSizeF());
    QCOMPARE(page->title(), QString("First"));
    QVERIFY(page->text().startsWith("Look at ") && !page->text().contains('{'));
    QVERIFY(page->shown().chart == "frontier" && page->chart_box().isHidden());
    QVERIFY(page->chart_view() != &frontier_of(*window));  // a second view of the same model
    QTest::keyClick(page, Qt::Key_PageDown);
    QCOMPARE(lessons.step(), 1);
    QCOMPARE(page->title(), QString("Lowest"));
    QVERIFY(page->shown().chart == "tiers" && page->shown().control == "policy");
    QTest::keyClick(page, Qt::Key_PageDown);
    QVERIFY(page->shown().chart == "frontier" && page->shown().control == "alpha");  // what the step points at
    QVERIFY(page->held() && page->panel());
    auto* panel = qobject_cast<PredictionPanel*>(page->panel());
    QVERIFY(panel);
    panel->box()->setValue(0.5);
    panel->commit();
    QVERIFY(!page->held() && lessons.predictions().is_committed(2));
    QVERIFY(page->text().contains("Then right."));
    QTest::keyClick(page, Qt::Key_PageUp);
    QCOMPARE(lessons.step(), 1);
    QVERIFY(!page->panel());
    QTest::keyClick(page, Qt::Key_Escape);
    QVERIFY(!lessons.tools().slide_page() && lessons.running());
  }

  void withoutALessonListsChoose() {
    ScriptedSession session;
    auto window = scripted_.loaded(session, options());
    LessonTools& tools = lessons_of(*window).tools();
    SlidePage* page = opened_slide(*window);
    QVERIFY(page && !page->chart_box().isHidden() && page->next_button().isHidden());
    QCOMPARE(page->chart_box().count(), static_cast<int>(slide_chart_ids().size()));
    for (int i = 0; i < page->chart_box().count(); ++i) {
      QCOMPARE(page->chart_box().itemData(i).toString(), slide_chart_ids()[i]);  // what lessons may name is there
      page->chart_box().setCurrentIndex(i);
      emit page->chart_box().activated(i);
      QCOMPARE(page->shown().chart, slide_chart_ids()[i]);
      QVERIFY(page->chart_view()->isVisible());
    }
    QCOMPARE(page->control_box().count(), static_cast<int>(slide_control_ids().size()));
    for (int i = 0; i < page->control_box().count(); ++i) {
      QCOMPARE(page->control_box().itemData(i).toString(), slide_control_ids()[i]);
      page->control_box().setCurrentIndex(i);
      emit page->control_box().activated(i);
      QCOMPARE(page->shown().control, slide_control_ids()[i]);
    }
    for (const QWidget* widget : page->findChildren<QWidget*>()) {
      if (widget->focusPolicy() == Qt::NoFocus || widget->focusProxy() || !widget->isVisible()) continue;
      if (!qobject_cast<const QPushButton*>(widget) && !qobject_cast<const QComboBox*>(widget) &&
          !qobject_cast<const QSlider*>(widget))
        continue;
      QVERIFY2(!widget->accessibleName().isEmpty() && !widget->toolTip().isEmpty(), widget->metaObject()->className());
    }
    QTest::keyClick(page, Qt::Key_PageDown);  // nothing to go through
    QVERIFY(!lessons_of(*window).running());
    page->close();
    QVERIFY(!tools.slide_page());
  }

  void aControlOnTheSlideCommitsOneUndoStep() {
    ScriptedSession session;
    auto window = scripted_.loaded(session, options());
    LessonTools& tools = lessons_of(*window).tools();
    SlidePage* page = opened_slide(*window);
    QVERIFY(page);
    const int before = undo_steps(*window);
    auto* alpha = page->control_view()->findChild<QSlider*>();
    QVERIFY(alpha);
    alpha->setSliderDown(true);
    alpha->setValue(alpha->minimum());
    alpha->setSliderDown(false);
    QCOMPARE(undo_steps(*window), before + 1);
    QTRY_COMPARE(session.settings().alpha, settings_of(*window).committed().alpha);
    QCOMPARE(controls_of(*window).alpha().value(), settings_of(*window).committed().alpha);  // the other follows
    const double lowest = settings_of(*window).committed().alpha;
    QTest::keyClick(page, Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(settings_of(*window).committed().alpha > lowest);
    page->choose({QString(), QStringLiteral("policy")});
    auto* policy = page->control_view()->findChild<QComboBox*>();
    QVERIFY(policy && policy->currentData().toString() == "evicpress");
    policy->setCurrentIndex(policy->findData("lru"));
    emit policy->activated(policy->currentIndex());
    QCOMPARE(settings_of(*window).committed().policy, std::string("lru"));
    tools.leave_slide();
  }

  void aHandoutHasEveryStepAndTheAnswersLast() {
    ScriptedSession session;
    auto window = scripted_.loaded(session, options());
    session.serve(30);
    QTRY_COMPARE(run_of(*window).served(), 30u);
    Lessons& lessons = lessons_of(*window);
    lessons.start(path());
    const Lesson& lesson = *lessons.lesson();
    const Handout handout = lessons.tools().handout(lesson);
    QStringList headings, choices;
    int lines = 0, charts = 0;
    for (const HandoutBlock& block : handout.steps) {
      if (block.kind == HandoutBlock::Kind::heading) headings << block.text;
      if (block.kind == HandoutBlock::Kind::choice) choices << block.text;
      lines += block.kind == HandoutBlock::Kind::line;
      charts += block.kind == HandoutBlock::Kind::chart;
      QVERIFY2(!block.text.contains('{'), qPrintable(block.text));
    }
    QCOMPARE(headings, (QStringList{"1. First", "2. Lowest", "3. How good?", "4. Last", "5. Why?"}));
    QCOMPARE(choices, (QStringList{"Because", "Therefore"}));
    QVERIFY(lines >= 4);
    QVERIFY(charts >= 2);
    // The step that asks has no chart before it is committed.
    const auto asked = std::ranges::find(handout.steps, QString("3. How good?"), &HandoutBlock::text);
    const auto next = std::ranges::find(handout.steps, QString("4. Last"), &HandoutBlock::text);
    QVERIFY(std::none_of(asked, next, [](const auto& block) { return block.kind == HandoutBlock::Kind::chart; }));
    QString answers;
    for (const HandoutBlock& block : handout.answers) answers += block.text + '\n';
    QVERIFY2(answers.contains("✓ Therefore") && answers.contains("✗ Because") && answers.contains("Yes."),
             qPrintable(answers));
    for (const HandoutBlock& block : handout.steps) QVERIFY(!block.text.contains("Yes."));
  }

  void itIsWrittenAsPdfAndHtml() {
    ScriptedSession session;
    auto window = scripted_.loaded(session, options());
    session.serve(30);
    QTRY_COMPARE(run_of(*window).served(), 30u);
    const Lesson lesson = read_lesson(path()).value();
    LessonTools& tools = lessons_of(*window).tools();
    QTemporaryDir out;
    const QString pdf = out.filePath("own.pdf"), html = out.filePath("own.html");
    QVERIFY(tools.write_handout(lesson, pdf) && tools.write_handout(lesson, html));
    const std::string bytes = read_text_file(pdf.toStdString()).value_or(""),
                      page = read_text_file(html.toStdString()).value_or("");
    QVERIFY(bytes.starts_with("%PDF-1.") && bytes.find("/FontFile2") != std::string::npos);  // fonts are embedded
    for (const char* part :
         {"<h1>Own lesson</h1>", "<h2>3. How good?</h2>", "class=\"line\"", "class=\"answers\"", "<svg", "</html>"})
      QVERIFY2(page.find(part) != std::string::npos, part);
    QVERIFY(page.find("class=\"answers\"") > page.find("5. Why?"));
    QVERIFY(page.find("<script") == std::string::npos && page.find("http-equiv") == std::string::npos);
    const Status refused = tools.write_handout(lesson, "/nowhere/at/all.pdf");
    QVERIFY(!refused);
  }

  void theLearnPageOffersHandouts() {
    QStringList printed, begun;
    LearnPage page{QString()};
    QStringList errors;
    const std::vector<Lesson> lessons = read_lessons(folder_.path(), errors);
    page.offer([] {}, lessons, [&](const QString& path) { begun << path; },
               [&](const QString& path) { printed << path; });
    QCOMPARE(page.print_buttons().size(), lessons.size());
    page.print_buttons().front()->click();
    QVERIFY(printed == QStringList{path()} && begun.isEmpty());
    LearnPage without{QString()};
    without.offer([] {}, lessons, [](const QString&) {});
    QVERIFY(without.print_buttons().empty());
  }

  // No wider than their column, and higher with larger letters, which their texts are in.
  void cardsOfTheLearnPageFollowTheSizeOfText() {
    const auto with_text = [](int percent) {
      set_font_percent(percent);
      apply_theme(*qApp, ThemeKind::light);
    };
    const auto back = qScopeGuard([&] { with_text(100); });
    QStringList errors;
    LearnPage page{QString()};
    page.offer([] {}, read_lessons(QStringLiteral(KVANTAGE_SOURCE_DIR "/resources/lessons"), errors),
               [](const QString&) {});
    page.resize(320, 600);
    page.show();
    int low = 0;
    for (const int percent : {100, 200}) {
      with_text(percent);
      test::settle(60);
      int height = 0;
      for (const StartCard* card : page.lesson_cards()) {
        QVERIFY2(card->mapTo(&page, card->rect().bottomRight()).x() < page.width(), qPrintable(card->text()));
        QVERIFY2(card->height() >= card->heightForWidth(card->width()), qPrintable(card->text()));
        height += card->height();
      }
      QVERIFY2(height > 2 * low, qPrintable(QStringLiteral("%1 %2").arg(low).arg(height)));
      low = height;
    }
  }
};

KV_TEST_MAIN(LessonToolsTest)

}  // namespace lesson_tools_test

#include "lesson_tools_test.moc"
