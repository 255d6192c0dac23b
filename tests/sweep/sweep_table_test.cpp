// links: kv_reports
// What a sweep keeps and shows: which sweeps are the same, what intervals may be called, failures, and machines; and
// how long the lists of a plan may be.
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/files.h"
#include "core/base/random.h"
#include "core/sweep/sweep_results.h"
#include "core/sweep/sweep_table.h"
#include "tests/support/test_program.h"

namespace sweep_table_test {

using namespace kvantage;

class SweepTableTest : public QObject {
  Q_OBJECT

  static SweepPlan plan_of(std::uint64_t seeds) {
    SweepPlan plan;
    plan.workload = "w";
    plan.workload_digest = "aa";
    plan.model_digest = "bb";
    plan.group = "sweep-1";
    for (std::uint64_t seed = 0; seed < seeds; ++seed)
      plan.cells.push_back(
          {.policy = "lru", .alpha = 1, .budget = {}, .requests_per_second = 0, .seed = seed, .uses_alpha = false});
    return plan;
  }
  static std::map<std::string, Json> results_of(const SweepPlan& plan) {
    std::map<std::string, Json> results;
    for (const SweepCell& cell : plan.cells)
      results[cell_id(plan, cell)] = Json{{"requests", 5},
                                          {"run_id", "run" + std::to_string(cell.seed)},
                                          {"ttft_service_seconds", 0.1 + 0.01 * static_cast<double>(cell.seed)},
                                          {"host", cell.seed < 2 ? "one" : "two"},
                                          {"hardware", "cpu"}};
    return results;
  }

 private slots:
  void fewSeedsHaveARangeAndNoInterval() {
    const SweepPlan few = plan_of(4), many = plan_of(5);
    const SweepTable ranged = make_sweep_table(few, results_of(few)), judged = make_sweep_table(many, results_of(many));
    const SweepMetric& range = ranged.rows.at(0).metrics.at("ttft_service_seconds");
    QVERIFY(!range.interval);
    QCOMPARE(range.min, 0.10);
    QCOMPARE(range.max, 0.13);
    QVERIFY2(to_text(ranged).find("115.00 (100.00-130.00)") != std::string::npos, to_text(ranged).c_str());
    const SweepMetric& metric = judged.rows.at(0).metrics.at("ttft_service_seconds");
    QVERIFY(metric.interval && metric.interval->low > metric.min && metric.interval->high < metric.max);
    QVERIFY(to_text(judged).find(" [") != std::string::npos);
  }

  void theHeadlineSaysHowToReadRows() {
    const SweepPlan plan = plan_of(2);
    QCOMPARE(headline(make_sweep_table(plan, results_of(plan))),
             std::string("2 of 2 cells done. *: on the frontier for its budget and rate. (...): range over seeds; "
                         "[...]: 95 % interval, with 5 or more seeds."));
  }

  // Workers on one host at the same time slow each other.
  void cellsBesideOthersAreCounted() {
    const SweepPlan plan = plan_of(4);
    auto results = results_of(plan);
    std::int64_t began = 1'000'000'000'000;
    int cell = 0;
    for (auto& [id, result] : results) {
      result["host"] = cell == 3 ? "two" : "one";
      result["began_utc_ns"] = began;
      result["ended_utc_ns"] = began + 10'000'000'000;  // ten seconds; the second begins in the middle of the first
      began += cell == 0 ? 5'000'000'000 : 20'000'000'000;
      ++cell;
    }
    const SweepTable table = make_sweep_table(plan, results);
    QCOMPARE(table.beside_others, std::size_t{2});
    QVERIFY(to_text(table).find("2 cells were served at the same time as another one on the same host") !=
            std::string::npos);
    QCOMPARE(to_json(table)["cells_beside_others"].get<int>(), 2);
    QCOMPARE(make_sweep_table(plan, results_of(plan)).beside_others, std::size_t{0});
  }

