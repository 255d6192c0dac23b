// links: kv_ui
// Every model of the window keeps the promises that views rely on, through whatever the window does; one that is
// written later without a place here fails the test.
#include <QAbstractItemModelTester>
#include <QAbstractItemView>
#include <QApplication>
#include <QDirIterator>
#include <QRegularExpression>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QTest>
#include <typeinfo>

#include "core/base/files.h"
#include "tests/support/test_program.h"
#include "tests/ui/papers/scripted_figures.h"
#include "tests/ui/runs/memory_library.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/papers/model/figure_table_model.h"
#include "ui/runs/runs_dock.h"
#include "ui/widgets/keyed_sort.h"

namespace every_model_test {

using namespace kvantage;

class EveryModelTest : public QObject {
  Q_OBJECT

  /// Names of classes in ui/ that are models, of Qt's or of one another. One that has heirs is tested through each
  /// of them.
  static QStringList written() {
    static const QRegularExpression heir("class\\s+(\\w+)\\s*(?:final\\s*)?:\\s*public\\s+(\\w+)"),
        model("^Q\\w*Model$");
    QMultiHash<QString, QString> heirs;  // of a base
    QDirIterator files(QStringLiteral(KVANTAGE_SOURCE_DIR "/ui"), {"*.h", "*.cpp"}, QDir::Files,
                       QDirIterator::Subdirectories);
    while (files.hasNext()) {
      const auto text = read_text_file(files.next().toStdString());
      if (!text) QTest::qFail(text.error().message.c_str(), __FILE__, __LINE__);
      for (auto found = heir.globalMatch(QString::fromStdString(*text)); found.hasNext();) {
        const QRegularExpressionMatch match = found.next();
        heirs.insert(match.captured(2), match.captured(1));
      }
    }
    QStringList names;
    for (const QString& base : heirs.uniqueKeys())
      if (model.match(base).hasMatch()) names += heirs.values(base);
    for (qsizetype i = 0; i < names.size(); ++i) names += heirs.values(names[i]);
    names.removeIf([&heirs](const QString& name) { return heirs.contains(name); });
    names.removeDuplicates();
    return names;
  }

  /// Those behind the views of a window, and behind them in turn.
  static QList<QAbstractItemModel*> models_of(const QWidget& window) {
    QList<QAbstractItemModel*> models;
    const auto take = [&models](QAbstractItemModel* model) {
      for (; model != nullptr && !models.contains(model);) {
        models << model;
        const auto* proxy = qobject_cast<QAbstractProxyModel*>(model);
        model = proxy != nullptr ? proxy->sourceModel() : nullptr;
      }
    };
    for (const QAbstractItemView* view : window.findChildren<QAbstractItemView*>())
      if (QString(typeid(*view).name()).contains("ComboBox") == false) take(view->model());
    return models;
  }
  static bool is(const QAbstractItemModel& model, const QString& name) {
    return QString::fromLatin1(typeid(model).name()).contains(QString::number(name.size()) + name + 'E');
  }

  using Testers = std::vector<std::unique_ptr<QAbstractItemModelTester>>;

  static void watch(const QList<QAbstractItemModel*>& some, Testers& testers) {
    for (QAbstractItemModel* model : some) {
      // It sorts at the end of a reset, and whoever watches is to hear of the reset first.
      auto* sorts = qobject_cast<KeyedSort*>(model);
      if (sorts != nullptr) QObject::disconnect(sorts, &QAbstractItemModel::modelReset, sorts, nullptr);
      testers.push_back(
          std::make_unique<QAbstractItemModelTester>(model, QAbstractItemModelTester::FailureReportingMode::QtTest));
      if (sorts != nullptr) QObject::connect(sorts, &QAbstractItemModel::modelReset, sorts, &KeyedSort::refresh);
    }
  }

  static void show_all_docks(MainWindow& window) {
    for (auto& [id, dock] : docks_of(window).all()) {
      docks_of(window).bring_up(id);
      test::settle(10);
    }
  }

