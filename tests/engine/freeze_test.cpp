// links: app_wiring
// A frozen run repeated has the same tokens and the same decisions, though its steps take other times. In virtual time,
// with the numbers of the real model.
#include <QtTest>

#include "core/report/replay_source.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_harness.h"

namespace freeze_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// Every decision and every token, in order, without the times that were measured.
std::vector<std::string> said_and_decided(const std::vector<Event>& events) {
  std::vector<std::string> lines;
  bool in_run = false;
  for (const Event& event : events) {
    in_run = in_run || std::holds_alternative<events::RunStarted>(event.payload);
    if (!in_run) continue;  // settings that were applied before
    Json data = to_json(event).at("data");
    if (std::holds_alternative<events::TokenEmitted>(event.payload)) {
      lines.push_back(data.dump(-1, ' ', false, Json::error_handler_t::replace));
    } else if (const auto* finished = std::get_if<events::RequestFinished>(&event.payload)) {
      const RequestRecord& r = finished->record;
      lines.push_back(Json{r.id, r.context_id, r.question, r.answer, r.source, r.method, r.removed_fraction,
                           r.kept_tokens, r.bytes_loaded, r.predicted_quality, r.predicted_ttft_seconds, r.miss_reason}
                          .dump());
    } else if (std::holds_alternative<events::PlacementCommitted>(event.payload) ||
               std::holds_alternative<events::PlanMade>(event.payload)) {
      data.erase("seconds");
      lines.push_back(std::string(event_type(event.payload)) + data.dump());
    } else if (std::holds_alternative<events::CostsFitted>(event.payload)) {
      lines.push_back(data.dump());
    }
  }
  return lines;
}

}  // namespace

class FreezeTest : public QObject {
  Q_OBJECT

  static QByteArray message(const auto& expected) {
    return expected ? QByteArray() : QByteArray::fromStdString(expected.error().message);
  }

  /// What is served: six contexts, or contexts of a third of their size in tiers of a third.
  enum class Size : std::uint8_t { full, small };
  /// How long the steps of a run take: the second one computes the context faster and decodes slower.
  static constexpr ModelCosts first_costs{}, second_costs{.prefill_per_token_layer = 7e-6,
                                                          .prefill_per_step = 40e-6,
                                                          .decode_per_sequence = 1.3e-3,
                                                          .decode_per_step = 2.9e-3};

  /// One start of the program: profiles first, then a run.
  static Expected<std::vector<Event>> run_once(const QTemporaryDir& folder, const std::string& policy, double rate,
                                               bool frozen, const ModelCosts& costs, Size size = Size::full) {
    const bool small = size == Size::small;
    const std::vector<std::string> tiers = small
                                               ? std::vector<std::string>{"dram=340KiB", "ssd=680KiB,bandwidth=200MB/s"}
                                               : std::vector<std::string>{"dram=1MiB", "ssd=2MiB,bandwidth=200MB/s"};
    auto harness = open_virtual(folder.path().toStdString(), small_workload(6, small ? 14 : 40, 13), tiers, policy,
                                true, {.frozen = frozen}, ModelKind::timed, costs);
    if (!harness) return tl::unexpected(harness.error());
    (*harness)->engine().profile_all();
    (*harness)->wait();
    SessionSettings settings = (*harness)->engine().settings();
    settings.requests_per_second = rate;
    KV_TRY((*harness)->engine().apply(settings));
    const auto records = (*harness)->serve(policy, 40);
    if (!records) return tl::unexpected(records.error());
    return (*harness)->sink.events();
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
  }

  void twiceIsTheSame_data() {
    QTest::addColumn<QString>("policy");
    QTest::addColumn<double>("rate");
    QTest::addColumn<bool>("small");
    QTest::newRow("evicpress, one after the other") << "evicpress" << 0.0 << false;
    QTest::newRow("evicpress, as they arrive") << "evicpress" << 50.0 << true;
    QTest::newRow("lru, as they arrive") << "lru" << 50.0 << true;
  }
  void twiceIsTheSame() {
    QFETCH(QString, policy);
    QFETCH(double, rate);
    QFETCH(bool, small);
    const Size size = small ? Size::small : Size::full;
    QTemporaryDir folder;
    const auto first = run_once(folder, policy.toStdString(), rate, true, first_costs, size);
    QVERIFY2(first, message(first));
    const auto second = run_once(folder, policy.toStdString(), rate, true, second_costs, size);
    QVERIFY2(second, message(second));
    const auto a = said_and_decided(*first), b = said_and_decided(*second);
    QVERIFY2(a.size() > 60, qPrintable(QString::number(a.size())));
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
      QCOMPARE(QString::fromStdString(b[i]), QString::fromStdString(a[i]));
    QCOMPARE(b.size(), a.size());
    QVERIFY(std::ranges::any_of(a, [](const std::string& line) { return line.starts_with("placement.committed"); }));
  }

  // The other policies, on contexts that are soon computed; full_prefill places nothing.
  void everyPolicyTwiceIsTheSame_data() {
    QTest::addColumn<QString>("policy");
    for (const char* policy : {"full_prefill", "lfu", "s3fifo", "gdsf", "fixed(keydiff,0.5)", "important_fraction",
                               "impress", "adaptcache", "optimal"})
      QTest::newRow(policy) << policy;
  }
  void everyPolicyTwiceIsTheSame() {
    QFETCH(QString, policy);
    QTemporaryDir folder;
    const auto first = run_once(folder, policy.toStdString(), 50, true, first_costs, Size::small);
    QVERIFY2(first, message(first));
    const auto second = run_once(folder, policy.toStdString(), 50, true, second_costs, Size::small);
    QVERIFY2(second, message(second));
    const auto a = said_and_decided(*first), b = said_and_decided(*second);
    QVERIFY2(a.size() > 60, qPrintable(QString::number(a.size())));
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
      QCOMPARE(QString::fromStdString(b[i]), QString::fromStdString(a[i]));
    QCOMPARE(b.size(), a.size());
    const auto placed =
        std::ranges::count_if(a, [](const std::string& line) { return line.starts_with("placement.committed"); });
    // More than a first placing of each of the six: one was displaced. impress places nothing on the faster tier.
    if (policy == "full_prefill")
      QCOMPARE(placed, std::ptrdiff_t{0});
    else
      QVERIFY2(placed > (policy == "impress" ? 0 : 6), qPrintable(QString::number(placed)));
  }

  // Without it the fits follow the clock, so what is predicted differs: the claim above can fail.
  void unfrozenRunsPredictByTheClock() {
    QTemporaryDir folder;
    const auto first = run_once(folder, "evicpress", 0, false, first_costs);
    const auto second = run_once(folder, "evicpress", 0, false, second_costs);
    QVERIFY2(first && second, message(first) + message(second));
    QVERIFY(said_and_decided(*first) != said_and_decided(*second));
  }
};

KV_TEST_GUILESS_MAIN(FreezeTest)

}  // namespace freeze_test

#include "freeze_test.moc"