  void anAlphaIsShownToThreeDigits() {
    SweepCell cell;
    cell.alpha = 0.03162277660168379;
    QCOMPARE(alpha_text(cell), std::string("0.0316"));
    cell.uses_alpha = false;
    QCOMPARE(alpha_text(cell), std::string("-"));
  }

  void rowsNameTheirRuns() {
    const SweepPlan plan = plan_of(2);
    const SweepTable table = make_sweep_table(plan, results_of(plan));
    QCOMPARE(table.rows.at(0).run_ids, (std::vector<std::string>{"run0", "run1"}));
    QVERIFY(to_csv(table).find(",run0 run1\n") != std::string::npos);
    QCOMPARE(to_json(table)["rows"][0]["run_ids"].dump(), std::string(R"(["run0","run1"])"));
  }

  // What a ranking on a model must say is said once, however many cells say it.
  void notesOfModelsFollowTheTable() {
    const SweepPlan plan = plan_of(3);
    auto results = results_of(plan);
    const SweepTable without = make_sweep_table(plan, results);
    QVERIFY(without.notes.empty() && to_text(without).find("Note: ") == std::string::npos);
    QVERIFY(!to_json(without).contains("notes"));
    const std::string note = "on m, knorm works by construction";
    for (auto& [id, result] : results) result["model_note"] = note;
    const SweepTable table = make_sweep_table(plan, results);
    QCOMPARE(table.notes, std::vector<std::string>{note});
    const std::string text = to_text(table);
    QVERIFY2(text.find("\nNote: " + note + ".\n") != std::string::npos && text.find(note) == text.rfind(note),
             text.c_str());
    QCOMPARE(to_json(table)["notes"].dump(), "[\"" + note + "\"]");
    results.begin()->second["model_note"] = "a worker's\x1b[2J\nnote";  // from another machine
    const std::string shown = notes_text(make_sweep_table(plan, results));
    QVERIFY2(shown.find('\x1b') == std::string::npos && std::ranges::count(shown, '\n') >= 2, shown.c_str());
  }

  void machinesAreNamedWhereTheyDiffer() {
    const SweepPlan two = plan_of(2), three = plan_of(3);
    QVERIFY(to_text(make_sweep_table(two, results_of(two))).find("machines") == std::string::npos);
    const SweepTable table = make_sweep_table(three, results_of(three));
    QCOMPARE(table.machines.size(), std::size_t{2});
    QVERIFY2(
        to_text(table).find(
            "served on 2 machines, whose times are not comparable:\n  2 cells on one: cpu\n  1 cells on two: cpu\n") !=
            std::string::npos,
        to_text(table).c_str());
  }

  void aFailureIsNoResult() {
    const SweepPlan plan = plan_of(2);
    auto results = results_of(plan);
    results[cell_id(plan, plan.cells[1])] = Json{{"failed", "no room"}, {"worker", "one-7"}, {"attempts", 3}};
    const SweepTable table = make_sweep_table(plan, results);
    QCOMPARE(table.done, std::size_t{1});
    QCOMPARE(table.rows.at(0).n, std::size_t{1});
    QCOMPARE(table.failed.size(), std::size_t{1});
    QVERIFY2(to_text(table).find(" on one-7 (attempt 3): no room") != std::string::npos, to_text(table).c_str());
  }

  void aPolicyWithoutAnswersIsNotOnTheFrontier() {
    SweepPlan plan = plan_of(1);
    plan.cells.push_back(plan.cells.front());
    plan.cells.back().policy = "gdsf";
    auto results = results_of(plan);
    results[cell_id(plan, plan.cells[1])] = Json{{"requests", 0}};
    const SweepTable table = make_sweep_table(plan, results);
    QVERIFY(table.rows.at(0).on_frontier && !table.rows.at(1).on_frontier);
  }

