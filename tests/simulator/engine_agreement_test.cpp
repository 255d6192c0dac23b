// links: kv_wiring
// The real engine on the quick start, and the simulator fed with what that run fitted: the same requests under the same
// policy take as long on average, within 10 %.
#include <QtTest>

#include <cmath>

#include "core/base/statistics.h"
#include "core/policy/actions.h"
#include "core/policy/simulate.h"
#include "core/simulator/fitted_preset.h"
#include "core/simulator/simulator.h"
#include "tests/support/engine_harness.h"

using namespace kvantage;
using namespace kvantage::test;

namespace {

struct Served {
  Snapshot snapshot;
  std::vector<RequestRecord> records;
};

Expected<Served> serve_quickstart(const std::filesystem::path& store, const std::string& policy, std::uint64_t limit) {
  CollectingSink sink;
  SessionOptions options;
  options.model = model_directory();
  options.workload = source_directory() / "sample_workloads" / "quickstart";
  options.store = store;
  options.policy = policy;
  options.request_limit = limit;
  options.cold_start = true;
  auto session = open_session(options, {&sink});
  if (!session) return tl::unexpected(session.error());
  Engine& engine = *session->engine;
  const auto wait = [&] {
    for (int i = 0; i < 600; ++i)
      if (const RunState state = engine.wait_while_busy(1); state != RunState::loading && state != RunState::running) return state;
    return engine.state();
  };
  if (wait() == RunState::failed) return tl::unexpected(engine.failure());
  sink.clear();
  engine.start();
  if (wait() != RunState::finished) return fail(ErrorCode::internal, "the run did not finish");
  return Served{*engine.snapshot(), sink.records()};
}

double measured_mean(const std::vector<RequestRecord>& records) {
  std::vector<double> values;
  for (const RequestRecord& record : records) values.push_back(record.timing.ttft_service_seconds);
  return mean_of(values);
}

}  // namespace

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
    QTemporaryDir store;
    const auto served = serve_quickstart(store.path().toStdString(), policy.toStdString(), 60);
    QVERIFY2(served.has_value(), served ? "" : served.error().message.c_str());
    const std::vector<RequestRecord>& records = served->records;
    QCOMPARE(int(records.size()), 60);
    const double measured = measured_mean(records);

    std::vector<std::size_t> requests;
    for (const RequestRecord& record : records) {
      const auto index = find_context(served->snapshot, record.context);
      QVERIFY(index.has_value());
      requests.push_back(*index);
    }
    const auto parsed = make_policy(policy.toStdString());
    QVERIFY(parsed.has_value());
    const SimulationResult planned = simulate(served->snapshot, *parsed, requests);
    const double modelled = planned.totals.mean_ttft_service_seconds;
    std::size_t same = 0;
    for (std::size_t i = 0; i < records.size(); ++i) {
      const int tier = planned.requests[i].tier;
      same += (tier == not_stored ? std::string("prefill") : served->snapshot.tiers[static_cast<std::size_t>(tier)].name) == records[i].source ? 1 : 0;
    }
    qInfo("%s: measured %.2f ms, modelled %.2f ms (%+.1f %%); %zu of %zu requests answered from the same place", qPrintable(policy), measured * 1e3,
          modelled * 1e3, (modelled / measured - 1) * 100, same, records.size());
    QVERIFY2(std::fabs(modelled - measured) <= 0.1 * measured, "the simulated mean is off by more than 10 %");

    if (policy.startsWith("fixed")) return;  // the compact caches hold uncompressed contexts
    const auto preset = preset_of(served->snapshot, "run");
    QVERIFY(preset.has_value());
    SimulatorSetup setup;
    setup.mode = ReuseMode::contexts;
    setup.order = policy.toStdString();
    setup.weigh_bytes = true;
    setup.costs = {true, preset->bytes_per_token, *preset->prefill, preset->question, {}};
    for (std::size_t t = 0; t < served->snapshot.tiers.size(); ++t) {
      setup.capacities.push_back(served->snapshot.tiers[t].budget_bytes);
      setup.costs.tiers.push_back(preset->tiers[t].line);
    }
    auto simulator = TraceSimulator::make(setup);
    QVERIFY(simulator.has_value());
    for (const std::size_t index : requests)
      (*simulator)->serve(0, static_cast<std::uint64_t>(served->snapshot.contexts[index].tokens), index, {});
    const double compact = (*simulator)->totals().service.mean;
    qInfo("%s: compact cache %.2f ms (%+.1f %%)", qPrintable(policy), compact * 1e3, (compact / measured - 1) * 100);
    QVERIFY2(std::fabs(compact - measured) <= 0.1 * measured, "the compact cache's mean is off by more than 10 %");
  }
};

QTEST_GUILESS_MAIN(EngineAgreementTest)
#include "engine_agreement_test.moc"
