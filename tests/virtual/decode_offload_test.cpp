// links: kv_runtime kv_tiers
// Sessions whose contexts are on a tier while their answers are decoded, on virtual time: the model computes in no
// time, so every second is a tier's. Answers are those with the context in memory, and nothing stays on the tier.
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "tests/support/answered_session.h"

namespace decode_offload_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr std::uint64_t requests = 6;
constexpr double bytes_per_second = 20e6;

}  // namespace

class DecodeOffloadTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  int sessions_ = 0;
  std::map<std::pair<int, bool>, std::vector<RequestRecord>> in_memory_;
  std::optional<bool> splits_;

  VirtualSessionOptions options_of(const std::string& offload) {
    VirtualSessionOptions options = answering_options(
        mha_model(), std::filesystem::path(folder_.path().toStdString()) / std::to_string(++sessions_), 40, requests);
    options.settings.policy = "full_prefill";  // stores nothing: what is on a tier is of requests
    options.settings.tiers = {{.name = "dram", .budget = 64 << 20, .throttle = {bytes_per_second, 0}},
                              {.name = "ssd", .budget = 64 << 20, .throttle = {bytes_per_second, 0}}};
    options.settings.decode_offload = offload;
    return options;
  }
  static std::vector<RequestRecord> served(const VirtualSessionOptions& options) {
    VirtualSession session(options);
    auto records = served_by(session);
    check_empty(session);
    return records;
  }
  /// With contexts in memory: what answers are compared with, served once.
  const std::vector<RequestRecord>& in_memory(int batch, bool invariant = false) {
    auto& records = in_memory_[{batch, invariant}];
    if (!records.empty()) return records;
    VirtualSessionOptions options = options_of("none");
    options.settings.max_batch = batch;
    options.settings.products = invariant ? batch_invariant_products : library_products;
    return records = served(options);
  }
  static void check_empty(VirtualSession& session) {
    session.executor().pass(1);
    for (const VirtualSession::Opened& opened : session.tiers()) {
      QCOMPARE(opened.tier->used_bytes(), std::uint64_t{0});
      QCOMPARE(opened.ledger->in_bytes, opened.ledger->freed_bytes);
    }
    QCOMPARE(session.leased_bytes(), std::uint64_t{0});
    QVERIFY(session.broken().empty());
  }
  /// Without decode_offload nothing stays on the tier.
  static void leave(VirtualSession& session) {
    SessionSettings settings = session.engine().settings();
    settings.decode_offload = "none";
    QVERIFY(session.engine().apply(settings).has_value());
    session.wait();
    check_empty(session);
  }
  bool splits() {
    if (!splits_) splits_ = VirtualSession(options_of("none")).engine().info().split_refusal.empty();
    return *splits_;
  }

 private slots:
  void initTestCase() {
    if (!std::filesystem::exists(mha_model() / "model.safetensors")) QSKIP("resources/reference-mha is not there");
  }

  void answersAreThoseInMemory_data() {
    QTest::addColumn<QString>("setting");
    QTest::addColumn<int>("batch");
    QTest::addColumn<bool>("invariant");
    for (const char* setting : {"ssd", "ssd(split=load_only)", "ssd(split=recompute_only)", "dram(split=load_only)"})
      for (const int batch : {1, 3}) QTest::addRow("%s, %d", setting, batch) << QString(setting) << batch << false;
    for (const char* setting : {"ssd", "ssd(split=recompute_only)"})
      QTest::addRow("%s, batch-invariant", setting) << QString(setting) << 3 << true;
  }
  void answersAreThoseInMemory() {
    QFETCH(const QString, setting);
    QFETCH(const int, batch);
    QFETCH(const bool, invariant);
    if (setting == "ssd" && !splits()) QSKIP("without products of bf16, layer inputs are too long here");
    const auto& expected = in_memory(batch, invariant);
    for (const RequestRecord& record : expected) QVERIFY(!record.decoding.offload);
    VirtualSessionOptions options = options_of(setting.toStdString());
    options.settings.max_batch = batch;
    options.settings.products = invariant ? batch_invariant_products : library_products;
    const auto got = served(options);
    check_same_answers(got, expected);
    std::uint64_t beyond = 0;
    for (const RequestRecord& record : got) {
      QVERIFY(record.decoding.offload.has_value());
      const OffloadRecord& offload = *record.decoding.offload;
      QVERIFY2(offload.used(), offload.not_applied.c_str());
      QCOMPARE(offload.setting, setting.toStdString());
      QCOMPARE(record.source, std::string("prefill"));
      QCOMPARE(record.kept_tokens, record.context_tokens);
      QVERIFY(record.predicted_ttft_seconds < 0 && record.predicted_quality < 0);
      // One pass a token but for the last one, which an answer at its longest ends with.
      QVERIFY(offload.steps == record.answer_tokens || offload.steps == record.answer_tokens - 1);
      const auto steps = static_cast<std::uint64_t>(offload.steps);
      QVERIFY(offload.streamed_tokens >= steps * static_cast<std::uint64_t>(record.context_tokens));
      QVERIFY(offload.stored_bytes > 0 && offload.write_seconds > 0);
      QVERIFY(offload.seconds >= offload.waited_seconds && offload.waited_seconds >= 0);
      if (setting.contains("load_only")) {
        QCOMPARE(offload.recomputed_tokens, std::uint64_t{0});
        QCOMPARE(offload.input_bytes, std::uint64_t{0});
      } else {  // recomputing takes no time here, so that inputs, half as long, are always better
        const std::uint64_t context = steps * static_cast<std::uint64_t>(record.context_tokens);
        QVERIFY(offload.recomputed_tokens >= context);
        if (invariant || steps < 64)  // else pages of decoded tokens hold no inputs
          QCOMPARE(offload.recomputed_tokens, offload.streamed_tokens);
        beyond += offload.recomputed_tokens - context;
        QVERIFY(offload.input_bytes > 0);
      }
      if (batch > 1 || steps < 3) continue;
      // The tier alone takes time: what the fitted link predicts.
      QVERIFY2(offload.seconds > 0.7 * offload.predicted_seconds && offload.seconds < 1.4 * offload.predicted_seconds,
               qPrintable(QString("%1 s, predicted %2").arg(offload.seconds).arg(offload.predicted_seconds)));
    }
    QCOMPARE(beyond > 0, !setting.contains("load_only"));  // the question, once it is on the tier
  }

  // Read for every token beside the rows, and lent only while their layer computes: others prefill meanwhile.
  void matricesAreStreamed_data() {
    QTest::addColumn<QString>("setting");
    for (const char* setting : {"ssd(split=load_only,weights=all_first)", "ssd(split=recompute_only,weights=kv_first)",
                                "ssd(split=recompute_only,weights=all_first)", "ssd(resident=inputs,weights=kv_first)",
                                "ssd(resident=inputs,weights=all_first)", "ssd(resident=kv,weights=kv_first)"})
      QTest::newRow(setting) << QString(setting);
  }
  void matricesAreStreamed() {
    QFETCH(const QString, setting);
    const auto& expected = in_memory(3);
    VirtualSessionOptions options = options_of(setting.toStdString());
    options.settings.max_batch = 3;
    VirtualSession session(options);
    const auto got = served_by(session);
    check_same_answers(got, expected);
    std::uint64_t per_step = 0;
    for (const RequestRecord& record : got) {
      const OffloadRecord& offload = *record.decoding.offload;
      QVERIFY2(offload.used(), offload.not_applied.c_str());
      QCOMPARE(offload.setting, setting.toStdString());
      if (offload.steps < 3) continue;
      // All layers a step; a step requests the first layers of the next one, and so the sums differ by a few layers.
      per_step = offload.weight_bytes / static_cast<std::uint64_t>(offload.steps);
      const std::uint64_t matrices = session.tiers()[1].tier->used_bytes();
      QVERIFY2(per_step > matrices * 8 / 10 && per_step < matrices * 12 / 10,
               qPrintable(QString("%1 of %2").arg(per_step).arg(matrices)));
      QVERIFY(offload.waited_seconds > 0.5 * static_cast<double>(offload.weight_bytes) / bytes_per_second);
    }
    QVERIFY(per_step > 0);
    // They are there once for all requests, also of the next run, which begins with empty tiers, until the setting
    // changes.
    session.engine().start();
    session.wait();
    const auto again = records_of(session);
    QVERIFY(again.size() == 2 * got.size());
    for (const RequestRecord& record : again)
      QVERIFY2(record.decoding.offload->used(), record.decoding.offload->not_applied.c_str());
    leave(session);
  }

  // Requests side by side read the matrices once for all of them; a token takes less time for it.
  void aColumnReadsMatricesOnce_data() {
    QTest::addColumn<QString>("setting");
    for (const char* setting : {"ssd(split=load_only,weights=all_first", "ssd(split=recompute_only,weights=kv_first",
                                "ssd(resident=inputs,weights=kv_first", "ssd(split=load_only"})
      QTest::newRow(setting) << QString(setting);
  }
  void aColumnReadsMatricesOnce() {
    QFETCH(const QString, setting);
    const auto& expected = in_memory(3);
    double seconds[2] = {};
    std::uint64_t matrices[2] = {};
    for (const bool column : {false, true}) {
      VirtualSessionOptions options = options_of((setting + (column ? ",batch=column)" : ")")).toStdString());
      options.settings.max_batch = 3;
      VirtualSession session(options);
      const auto got = served_by(session);
      check_same_answers(got, expected);
      double predicted = 0;
      for (const RequestRecord& record : got) {
        const OffloadRecord& offload = *record.decoding.offload;
        QVERIFY2(offload.used(), offload.not_applied.c_str());
        seconds[column] += offload.seconds;
        predicted += offload.predicted_seconds;
        matrices[column] += offload.weight_bytes;
      }
      // The time of others is in it: in a column they take turns, and each on its own they share the link.
      QVERIFY2(seconds[column] > 0.6 * predicted && seconds[column] < 1.6 * predicted,
               qPrintable(QString("%1 s, predicted %2").arg(seconds[column]).arg(predicted)));
      leave(session);
    }
    const bool streamed = setting.contains("weights");
    QCOMPARE(matrices[0] > 0, streamed);
    if (!streamed) return;
    const QString what =
        QString("%1 of %2 bytes, %3 of %4 s").arg(matrices[1]).arg(matrices[0]).arg(seconds[1]).arg(seconds[0]);
    QVERIFY2(static_cast<double>(matrices[1]) < 0.6 * static_cast<double>(matrices[0]), qPrintable(what));
    QVERIFY2(seconds[1] < 0.8 * seconds[0], qPrintable(what));
  }

  void matricesThatDoNotFitLeaveTheRequestInMemory() {
    const auto& expected = in_memory(1);
    VirtualSessionOptions options = options_of("ssd(split=load_only,weights=kv_first)");
    options.settings.tiers[1].budget = 1 << 20;
    const auto got = served(options);
    check_same_answers(got, expected);
    for (const RequestRecord& record : got)
      QCOMPARE(record.decoding.offload->not_applied, std::string("the tier has no space for the model's matrices"));
  }

  void stoppingLeavesNothing_data() {
    QTest::addColumn<QString>("setting");
    QTest::newRow("one") << "ssd(split=load_only)";
    QTest::newRow("column") << "ssd(split=load_only,batch=column)";
  }
  void stoppingLeavesNothing() {
    QFETCH(const QString, setting);
    VirtualSession session(options_of(setting.toStdString()));
    session.engine().start();
    const StorageTier& tier = *session.tiers()[1].tier;
    for (int waits = 0; waits < 1000 && session.all<events::TokenEmitted>().empty(); ++waits)
      session.executor().pass(0.01);
    QVERIFY(!session.all<events::TokenEmitted>().empty());
    QVERIFY(tier.used_bytes() > 0);
    session.engine().stop();
    QVERIFY(session.wait() == RunState::ready);
    QCOMPARE(tier.used_bytes(), std::uint64_t{0});
    check_empty(session);
    QVERIFY(records_of(session).back().cancelled);
    // While the context is being written, too.
    session.engine().start();
    for (int waits = 0; waits < 1000 && tier.used_bytes() == 0; ++waits) session.executor().pass(0.002);
    QVERIFY(tier.used_bytes() > 0);
    session.engine().stop();
    QVERIFY(session.wait() == RunState::ready);
    check_empty(session);
  }

  // A read that fails, or that brings other bytes than were written, ends the decode; the request begins again with its
  // context in memory.
  void aTierThatFailsCostsNoAnswer_data() {
    QTest::addColumn<QString>("faults");
    for (const char* faults : {"read_error:0.05+seed:3", "flip_on_read:0.05+seed:3"})
      QTest::newRow(faults) << QString(faults);
  }
  void aTierThatFailsCostsNoAnswer() {
    QFETCH(const QString, faults);
    const auto& expected = in_memory(1);
    for (const char* setting : {"ssd(split=load_only)", "ssd(split=load_only,weights=kv_first)",
                                "ssd(split=load_only,weights=kv_first,batch=column)"}) {
      VirtualSessionOptions options = options_of(setting);
      options.settings.tiers[1].faults = faults.toStdString();
      options.settings.max_batch = 3;
      VirtualSession session(options);
      const auto got = served_by(session);
      check_same_answers(got, expected);
      const auto failed = std::ranges::count_if(got, [](const RequestRecord& record) {
        return record.decoding.offload->not_applied == "the tier failed while decoding";
      });
      QVERIFY2(failed > 0, "no read failed: the test shows nothing");
      leave(session);
    }
  }

  void aTierWithoutSpaceIsNotUsed() {
    const auto& expected = in_memory(1);
    VirtualSessionOptions options = options_of("ssd(split=load_only)");
    options.settings.tiers[1].budget = 100 << 10;
    const auto got = served(options);
    check_same_answers(got, expected);
    for (const RequestRecord& record : got)
      QCOMPARE(record.decoding.offload->not_applied, std::string("the tier has no space for the context"));
  }

  // Splits of a frozen run use the costs that it was given, so they are the same each time.
  void frozenSplitsAreTheSame() {
    if (!splits()) QSKIP("without products of bf16, layer inputs are too long here");
    VirtualSessionOptions options = options_of("ssd"), again = options_of("ssd");
    options.frozen = again.frozen = true;
    VirtualSession first(options), second(again);
    for (VirtualSession* session : {&first, &second}) {
      session->engine().start();
      session->wait();
      QVERIFY(session->engine().state() == RunState::finished);
    }
    const auto one = records_of(first), two = records_of(second);
    check_same_answers(one, two);
    for (std::size_t r = 0; r < one.size(); ++r) {
      QVERIFY(one[r].decoding.offload->used());
      QCOMPARE(one[r].decoding.offload->recomputed_tokens, two[r].decoding.offload->recomputed_tokens);
      QCOMPARE(one[r].decoding.offload->streamed_tokens, two[r].decoding.offload->streamed_tokens);
      QCOMPARE(one[r].decoding.offload->predicted_seconds, two[r].decoding.offload->predicted_seconds);
    }
  }

  // With few KV heads a layer's input is as long as its key and value. The refusal names both sizes.
  void aModelWithFewKvHeadsCannotSplit() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
    const auto names_sizes = [](const std::string& message) {
      return message.starts_with("decode_offload: partial recomputation") &&
             message.find("a layer's input takes ") != std::string::npos &&
             message.find(" KV heads x ") != std::string::npos &&
             message.find("write ssd(resident=inputs)") != std::string::npos &&
             message.find("ssd(split=load_only)") != std::string::npos;
    };
    VirtualSessionOptions options = options_of("ssd");
    options.model = model_directory();
    {
      VirtualSession refused(options);
      QVERIFY(refused.engine().state() == RunState::failed);
      QVERIFY2(names_sizes(refused.engine().failure().message), refused.engine().failure().message.c_str());
    }
    options.locks /= "again";
    options.settings.decode_offload = "ssd(split=load_only)";
    VirtualSession session(options);
    QVERIFY(session.engine().state() == RunState::ready);
    QVERIFY(!session.engine().info().split_refusal.empty());
    SessionSettings settings = session.engine().settings();
    settings.decode_offload = "ssd";
    const Status applied = session.engine().apply(settings);
    QVERIFY(!applied && names_sizes(applied.error().message));
    session.engine().start();
    session.wait();
    QVERIFY(session.engine().state() == RunState::finished);
    for (const RequestRecord& record : records_of(session)) QVERIFY(record.decoding.offload->used());
  }
};

KV_TEST_GUILESS_MAIN(DecodeOffloadTest)

}  // namespace decode_offload_test

#include "decode_offload_test.moc"
