// links: kv_ui
// Every mode on a small screen, in any size of text: what is written there is whole, or a hover away.
#include <QLabel>
#include <QPushButton>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QVBoxLayout>
#include <memory>

#include "tests/support/test_program.h"
#include "tests/ui/ask/scripted_asker.h"
#include "tests/ui/ask/scripted_inspector.h"
#include "tests/ui/experiments/scripted_experiments.h"
#include "tests/ui/model_library/scripted_catalog.h"
#include "tests/ui/papers/scripted_figures.h"
#include "tests/ui/runs/memory_library.h"
#include "tests/ui/window/cut_texts.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/ask/ask_page.h"
#include "ui/look/font_scale.h"
#include "ui/papers/figures_page.h"
#include "ui/runs/runs_dock.h"
#include "ui/text/words.h"
#include "ui/tokens/keep_map_dock.h"

namespace mode_texts_test {

using namespace kvantage;

class ModeTextsTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;
  QTemporaryDir folder_;

  /// What each page shows something of.
  WindowOptions options(ScriptedInspector& inspector, ScriptedAsker& asker) {
    WindowOptions made = scripted_.options();
    made.inspector = &inspector;
    made.asker = &asker;
    auto library = std::make_shared<MemoryLibrary>();
    for (const char* id : {"20261122T105108Z-48213", "20261123T081500Z-00017"})
      library->runs[id] = scripted_run(id, 6, 20, 1);
    made.runs = library;
    made.figures = std::make_shared<ScriptedFigures>();
    auto experiments = std::make_shared<ScriptedExperiments>();
    experiments->base.workload = "sensitivity-mix";
    made.experiments = experiments;
    made.experiments_folder = folder_.filePath("experiments");
    auto catalog = std::make_shared<ScriptedCatalog>();
    catalog->put(small_facts("/m/default", "default model"));
    made.model_catalog = catalog;
    made.shipped_models = {{"default model", "/m/default", "ships"}};
    made.model_path = QString();
    made.check_workload = made.check_model = [](const QString&) { return QString(); };
    made.samples = {{"quickstart", QStringLiteral(KVANTAGE_SOURCE_DIR "/sample_workloads/quickstart"), "what ships"}};
    made.help_folder = QStringLiteral(KVANTAGE_SOURCE_DIR "/docs");
    made.lessons_folder = QStringLiteral(KVANTAGE_SOURCE_DIR "/resources/lessons");
    return made;
  }
  /// A question with answers, a text with kept tokens, runs with their metrics.
  static void fill(MainWindow& window, ScriptedAsker& asker) {
    window.show_view("ask");
    AskPage& ask = *window.body<AskPage>("ask");
    QTRY_COMPARE(ask.columns().size(), max_ask_columns);
    ask.question().setText("What is the badge of Ada?");
    ask.ask_button().click();
    QVERIFY(!asker.requests.empty());
    asker.show(asker.answer(true));
    QTRY_VERIFY(!ask.model().busy());
    window.show_view("tokens");
    run_of(window).selection.choose_context(to_q(run_of(window).snapshot()->contexts[3].id));
    QTRY_VERIFY(window.body<KeepMapDock>("tokens")->model().complete());
    window.show_view("runs");
    RunsDock& runs = *window.body<RunsDock>("runs");
    QTRY_VERIFY(runs.model().rowCount() == 2 && runs.model().missing_figures() == 0);
  }
  /// Of a page, with every page of its tabs in turn.
  static void look_at(const QString& mode, const QWidget& page, CutTexts& texts) {
    test::settle(60);
    add_cut_page_texts(mode, page, texts);
    for (QTabWidget* tabs : page.findChildren<QTabWidget*>()) {
      const int before = tabs->currentIndex();
      for (int tab = 0; tabs->isVisible() && tab < tabs->count(); ++tab) {
        if (tab == before || !tabs->isTabEnabled(tab)) continue;
        tabs->setCurrentIndex(tab);
        test::settle(60);
        if (const QWidget* shown = tabs->currentWidget(); shown != nullptr)
          add_cut_page_texts(mode + ", " + tabs->tabText(tab), *shown, texts);
      }
      tabs->setCurrentIndex(before);
    }
  }

