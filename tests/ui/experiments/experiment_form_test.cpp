// links: kv_ui
// The form of an experiment without widgets: cells are counted, a line that cannot be read says why, the plan is what
// `kvantage-cli sweep` reads, and the time is known from cells or fits.
#include <QSignalSpy>
#include <QTest>
#include <utility>
#include <vector>

#include "core/sweep/sweep_table.h"
#include "tests/support/test_program.h"
#include "ui/experiments/experiment_form_model.h"
#include "ui/text/words.h"

namespace experiment_form_test {

using namespace kvantage;

namespace {

SweepPlan base_plan() {
  SweepPlan base;
  base.workload = "sensitivity-mix";
  base.tiers = {"dram=40%", "ssd=400%"};
  base.methods = {"knorm"};
  return base;
}

void set_texts(ExperimentFormModel& form, const std::vector<std::pair<QString, QString>>& texts) {
  for (const auto& [line, text] : texts) form.set_text(line, text);
}

/// With one cell: the axes of a test are on top of that.
void set_single(ExperimentFormModel& form) {
  form.set_base(base_plan());
  set_texts(form, {{"policies", "evicpress"}, {"alphas", "1"}, {"seeds", "0"}});
}

}  // namespace

class ExperimentFormTest : public QObject {
  Q_OBJECT
 private slots:
  void cellsAreTheProductOfTheAxes() {
    ExperimentFormModel form;
    set_single(form);
    QCOMPARE(form.cells(), 1u);
    form.set_text("policies", "evicpress, lru, full_prefill");
    form.set_text("alphas", "0.1, 1:100:3");  // of evicpress alone
    QCOMPARE(form.cells(), 4u + 2u);
    form.set_text("seeds", "0-2, 7");
    QCOMPARE(form.cells(), 4u * 6u);
    form.set_text("rates", "0, 2");
    QCOMPARE(form.cells(), 2u * 24u);
    form.set_text("budgets", "10%, 20%, 1");
    QCOMPARE(form.cells(), 3u * 48u);
    form.set_text("decode", "none, knorm(budget=25%)");
    QCOMPARE(form.cells(), 2u * 144u);
    form.set_text("methods", "keydiff, snapkv | kivi4");  // of evicpress alone: 8 of its cells for 2 of the others
    QCOMPARE(form.cells(), 3u * 2u * 2u * 4u * (8u + 2u));
  }

  void everyPartOfACellIsInThePlan() {
    ExperimentFormModel form;
    form.set_tiers({"dram", "ssd"});
    set_single(form);
    set_texts(form, {{"budget:dram", "10%, 0.5"},
                     {"budget:ssd", "40%"},
                     {"methods", "keydiff,snapkv|kivi4"},
                     {"decode", "knorm(budget=25%)"},
                     {"rates", "2"},
                     {"removed", "0.5"},
                     {"limit", "30"}});
    QVERIFY2(form.plan().has_value(), qPrintable(form.summary()));
    const SweepPlan& plan = *form.plan();
    QCOMPARE(plan.workload, std::string("sensitivity-mix"));
    QCOMPARE(plan.request_limit, 30u);
    QCOMPARE(plan.removed_fractions, std::vector<double>{0.5});
    QCOMPARE(plan.methods, (std::vector<std::string>{"keydiff", "snapkv", "kivi4"}));
    QCOMPARE(plan.cells.size(), 4u);
    QCOMPARE(plan.cells[0].budget.text(), std::string("dram=10.0%+ssd=40.0%"));
    QCOMPARE(plan.cells[3].budget.text(), std::string("dram=0.5+ssd=40.0%"));
    QCOMPARE(plan.cells[0].methods, (std::vector<std::string>{"keydiff", "snapkv"}));
    QCOMPARE(plan.cells[1].methods, std::vector<std::string>{"kivi4"});
    QCOMPARE(plan.cells[0].decode_eviction, std::string("knorm(budget=25%)"));
    QCOMPARE(plan.cells[0].requests_per_second, 2.0);
  }

