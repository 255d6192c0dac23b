// links: app_wiring
// The real engine on the quick start, and the simulator fed with what that run fitted: the same requests under the same
// policy take as long on average, within 10 %. So does `simulate --db --run` as a user starts it, which sends them
// through its own paths (orders of eviction, one form for all, policies over whole snapshots).
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "core/base/json.h"
#include "core/policy/actions.h"
#include "core/policy/simulate.h"
#include "core/simulator/fitted_preset.h"
#include "core/simulator/simulator.h"
#include "tests/simulator/served_quickstart.h"
#include "tests/support/command_line.h"
#include "tests/support/test_program.h"

namespace engine_agreement_test {

using namespace kvantage;
using namespace kvantage::test;

class EngineAgreementTest : public QObject {
  Q_OBJECT

 private slots:
  void meanTimesToFirstTokenAgree_data() {
    QTest::addColumn<QString>("policy");
    QTest::newRow("lru") << "lru";
    QTest::newRow("lfu") << "lfu";
    QTest::newRow("fixed") << "fixed(knorm,0.6)";
  }
  void meanTimesToFirstTokenAgree() {
    if (model_directory().empty()) QSKIP("no model to serve with: resources/model or ../shared/data/models/trial-qa");
    QFETCH(QString, policy);
    const auto compared = compare_on_a_steady_machine(policy.toStdString());
    QVERIFY2(compared.has_value(), compared ? "" : compared.error().message.c_str());
    QCOMPARE(compared->same_place, 60);
    if (compared->unsteady > disturbed && std::min(compared->planned, compared->compact) < -0.1 &&
        std::max(compared->planned, compared->compact) <= 0.1)
      QSKIP("four runs on a disturbed machine say nothing about its times");
    QVERIFY2(std::fabs(compared->planned) <= 0.1, "the simulated mean is off by more than 10 %");
    QVERIFY2(std::fabs(compared->compact) <= 0.1, "the compact cache's mean is off by more than 10 %");
  }

  // By utility: the fits that decide move while requests are served, and the simulator has those of the end, so a few
  // requests may find their context elsewhere. Nine in ten must not, and the mean is checked all the same.
  void evicpressPlacesAlike() {
    if (model_directory().empty()) QSKIP("no model to serve with: resources/model or ../shared/data/models/trial-qa");
    const auto compared = compare_on_a_steady_machine("evicpress");
    QVERIFY2(compared.has_value(), compared ? "" : compared.error().message.c_str());
    QVERIFY2(compared->same_place >= 54, qPrintable(QString("%1 of 60").arg(compared->same_place)));
    if (compared->unsteady > disturbed && compared->planned < -0.1)
      QSKIP("four runs on a disturbed machine say nothing about its times");
    QVERIFY2(std::fabs(compared->planned) <= 0.1, "the simulated mean is off by more than 10 %");
  }

  // The same without the machine's part in it: in a frozen run the engine predicts each request by the fits that the
  // simulator gets, so both say the same of every request.
  void frozenRunsArePredictedAlike_data() {
    QTest::addColumn<QString>("policy");
    for (const char* policy : {"lru", "fixed(knorm,0.6)", "evicpress"}) QTest::newRow(policy) << policy;
  }
  void frozenRunsArePredictedAlike() {
    if (model_directory().empty()) QSKIP("no model to serve with: resources/model or ../shared/data/models/trial-qa");
    QFETCH(QString, policy);
    const auto run = served(policy.toStdString(), true);
    QVERIFY2(run, run ? "" : run.error().message.c_str());
    const Served& served = **run;
    std::vector<std::size_t> requests;
    for (const RequestRecord& record : served.records)
      requests.push_back(find_context(served.snapshot, record.context).value_or(0));
    const SimulationResult simulated = simulate(served.snapshot, *make_policy(policy.toStdString()), requests);
    const int same_place = answered_from_the_same_place(served, simulated);
    const double predicted = predicted_mean(served.records),
                 error = simulated.totals.mean_ttft_service_seconds / predicted - 1;
    qInfo("%s: predicted %.2f ms, simulated %+.2f %%; %d of %zu requests answered from the same place",
          qPrintable(policy), predicted * 1e3, error * 100, same_place, requests.size());
    if (policy != "evicpress") QCOMPARE(same_place, 60);
    QVERIFY2(std::fabs(error) <= 1e-3, qPrintable(QString::number(error)));
  }

