// links: kv_runtime kv_tiers
// The default model, in a session on virtual time: it computes in no time, so every second that a request waits is a
// tier's. What tiers take is known beforehand, to the nanosecond.
#include <QTemporaryDir>
#include <QtTest>

#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_session.h"

namespace shipped_model_test {

using namespace kvantage;
using namespace kvantage::test;

constexpr double bytes_per_second = 20e6, latency_seconds = 0.004;

class ShippedModelTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  int sessions_ = 0;

  std::unique_ptr<VirtualSession> served(const std::string& policy) {
    VirtualSessionOptions options;
    options.model = model_directory();
    options.locks = std::filesystem::path(folder_.path().toStdString()) / std::to_string(++sessions_);
    options.workload = small_workload(2, 8, 5);
    options.hashed = false;
    options.settings.policy = policy;
    options.settings.methods = {"knorm"};
    options.settings.removed_fractions = {0.5};
    options.settings.request_limit = 8;
    options.settings.requests_per_second = 2;  // what is written has arrived when it is asked for
    options.settings.compute_or_load = "off";
    options.settings.tiers = {{.name = "ssd", .budget = 64 << 20, .throttle = {bytes_per_second, latency_seconds}}};
    auto session = std::make_unique<VirtualSession>(options);
    session->engine().start();
    session->wait();
    return session;
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void answersAreThoseOfThePrefillAndLoadsTakeWhatTheTierTakes() {
    const auto computed = served("full_prefill"), stored = served("lru");
    for (const auto& session : {computed.get(), stored.get()})
      QVERIFY2(session->engine().state() == RunState::finished, session->engine().failure().message.c_str());
    const auto expected = computed->all<events::RequestFinished>(), got = stored->all<events::RequestFinished>();
    QCOMPARE(got.size(), std::size_t{8});
    QCOMPARE(got.size(), expected.size());
    int loads = 0;
    for (std::size_t r = 0; r < got.size(); ++r) {
      const RequestRecord& record = got[r].record;
      QCOMPARE(record.answer, expected[r].record.answer);
      QVERIFY(!record.answer.empty());
      QVERIFY(record.provenance == Provenance::simulated);
      QVERIFY(expected[r].record.timing.ttft_service_seconds < 0.001);  // looks at the clock alone
      if (record.source != "ssd") continue;
      ++loads;
      const double wanted = latency_seconds + static_cast<double>(record.bytes_loaded) / bytes_per_second;
      // The header is known by then; a layer ends on a whole nanosecond.
      QVERIFY2(std::abs(record.timing.device_seconds - wanted) < 1e-7,
               (std::to_string(record.timing.device_seconds) + " s, not " + std::to_string(wanted)).c_str());
      QVERIFY(record.timing.ttft_service_seconds >= record.timing.device_seconds);
      QVERIFY(record.timing.ttft_service_seconds < record.timing.device_seconds + 0.001);
    }
    QVERIFY(loads > 0);
  }

  void theSameSessionTwiceIsTheSameBytes() {
    auto first = served("evicpress"), second = served("evicpress");
    first->close();
    second->close();
    QVERIFY(first->log() == second->log());
    QVERIFY(first->all<events::RequestFinished>().size() == 8);
  }
};

KV_TEST_GUILESS_MAIN(ShippedModelTest)

}  // namespace shipped_model_test

#include "shipped_model_test.moc"