  // What the form writes is what the command line reads, to the last cell.
  void thePlanIsThatOfTheCommandLine() {
    ExperimentFormModel form;
    set_single(form);
    form.set_text("policies", "evicpress, lru");
    form.set_text("methods", "keydiff | snapkv");
    form.set_text("decode", "none, planned");
    form.set_text("budgets", "20%, dram=10%+ssd=2");
    const std::string text = dump_json(to_json(*form.plan()), 1);
    const auto json = parse_json(text, "plan.json");
    QVERIFY(json.has_value());
    const auto read = sweep_plan_from_json(*json, "plan.json");
    QVERIFY2(read.has_value(), read ? "" : read.error().message.c_str());
    QCOMPARE(dump_json(to_json(*read), 1), text);
    QCOMPARE(read->cells.size(), 2u * 2u * 3u);
    for (std::size_t i = 0; i < read->cells.size(); ++i)
      QCOMPARE(cell_id(*read, read->cells[i]), cell_id(*form.plan(), form.plan()->cells[i]));
  }

  // Cells without the new axes keep the ids that they had before there were any.
  void cellsOfEarlierSweepsKeepTheirJson() {
    SweepCell cell{.policy = "lru", .alpha = 1, .budget = {}, .requests_per_second = 0, .seed = 3, .uses_alpha = false};
    QCOMPARE(dump_json(to_json(cell)),
             std::string(R"({"policy":"lru","alpha":null,"budget":"1.0","requests_per_second":0.0,"seed":3})"));
  }

  void aLineThatCannotBeReadSaysWhy_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("part");
    QTest::newRow("policy") << "policies"
                            << "lru, evicpres"
                            << "evicpress";
    QTest::newRow("no policy") << "policies"
                               << " "
                               << "at least one policy";
    QTest::newRow("alpha") << "alphas"
                           << "0.1, many"
                           << "“many” is not a number";
    QTest::newRow("grid") << "alphas"
                          << "1:0.1:3"
                          << "“1:0.1:3” is not a grid";
    QTest::newRow("budget") << "budgets"
                            << "20%, -1"
                            << "“-1” is not a budget";
    QTest::newRow("tier") << "budget:dram"
                          << "ssd=20%"
                          << "dram alone";
    QTest::newRow("removed") << "removed"
                             << "0.5, 1"
                             << "1 removes every token";
    QTest::newRow("rate") << "rates"
                          << "-2"
                          << "“-2” is not a number";
    QTest::newRow("decode") << "decode"
                            << "knom(budget=25%)"
                            << "knorm";
    QTest::newRow("seeds") << "seeds"
                           << "4-2"
                           << "“4-2” is not a seed";
    QTest::newRow("many seeds") << "seeds"
                                << "0-20000"
                                << "More than 10000 seeds";
    QTest::newRow("limit") << "limit"
                           << "1.5"
                           << "“1.5” is not a whole number";
    QTest::newRow("method") << "methods"
                            << "keydif"
                            << "no such method";
  }
  void aLineThatCannotBeReadSaysWhy() {
    QFETCH(QString, line);
    QFETCH(QString, text);
    QFETCH(QString, part);
    ExperimentFormModel form([](const QString& method) -> Expected<QString> {
      if (method == "keydiff") return method;
      return fail(ErrorCode::usage, "no such method");
    });
    form.set_tiers({"dram", "ssd"});
    set_single(form);
    QVERIFY(form.plan().has_value());
    form.set_text(line, text);
    QVERIFY(!form.plan().has_value());
    QCOMPARE(form.cells(), 0u);
    QVERIFY2(form.line(line)->error.contains(part), qPrintable(form.line(line)->error));
    QVERIFY2(form.summary().contains(part), qPrintable(form.summary()));
    for (const ExperimentLine& other : form.lines())
      if (other.id != line) QVERIFY2(other.error.isEmpty(), qPrintable(other.id));
    form.set_text(line, line == "policies" ? "lru" : "");
    QVERIFY2(form.plan().has_value(), qPrintable(form.summary()));
  }