  void theCommandLineAgreesWithTheEngine_data() {
    QTest::addColumn<QString>("policy");
    for (const char* policy : {"lru", "fixed(knorm,0.6)", "full_prefill", "evicpress"}) QTest::newRow(policy) << policy;
  }
  void theCommandLineAgreesWithTheEngine() {
    if (model_directory().empty()) QSKIP("no model to serve with: resources/model or ../shared/data/models/trial-qa");
    QFETCH(QString, policy);
    const auto compared = compare_command(policy, true);
    QVERIFY2(compared, compared ? "" : compared.error().message.c_str());
    QCOMPARE(compared->requests, std::size_t{60});
    // evicpress plans with the mean of the contexts' curves there, and may place some otherwise.
    QVERIFY2(std::fabs(compared->against_predicted) <= (policy == "evicpress" ? 0.1 : 0.01),
             qPrintable(QString::number(compared->against_predicted)));
    if (policy != "evicpress") QVERIFY(compared->same_hits);
    // A frozen run has the fits of its beginning. What was measured is compared with those of a whole run, where the
    // machine did nothing else, by the run's own measurements of the same work.
    const auto whole = compare_command(policy, false);
    QVERIFY2(whole, whole ? "" : whole.error().message.c_str());
    if (whole->unsteady <= disturbed)
      QVERIFY2(std::fabs(whole->against_measured) <= 0.1, qPrintable(QString::number(whole->against_measured)));
  }

 private:
  struct Run {
    std::unique_ptr<QTemporaryDir> store;
    Served served;
  };
  std::map<std::pair<std::string, bool>, Run> runs_;  // that several slots look at, by policy and frozen

  /// `again`: another run, in place of the one there is.
  Expected<const Served*> served(const std::string& policy, bool frozen, bool again = false) {
    const std::pair key(policy, frozen);
    if (const auto found = runs_.find(key); found != runs_.end() && !again) return &found->second.served;
    auto store = std::make_unique<QTemporaryDir>();
    KV_ASSIGN(Served run, serve_quickstart(store->path().toStdString(), policy, 60, frozen));
    return &runs_.insert_or_assign(key, Run{std::move(store), std::move(run)}).first->second.served;
  }

