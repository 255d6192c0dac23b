// links: kv_ui
// Runs that the Frontier holds: points a segment, colors, names from what differs, eyes, ghosts, and what is kept.
#include <QAbstractItemModelTester>
#include <QAction>
#include <QFileDialog>
#include <QLineEdit>
#include <QMessageBox>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <set>
#include <string>
#include <variant>

#include "core/base/files.h"
#include "tests/support/test_program.h"
#include "tests/ui/runs/memory_library.h"
#include "ui/runs/held_runs_view.h"
#include "ui/runs/model/held_names.h"
#include "ui/runs/runs_dock.h"
#include "ui/text/words.h"

namespace held_runs_test {

using namespace kvantage;

namespace {

struct Held {
  std::shared_ptr<MemoryLibrary> library = std::make_shared<MemoryLibrary>();
  FrontierModel frontier;

  void record(const std::string& id, const std::string& policy = "evicpress") {
    library->runs[id] = scripted_run(id, 8, 20, 1, policy);
  }
  /// A request of the run that this window serves.
  void serve(double alpha, double ttft, double quality) {
    RequestRecord request;
    request.id = ++last_;
    request.context_id = "c" + std::to_string(last_ % 2);
    request.policy = "evicpress";
    request.alpha = alpha;
    request.quality = {{"token_f1", quality}};
    request.timing.ttft_service_seconds = ttft;
    frontier.add_request(request);
  }
  void commit(double alpha) {
    SessionSettings settings;
    settings.alpha = alpha;
    frontier.set_committed(settings);
  }

 private:
  std::uint64_t last_ = 0;
};

Json session(const char* policy, double alpha, int dram_mib) {
  return Json{{"settings",
               {{"policy", policy},
                {"alpha", alpha},
                {"tiers", {{{"name", "dram"}, {"budget_bytes", std::int64_t{dram_mib} << 20}}}}}}};
}

bool drawn(const HeldRunsModel& model) {
  return model.idle() && std::ranges::none_of(model.held(), [](const HeldRun& run) { return run.points.empty(); });
}

std::vector<int> colors(const HeldRunsModel& model) {
  std::vector<int> all;
  for (const HeldRun& run : model.held()) all.push_back(run.color);
  return all;
}

QStringList ids(const HeldRunsModel& model) {
  QStringList all;
  for (const HeldRun& run : model.held()) all << run.id;
  return all;
}

}  // namespace

class HeldRunsTest : public QObject {
  Q_OBJECT

 private slots:
  // The settings of the scripted run change in its middle: a point for each half, as its records say.
  void aPinnedRunHasAPointASegment() {
    Held f;
    f.record("a");
    HeldRunsModel model(f.library, f.frontier);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.pin("a");
    QCOMPARE(model.held().size(), std::size_t{1});  // at once, its points follow
    QTRY_VERIFY(drawn(model));
    const HeldRun& run = model.held().front();
    QCOMPARE(run.points.size(), std::size_t{2});
    std::uint64_t all = 0;
    for (const MeasuredPoint& point : run.points) {
      double ttft = 0, quality = 0, n = 0;
      for (const Event& event : f.library->runs.at("a").events)
        if (const auto* done = std::get_if<events::RequestFinished>(&event.payload);
            done && done->record.alpha == point.alpha) {
          ttft += done->record.timing.ttft_service_seconds;
          quality += done->record.quality.at("token_f1");
          ++n;
        }
      QCOMPARE(static_cast<double>(point.ttft.n), n);
      QCOMPARE(point.ttft.mean, ttft / n);
      QCOMPARE(point.quality.mean, quality / n);
      QCOMPARE(point.run, QString("a"));
      QVERIFY(point.uses_alpha && point.throttled && !point.current && point.transient_requests == 0);
      all += point.ttft.n;
    }
    QCOMPARE(all, std::uint64_t{20});
    f.frontier.set_split({.at_changes = false, .leave_out_transient = true});
    QTRY_COMPARE(model.held().front().points.size(), std::size_t{1});
    QCOMPARE(model.held().front().points.front().ttft.n, std::uint64_t{20});
    f.frontier.set_family("needle");  // 2 of the 8 contexts
    QTRY_VERIFY(model.idle() && model.held().front().points.size() == 1 &&
                model.held().front().points.front().ttft.n < 20);
  }