  void theFrontierIsThatOfAllPairs() {
    Random random(5);
    for (int round = 0; round < 50; ++round) {
      SweepPlan plan = plan_of(0);
      for (int i = 0; i < 40; ++i) {
        SweepCell cell{.policy = "p" + std::to_string(i), .alpha = 1, .budget = {}, .seed = 0, .uses_alpha = false};
        cell.requests_per_second = static_cast<double>(random.below(2));
        plan.cells.push_back(cell);
      }
      std::map<std::string, Json> results;
      for (const SweepCell& cell : plan.cells)
        results[cell_id(plan, cell)] = Json{{"requests", random.below(8)},
                                            {"run_id", "r"},
                                            {"ttft_service_seconds", 0.25 * static_cast<double>(random.below(9))},
                                            {"quality", 0.125 * static_cast<double>(random.below(9))}};
      const SweepTable table = make_sweep_table(plan, results);
      QCOMPARE(table.rows.size(), plan.cells.size());
      const auto metric = [](const SweepRow& row, const char* name) { return row.metrics.at(name).mean; };
      for (const SweepRow& row : table.rows) {
        const bool beaten = std::ranges::any_of(table.rows, [&](const SweepRow& other) {
          if (other.requests == 0 || other.cell.requests_per_second != row.cell.requests_per_second) return false;
          const double faster = metric(row, "ttft_service_seconds") - metric(other, "ttft_service_seconds");
          const double better = metric(other, "quality") - metric(row, "quality");
          return faster >= 0 && better >= 0 && faster + better > 0;
        });
        QCOMPARE(row.on_frontier, row.requests > 0 && !beaten);
      }
    }
  }

  // A plan comes from a server. Elements of no sense: none of them is looked at.
  void listsOfAPlanHaveLimits_data() {
    QTest::addColumn<QString>("field");
    QTest::addColumn<int>("most");
    QTest::newRow("tiers") << "tiers" << 33;
    QTest::newRow("methods") << "methods" << 256;
    QTest::newRow("removed_fractions") << "removed_fractions" << 256;
    QTest::newRow("cells") << "cells" << 100'000;
  }
  void listsOfAPlanHaveLimits() {
    QFETCH(QString, field);
    QFETCH(int, most);
    Json json = Json::parse(to_json(plan_of(2)).dump());
    QVERIFY(sweep_plan_from_json(json, "the plan"));
    json[field.toStdString()] = Json(static_cast<std::size_t>(most) + 1, Json());
    const auto plan = sweep_plan_from_json(json, "the plan");
    QVERIFY(!plan);
    QCOMPARE(plan.error().code, ErrorCode::rejected_input);
    QCOMPARE(QString::fromStdString(plan.error().message),
             QStringLiteral("the plan: %1: the list has %2 elements, more than %3; shorten it")
                 .arg(field)
                 .arg(most + 1)
                 .arg(most));
    json[field.toStdString()].erase(std::size_t{0});  // as many as it may have: now each is read
    const auto full = sweep_plan_from_json(json, "the plan");
    QVERIFY(!full && full.error().message.find("the list has") == std::string::npos);
  }

  // Results are files, and come from other machines.
  void aResultOfOtherTypesIsCountedAsFarAsItReads() {
    const SweepPlan plan = plan_of(3);
    auto results = results_of(plan);
    results[cell_id(plan, plan.cells[0])] = Json::array({1});
    results[cell_id(plan, plan.cells[1])] =
        Json{{"provenance", 3}, {"quality_metric", nullptr}, {"requests", 1e300}, {"run_id", Json::object()}};
    const SweepTable table = make_sweep_table(plan, results);
    QCOMPARE(table.done, std::size_t{2});
    QCOMPARE(table.rows.at(0).requests, std::uint64_t{5});
    QCOMPARE(table.rows.at(0).provenance, std::string("measured"));
    QCOMPARE(table.rows.at(0).run_ids, std::vector<std::string>{"run2"});
  }

