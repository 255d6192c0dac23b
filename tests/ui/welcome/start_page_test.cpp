// links: kv_ui
// Where a user begins: samples with pictures, recent files, own text and model; before the session is there and after.
#include <QClipboard>
#include <QCommandLinkButton>
#include <QFileDialog>
#include <QHeaderView>
#include <QScrollArea>
#include <QScrollBar>
#include <QTableWidget>
#include <QtTest>
#include <cmath>

#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/files/products_box.h"
#include "ui/session/failed_session.h"
#include "ui/welcome/model_advice.h"
#include "ui/welcome/start_page.h"

namespace start_page_test {

using namespace kvantage;

class StartPageTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

  WindowOptions options(QStringList* checked = nullptr) {
    WindowOptions wanted = scripted_.options();
    wanted.check_workload = wanted.check_model = [checked](const QString& path) {
      if (checked != nullptr) checked->append(path);
      return QStringLiteral("not of this test");
    };
    wanted.samples = {{"quickstart", "/samples/quickstart", "Start here."}, {"mine", "/samples/mine", "Another."}};
    return wanted;
  }
  static QAction* action(const MainWindow& window, const QString& text) {
    for (QAction* one : window.findChildren<QAction*>())
      if (QString(one->text()).remove('&') == text) return one;
    return nullptr;
  }

 private slots:
  void cleanup() { QGuiApplication::clipboard()->clear(); }

  void everySampleHasACardWithAPicture() {
    ScriptedSession session;
    QStringList checked;
    MainWindow window(session, options(&checked));
    window.show();
    auto* page = window.findChild<StartPage*>();
    for (const char* name : {"sample-quickstart", "sample-mine"}) {
      auto* card = page->findChild<QCommandLinkButton*>(name);
      QVERIFY2(card != nullptr && card->isVisible(), name);
      QVERIFY(!card->icon().isNull() && !card->description().isEmpty());
    }
    page->findChild<QCommandLinkButton*>("sample-mine")->click();
    QTRY_COMPARE(checked, QStringList{"/samples/mine"});
  }

  void theNameGrowsWithTheText() {
    ScriptedSession session;
    MainWindow window(session, options());
    window.show();
    const QLabel* name = nullptr;
    for (const QLabel* label : window.findChild<StartPage*>()->findChildren<QLabel*>())
      if (label->text() == "KVantage") name = label;
    QVERIFY(name != nullptr);
    const double before = name->font().pointSizeF();
    const auto is = [&](double size) { return std::abs(name->font().pointSizeF() - size) < 0.1; };
    window.set_font_size(200);
    QTRY_VERIFY(is(2 * before));
    window.set_font_size(100);
    QTRY_VERIFY(is(before));
  }

  void shippedPicturesAreThere() {
    for (const char* name : {"bursts", "drifting-questions", "long-contexts", "long-tail", "own-text", "quickstart",
                             "sensitivity-mix", "tier-pressure"}) {
      const QPixmap picture = QIcon(QStringLiteral(":/kvantage/start/%1.svg").arg(name)).pixmap(96, 64);
      QVERIFY2(!picture.isNull(), name);
      QVERIFY2(picture.toImage().pixelColor(picture.width() / 2, 2) != QColor(Qt::transparent), name);
    }
  }