  /// Simulated over measured mean - 1, by the policy itself and by the compact cache of its name.
  struct Compared {
    double planned = 0, compact = 0;
    int same_place = 0;
    double unsteady = 1;
  };
  /// The first run decides of which its own measurements do not say that the machine was disturbed, so that what was
  /// fitted is not what was measured; of four that were, the last.
  Expected<Compared> compare_on_a_steady_machine(const std::string& policy) {
    constexpr int max_runs = 4;
    for (int run = 1;; ++run) {
      auto compared = compare(policy, run > 1);
      if (!compared || compared->unsteady <= disturbed || run == max_runs) return compared;
      if (std::fabs(compared->planned) <= 0.1 && std::fabs(compared->compact) <= 0.1 && compared->same_place == 60)
        return compared;
      qInfo("%s: the same work took up to %.2f times as long, more than %.2f: the machine was disturbed, again",
            policy.c_str(), compared->unsteady, disturbed);
    }
  }
  static int answered_from_the_same_place(const Served& served, const SimulationResult& simulated) {
    int same = 0;
    for (std::size_t i = 0; i < served.records.size(); ++i) {
      const int tier = simulated.requests[i].tier;
      const std::string& source = served.records[i].source;
      const std::string place =
          tier == not_stored ? "prefill" : served.snapshot.tiers[static_cast<std::size_t>(tier)].name;
      same += place == source || (tier != not_stored && source == write_back_source) ? 1 : 0;
    }
    return same;
  }
  Expected<Compared> compare(const std::string& policy, bool again) {
    KV_ASSIGN(const Served* const run, this->served(policy, false, again));
    const Served& served = *run;
    const std::vector<RequestRecord>& records = served.records;
    const double measured = measured_mean(records);
    std::vector<std::size_t> requests;
    for (const RequestRecord& record : records)
      requests.push_back(find_context(served.snapshot, record.context).value_or(0));
    const auto parsed = make_policy(policy);
    if (!parsed) return tl::unexpected(parsed.error());
    const SimulationResult planned = simulate(served.snapshot, *parsed, requests);
    Compared compared;
    compared.planned = planned.totals.mean_ttft_service_seconds / measured - 1;
    compared.same_place = answered_from_the_same_place(served, planned);
    compared.unsteady = unsteadiness(records);
    qInfo(
        "%s: measured %.2f ms, simulated %+.1f %%; %d of %zu requests answered from the same place; the same work took "
        "up to %.2f times as long",
        policy.c_str(), measured * 1e3, compared.planned * 100, compared.same_place, records.size(), compared.unsteady);
    if (policy.starts_with("fixed") || policy == "evicpress")
      return compared;  // the compact caches hold uncompressed contexts
    const auto preset = preset_of(served.snapshot, "run");
    if (!preset) return tl::unexpected(preset.error());
    SimulatorSetup setup;
    setup.mode = ReuseMode::contexts;
    setup.order = policy;
    setup.weigh_bytes = true;
    setup.costs = {true, preset->bytes_per_token, *preset->prefill, preset->question, {}, 1, 0};
    for (std::size_t t = 0; t < served.snapshot.tiers.size(); ++t) {
      setup.capacities.push_back(served.snapshot.tiers[t].budget_bytes);
      setup.costs.tiers.push_back(preset->tiers[t].line);
    }
    const auto simulator = TraceSimulator::make(setup);
    if (!simulator) return tl::unexpected(simulator.error());
    for (const std::size_t index : requests)
      (*simulator)->serve(0, static_cast<std::uint64_t>(served.snapshot.contexts[index].tokens), index, {});
    compared.compact = (*simulator)->totals().service.mean / measured - 1;
    qInfo("%s: compact cache %+.1f %%", policy.c_str(), compared.compact * 100);
    return compared;
  }

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

  struct CommandCompared {
    double against_predicted = 0, against_measured = 0, unsteady = 1;
    bool same_hits = false;
    std::size_t requests = 0;
  };
  Expected<CommandCompared> compare_command(const QString& policy, bool frozen) {
    KV_ASSIGN(const Served* const run, this->served(policy.toStdString(), frozen));
    const Served& served = *run;
    const QTemporaryDir folder;
    const QString trace = folder.filePath("trace.jsonl");
    write_trace(trace, served.records);
    QStringList words{"simulate", trace,
                      "--mode",   "contexts",
                      "--db",     text_of(served.database),
                      "--run",    QString::fromStdString(served.run_id),
                      "--policy", policy,
                      "--alpha",  QString::number(served.snapshot.alpha, 'g', 17),
                      "--json",   "--quiet"};
    for (const TierState& tier : served.snapshot.tiers)
      words << "--tier" << QStringLiteral("%1=%2").arg(QString::fromStdString(tier.name)).arg(tier.budget_bytes);
    const Answer answer = call(words);
    if (answer.exit_code != 0) return fail(ErrorCode::internal, answer.text().toStdString());
    const auto json = parse_json(answer.out.toStdString(), "output");
    if (!json) return tl::unexpected(json.error());
    const Json row = (*json)["policies"][0];
    const double measured = measured_mean(served.records), predicted = predicted_mean(served.records),
                 simulated = row["service_seconds"]["mean"].get<double>();
    const auto hits =
        std::ranges::count_if(served.records, [](const RequestRecord& record) { return record.source != "prefill"; });
    CommandCompared compared{simulated / predicted - 1, simulated / measured - 1, unsteadiness(served.records), false,
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
};

KV_TEST_GUILESS_MAIN(EngineAgreementTest)

}  // namespace engine_agreement_test

#include "engine_agreement_test.moc"