  // Results come from a server.
  void aResultWhoseRunHasNoNameIsRefused() {
    const QTemporaryDir folder;
    const std::filesystem::path out = std::filesystem::path(folder.path().toStdString()) / "out";
    SweepPlan plan = plan_of(2);
    auto results = SweepResults::open(out, plan, false);
    QVERIFY(results.has_value());
    const std::string id = cell_id(plan, plan.cells[0]);
    for (const char* name : {"../../x", "/etc/passwd", "", ".hidden", "a\nb", "a\x1b[2J"}) {
      const auto added = results->add(id, Json{{"requests", 5}, {"run_id", name}});
      QVERIFY2(!added && added.error().code == ErrorCode::rejected_input, name);
      QVERIFY2(added.error().message.starts_with("result of cell " + id + ": run_id: "), added.error().message.c_str());
    }
    QVERIFY(!results->holds(id) && results->read()->empty());
    QVERIFY(results->add(id, Json{{"requests", 5}, {"run_id", "20261128T063323Z-0a68ebc0"}}).value());
    // Nor one that somebody put into the folder.
    const std::filesystem::path file = out / "cells" / (id + ".json");
    QVERIFY(std::filesystem::exists(file));
    QVERIFY(write_text_file(file, R"({"requests": 5, "run_id": "../../x"})"));
    QCOMPARE(results->read().error().code, ErrorCode::rejected_input);
  }

  void aBudgetOfNothingIsRefused() {
    for (const char* text : {"0", "0%", "-1", "5e-324%", "%", ""}) QVERIFY2(!parse_budget_scale(text), text);
    for (const char* text : {"0.5", "20%", "7%", "33.3%"}) {
      const auto scale = parse_budget_scale(text);
      QVERIFY2(scale && parse_budget_scale(scale->text())->text() == scale->text(), text);
    }
  }

  void anotherModelIsAnotherSweep() {
    const QTemporaryDir folder;
    const std::filesystem::path out = std::filesystem::path(folder.path().toStdString()) / "out";
    SweepPlan plan = plan_of(1), longer = plan_of(3), other = plan_of(1);
    QVERIFY(SweepResults::open(out, plan, false).has_value());
    longer.group = "sweep-2";
    longer.workload = "elsewhere/w";  // a path
    QVERIFY(SweepResults::open(out, longer, true).has_value());
    QCOMPARE(longer.group, std::string("sweep-1"));
    other.model_digest = "cc";
    QVERIFY(cell_id(plan, plan.cells[0]) != cell_id(other, other.cells[0]));
    const auto refused = SweepResults::open(out, other, true);
    QVERIFY(!refused && refused.error().code == ErrorCode::rejected_input);
    QVERIFY2(refused.error().message.find("its model_digest is \"bb\", this one's \"cc\"; ") != std::string::npos,
             refused.error().message.c_str());
  }

  // Cells of sweeps without them keep their ids; with others the bits of answers differ.
  void otherProductsAreAnotherSweep() {
    SweepPlan plan = plan_of(1), other = plan;
    QVERIFY(!to_json(plan).contains("products"));
    other.products = "batch_invariant";
    QVERIFY(cell_id(plan, plan.cells[0]) != cell_id(other, other.cells[0]));
    for (const auto& [there, here] : {std::pair(plan, other), std::pair(other, plan)}) {
      const Status same = check_same_sweep(there, here, "out");
      QVERIFY(!same && same.error().message.find("its products is ") != std::string::npos);
    }
    QVERIFY(check_same_sweep(other, other, "out"));
    const auto again = sweep_plan_from_json(Json::parse(to_json(other).dump()), "plan");
    QVERIFY(again.has_value());
    QCOMPARE(again->products, std::string("batch_invariant"));
  }

  void plansReadBackWhole() {
    SweepPlan plan = plan_of(2);
    plan.max_batch = 4;
    plan.prompt_form = "raw";
    plan.max_model_len = 131072;
    const auto again = sweep_plan_from_json(Json::parse(to_json(plan).dump()), "plan");
    QVERIFY(again.has_value());
    QCOMPARE(to_json(*again).dump(), to_json(plan).dump());
    QCOMPARE(again->prompt_form, std::string("raw"));
    QCOMPARE(again->max_model_len, 131072);
  }
};

KV_TEST_GUILESS_MAIN(SweepTableTest)

}  // namespace sweep_table_test

#include "sweep_table_test.moc"