  void aColorStaysAsLongAsARunIsHeld() {
    Held f;
    for (const char* id : {"a", "b", "c", "d", "e"}) f.record(id);
    HeldRunsModel model(f.library, f.frontier);
    for (const char* id : {"a", "b", "c"}) model.pin(QString::fromLatin1(id));
    model.unpin("b");
    model.pin("d");
    model.pin("e");
    model.pin("a");  // it is already
    QCOMPARE(ids(model), (QStringList{"a", "c", "d", "e"}));
    QCOMPARE(colors(model), (std::vector<int>{0, 2, 1, 3}));
    QTRY_VERIFY(drawn(model));
    QCOMPARE(colors(model), (std::vector<int>{0, 2, 1, 3}));
    std::set<QRgb> seen;
    for (std::size_t i = 0; i < 12; ++i) seen.insert(theme_of(ThemeKind::light).run(i).rgb());
    QCOMPARE(seen.size(), std::size_t{12});
    for (std::size_t one = 0; one < 36; ++one)
      for (std::size_t other = 0; other < one; ++other)
        QVERIFY(one % 12 != other % 12 || run_dashes(one) != run_dashes(other));
  }

  void namesSayWhatDiffers() {
    const Json present = session("evicpress", 1, 6);
    const auto names = [&](const std::vector<Json>& runs) {
      const std::vector<QString> made = held_names(runs, present);
      return QStringList(made.begin(), made.end());
    };
    QCOMPARE(names({session("evicpress", 0.05, 6)}), QStringList{QString("α %1").arg(number_text(0.05))});
    QCOMPARE(names({session("evicpress", 0.05, 12), session("evicpress", 0.05, 6)}),
             (QStringList{QString("α %1 · dram 12.0 MiB").arg(number_text(0.05)),
                          QString("α %1 · dram 6.0 MiB").arg(number_text(0.05))}));
    // The policy is enough.
    QCOMPARE(names({session("lru", 0.05, 12)}), QStringList{"lru"});
    QCOMPARE(names({present, present}), (QStringList{"A", "B"}));
    QCOMPARE(names({session("lru", 1, 6), session("lru", 1, 6)}), (QStringList{"lru A", "lru B"}));
    QCOMPARE(names({}), QStringList());
    Json other = session("evicpress", 1, 6);
    other["environment"] = {{"workload", "news"}};
    Json same = present;
    same["environment"] = {{"workload", "stories"}};
    QCOMPARE(names({other, same}), (QStringList{"news", "stories"}));
    QCOMPARE(held_difference(session("lru", 0.05, 12), present),
             QString("lru · α %1 · dram 12.0 MiB").arg(number_text(0.05)));
    QVERIFY(held_difference(present, present).isEmpty());
    QVERIFY(held_difference(present, Json()).isEmpty());  // nothing is known to differ from
  }

  void anOwnNameStaysUntilItIsCleared() {
    Held f;
    f.record("a");
    f.record("b", "lru");
    HeldRunsModel model(f.library, f.frontier);
    model.pin("a");
    model.pin("b");
    QTRY_VERIFY(drawn(model));
    QCOMPARE(model.held()[0].name, QString("evicpress"));
    QCOMPARE(model.held()[1].name, QString("lru"));
    const QModelIndex name = model.index(0, HeldRunsModel::name);
    QVERIFY(model.flags(name) & Qt::ItemIsEditable);
    QVERIFY(model.setData(name, "  baseline ", Qt::EditRole));
    QCOMPARE(model.held()[0].name, QString("baseline"));
    model.unpin("b");
    QCOMPARE(model.held()[0].name, QString("baseline"));
    QVERIFY(model.setData(name, "", Qt::EditRole));
    QCOMPARE(model.held()[0].name, QString("A"));  // nothing is left to differ from
  }

  void pinsAreKept() {
    Held f;
    for (const char* id : {"a", "b", "c"}) f.record(id);
    Json kept{{"other.db", {{{"run", "x"}}}}};
    {
      HeldRunsModel model(f.library, f.frontier);
      model.restore(kept);
      QSignalSpy changed(&model, &HeldRunsModel::stateChanged);
      for (const char* id : {"a", "b", "c"}) model.pin(QString::fromLatin1(id));
      model.unpin("a");
      model.set_shown("b", false);
      model.set_name("c", "mine");
      QCOMPARE(changed.count(), 6);
      kept = Json::parse(dump_json(model.state()));
    }
    QVERIFY(kept.contains("other.db") && kept.at("other.db").size() == 1);
    f.library->runs.erase("b");
    f.record("d");
    HeldRunsModel model(f.library, f.frontier);
    QSignalSpy failed(&model, &HeldRunsModel::failed);
    model.restore(kept);
    QCOMPARE(ids(model), (QStringList{"b", "c"}));
    QVERIFY(!model.held()[0].shown && model.held()[1].shown);
    QCOMPARE(model.held()[1].name, QString("mine"));
    QCOMPARE(colors(model), (std::vector<int>{1, 2}));
    QTRY_COMPARE(ids(model), QStringList{"c"});  // the other was deleted, which needs no word
    QTRY_VERIFY(drawn(model));
    QCOMPARE(model.held()[0].name, QString("mine"));
    model.pin("d");
    QCOMPARE(colors(model), (std::vector<int>{2, 0}));
    QCOMPARE(failed.count(), 0);
  }

