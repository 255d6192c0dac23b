// links: app_wiring
// Ways to decode in a session: profiled beside compression, kept in the database, and chosen for each request by its
// utility. In virtual time, on a small random model whose numbers the processor computes.
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "core/policy/types_json.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_harness.h"

namespace decode_options_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

const std::vector<std::string>& listed() {
  static const std::vector<std::string> options{"paged_eviction(budget=25%)", "knorm(budget=50%)"};
  return options;
}

std::vector<std::string> names_of(const ContextState& context) {
  std::vector<std::string> names;
  if (context.profile != nullptr)
    for (const DecodeOption& option : context.profile->decode_options) names.push_back(option.option);
  return names;
}

std::string key_of(const ProfileScope& scope, const ContextState& context) {
  return "decode_options/" + scope.quality_metric + "/" + scope.model.hex() + "/" + scope.workload.hex() + "/" +
         context.key.hex();
}

}  // namespace

class DecodeOptionsTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  std::filesystem::path model_;
  Workload workload_ = small_workload(2, 16, 5);

  std::unique_ptr<EngineHarness> open(const char* name, const std::string& policy = "evicpress") const {
    const auto folder = std::filesystem::path(folder_.path().toStdString()) / name;
    std::filesystem::create_directories(folder);
    HarnessOptions other;
    other.model = model_;
    auto opened = open_virtual(folder, workload_, {"dram=64MiB"}, policy, false, other, ModelKind::ticking);
    if (!opened) qFatal("%s", opened.error().message.c_str());
    return std::move(*opened);
  }
  static void use(EngineHarness& harness, const std::string& eviction, double alpha = 1) {
    SessionSettings settings = harness.engine().settings();
    settings.decode_options = listed();
    settings.decode_eviction = eviction;
    settings.alpha = alpha;
    if (const Status applied = harness.engine().apply(settings); !applied)
      qFatal("%s", applied.error().message.c_str());
    pass(harness, 0.1);
  }
  static void profile(EngineHarness& harness) {
    harness.engine().profile_all();
    if (harness.wait() != RunState::ready) qFatal("profiling did not end");
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: its tokenizer is wanted");
    model_ = std::filesystem::path(folder_.path().toStdString()) / "model";
    std::filesystem::create_directories(model_);
    const Status written = write_hashed_model(model_, model_directory(), 2976);
    QVERIFY2(written.has_value(), written ? "" : written.error().message.c_str());
  }

  // The curve that is there already is not measured again, and stays as it is.
  void optionsAreProfiledBesideTheCurve() {
    const auto harness = open("profiled");
    profile(*harness);
    const auto before = harness->engine().snapshot();
    for (const ContextState& context : before->contexts) QVERIFY(context.profile && names_of(context).empty());
    harness->sink.clear();
    use(*harness, "none");
    profile(*harness);
    const auto told = harness->sink.all<events::ContextProfiled>();
    QCOMPARE(told.size(), before->contexts.size());
    const auto after = harness->engine().snapshot();
    for (std::size_t c = 0; c < after->contexts.size(); ++c) {
      const ContextState& context = after->contexts[c];
      QVERIFY((names_of(context) == std::vector<std::string>{"none", listed()[0], listed()[1]}));
      QCOMPARE(json_from(context.profile->points).dump(), json_from(before->contexts[c].profile->points).dump());
      const auto uncompressed = std::ranges::find(context.profile->points, std::string("none"), &ProfilePoint::method);
      const DecodeOption& none = context.profile->decode_options[0];
      QCOMPARE(none.quality, uncompressed->quality);  // the same answers
      QCOMPARE(none.n, uncompressed->n);
      for (const DecodeOption& option : context.profile->decode_options) {
        QVERIFY(option.n > 0 && option.quality >= 0 && option.quality <= 1);
        QVERIFY(option.gaps_per_answer == 0 || option.inter_token_seconds > 0);
      }
      const auto event = std::ranges::find(told, context.id, &events::ContextProfiled::context_id);
      QVERIFY(event != told.end() && !event->from_store && event->profile.decode_options.size() == 3);
    }
  }

  // As the session before left them; without the list nobody sees them.
  void optionsAreReadFromTheDatabase() {
    std::vector<DecodeOption> measured;
    {
      const auto harness = open("kept");
      use(*harness, "none");
      profile(*harness);
      measured = harness->engine().snapshot()->contexts[0].profile->decode_options;
      QCOMPARE(measured.size(), std::size_t{3});
    }
    const auto harness = open("kept");
    QVERIFY(names_of(harness->engine().snapshot()->contexts[0]).empty());
    use(*harness, "none");
    QVERIFY(harness->engine().snapshot()->contexts[0].profile->decode_options == measured);
    harness->sink.clear();
    profile(*harness);
    QVERIFY(harness->sink.all<events::ContextProfiled>().empty());  // nothing is missing
  }

  // A record of a later program, or a damaged one, is measured again.
  void whatCannotBeReadIsMeasuredAgain() {
    {
      const auto harness = open("unreadable");
      use(*harness, "none");
      profile(*harness);
      const auto snapshot = harness->engine().snapshot();
      const ProfileScope scope = harness->engine().profile_scope();
      ProfileStore& profiles = harness->session.stores->profiles();
      auto later = profiles.load_value(key_of(scope, snapshot->contexts[0])).value().value();
      later["version"] = 2;
      QVERIFY(profiles.save_value(key_of(scope, snapshot->contexts[0]), later).has_value());
      QVERIFY(profiles.save_value(key_of(scope, snapshot->contexts[1]), Json("damaged")).has_value());
    }
    const auto harness = open("unreadable");
    use(*harness, "none");
    for (const ContextState& context : harness->engine().snapshot()->contexts) QVERIFY(names_of(context).empty());
    profile(*harness);
    for (const ContextState& context : harness->engine().snapshot()->contexts)
      QCOMPARE(names_of(context).size(), std::size_t{3});
  }

  // Made-up measurements, so that it is known what is best: eviction halves 0.2 s of decoding and costs a third of
  // the quality.
  void theChoiceFollowsAlpha_data() {
    QTest::addColumn<double>("alpha");
    QTest::addColumn<QString>("chosen");
    QTest::newRow("speed alone") << 0.0 << "paged_eviction(budget=25%)";
    QTest::newRow("just below the crossing") << 0.3 << "paged_eviction(budget=25%)";
    QTest::newRow("just above the crossing") << 0.4 << "none";
    QTest::newRow("quality alone") << 1e9 << "none";
  }
  void theChoiceFollowsAlpha() {
    QFETCH(const double, alpha);
    QFETCH(const QString, chosen);
    const char* name = QTest::currentDataTag();
    {
      const auto harness = open(name);
      use(*harness, "none");
      profile(*harness);
      for (const ContextState& context : harness->engine().snapshot()->contexts) {
        const std::vector<DecodeOption> options{
            {.option = "none", .quality = 0.9, .n = 4, .inter_token_seconds = 0.02, .gaps_per_answer = 10},
            {.option = listed()[0], .quality = 0.6, .n = 4, .inter_token_seconds = 0.01, .gaps_per_answer = 10},
            {.option = listed()[1], .quality = 0.6, .n = 4, .inter_token_seconds = 0.02, .gaps_per_answer = 10}};
        const Status saved = harness->session.stores->profiles().save_value(
            key_of(harness->engine().profile_scope(), context), Json{{"version", 1}, {"options", json_from(options)}});
        QVERIFY(saved.has_value());
      }
    }
    const auto harness = open(name);
    use(*harness, "planned", alpha);
    const auto records = harness->serve("evicpress", 6).value();
    QCOMPARE(records.size(), std::size_t{6});
    const bool evicts = chosen != QStringLiteral("none");
    for (const RequestRecord& record : records) {
      QVERIFY(record.decoding.choice.has_value());
      QCOMPARE(QString::fromStdString(record.decoding.choice->option), chosen);
      QCOMPARE(record.decoding.choice->options, 3);
      QVERIFY(std::fabs(record.decoding.choice->predicted_quality - (evicts ? 0.6 : 0.9)) < 1e-9);
      QVERIFY(std::fabs(record.decoding.choice->predicted_decode_seconds - (evicts ? 0.1 : 0.2)) < 1e-9);
      QCOMPARE(QString::fromStdString(record.decoding.eviction), evicts ? chosen : QString());
      QCOMPARE(record.decoding.used(), evicts);
      QCOMPARE(record.predicted_quality >= 0, !evicts);
    }
  }

  // By what was really measured: each request gets the best of its context's table.
  void everyRequestGetsTheBestOfItsTable() {
    const auto harness = open("measured");
    use(*harness, "none");
    profile(*harness);
    for (const double alpha : {0.0, 1e6}) {
      use(*harness, "planned", alpha);
      const auto served = harness->serve("evicpress", 6);
      QVERIFY(served.has_value());
      for (const RequestRecord& record : served.value()) {
        const auto snapshot = harness->engine().snapshot();
        const auto context = std::ranges::find(snapshot->contexts, record.context_id, &ContextState::id);
        double most = -1e300;
        std::string best;
        for (const DecodeOption& option : context->profile->decode_options)
          if (const double gained = alpha * option.estimate() - option.inter_token_seconds * option.gaps_per_answer;
              gained > most) {
            most = gained;
            best = option.option;
          }
        QCOMPARE(record.decoding.choice->option, best);
        QCOMPARE(record.decoding.eviction, best == "none" ? std::string() : best);
      }
    }
  }

  void withoutAProfileNothingIsEvicted() {
    const auto harness = open("unknown", "lru");
    use(*harness, "planned", 0);
    const auto served = harness->serve("lru", 4);
    QVERIFY(served.has_value());
    for (const RequestRecord& record : served.value()) {
      QVERIFY((record.decoding.choice == DecodeChoice{}));
      QVERIFY(record.decoding.eviction.empty());
    }
  }

  // A choice by measured times is not deterministic.
  void aFrozenRunIsRefused() {
    SessionOptions options;
    options.model = model_;
    options.workload = std::filesystem::path(folder_.path().toStdString()) / "frozen";
    QVERIFY(write_workload(workload_, options.workload).has_value());
    options.tiers = {"dram=64MiB"};
    options.decode_options = listed();
    options.decode_eviction = "planned";
    const Status sound = check_openable(options);
    QVERIFY2(sound.has_value(), sound ? "" : sound.error().message.c_str());
    options.frozen = true;
    const Status frozen = check_openable(options);
    QVERIFY(!frozen && frozen.error().code == ErrorCode::usage);
    QVERIFY(frozen.error().message.starts_with("--freeze: planned"));
    options.decode_eviction = "none";
    QVERIFY(check_openable(options).has_value());
  }
};

KV_TEST_GUILESS_MAIN(DecodeOptionsTest)

}  // namespace decode_options_test

#include "decode_options_test.moc"
