// links: kv_runtime kv_tiers
// Sessions whose entries hold layer inputs in place of keys and values (the codec layer_inputs), on virtual time with
// the real model: the same answers from fewer bytes, whatever happens to them.
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>

#include "core/policy/policy.h"
#include "core/policy/utility.h"
#include "tests/support/answered_session.h"

namespace layer_inputs_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr std::uint64_t requests = 8;

}  // namespace

class LayerInputsTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  int sessions_ = 0;

  VirtualSessionOptions options_of(const std::string& policy) {
    VirtualSessionOptions options = answering_options(
        mha_model(), std::filesystem::path(folder_.path().toStdString()) / std::to_string(++sessions_), 60,
        requests);  // more than a chunk of 256 tokens each
    options.settings.policy = policy;
    options.settings.methods = {"layer_inputs", "knorm"};
    options.settings.tiers = {{.name = "dram", .budget = 64 << 20}, {.name = "ssd", .budget = 64 << 20}};
    return options;
  }
  static std::vector<RequestRecord> serve(VirtualSession& session) {
    const auto records = served_by(session);
    if (!session.broken().empty()) QTest::qFail(session.broken().front().c_str(), __FILE__, __LINE__);
    return records;
  }
  static std::vector<RequestRecord> served(const VirtualSessionOptions& options) {
    VirtualSession session(options);
    return serve(session);
  }

 private slots:
  void initTestCase() {
    if (!std::filesystem::exists(mha_model() / "model.safetensors")) QSKIP("resources/reference-mha is not there");
    VirtualSession session(options_of("lru"));
    if (session.engine().state() == RunState::failed)
      QSKIP("without products of bf16, layer inputs are as long as keys and values");
  }

  void answersAreThoseOfWholeEntries_data() {
    QTest::addColumn<QString>("method");
    QTest::addColumn<bool>("all");
    QTest::newRow("all tokens") << "layer_inputs" << true;
    QTest::newRow("half of them") << "layer_inputs(share=0.5)" << false;
  }
  void answersAreThoseOfWholeEntries() {
    QFETCH(QString, method);
    QFETCH(bool, all);
    const auto expected = served(options_of("lru"));
    const auto got = served(options_of("fixed(" + method.toStdString() + ",0)"));
    check_same_answers(got, expected);
    int loaded = 0;
    for (std::size_t r = 0; r < got.size(); ++r) {
      const RequestRecord& record = got[r];
      QCOMPARE(record.kept_tokens, record.context_tokens);
      if (record.source == "prefill") {
        QCOMPARE(record.compute_or_load.tokens_from_inputs, 0);
        continue;
      }
      ++loaded;
      QCOMPARE(record.method, method.toStdString());
      QVERIFY(record.context_tokens > 512);
      QCOMPARE(record.compute_or_load.tokens_from_inputs,
               all ? record.context_tokens : record.context_tokens / 512 * 256);
      const auto share = static_cast<double>(record.bytes_loaded) / static_cast<double>(expected[r].bytes_loaded);
      const double inputs = static_cast<double>(record.compute_or_load.tokens_from_inputs) / record.context_tokens;
      QVERIFY2(std::abs(share - (1 - inputs / 2)) < 0.03, qPrintable(QString::number(share)));
    }
    QVERIFY(loaded >= static_cast<int>(requests) - 2);
  }

  // Between tiers an entry goes as it is; from the archive it is made again.
  void entriesMove() {
    VirtualSessionOptions options = options_of("fixed(layer_inputs,0)");
    const auto expected = served(options_of("lru"));
    options.settings.tiers[0].budget = 3 << 20;  // room for one
    VirtualSession session(options);
    serve(session);
    check_same_answers(records_of(session), expected);
    QVERIFY(session.all<events::PlacementFailed>().empty());
    const auto committed = session.all<events::PlacementCommitted>();
    QVERIFY(std::ranges::any_of(committed, [](const events::PlacementCommitted& one) {
      return one.action.kind == ActionKind::demote && one.action.to.method == "layer_inputs";
    }));
  }

  void flippedBitsAreMisses() {
    const auto expected = served(options_of("lru"));
    VirtualSessionOptions options = options_of("fixed(layer_inputs(share=0.5),0)");
    options.settings.tiers.erase(options.settings.tiers.begin());  // memory has no faults
    options.settings.tiers[0].faults = "flip_on_read:0.3+seed:3";
    const auto got = served(options);
    check_same_answers(got, expected);
    const auto failed = std::ranges::count_if(
        got, [](const RequestRecord& record) { return record.source == "prefill" && record.miss_reason == "corrupt"; });
    QVERIFY2(failed > 0, "no read was damaged: the test shows nothing");
  }

  // The model computes in no time here, so prefill is faster than reading a slow tier.
  void aSlowTierIsNotReadWherePrefillIsFaster() {
    const auto expected = served(options_of("lru"));
    for (const bool chooses : {false, true}) {
      VirtualSessionOptions options = options_of("fixed(layer_inputs,0)");
      options.settings.tiers = {{.name = "ssd", .budget = 64 << 20, .throttle = {4e6, 0.1}}};
      options.settings.compute_or_load = chooses ? "auto" : "off";
      options.settings.requests_per_second = 0.1;  // so that an entry is written before the next request
      const auto got = served(options);
      check_same_answers(got, expected);
      int computed = 0, loaded = 0;
      for (const RequestRecord& record : got) {
        loaded += record.compute_or_load.tokens_from_inputs > 0 ? 1 : 0;
        if (record.miss_reason != recompute_was_faster_reason) continue;
        ++computed;
        QCOMPARE(record.compute_or_load.computed_tokens, record.context_tokens);
        QCOMPARE(record.compute_or_load.loaded_tokens, 0);
        QVERIFY(record.compute_or_load.predicted_seconds < record.compute_or_load.load_alone_seconds);
        QCOMPARE(record.bytes_loaded, std::uint64_t{0});
      }
      QCOMPARE(computed > 0, chooses);
      QCOMPARE(loaded > 0, !chooses);
    }
  }

  // Profiled like any form: exactly as large as stored, as good as uncompressed.
  void plansChooseThem() {
    VirtualSessionOptions options = options_of("evicpress");
    VirtualSession session(options);
    session.engine().profile_all();
    session.wait();
    Snapshot snapshot = *session.engine().snapshot();
    for (const ContextState& context : snapshot.contexts) {
      QVERIFY(context.profile != nullptr);
      const ProfilePoint* whole = find_point(context, "none", 0);
      const ProfilePoint* inputs = find_point(context, "layer_inputs", 0);
      QVERIFY(whole != nullptr && inputs != nullptr);
      QCOMPARE(inputs->quality, whole->quality);
      QCOMPARE(inputs->kept_tokens, whole->kept_tokens);
      QVERIFY(inputs->bytes < whole->bytes * 6 / 10);
    }
    const auto stored = served(options_of("fixed(layer_inputs,0)"));
    for (const RequestRecord& record : stored)
      if (record.source != "prefill")
        QVERIFY(record.bytes_loaded <= find_point(snapshot.contexts.front(), "layer_inputs", 0)->bytes);
    // Computing takes no time here. Where it does, and no quality is given up, both contexts fit as layer inputs alone.
    snapshot.prefill = {.base_seconds = 0, .seconds_per_token = 1e-3, .seconds_per_token_squared = 0};
    snapshot.alpha = 1000;
    for (ContextState& context : snapshot.contexts) {
      context.archived = true;
      context.frequency = 1;
    }
    snapshot.tiers.resize(1);
    snapshot.tiers[0].budget_bytes = snapshot.contexts[0].full_bytes + 4096;
    const Plan plan = make_policy("evicpress").value()->plan(snapshot);
    QVERIFY(plan.used_bytes[0] <= snapshot.tiers[0].budget_bytes);
    for (std::size_t i = 0; i < plan.contexts.size(); ++i) {
      QCOMPARE(plan.contexts[i].configuration.method, std::string("layer_inputs"));
      QCOMPARE(plan.contexts[i].bytes, find_point(snapshot.contexts[i], "layer_inputs", 0)->bytes);
    }
  }

  // With few KV heads a layer's input is as long as its key and value. The refusal names both sizes.
  void aModelWithFewKvHeadsRefuses() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
    const auto names_sizes = [](const std::string& message, const char* field) {
      return message.starts_with(std::string(field) + ": layer_inputs: ") &&
             message.find("a layer's input takes ") != std::string::npos &&
             message.find(" KV heads x ") != std::string::npos;
    };
    for (const bool candidate : {true, false}) {
      VirtualSessionOptions options = options_of(candidate ? "lru" : "fixed(layer_inputs,0)");
      options.model = model_directory();
      if (!candidate) options.settings.methods = {"knorm"};
      VirtualSession refused(options);
      QVERIFY(refused.engine().state() == RunState::failed);
      const std::string message = refused.engine().failure().message;
      QVERIFY2(names_sizes(message, candidate ? "methods" : "policy"), message.c_str());
    }
    VirtualSessionOptions options = options_of("lru");
    options.model = model_directory();
    options.settings.methods = {"knorm"};
    VirtualSession session(options);
    QVERIFY(session.engine().state() == RunState::ready);
    SessionSettings settings = session.engine().settings();
    settings.methods = {"knorm", "layer_inputs(share=0.5)"};
    const Status applied = session.engine().apply(settings);
    QVERIFY(!applied && names_sizes(applied.error().message, "methods"));
  }
};

KV_TEST_GUILESS_MAIN(LayerInputsTest)

}  // namespace layer_inputs_test

#include "layer_inputs_test.moc"