  void damagedPinsAreLeftOut() {
    Held f;
    f.record("a");
    f.record("b");
    for (const char* broken :
         {"null", "[]", "3", R"({"memory.db": 1})", R"({"memory.db": [1, null, {}, {"run": 4}]})"}) {
      HeldRunsModel model(f.library, f.frontier);
      model.restore(Json::parse(broken));
      QVERIFY2(model.held().empty(), broken);
    }
    HeldRunsModel model(f.library, f.frontier);
    model.restore(Json::parse(
        R"({"memory.db": [{"run": "a", "color": 5, "shown": 1}, {"run": "a"}, {"run": "b", "color": 5}]})"));
    QCOMPARE(ids(model), (QStringList{"a", "b"}));
    QCOMPARE(colors(model), (std::vector<int>{5, 0}));
    QVERIFY(model.held()[0].shown);
  }

  void thirtyRunsCanBePinned() {
    Held f;
    f.record("0");
    for (int i = 1; i <= 30; ++i) f.library->runs[std::to_string(i)] = f.library->runs["0"];
    HeldRunsModel model(f.library, f.frontier);
    QSignalSpy failed(&model, &HeldRunsModel::failed);
    for (int i = 0; i <= 30; ++i) model.pin(QString::number(i));
    QCOMPARE(model.held().size(), HeldRunsModel::max_pinned);
    QCOMPARE(failed.count(), 1);
    QCOMPARE(failed.front().front().toString(),
             QString("Run 30 was not pinned: 30 runs are pinned to the Frontier already. Unpin one, then pin it."));
    model.unpin("7");
    model.pin("30");
    QVERIFY(model.is_pinned("30") && failed.count() == 1);
  }

  void aRunThatCannotBeReadIsNotHeld() {
    Held f;
    HeldRunsModel model(f.library, f.frontier);
    QSignalSpy failed(&model, &HeldRunsModel::failed);
    model.pin("gone");
    QTRY_COMPARE(failed.count(), 1);
    QVERIFY(model.held().empty());
    HeldRunsModel none(nullptr, f.frontier);
    QSignalSpy refused(&none, &HeldRunsModel::failed);
    none.pin("a");
    QVERIFY(none.held().empty() && !none.can_pin());
    QVERIFY(refused.count() == 1 && refused.front().front().toString().contains("--db"));
  }

  // Start: the run of before is a ghost, with the exact means that it had, until it is pinned.
  void afterStartEarlierRunsAreGhosts() {
    Held f;
    f.record("run-1");
    HeldRunsModel model(f.library, f.frontier);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    f.frontier.set_run("run-1");
    f.commit(1);
    f.serve(1, 0.1, 1);
    f.serve(1, 0.3, 0.5);
    f.commit(2);
    f.serve(2, 0.5, 0);
    QVERIFY(model.held().empty());
    f.frontier.begin_run();
    f.frontier.set_run("run-2");
    QCOMPARE(ids(model), QStringList{"run-1"});
    QTRY_VERIFY(drawn(model));
    const HeldRun ghost = model.held().front();
    QVERIFY(ghost.ghost && ghost.shown && ghost.color == 0);
    QCOMPARE(ghost.name, QString("α %1").arg(number_text(1)));
    QCOMPARE(ghost.points.size(), std::size_t{2});
    QCOMPARE(ghost.points[0].ttft.mean, 0.2);
    QCOMPARE(ghost.points[0].quality.mean, 0.75);
    QCOMPARE(ghost.points[1].ttft.n, std::uint64_t{1});
    QVERIFY(ghost.points[0].earlier && !ghost.points[1].current);
    for (const MeasuredPoint& point : f.frontier.measured()) QVERIFY(point.earlier);
    f.serve(2, 0.9, 1);
    f.frontier.begin_run();
    f.frontier.set_run("run-3");
    QCOMPARE(ids(model), (QStringList{"run-1", "run-2"}));
    QCOMPARE(colors(model), (std::vector<int>{0, 1}));
    model.set_shown("run-2", false);
    model.set_shown("run-1", false);

    QVERIFY(model.state().at("memory.db").empty());  // ghosts are of this window alone
    model.pin("run-1");
    QCOMPARE(ids(model), (QStringList{"run-1", "run-2"}));
    QVERIFY(!model.held()[0].ghost && !model.held()[0].shown && model.held()[0].color == 0);
    QTRY_VERIFY(drawn(model));
    QCOMPARE(model.held()[0].points[0].ttft.n + model.held()[0].points[1].ttft.n, std::uint64_t{20});
    model.unpin("run-1");
    QCOMPARE(ids(model), (QStringList{"run-1", "run-2"}));
    QVERIFY(model.held()[0].ghost && !model.held()[1].shown);
    f.frontier.forget_measured();
    QVERIFY(model.held().empty());
  }