  // In the window's first size, while the engine loads and afterwards; where there is room, with what each choice is.
  void everyChoiceIsSeenWithoutScrolling_data() {
    QTest::addColumn<bool>("loading");
    QTest::newRow("loading") << true;
    QTest::newRow("ready") << false;
  }
  void everyChoiceIsSeenWithoutScrolling() {
    QFETCH(bool, loading);
    ScriptedSession session;
    WindowOptions wanted = options();
    wanted.lessons_folder = QStringLiteral(KVANTAGE_SOURCE_DIR "/resources/lessons");
    wanted.help_folder = QStringLiteral(KVANTAGE_SOURCE_DIR "/docs");
    wanted.samples.clear();
    for (const char* name : {"quickstart", "bursts", "drifting-questions", "long-contexts", "long-tail", "own-text",
                             "sensitivity-mix", "tier-pressure"})
      wanted.samples.push_back({name, QString("/samples/") + name,
                                "Every kind of text, from one that tolerates almost any compression to one that "
                                "tolerates none: the best method differs."});
    MainWindow window(session, wanted);
    for (const char* recent : {"/texts/a.txt", "/texts/b.txt", "/some/longer/path/of/a/folder/c", "/texts/d.md"})
      files_of(window).recent().add(recent);
    window.resize(1280, 800);
    window.show();
    auto* page = window.findChild<StartPage*>();
    if (loading) {
      for (const char* what : {"Loading the model", "Reading the contexts", "Opening the tiers",
                               "Timing the model and the tiers", "Reading the quality profiles", "Ready"})
        session.emit_event(events::Progress{what, 1, 2});
      QTRY_COMPARE(page->work_count(), 6);
    } else {
      session.set_state(RunState::ready);
      QTRY_VERIFY(!shows_start_page(window));
      show_start_page(window, true);
    }
    test::settle(100);
    auto* area = page->findChild<QScrollArea*>();
    QVERIFY2(area->verticalScrollBar()->maximum() == 0,
             qPrintable(QString("%1 px below %2").arg(area->verticalScrollBar()->maximum()).arg(area->height())));
    const QRect seen = area->viewport()->rect();
    int choices = 0;
    for (const QWidget* widget : page->findChildren<QWidget*>()) {
      const auto* label = qobject_cast<const QLabel*>(widget);
      if (!qobject_cast<const QAbstractButton*>(widget) && !(label && label->text().contains("<a "))) continue;
      if (!widget->isVisible()) continue;
      if (const auto* card = dynamic_cast<const StartCard*>(widget)) QCOMPARE(card->painted_name(), card->text());
      ++choices;
      const QRect place(widget->mapTo(area->viewport(), QPoint()), widget->size());
      QVERIFY2(seen.contains(place), qPrintable(widget->objectName() + ' ' + widget->toolTip()));
    }
    QVERIFY2(choices >= 7 + 4 + 1 + 4, qPrintable(QString::number(choices)));
    auto* card = page->findChild<QCommandLinkButton*>("sample-quickstart");
    const int low = card->height();
    window.resize(2560, 1440);
    test::settle(100);
    QVERIFY2(card->height() > low + 20, qPrintable(QString("%1 %2").arg(low).arg(card->height())));
  }

  void theSessionIsOneClickAwayOnceItIsThere() {
    ScriptedSession session;
    auto window = scripted_.loaded(session, options());
    QVERIFY(!shows_start_page(*window));
    action(*window, "Start page")->trigger();
    QVERIFY(shows_start_page(*window));
    QVERIFY(controls_of(*window).isEnabled());
    auto* back = window->findChild<QPushButton*>("startBack");
    QVERIFY(back->isVisible());
    session.serve(3);
    QTRY_COMPARE(run_of(*window).served(), 3u);
    QVERIFY(shows_start_page(*window));  // nothing of the run takes it away
    back->click();
    QVERIFY(!shows_start_page(*window));
  }

  void thereIsNothingToGoBackToWhileItLoads() {
    ScriptedSession session;
    MainWindow window(session, options());
    window.show();
    QVERIFY(shows_start_page(window));
    QVERIFY(!window.findChild<QPushButton*>("startBack")->isVisible());
  }

  // The reason, and what can be done about it: a store of its own only where the store failed.
  void afterAFailureItOffersWhatFits_data() {
    QTest::addColumn<bool>("of_the_store");
    QTest::newRow("store") << true;
    QTest::newRow("workload") << false;
  }
  void afterAFailureItOffersWhatFits() {
    QFETCH(bool, of_the_store);
    FailedSession session({ErrorCode::rejected_input, "/texts/gone.txt: no such file; check the path"});
    WindowOptions wanted = options();
    wanted.store_failed = [of_the_store] { return of_the_store; };
    MainWindow window(session, wanted);
    window.show();
    auto* page = window.findChild<StartPage*>();
    auto* retry = page->findChild<QPushButton*>("startRetry");
    auto* separate = page->findChild<QPushButton*>("startSeparateStore");
    auto* other = page->findChild<QPushButton*>("startOther");
    QVERIFY(retry != nullptr && separate != nullptr && other != nullptr);
    QTRY_VERIFY(retry->isVisible() && other->isVisible());
    QVERIFY(shows_start_page(window));
    QCOMPARE(separate->isVisible(), of_the_store);
    QStringList said;
    for (const QLabel* label : page->findChildren<QLabel*>())
      if (label->isVisible()) said << label->text();
    QVERIFY2(said.contains("Loading failed: /texts/gone.txt: no such file; check the path"),
             qPrintable(said.join('\n')));
    QVERIFY2(window.banner().isHidden(), qPrintable(window.banner().text()));  // the reason stands on the page
    QSignalSpy retries(&window, &MainWindow::retryRequested);
    (of_the_store ? separate : retry)->click();
    QCOMPARE(retries.size(), qsizetype{1});
    QCOMPARE(retries.front().front().toBool(), of_the_store);
    QStringList offered;
    for (const QAction* action : other->menu()->actions()) offered << action->text();
    QCOMPARE(offered, (QStringList{"Text file…", "Folder…", "quickstart", "mine"}));
  }

  void whereNothingFailedThereIsNothingToMend() {
    ScriptedSession session;
    auto window = scripted_.loaded(session, options());
    show_start_page(*window, true);
    QVERIFY(!window->findChild<QPushButton*>("startRetry")->isVisible());
  }

