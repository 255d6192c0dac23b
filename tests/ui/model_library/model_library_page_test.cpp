// links: kv_ui
// The page of models: what is selected is shown, opened, and tells its speed; and the window opens what is chosen there
// or dropped on any mode.
#include "ui/model_library/model_library_page.h"

#include <QApplication>
#include <QDir>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QLocale>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <memory>

#include "tests/support/test_program.h"
#include "tests/ui/model_library/scripted_catalog.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/text/words.h"

namespace model_library_page_test {

using namespace kvantage;

namespace {

struct Bench {
  QTemporaryDir folder;
  ScriptedSession session;
  RunModel run{session};
  std::shared_ptr<ScriptedCatalog> catalog = std::make_shared<ScriptedCatalog>();
  QStringList opened;
  std::unique_ptr<ModelLibraryPage> page;
  Bench() {
    catalog->put(small_facts("/m/default", "default model"));
    catalog->put(qwen_facts("/m/qwen", "Qwen"));
    make();
  }
  void make() {
    KnownModels known;
    known.included = {{"/m/default", "default model"}, {"/m/qwen", "Qwen"}, {"/m/bad", "bad"}};
    known.loaded = QStringLiteral("/m/default");
    page = std::make_unique<ModelLibraryPage>(run, known, folder.filePath("window.ini"),
                                              [] { return QDate(2026, 11, 29); });
    page->attach(catalog, [this](const QString& path) { opened << path; });
    page->resize(1100, 700);
    page->show();
  }
  QString fact(const char* name) {
    page->flush();
    return page->facts().value_of(QString::fromUtf8(name));
  }
  bool all_read() const { return catalog->reads().size() >= 3; }
};

}  // namespace

class ModelLibraryPageTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;
  QTemporaryDir folder_;

  QString model_folder(const QString& name) {
    QDir(folder_.path()).mkpath(name);
    for (const char* inner : {"config.json", "model.safetensors"}) {
      QFile made(folder_.filePath(name + '/' + QLatin1String(inner)));
      if (!made.open(QIODevice::WriteOnly) || made.write("{}") < 0) QTest::qFail("not written", __FILE__, __LINE__);
    }
    return folder_.filePath(name);
  }
  WindowOptions able(const std::shared_ptr<ScriptedCatalog>& catalog) {
    WindowOptions options = scripted_.options();
    options.check_workload = options.check_model = [](const QString&) { return QString(); };
    options.model_catalog = catalog;
    options.shipped_models = {{"default model", model_folder("default"), "ships"}};
    options.model_path = QString();
    return options;
  }
  static void accept(MainWindow& window) {
    QMessageBox* box = nullptr;
    QTRY_VERIFY((box = window.findChild<QMessageBox*>("openWorkloadBox")));
    for (QAbstractButton* button : box->buttons())
      if (box->buttonRole(button) == QMessageBox::AcceptRole) button->click();
  }