  void theListIsWorkedByKeys() {
    Held f;
    f.record("a");
    f.record("b", "lru");
    HeldRunsModel model(f.library, f.frontier);
    model.pin("a");
    model.pin("b");
    model.set_notes("a", {"a slow disk", {"slides"}});
    QTRY_VERIFY(drawn(model));
    model.set_notes("a", {"a slow disk", {"slides"}});  // the library has none
    HeldRunsView view(model);
    view.resize(500, 200);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    QTableView& table = view.table();
    table.setFocus();
    table.setCurrentIndex(model.index(0, HeldRunsModel::differs));
    QTest::keyClick(&table, Qt::Key_Space);
    QVERIFY(!model.held()[0].shown && model.held()[1].shown);
    QTest::keyClick(&table, Qt::Key_Space);
    QVERIFY(model.held()[0].shown);
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {},
                      table.visualRect(model.index(1, HeldRunsModel::shown)).center());
    QVERIFY(!model.held()[1].shown && model.held()[0].shown);
    const QString tip = model.index(0, 0).data(Qt::ToolTipRole).toString();
    QVERIFY2(tip.contains("tags: slides") && tip.contains("a slow disk") && tip.startsWith("a\n"), qPrintable(tip));
    table.setCurrentIndex(model.index(0, HeldRunsModel::color));
    QTest::keyClick(&table, Qt::Key_F2);
    auto* editor = table.findChild<QLineEdit*>();
    QVERIFY(editor != nullptr);
    editor->setText("first");
    QTest::keyClick(editor, Qt::Key_Return);
    QTRY_COMPARE(model.held()[0].name, QString("first"));
    QSignalSpy wanted(&view, &HeldRunsView::runRequested);
    table.setFocus();
    QTest::keyClick(&table, Qt::Key_Return);
    QCOMPARE(wanted.count(), 1);
    QCOMPARE(wanted.front().front().toString(), QString("a"));
    QVERIFY(view.unpin_button().isEnabled() && !view.pin_button().isEnabled());
    QTest::keyClick(&table, Qt::Key_Delete);
    QCOMPARE(ids(model), QStringList{"b"});
    view.unpin_button().click();
    QVERIFY(model.held().empty());
    QVERIFY(!view.unpin_button().isEnabled());
  }

  void runsArePinnedFromTheList() {
    Held f;
    f.record("a");
    f.record("b", "lru");
    HeldRunsModel model(f.library, f.frontier);
    RunsDock dock(f.library);
    dock.set_held(model);
    dock.resize(1000, 300);
    dock.show();
    QTRY_VERIFY(dock.model().listed_once() && dock.model().missing_figures() == 0);
    const auto action = [&](const QString& text) -> QAction* {
      for (QAction* each : dock.table().actions())
        if (each->text() == text) return each;
      return nullptr;
    };
    QAction *pin = action("Pin to Frontier"), *unpin = action("Unpin from Frontier"),
            *eye = action("Show or hide on Frontier");
    QVERIFY(pin && unpin && eye && !pin->isEnabled() && !unpin->isEnabled());
    dock.choose({"a", "b"});
    QVERIFY(pin->isEnabled() && !unpin->isEnabled() && !eye->isEnabled());
    pin->trigger();
    QCOMPARE(ids(model), (QStringList{"a", "b"}));
    QVERIFY(!pin->isEnabled() && unpin->isEnabled());
    eye->trigger();
    QVERIFY(!model.held()[0].shown && !model.held()[1].shown);
    dock.choose({"a"});
    unpin->trigger();
    QCOMPARE(ids(model), QStringList{"b"});

    // Tags: found by their name, shown in the tool tip of what is held.
    QTRY_VERIFY(drawn(model));
    const auto write = [&](const char* id, const QString& tags) {
      QVERIFY(dock.model().setData(dock.model().index(dock.model().row_of(QString::fromLatin1(id)), RunsModel::tags),
                                   tags, Qt::EditRole));
    };
    write("a", "Slides, b");
    write("b", "slow disk");
    QVERIFY(model.index(0, 0).data(Qt::ToolTipRole).toString().contains("tags: slow disk"));
    const auto shown = [&](const QString& filter) {
      dock.filter().set_text(filter);
      QStringList found;
      for (int r = 0; r < dock.filter().rowCount(); ++r)
        found << dock.filter().index(r, 0).data(RunsModel::run_id_role).toString();
      found.sort();
      return found;
    };
    QCOMPARE(shown("tag:sl"), (QStringList{"a", "b"}));
    QCOMPARE(shown("tag:slides"), QStringList{"a"});
    QCOMPARE(shown("tag:lru"), QStringList());  // its policy, not its tag
    QCOMPARE(shown("tag:slow lru"), QStringList{"b"});
    QCOMPARE(shown(""), (QStringList{"a", "b"}));

    dock.choose({"b"});
    dock.model().remove({"b"});
    QTRY_COMPARE(dock.model().rowCount(), 1);
    QVERIFY(model.held().empty());  // what is deleted is not held
  }

