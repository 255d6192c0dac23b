// links: app_wiring
// `simulate --db --run` as a user starts it, against the run that it takes its figures from: the engine serves the
// quick start, the command line sends the same requests through its own paths (orders of eviction, one form for all,
// policies over whole snapshots), and the mean TTFT agrees within 10 %.
#include <QtTest>

#include <cmath>
#include <fstream>

#include "core/base/json.h"
#include "tests/simulator/served_quickstart.h"
#include "tests/support/command_line.h"
#include "tests/support/test_program.h"

namespace simulate_engine_test {

using namespace kvantage;
using namespace kvantage::test;

class SimulateEngineTest : public QObject {
  Q_OBJECT

  /// The run's requests as a trace: a context is a list of block names of its own, a second is between two requests.
  static void write_trace(const QString& path, const std::vector<RequestRecord>& records) {
    std::ofstream stream(path.toStdString());
    std::map<std::string, std::size_t> numbers;
    for (std::size_t i = 0; i < records.size(); ++i) {
      const std::size_t context = numbers.emplace(records[i].context_id, numbers.size()).first->second;
      const std::size_t blocks = (static_cast<std::size_t>(records[i].context_tokens) + 511) / 512;
      std::string ids;
      for (std::size_t b = 0; b < blocks; ++b) ids += (b > 0 ? ", " : "") + std::to_string(context * 1000 + b);
      stream << "{\"timestamp\": " << i * 1000 << ", \"input_length\": " << records[i].context_tokens
             << ", \"output_length\": 1, \"hash_ids\": [" << ids << "]}\n";
    }
  }

  struct Compared {
    double against_predicted = 0, against_measured = 0, unsteady = 1;
    bool same_hits = false;
    std::size_t requests = 0;
  };
  static Expected<Compared> compare(const QString& policy, bool frozen) {
    QTemporaryDir folder;
    const auto served = serve_quickstart(folder.filePath("store").toStdString(), policy.toStdString(), 60, frozen);
    if (!served) return tl::unexpected(served.error());
    const QString trace = folder.filePath("trace.jsonl");
    write_trace(trace, served->records);
    QStringList words{"simulate", trace,
                      "--mode",   "contexts",
                      "--db",     text_of(served->database),
                      "--run",    QString::fromStdString(served->run_id),
                      "--policy", policy,
                      "--alpha",  QString::number(served->snapshot.alpha, 'g', 17),
                      "--json",   "--quiet"};
    for (const TierState& tier : served->snapshot.tiers)
      words << "--tier" << QStringLiteral("%1=%2").arg(QString::fromStdString(tier.name)).arg(tier.budget_bytes);
    const Answer answer = call(words);
    if (answer.exit_code != 0) return fail(ErrorCode::internal, answer.text().toStdString());
    const auto json = parse_json(answer.out.toStdString(), "output");
    if (!json) return tl::unexpected(json.error());
    const Json row = (*json)["policies"][0];
    const double measured = measured_mean(served->records), predicted = predicted_mean(served->records),
                 simulated = row["service_seconds"]["mean"].get<double>();
    const auto hits =
        std::ranges::count_if(served->records, [](const RequestRecord& record) { return record.source != "prefill"; });
    Compared compared{simulated / predicted - 1, simulated / measured - 1, unsteadiness(served->records), false,
                      row["requests"].get<std::size_t>()};
    const double simulated_hits = row["request_hit_rate"].get<double>() * static_cast<double>(compared.requests);
    compared.same_hits = std::lround(simulated_hits) == hits;
    qInfo(
        "%s: simulate gives %.2f ms, %+.1f %% of what the engine predicted, %+.1f %% of what it measured; hits %td, "
        "simulated %.0f; the same work took up to %.2f times as long",
        qPrintable(policy), simulated * 1e3, compared.against_predicted * 100, compared.against_measured * 100, hits,
        simulated_hits, compared.unsteady);
    return compared;
  }

 private slots:
  void theCommandLineAgreesWithTheEngine_data() {
    QTest::addColumn<QString>("policy");
    for (const char* policy : {"lru", "fixed(knorm,0.6)", "full_prefill", "evicpress"}) QTest::newRow(policy) << policy;
  }
  void theCommandLineAgreesWithTheEngine() {
    if (model_directory().empty()) QSKIP("no model to serve with: resources/model or ../shared/data/models/trial-qa");
    QFETCH(QString, policy);
    const auto compared = compare(policy, true);
    QVERIFY2(compared, compared ? "" : compared.error().message.c_str());
    QCOMPARE(compared->requests, std::size_t{60});
    // evicpress plans with the mean of the contexts' curves there, and may place some otherwise.
    QVERIFY2(std::fabs(compared->against_predicted) <= (policy == "evicpress" ? 0.1 : 0.01),
             qPrintable(QString::number(compared->against_predicted)));
    if (policy != "evicpress") QVERIFY(compared->same_hits);
    // A frozen run has the fits of its beginning. What was measured is held to those of a whole run, where the machine
    // did nothing else, by the run's own measurements of the same work.
    const auto whole = compare(policy, false);
    QVERIFY2(whole, whole ? "" : whole.error().message.c_str());
    if (whole->unsteady <= disturbed)
      QVERIFY2(std::fabs(whole->against_measured) <= 0.1, qPrintable(QString::number(whole->against_measured)));
  }
};

KV_TEST_GUILESS_MAIN(SimulateEngineTest)

}  // namespace simulate_engine_test

#include "simulate_engine_test.moc"
