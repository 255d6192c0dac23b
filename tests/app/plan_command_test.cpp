// links: kv_reports
// kvantage-cli plan as a user starts it: what it predicts adds up, fits the budgets, and moves with alpha as an optimum
// must.
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <filesystem>
#include <map>
#include <string>

#include "core/base/json.h"
#include "tests/support/command_line.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace plan_command_test {

using namespace kvantage;
using namespace kvantage::test;

class PlanCommandTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  QString at(const QString& name) const { return folder_.filePath(name); }
  QStringList plan(const QStringList& more, const QString& workload = "workload") const {
    return QStringList{"plan",      at(workload),  "--model",   text_of(model_directory()),
                       "--store",   at("store"),   "--tier",    "dram=200KiB,ssd=400KiB",
                       "--methods", "knorm,kivi4", "--threads", "1",
                       "--removed", "0.5,0.9",     "--quiet"} +
           more;
  }
  static Json json_of(const QString& text) { return parse_json(text.toStdString(), "output").value_or(Json()); }
  static bool close(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max({1.0, std::abs(a), std::abs(b)}); }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    QVERIFY(write_workload(small_workload(4, 16, 5), at("workload").toStdString()));
    // Texts that the default model was trained for: what quality costs is there to be planned.
    const Answer made =
        call({"workload", "make", "--families", "registry", "--contexts-per-family", "4", "--min-tokens", "200",
              "--max-tokens", "300", "--seed", "5", "--quiet", "--out", at("answered")});
    QVERIFY2(made.exit_code == 0, made.text());
  }

  // Nothing was requested yet, so every context counts the same.
  void meansAndBytesAreThoseOfTheContexts() {
    const Answer answer = call(plan({"--policy", "evicpress,lru", "--alpha", "0.001,1,1000", "--json"}, "answered"));
    QVERIFY2(answer.exit_code == 0, answer.text());
    const Json planned = json_of(answer.out);
    QCOMPARE(planned.at("points").size(), std::size_t{4});  // lru does not use alpha
    for (const Json& point : planned.at("points")) {
      if (point.at("policy") == "lru") {
        QVERIFY(point.at("alpha").is_null() && point.at("contexts").is_null());
        QVERIFY(point.at("provenance") == "modelled");
        continue;
      }
      QVERIFY(point.at("provenance") == "predicted");
      QCOMPARE(point.at("contexts").size(), std::size_t{4});
      double quality = 0, ttft = 0;
      std::map<std::string, std::uint64_t> bytes;
      for (const Json& context : point.at("contexts")) {
        quality += context.at("quality").get<double>() / 4;
        ttft += context.at("ttft_seconds").get<double>() / 4;
        if (!context.at("tier").is_null())
          bytes[context.at("tier").get<std::string>()] += context.at("bytes").get<std::uint64_t>();
      }
      QVERIFY(close(point.at("mean_quality").get<double>(), quality));
      QVERIFY(close(point.at("mean_ttft_seconds").get<double>(), ttft));
      for (const Json& tier : point.at("tiers")) {
        QCOMPARE(tier.at("used_bytes").get<std::uint64_t>(), bytes[tier.at("tier").get<std::string>()]);
        QVERIFY(tier.at("used_bytes").get<std::uint64_t>() <= tier.at("budget_bytes").get<std::uint64_t>());
      }
    }
  }

  // Whatever is planned before it, and at the alpha that is asked for.
  void aSimulatedUtilityIsThatOfTheAlpha() {
    std::vector<double> qualities;
    for (const char* policies : {"lru,evicpress", "evicpress,lru"}) {
      const Answer answer = call(plan({"--policy", policies, "--alpha", "1000", "--json"}, "answered"));
      QVERIFY2(answer.exit_code == 0, answer.text());
      const Json points = json_of(answer.out).at("points");
      for (const Json& point : points) {
        if (point.at("policy") != "lru") continue;
        // Four contexts that count the same, each once. Each call measures the prefill of which its TTFTs are.
        const double utility = point.at("utility").get<double>(), ttft = point.at("mean_ttft_seconds").get<double>();
        QVERIFY(close(utility, 4 * (1000 * point.at("mean_quality").get<double>() - ttft)));
        qualities.push_back(utility + 4 * ttft);
      }
    }
    QCOMPARE(qualities.size(), std::size_t{2});
    QCOMPARE(qualities[0], qualities[1]);
    const Answer several = call(plan({"--policy", "evicpress,lru", "--alpha", "1,1000", "--json"}, "answered"));
    const Json points = json_of(several.out).at("points");
    QCOMPARE(points.size(), std::size_t{3});  // evicpress at each alpha, and lru
    for (const Json& point : points) QCOMPARE(point.at("utility").is_null(), point.at("policy") == "lru");
  }

  // Of an exact maximum of alpha * quality - ttft, neither falls when alpha grows.
  void anOptimumMovesWithAlpha() {
    const Answer answer = call(plan({"--policy", "optimal", "--alpha-grid", "1e-7:100:7", "--json"}, "answered"));
    QVERIFY2(answer.exit_code == 0, answer.text());
    const Json points = json_of(answer.out).at("points");
    QCOMPARE(points.size(), std::size_t{7});
    for (std::size_t i = 1; i < points.size(); ++i) {
      QVERIFY(points[i].at("mean_quality").get<double>() >= points[i - 1].at("mean_quality").get<double>() - 1e-9);
      QVERIFY(points[i].at("mean_ttft_seconds").get<double>() >=
              points[i - 1].at("mean_ttft_seconds").get<double>() - 1e-9);
    }
    QVERIFY(points.back().at("mean_quality") > points.front().at("mean_quality"));
  }

  void budgetsScaleTheTiers() {
    const Answer answer = call(plan({"--budgets", "1,0.5,dram=0.25", "--json"}));
    QVERIFY2(answer.exit_code == 0, answer.text());
    const Json points = json_of(answer.out).at("points");
    QCOMPARE(points.size(), std::size_t{3});
    const auto budget = [&](std::size_t point, std::size_t tier) {
      return points[point].at("tiers")[tier].at("budget_bytes").get<std::uint64_t>();
    };
    QCOMPARE(budget(0, 0), std::uint64_t{200 << 10});
    QCOMPARE(budget(0, 1), std::uint64_t{400 << 10});
    QCOMPARE(budget(1, 0), std::uint64_t{100 << 10});
    QCOMPARE(budget(1, 1), std::uint64_t{200 << 10});
    QCOMPARE(budget(2, 0), std::uint64_t{50 << 10});
    QCOMPARE(budget(2, 1), std::uint64_t{400 << 10});
  }

  void theTableHasTheSamePoints() {
    const Answer answer = call(plan({"--policy", "evicpress,lru", "--alpha", "1,1000", "--details"}));
    QVERIFY2(answer.exit_code == 0, answer.text());
    QCOMPARE(answer.out.count(QRegularExpression("^ *evicpress .* predicted", QRegularExpression::MultilineOption)), 2);
    QCOMPARE(answer.out.count(QRegularExpression("^ *lru .* simulated", QRegularExpression::MultilineOption)), 1);
    QVERIFY2(answer.out.contains("evicpress, alpha 1000, budget 1") && answer.out.contains("c0"), answer.text());
  }

  void refusals_data() {
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QString>("message");
    QTest::newRow("policy") << QStringList{"--policy", "evicpres"} << "evicpress";
    QTest::newRow("no policy") << QStringList{"--policy", ","} << "--policy: names no policy";
    QTest::newRow("alpha") << QStringList{"--alpha", "x"} << "--alpha: 'x' is not a number";
    QTest::newRow("both") << QStringList{"--alpha", "1", "--alpha-grid", "1:2:3"} << "exclude each other";
    QTest::newRow("too many") << QStringList{"--alpha-grid", "1:2:600", "--budgets", "1,0.5"} << "more than 1000 plans";
    QTest::newRow("tier") << QStringList{"--budgets", "gpu=1"} << "the session has no tier 'gpu'";
    QTest::newRow("progress") << QStringList{"--progress", "text"} << "json";
    QTest::newRow("progress and quiet") << QStringList{"--progress", "json"} << "--quiet";
  }
  void refusals() {
    QFETCH(QStringList, options);
    QFETCH(QString, message);
    const Answer answer = call(plan(options));
    QVERIFY2(answer.exit_code == 2 && answer.out.isEmpty() && answer.error_lines().size() == 1, answer.text());
    QVERIFY2(answer.error.contains(message), answer.text());
  }
};

KV_TEST_GUILESS_MAIN(PlanCommandTest)

}  // namespace plan_command_test

#include "plan_command_test.moc"