  void recentFilesAreAsTheyAreWhenThePageIsShown() {
    ScriptedSession session;
    auto window = scripted_.loaded(session, options());
    const auto links = [&] {
      QStringList texts;
      for (const QLabel* label : window->findChild<StartPage*>()->findChildren<QLabel*>())
        if (label->text().contains("<a ")) texts << label->toolTip();
      return texts;
    };
    QVERIFY(links().isEmpty());
    files_of(*window).recent().add("/texts/a & b.txt");
    show_start_page(*window, true);
    QCOMPARE(links(), QStringList{"/texts/a & b.txt"});
    files_of(*window).recent().clear();
    show_start_page(*window, false);
    show_start_page(*window, true);
    QTRY_VERIFY(links().isEmpty());
  }

  void ownTextAsksForAFile() {
    ScriptedSession session;
    auto window = scripted_.loaded(session, options());
    show_start_page(*window, true);
    window->findChild<QCommandLinkButton*>("startText")->click();
    QTRY_VERIFY(window->findChild<QFileDialog*>() != nullptr);
    window->findChild<QFileDialog*>()->reject();
  }

  void ownModelSaysWhatRunsAndHowToGetIt() {
    ScriptedSession session;
    auto window = scripted_.loaded(session, options());
    show_start_page(*window, true);
    window->findChild<QCommandLinkButton*>("startModel")->click();
    auto* advice = window->findChild<ModelAdvice*>();
    QVERIFY(advice != nullptr && advice->isVisible());
    auto* table = advice->findChild<QTableWidget*>("recommendedModels");
    QCOMPARE(table->rowCount(), static_cast<int>(recommended_models().size()));
    QVERIFY(!table->horizontalHeader()->stretchLastSection());
    for (int column = 0; column < table->columnCount(); ++column)
      QCOMPARE(table->horizontalHeader()->sectionResizeMode(column), QHeaderView::ResizeToContents);
    table->setCurrentCell(0, 0);
    advice->findChild<QPushButton*>("copyDownload")->click();
    const QString command = QGuiApplication::clipboard()->text();
    QVERIFY2(command.startsWith("hf download HuggingFaceTB/SmolLM2-135M-Instruct ") &&
                 command.endsWith("--local-dir SmolLM2-135M-Instruct"),
             qPrintable(command));
    advice->close();
  }

  // Models that are shipped need no download: one click reads them, then asks as for any other.
  void shippedModelsAreOffered() {
    ScriptedSession session;
    QStringList checked;
    WindowOptions wanted = options(&checked);
    wanted.shipped_models = {{"default model", "/models/default", "GQA"}, {"reference-mha", "/models/mha", "MHA"}};
    auto window = scripted_.loaded(session, wanted);
    show_start_page(*window, true);
    window->findChild<QCommandLinkButton*>("startModel")->click();
    auto* advice = window->findChild<ModelAdvice*>();
    QVERIFY(advice != nullptr);
    auto* button = advice->findChild<QPushButton*>("shipped:reference-mha");
    QVERIFY(button != nullptr && advice->findChild<QPushButton*>("shipped:default model") != nullptr);
    QCOMPARE(button->toolTip(), QString("MHA"));
    auto* products = advice->findChild<ProductsBox*>();
    QVERIFY(products != nullptr && products->products() == "library");  // the session's
    products->choose("batch_invariant");
    button->click();
    QCOMPARE(files_of(*window).products(), QString("batch_invariant"));
    QTRY_COMPARE(checked, QStringList{"/models/mha"});
  }

  // 2 * layers * kv heads * head size * 2 bytes, of configurations that are public.
  void bytesPerTokenAreThoseOfTheConfigurations() {
    struct Shape {
      int layers, kv_heads, head;
    };
    const std::vector<Shape> shapes{{30, 3, 64}, {32, 5, 64}, {24, 2, 64}, {28, 8, 128}, {16, 8, 64}, {28, 2, 128}};
    QCOMPARE(recommended_models().size(), shapes.size());
    for (std::size_t m = 0; m < shapes.size(); ++m)
      QCOMPARE(recommended_models()[m].kv_bytes_per_token,
               2 * shapes[m].layers * shapes[m].kv_heads * shapes[m].head * 2);
  }

  void withoutOtherWorkloadsThereIsNoCard() {
    ScriptedSession session;
    MainWindow window(session, scripted_.options());
    window.show();
    auto* page = window.findChild<StartPage*>();
    QVERIFY(page->findChild<QCommandLinkButton*>("startText") == nullptr);
    QVERIFY(page->findChild<QCommandLinkButton*>("startModel") == nullptr);
    QVERIFY(page->findChild<QCommandLinkButton*>("startTour") != nullptr);
  }
};

KV_TEST_MAIN(StartPageTest)

}  // namespace start_page_test

#include "start_page_test.moc"