 private slots:
  void cleanup() { set_font_percent(100); }

  // Whoever looks for cut texts finds them.
  void cutTextsAreFound() {
    QWidget page;
    page.resize(400, 300);
    auto* whole = new QLabel("a text", &page);
    auto* narrow = new QLabel("a text that is longer than its label", &page);
    auto* told = new QLabel("a text that its tool tip has as well", &page);
    auto* low = new QLabel("a text that needs three lines or four of this width", &page);
    auto* beyond = new QPushButton("Beyond", &page);
    whole->setGeometry(10, 10, 200, 30);
    narrow->setGeometry(10, 50, 60, 30);
    told->setGeometry(10, 90, 60, 30);
    told->setToolTip(told->text());
    low->setWordWrap(true);
    low->setGeometry(10, 130, 120, whole->fontMetrics().height());
    beyond->setGeometry(350, 200, 200, 40);
    page.show();
    CutTexts texts;
    add_cut_page_texts("page", page, texts);
    QCOMPARE(texts.cut, (QStringList{"page: label a text that is longer than its label",
                                     "page: label a text that needs three lines or four of this width",
                                     "page: beyond its frame: button Beyond"}));
    QCOMPARE(texts.labels, 4);
    QCOMPARE(texts.buttons, 1);
  }

  void everyModeIsWhole_data() {
    QTest::addColumn<int>("percent");
    for (const int percent : {100, 140, 200}) QTest::addRow("%d", percent) << percent;
  }
  void everyModeIsWhole() {
    QFETCH(int, percent);
    ScriptedSession session;
    ScriptedInspector inspector(400);
    ScriptedAsker asker;
    auto window = scripted_.loaded(session, options(inspector, asker));
    session.serve(30);
    QTRY_COMPARE(run_of(*window).served(), 30u);
    fill(*window, asker);
    if (QTest::currentTestFailed()) return;
    modes_of(*window).leave();
    window->set_font_size(percent);
    window->resize(1280, 800);
    CutTexts texts;
    QStringList grown, empty;
    for (const ModeEntry& mode : mode_registry()) {
      window->show_view(mode.id);
      test::settle(120);
      const QWidget* page = mode.id == live_mode ? &part_of<FrontierPage>(*window) : modes_of(*window).page(mode.id);
      QVERIFY2(page != nullptr && page->isVisible(), qPrintable(mode.id));
      const int seen = texts.buttons + texts.labels + texts.titles;
      look_at(mode.id, *page, texts);
      if (mode.id == "papers") {  // a paper has a tab that its figures lack
        QTreeView& tree = window->body<FiguresPage>("papers")->tree();
        tree.setCurrentIndex(tree.model()->index(0, 0));
        look_at(mode.id, *page, texts);
      }
      if (texts.buttons + texts.labels + texts.titles == seen) empty << mode.id;
      if (window->size() != QSize(1280, 800))
        grown << QStringLiteral("%1: %2 x %3").arg(mode.id).arg(window->width()).arg(window->height());
    }
    for (const QString& text : texts.cut) qWarning("cut: %s", qPrintable(text));
    QVERIFY2(texts.cut.isEmpty(), qPrintable(texts.cut.join('\n')));
    QVERIFY2(grown.isEmpty(), qPrintable(grown.join('\n')));
    QVERIFY2(empty.isEmpty(), qPrintable(empty.join(' ')));
    QVERIFY2(texts.labels > 30 && texts.buttons > 30 && texts.titles > 8,
             qPrintable(QStringLiteral("%1 %2 %3").arg(texts.labels).arg(texts.buttons).arg(texts.titles)));
  }
};

KV_TEST_MAIN(ModeTextsTest)

}  // namespace mode_texts_test

#include "mode_texts_test.moc"
