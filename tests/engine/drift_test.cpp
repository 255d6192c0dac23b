// links: app_wiring
// Questions that drift: what a profile promised before is not what requests get after.
// In virtual time, with the numbers of the real model.
#include <QtTest>

#include <map>

#include "tests/support/drifting_part.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_harness.h"

namespace drift_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

struct Mean {
  double sum = 0;
  int n = 0;
  void add(double value) {
    sum += value;
    ++n;
  }
  double value() const { return n == 0 ? 0 : sum / n; }
};

}  // namespace

class DriftTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory() != source_directory() / "resources" / "model") QSKIP("the default model is not there");
  }

  void profilesOverstateWhatRequestsGetAfterTheDrift() {
    const auto sample = read_workload(source_directory() / "sample_workloads" / "drifting-questions");
    QVERIFY2(sample, sample ? "" : sample.error().message.c_str());
    QVERIFY(sample->arrivals.drift.has_value());
    Workload workload = first_of_each_family(*sample);
    constexpr std::uint64_t requests = 90;
    workload.arrivals.requests = requests;
    const Drift drift = *workload.arrivals.drift;

    QTemporaryDir folder;
    SessionOptions options;
    options.model = model_directory();
    options.workload = folder.path().toStdString() + "/workload";
    options.store = folder.path().toStdString() + "/store";
    options.tiers = {"dram=256MiB"};
    options.policy = "fixed(keydiff,0.8)";
    options.methods = {"keydiff"};
    options.removed_fractions = {0.8};
    options.compute_or_load = "off";  // computing takes no time here: each hit would be computed
    QVERIFY(write_workload(workload, options.workload));
    const auto opened = open_virtual(options, ModelKind::real);
    QVERIFY2(opened, opened ? "" : opened.error().message.c_str());
    EngineHarness& harness = **opened;
    harness.engine().profile_all();
    QCOMPARE(harness.wait(600), RunState::ready);
    harness.sink.clear();
    harness.engine().start();
    QCOMPARE(harness.wait(600), RunState::finished);

    const std::vector<RequestRecord> records = harness.sink.records();
    QCOMPARE(records.size(), static_cast<std::size_t>(requests));
    Mean promised_before, got_before, promised_after, got_after;
    for (std::size_t i = 0; i < records.size(); ++i) {
      const RequestRecord& record = records[i];
      if (record.removed_fraction == 0) continue;  // compulsory miss, answered from the whole context
      QCOMPARE(record.method, std::string("keydiff"));
      QVERIFY(record.predicted_quality >= 0);
      const double share = static_cast<double>(i) / requests;
      if (share < drift.begin) {
        promised_before.add(record.predicted_quality);
        got_before.add(record.quality.at("token_f1"));
      } else if (share >= drift.end) {
        promised_after.add(record.predicted_quality);
        got_after.add(record.quality.at("token_f1"));
      }
    }
    qInfo("before: %.2f promised, %.2f got (n=%d); after: %.2f promised, %.2f got (n=%d)", promised_before.value(),
          got_before.value(), got_before.n, promised_after.value(), got_after.value(), got_after.n);
    QVERIFY(got_before.n >= 20 && got_after.n >= 30);
    QVERIFY(promised_after.value() - got_after.value() >= 0.1);
    // Before it the profile was right, as far as so few questions can show.
    QVERIFY(std::abs(promised_before.value() - got_before.value()) < 0.2);
    QVERIFY(promised_after.value() - got_after.value() > promised_before.value() - got_before.value() + 0.1);
  }
};

KV_TEST_GUILESS_MAIN(DriftTest)

}  // namespace drift_test

#include "drift_test.moc"