  // What was asked and answered may be private: a page has it only where that was said.
  void aRunIsSharedWithAndWithoutItsTexts() {
    Held f;
    f.record("a");
    int planted = 0;
    for (Event& event : f.library->runs.at("a").events)
      if (auto* done = std::get_if<events::RequestFinished>(&event.payload); done != nullptr && planted++ == 0) {
        done->record.question = "Who polished the vermilion sextant?";
        done->record.answer = "the patient lamplighter";
      }
    QVERIFY(planted > 1);
    RunsDock dock(f.library);
    dock.resize(1000, 300);
    dock.show();
    QTRY_VERIFY(dock.model().listed_once() && dock.model().missing_figures() == 0);
    QAction* share = nullptr;
    for (QAction* action : dock.table().actions())
      if (action->text() == QStringLiteral("&Share as page…")) share = action;
    QVERIFY(share != nullptr && !share->isEnabled());
    dock.choose({"a"});
    QVERIFY(share->isEnabled());
    QTemporaryDir folder;
    QSignalSpy finished(&dock.files(), &RunFiles::finished), failed(&dock.files(), &RunFiles::failed);
    const auto press = [&](const QString& answer) {
      share->trigger();
      auto* box = dock.findChild<QMessageBox*>("shareRunBox");
      QVERIFY(box != nullptr);
      QAbstractButton* wanted = nullptr;
      for (QAbstractButton* button : box->buttons())
        if (button->text().remove('&') == answer) wanted = button;
      QVERIFY2(wanted != nullptr, qPrintable(answer));
      wanted->click();
      QTRY_VERIFY(!dock.findChild<QMessageBox*>("shareRunBox"));
    };
    const auto written = [&](const QString& answer) {
      std::string page;
      const QString path = folder.filePath(answer + ".html");
      press(answer);
      auto* dialog = dock.findChild<QFileDialog*>();
      if (dialog == nullptr) return page;
      emit dialog->fileSelected(path);
      dialog->close();
      (void)QTest::qWaitFor([&] { return !dock.files().busy() && !dock.findChild<QFileDialog*>(); }, 60000);
      page = read_text_file(path.toStdString()).value_or(std::string());
      return page;
    };
    const auto holds = [](const std::string& page, const char* text) { return page.find(text) != std::string::npos; };
    press("Cancel");
    QVERIFY(!dock.findChild<QFileDialog*>());  // nothing is asked any more

    const std::string without = written("Leave out");
    QVERIFY2(failed.isEmpty(), failed.isEmpty() ? "" : qPrintable(failed.front().front().toString()));
    QVERIFY(without.starts_with("<!") && holds(without, "\"run_id\""));
    QVERIFY(!holds(without, "lamplighter") && !holds(without, "sextant"));
    const std::string with = written("Include");
    QVERIFY2(failed.isEmpty(), failed.isEmpty() ? "" : qPrintable(failed.front().front().toString()));
    QVERIFY(with.starts_with("<!") && holds(with, "the patient lamplighter") && holds(with, "vermilion sextant"));
    QCOMPARE(finished.count(), 2);
    QVERIFY(finished.front().front().toString().contains(folder.filePath("Leave out.html")));
  }
};

KV_TEST_MAIN(HeldRunsTest)

}  // namespace held_runs_test

#include "held_runs_test.moc"