  void theTimeComesFromCellsOrFits() {
    ExperimentFormModel form;
    set_single(form);
    form.set_text("alphas", "1, 2, 3, 4");
    QVERIFY(!form.seconds());
    QVERIFY2(form.summary().contains("time unknown until a cell is measured"), qPrintable(form.summary()));
    form.set_pace(RequestPace{0.25, 0}, 40);
    QCOMPARE(form.seconds(), std::optional(4 * 40 * 0.25));
    QVERIFY2(form.summary().contains("at most about 40 s"), qPrintable(form.summary()));
    form.set_pace(RequestPace{0.5, 12}, 40);
    QVERIFY2(form.summary().contains("about 1 min 20 s (from 12 measured cell"), qPrintable(form.summary()));
    form.set_text("limit", "10");
    QCOMPARE(form.seconds(), std::optional(4 * 10 * 0.5));
    form.set_text("rates", "0.5");  // 10 requests take 20 s to come
    QCOMPARE(form.seconds(), std::optional(4 * 20.0));
  }

  void paces() {
    const std::map<std::string, Json> measured{{"a", Json{{"cell_seconds", 4.0}, {"requests", 8}}},
                                               {"b", Json{{"cell_seconds", 9.0}, {"requests", 9}}},
                                               {"c", Json{{"cell_seconds", 20.0}, {"requests", 10}}},
                                               {"d", Json{{"failed", "no"}}}};
    QCOMPARE(cell_seconds_of(measured), (std::vector<double>{4, 9, 20}));
    const auto pace = pace_of_results({&measured});
    QVERIFY(pace.has_value());
    QCOMPARE(pace->seconds, 1.0);  // of 0.5, 1 and 2
    QCOMPARE(pace->measured_cells, 3u);
    QVERIFY(!pace_of_results({}));
    Snapshot snapshot;
    QVERIFY(!pace_of_fits(snapshot));
    snapshot.prefill = {0.1, 0.001, 0};
    snapshot.question = {0.05, 0.0001};
    snapshot.contexts.resize(2);
    snapshot.contexts[0].tokens = 1000;
    snapshot.contexts[1].tokens = 2000;
    QCOMPARE(pace_of_fits(snapshot)->seconds, 0.1 + 1.5 + 0.05 + 0.15);
    QCOMPARE(pace_of_fits(snapshot)->measured_cells, 0u);
  }

  void settingsOfAnExperimentFillTheForm() {
    ExperimentFormModel form;
    form.set_tiers({"dram", "ssd"});
    set_single(form);
    set_texts(form, {{"policies", "evicpress, lru"},
                     {"alphas", "0.01:10:4"},
                     {"budget:dram", "10%, 20%"},
                     {"methods", "keydiff,snapkv | kivi4"},
                     {"seeds", "3, 5"},
                     {"limit", "12"}});
    const SweepPlan before = *form.plan();
    QSignalSpy lines(&form, &ExperimentFormModel::linesChanged);
    form.set_text("policies", "fifo");
    form.set_text("limit", "");
    form.take(before);
    QCOMPARE(lines.size(), 1);
    QVERIFY2(form.plan().has_value(), qPrintable(form.summary()));
    QCOMPARE(dump_json(to_json(*form.plan())), dump_json(to_json(before)));
    QCOMPARE(form.line("policies")->text, QString("evicpress, lru"));
    QCOMPARE(form.line("budget:dram")->text, QString());
  }

  void linesOfTiersComeAndGo() {
    ExperimentFormModel form;
    form.set_text("seeds", "9");
    QVERIFY(!form.line("budget:dram"));
    QSignalSpy lines(&form, &ExperimentFormModel::linesChanged);
    form.set_tiers({"dram"});
    QVERIFY(form.line("budget:dram"));
    QCOMPARE(form.line("seeds")->text, QString("9"));
    form.set_tiers({"dram"});
    QCOMPARE(lines.size(), 1);
  }
};

KV_TEST_APPLESS_MAIN(ExperimentFormTest)

}  // namespace experiment_form_test

#include "experiment_form_test.moc"