  static void serve_and_choose(MainWindow& window, ScriptedSession& session) {
    session.set_state(RunState::ready);
    QTRY_VERIFY(!run_of(window).frontier.curves().empty() && session.state() == RunState::running);
    session.publish_profiles();
    session.serve(60);
    QTRY_COMPARE(run_of(window).served(), 60u);
    events::TierCounted counted;
    counted.tier = "ssd";
    counted.kind = "disk";
    counted.reads = 5;
    counted.misses = {{"absent", 2}};
    session.emit_event(counted);
    show_all_docks(window);
    run_of(window).selection.choose_context(QString::fromStdString(run_of(window).snapshot()->contexts[3].id));
    test::settle(60);
    run_of(window).selection.clear();
    for (QTableView* table : window.findChildren<QTableView*>())
      if (table->isSortingEnabled())
        for (const int column : {0, 1}) table->sortByColumn(column, Qt::DescendingOrder);
    SessionSettings moved = settings_of(window).shown();
    moved.alpha *= 5;
    QVERIFY(settings_of(window).commit(moved, "alpha", {}));
    session.serve(40);
  }

  static void compare_runs(MainWindow& window, MemoryLibrary& library) {
    auto* runs = window.body<RunsDock>("runs");
    window.show_view("runs");
    QTRY_VERIFY(runs->model().listed_once() && runs->model().missing_figures() == 0);
    runs->choose({"run-a", "run-b"});
    runs->compare_chosen();
    QTRY_VERIFY(runs->comparison().rowCount() > 0);
    runs->open_run("run-a");
    QTRY_VERIFY(runs->metrics().rowCount() > 0);
    QTRY_VERIFY(runs->model().worker().idle());
    library.runs.erase("run-b");
    runs->model().refresh();
    QTRY_COMPARE(runs->model().rowCount(), 1);
  }

  static void replay_a_run(MainWindow& window) {
    replay_of(window).open("run-a");
    QTRY_VERIFY(replay_of(window).active());
    replay_of(window).seek(replay_of(window).size());
    test::settle(60);
    show_all_docks(window);
    replay_of(window).seek(replay_of(window).size() / 2);
    test::settle(60);
    replay_of(window).close();
    show_all_docks(window);
  }

  static void show_a_figure(const QList<QAbstractItemModel*>& models) {
    FigureTable table;
    table.columns = {"alpha", "quality"};
    table.rows.push_back(std::vector<Json>{0.1, 0.9});
    FigureTableModel* figures = nullptr;
    for (QAbstractItemModel* model : models)
      if (auto* found = qobject_cast<FigureTableModel*>(model)) figures = found;
    QVERIFY(figures != nullptr);
    figures->show(table);
    QCOMPARE(figures->rowCount(), 1);
    figures->show({});
  }

 private slots:
  void everyModelKeepsItsPromises() {
    ScriptedWindow scripted;
    QTemporaryDir folder;
    ScriptedSession session;
    auto library = std::make_shared<MemoryLibrary>();
    for (const char* id : {"run-a", "run-b"})
      library->runs[id] = scripted_run(id, 12, 40, 2, id == std::string("run-a") ? "evicpress" : "lru");
    WindowOptions options = scripted.options();
    options.runs = library;
    options.figures = std::make_shared<ScriptedFigures>();
    options.figure_results = folder.filePath("figures");
    MainWindow window(session, options);
    QList<QAbstractItemModel*> models = models_of(window);
    Testers testers;
    watch(models, testers);

    // What a user does: start, look at all, choose, explain, compare, replay, come back.
    window.show();
    serve_and_choose(window, session);
    if (QTest::currentTestFailed()) return;
    compare_runs(window, *library);
    if (QTest::currentTestFailed()) return;
    palette_of(window).open_fresh();
    test::settle(30);
    palette_of(window).line().setText("dark");
    const auto later_models = [&] {
      QList<QAbstractItemModel*> later = models_of(window);
      for (const QAbstractItemModel* known : models) later.removeAll(const_cast<QAbstractItemModel*>(known));
      models += later;
      return later;
    };
    watch(later_models(), testers);
    palette_of(window).line().setText("ssd");
    palette_of(window).close();
    replay_a_run(window);
    if (QTest::currentTestFailed()) return;
    show_a_figure(models);
    if (QTest::currentTestFailed()) return;

    QStringList missing = written();
    QVERIFY2(missing.size() >= 16, qPrintable(missing.join(", ")));
    for (const QAbstractItemModel* model : models)
      missing.removeIf([model](const QString& name) { return is(*model, name); });
    QVERIFY2(missing.isEmpty(), qPrintable("behind no view of the window, so not tested here: " + missing.join(", ")));
    testers.clear();
  }
};

KV_TEST_PROGRAM(argc, argv) {
  QApplication application(argc, argv);
  EveryModelTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace every_model_test

#include "every_model_test.moc"