 private slots:
  void initTestCase() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }

  void theLoadedModelIsSelectedAtFirst() {
    Bench bench;
    QCOMPARE(bench.page->chosen(), QString("/m/default"));
    QTRY_VERIFY2(bench.page->verdict().startsWith("Loaded: needs "), qPrintable(bench.page->verdict()));
    QVERIFY(!bench.page->open_button().isEnabled());  // it is open
    QCOMPARE(bench.fact("Free memory"), QString("2.01 GiB of 8.00 GiB"));
  }

  void enterAndDoubleClickOpen() {
    Bench bench;
    QTRY_VERIFY(bench.all_read());
    bench.page->choose("/m/qwen");
    QTRY_VERIFY2(bench.page->verdict().startsWith("Fits: needs 1004.9 MiB, "), qPrintable(bench.page->verdict()));
    QVERIFY(bench.page->open_button().isEnabled());
    QTest::mouseClick(&bench.page->open_button(), Qt::LeftButton);
    bench.page->list().setFocus();
    QTest::keyClick(&bench.page->list(), Qt::Key_Return);
    QCOMPARE(bench.opened, (QStringList{"/m/qwen", "/m/qwen"}));
    bench.page->choose("/m/default");  // what is loaded is not opened again
    QTest::keyClick(&bench.page->list(), Qt::Key_Return);
    QCOMPARE(bench.opened.size(), 2);
  }

  // The loaded model, too, where they are other ones than the session's.
  void aModelIsOpenedWithOtherProducts() {
    Bench bench;
    QTRY_VERIFY(bench.all_read());
    QVERIFY(!bench.page->products().isVisible());
    bench.page->offer_products("library");
    QVERIFY(bench.page->products().isVisible() && !bench.page->products().toolTip().isEmpty());
    QCOMPARE(bench.page->products().products(), QString("library"));
    bench.page->choose("/m/default");
    QVERIFY(!bench.page->open_button().isEnabled());
    bench.page->products().choose("batch_invariant");
    QVERIFY(bench.page->open_button().isEnabled());
    bench.page->open_chosen();
    QCOMPARE(bench.opened, QStringList{"/m/default"});
    bench.page->products().choose("library");
    QVERIFY(!bench.page->open_button().isEnabled());
  }

  void whatCannotBeOpenedSaysWhy() {
    Bench bench;
    QTRY_VERIFY(bench.all_read());
    bench.page->choose("/m/bad");
    QTRY_COMPARE(bench.page->verdict(),
                 QString("/m/bad: no config.json; give a Hugging Face folder, which has one, or a GGUF file"));
    QVERIFY(!bench.page->open_button().isEnabled() && !bench.page->context().isEnabled());
    QTest::keyClick(&bench.page->list(), Qt::Key_Return);
    QVERIFY(bench.opened.isEmpty());
    QCOMPARE(bench.page->facts().rowCount(), 0);
  }

  void theContextIsPartOfTheEstimate() {
    Bench bench;
    QTRY_VERIFY(bench.all_read());
    bench.page->choose("/m/qwen");
    QTRY_COMPARE(bench.fact("KV cache of the context"), bytes_text(4096 * 12'480.0));
    QCOMPARE(bench.page->context().maximum(), 32'768);
    bench.page->context().setValue(32'768);
    QCOMPARE(bench.fact("KV cache of the context"), QString("390.0 MiB"));  // 32,768 x 12,480 bytes
    bench.catalog->set_memory({1'000'000'000, std::uint64_t{8} << 30});
    bench.page->library().reader().read_memory();
    QTRY_VERIFY2((bench.page->flush(), bench.page->verdict().startsWith("Does not fit: needs ")),
                 qPrintable(bench.page->verdict()));
    QCOMPARE(bench.fact("Longest context that fits"), QString("608 tokens"));
  }

  void theSelectionStaysWhenTheListIsFilledAgain() {
    Bench bench;
    QTRY_VERIFY(bench.all_read());
    bench.page->choose("/m/qwen");
    bench.catalog->put_folder("/more", {{"/more/a", "a"}});
    bench.page->library().add_folder("/more");
    QTRY_VERIFY(bench.page->library().row_of("/more/a") >= 0);
    QCOMPARE(bench.page->chosen(), QString("/m/qwen"));
    QCOMPARE(bench.page->list().currentIndex().data(ModelLibrary::path_role).toString(), QString("/m/qwen"));
    bench.page->flush();
    QVERIFY(bench.page->folders_button().isEnabled());
    QMenu* menu = bench.page->folders_button().menu();
    emit menu->aboutToShow();
    QCOMPARE(menu->actions().size(), 1);
    menu->actions().front()->trigger();
    QTRY_VERIFY(bench.page->library().row_of("/more/a") < 0);
    QVERIFY(!bench.page->folders_button().isEnabled());
  }

  // Measured now for the loaded one; as it was, with its date, the next time.
  void theSpeedIsKeptForTheNextTime() {
    Bench bench;
    bench.session.set_state(RunState::running);
    bench.session.serve(30);
    QTRY_VERIFY((bench.run.tick(1000), bench.run.served() == 30u && bench.run.snapshot() != nullptr));
    QTRY_VERIFY(bench.all_read());
    bench.page->choose("/m/default");
    QTRY_VERIFY2(bench.fact("Prefill").contains("tokens/s, in this session"), qPrintable(bench.fact("Prefill")));
    QCOMPARE(bench.fact("Decode"), QString("111 tokens/s, in this session"));  // 9 ms a token
    bench.page->choose("/m/qwen");
    QTRY_COMPARE(bench.fact("Prefill"), QString("not measured on this machine"));
    bench.page.reset();
    ScriptedSession idle;
    RunModel other(idle);
    KnownModels known;
    known.included = {{"/m/default", "default model"}};
    ModelLibraryPage next(other, known, bench.folder.filePath("window.ini"));
    next.attach(bench.catalog, {});
    next.show();
    QTRY_COMPARE((next.flush(), next.facts().value_of("Decode")), QString("111 tokens/s, measured on 2026-11-29"));
  }

  void withoutACatalogThePageSaysSo() {
    ScriptedSession session;
    RunModel run(session);
    QTemporaryDir folder;
    KnownModels known;
    known.loaded = QStringLiteral("/m/default");
    ModelLibraryPage page(run, known, folder.filePath("window.ini"));
    page.attach(nullptr, {});
    page.show();
    QCOMPARE(page.verdict(), QString("This window cannot read facts of models."));
    QVERIFY(!page.open_button().isEnabled());
  }

  // In a window: what is opened there goes the way of what is dropped, with its question.
  void theWindowAsksBeforeItOpensTheChosenModel() {
    auto catalog = std::make_shared<ScriptedCatalog>();
    const QString other = model_folder("other");
    catalog->put(small_facts(folder_.filePath("default").toStdString(), "default model"));
    catalog->put(qwen_facts(other.toStdString(), "other"));
    ScriptedSession session;
    auto window = scripted_.loaded(session, able(catalog));
    QSignalSpy wanted(window.get(), &MainWindow::modelRequested);
    files_of(*window).recent().add(other);
    window->show_view("models");
    auto* page = window->body<ModelLibraryPage>("models");
    QVERIFY(page != nullptr);
    QTRY_VERIFY(page->library().row_of(other) >= 0 && page->library().entry(page->library().row_of(other))->facts);
    QVERIFY(page->library().loaded() == page->library().entry(0));
    page->choose(other);
    page->open_chosen();
    QCOMPARE(wanted.count(), 0);
    accept(*window);
    QTRY_COMPARE(wanted.count(), 1);
    QCOMPARE(wanted.first().first().toString(), other);
    QCOMPARE(window->chosen_products(), QString("library"));
    page->products().choose("batch_invariant");
    page->choose(folder_.filePath("default"));
    page->open_chosen();
    accept(*window);
    QTRY_COMPARE(wanted.count(), 2);
    QCOMPARE(window->chosen_products(), QString("batch_invariant"));
    files_of(*window).open(other);  // in another way: as the session has them
    accept(*window);
    QTRY_COMPARE(wanted.count(), 3);
    QCOMPARE(window->chosen_products(), QString());
  }

  // A folder or a GGUF file that is dropped on any mode, wherever the mouse is over it.
  void aModelIsDroppedOnEveryMode() {
    auto catalog = std::make_shared<ScriptedCatalog>();
    const QString dropped = model_folder("dropped");
    ScriptedSession session;
    auto window = scripted_.loaded(session, able(catalog));
    window->resize(1280, 800);
    QSignalSpy wanted(window.get(), &MainWindow::modelRequested);
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(dropped)});
    int drops = 0;
    for (const ModeEntry& entry : mode_registry()) {
      window->show_view(entry.id);
      QWidget* page = entry.id == live_mode ? window->centralWidget() : modes_of(*window).page(entry.id);
      QList<QWidget*> targets{page};
      for (QWidget* child : page->findChildren<QWidget*>())
        if (child->acceptDrops() && child->isVisible()) targets << child;  // editors take texts that are dropped
      for (QWidget* target : targets) {
        // As Qt delivers it: to the widget under the mouse, or the nearest above it that accepts drops.
        while (!target->acceptDrops() && target->parentWidget() != nullptr) target = target->parentWidget();
        QDragEnterEvent enter(QPoint(2, 2), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(target, &enter);
        QDropEvent drop(QPointF(2, 2), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(target, &drop);
        accept(*window);
        ++drops;
        QTRY_COMPARE(wanted.count(), drops);
        QCOMPARE(wanted.last().first().toString(), dropped);
      }
    }
    QVERIFY(drops >= 9);
  }
};

KV_TEST_MAIN(ModelLibraryPageTest)

}  // namespace model_library_page_test

#include "model_library_page_test.moc"
