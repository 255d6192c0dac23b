// links: app_wiring core_compress core_compress_decode
// Scorers written in Python, in their own process: what they declare is read, and knorm, keydiff, snapkv and tova in
// TorchScript keep the tokens that the program's own keep.
#include "app/wiring/method_files.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QtTest>

#include <climits>
#include <cmath>
#include <fstream>

#include "core/base/files.h"
#include "core/compress/decode/eviction_method.h"
#include "core/compress/method_files.h"
#include "core/ports/decode_eviction.h"
#include "tests/compress/random_context.h"
#include "tests/support/method_files.h"
#include "tests/support/test_program.h"

namespace method_files_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr KvShape shape{2, 2, 64, KvType::bf16};
constexpr int contexts = 50;

std::shared_ptr<const Method> file_method(const std::string& name) {
  const auto opened = open_method_file(golden_method_file(name));
  if (!opened) qFatal("%s", opened.error().message.c_str());
  return method_of(opened->name);
}

std::shared_ptr<MethodWorker> worker_of(const std::string& name) {
  auto worker = MethodWorker::open(golden_method_file(name), small_worker());
  if (!worker) qFatal("%s", worker.error().message.c_str());
  return *worker;
}

/// Tokens that one keeps and the other does not, where their scores differ by more than the last bits of a sum.
int decided_differences(const LayerScores::Head& own, const std::vector<std::int32_t>& kept,
                        const std::vector<std::int32_t>& by_file) {
  std::vector<std::int32_t> only_own, only_file;
  std::ranges::set_difference(kept, by_file, std::back_inserter(only_own));
  std::ranges::set_difference(by_file, kept, std::back_inserter(only_file));
  int different = 0;
  for (const std::int32_t a : only_own)
    for (const std::int32_t b : only_file) {
      const float x = own.scores[static_cast<std::size_t>(a)], y = own.scores[static_cast<std::size_t>(b)];
      different += std::abs(x - y) > 1e-5F * std::max({1e-3F, std::abs(x), std::abs(y)});
    }
  return different;
}

}  // namespace

class MethodFilesTest : public QObject {
  Q_OBJECT

 private slots:
  void keepsWhatTheProgramsOwnKeeps_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("own");
    QTest::newRow("knorm") << "script_knorm"
                           << "knorm";
    QTest::newRow("traced") << "traced_knorm"
                            << "knorm";
    QTest::newRow("keydiff") << "script_keydiff"
                             << "keydiff";
    QTest::newRow("snapkv") << "script_snapkv"
                            << "snapkv";
    QTest::newRow("tova") << "script_tova"
                          << "tova";
  }
  void keepsWhatTheProgramsOwnKeeps() {
    QFETCH(const QString, file);
    QFETCH(const QString, own);
    const auto by_file = file_method(file.toStdString()), built_in = method_of(own.toStdString());
    int compared = 0, different = 0;
    for (int i = 0; i < contexts; ++i) {
      const int tokens = i == 0 ? 40 : 100 + 7 * i;  // the first is within snapkv's window
      const RandomContext context(shape, tokens, std::min(tokens, 64), 32, static_cast<std::uint64_t>(1000 + i));
      const auto ours = built_in->scores(context.cache, context.observed).value();
      const auto theirs = by_file->scores(context.cache, context.observed);
      QVERIFY2(theirs.has_value(), theirs ? "" : theirs.error().message.c_str());
      for (const double fraction : {0.2, 0.5, 0.8, 0.95}) {
        const auto kept = built_in->keep_for(ours, fraction), others = by_file->keep_for(*theirs, fraction);
        for (std::size_t l = 0; l < kept.size(); ++l)
          for (std::size_t h = 0; h < kept[l].size(); ++h, ++compared)
            different += decided_differences(ours.layers[l][h], kept[l][h], others[l][h]);
      }
    }
    QCOMPARE(different, 0);
    QCOMPARE(compared, contexts * 4 * 4);
  }

  void declarationsAreRead() {
    const auto facts = [](const std::string& name) { return worker_of(name)->facts(); };
    const ScorerFileFacts snapkv = facts("script_snapkv");
    QCOMPARE(snapkv.alias, std::string("script_snapkv"));
    QCOMPARE(snapkv.summary, std::string("keeps tokens that the last queries attend to"));
    QCOMPARE(snapkv.source, std::string("Li et al. 2024, arXiv 2404.14469"));
    QCOMPARE(snapkv.needs.window_queries, 64);
    QVERIFY(snapkv.needs.of(ScorerInput::keys) && snapkv.needs.of(ScorerInput::queries));
    QVERIFY(!snapkv.needs.of(ScorerInput::values) && !snapkv.needs.decode_eviction);
    QCOMPARE(snapkv.digest, digest_of(read_text_file(golden_method_file("script_snapkv")).value()).hex());
    QCOMPARE(snapkv.name, "script_snapkv_" + snapkv.digest.substr(0, 10));
    QCOMPARE(facts("all_queries").needs.window_queries, INT_MAX);
    QCOMPARE(facts("script_tova").needs.window_queries, 1);
    QVERIFY(facts("script_tova").needs.of(ScorerInput::attention));
    const ScorerFileFacts recent = facts("recent");
    QVERIFY(recent.needs.decode_eviction && !recent.needs.of(ScorerInput::keys));
    QCOMPARE(recent.needs.cadence, 4);
    // Facts that are constants of the class, and a method that is called score.
    const ScorerFileFacts exported = facts("exported");
    QCOMPARE(exported.alias, std::string("exported"));
    QCOMPARE(exported.needs.window_queries, 8);
    // Arguments whose names say nothing are keys and values.
    const ScorerFileFacts unnamed = facts("unnamed");
    QVERIFY(unnamed.needs.of(ScorerInput::keys) && unnamed.needs.of(ScorerInput::values));
    QCOMPARE(unnamed.summary, std::string("scorer of the file unnamed.pt"));
    // Nothing that a view could take for markup or a line of its own.
    const ScorerFileFacts markup = facts("markup");
    QCOMPARE(markup.summary.find_first_of("<>&\n"), std::string::npos);
    QVERIFY(markup.source.size() <= 210);
  }

  void hiddenStatesAndAllQueriesAreGiven() {
    RandomContext context(shape, 60);
    const auto method = file_method("hidden_norm");
    QVERIFY(method->info().needs.hidden_states);
    const auto refused = [&](const char* part) {
      const auto scores = method->scores(context.cache, context.observed);
      return !scores && scores.error().code == ErrorCode::rejected_input &&
             scores.error().message.find(part) != std::string::npos;
    };
    context.observed.hidden_states = {};
    QVERIFY(refused("hidden states of all tokens were not observed with this cache"));
    context.observed.hidden_states = {10, std::vector(2, std::vector<float>(59 * 10))};  // of a shorter context
    QVERIFY(refused("those of this context were not kept"));
    context.observed.hidden_states = {10, {std::vector<float>(600)}};  // of one layer
    QVERIFY(refused("those of this context were not kept"));
    context.observed.hidden_states = {10, {}};
    for (int l = 0; l < 2; ++l) {
      std::vector<float> states(600);
      for (std::size_t i = 0; i < states.size(); ++i) states[i] = static_cast<float>(i / 10);  // token t: all t
      context.observed.hidden_states.layers.push_back(std::move(states));
    }
    const auto scores = method->scores(context.cache, context.observed).value();
    for (int t = 0; t < 60; ++t)  // the norm of ten numbers t, and the layer
      QVERIFY(std::abs(scores.layers[1][1].scores[static_cast<std::size_t>(t)] -
                       (std::sqrt(10.0F) * static_cast<float>(t) + 1)) < 1e-3F);
    const auto all = file_method("all_queries")->scores(context.cache, context.observed);
    QVERIFY2(all.has_value(), all ? "" : all.error().message.c_str());
  }

  void drawnNumbersAreDrawnAlike() {
    const RandomContext context(shape, 50);
    const auto method = file_method("drawn");
    const auto first = method->scores(context.cache, context.observed).value();
    const auto second = method->scores(context.cache, context.observed).value();
    QCOMPARE(first.layers[0][0].scores, second.layers[0][0].scores);
  }

  void aVersionHasANameOfItsOwn() {
    QTemporaryDir folder;
    const std::filesystem::path path = std::filesystem::path(folder.path().toStdString()) / "My-Scorer v2.pt";
    std::filesystem::copy_file(golden_method_file("script_knorm"), path);
    const auto first = open_method_file(path).value();
    QCOMPARE(first.alias, std::string("my_scorer_v2"));
    QCOMPARE(open_method_file(path).value().name, first.name);  // not loaded again
    std::filesystem::copy_file(golden_method_file("script_keydiff"), path,
                               std::filesystem::copy_options::overwrite_existing);
    const auto second = open_method_file(path).value();
    QCOMPARE(second.alias, first.alias);
    QVERIFY(second.name != first.name);
    QCOMPARE(method_of("adakv(my_scorer_v2)+kivi4")->text(), "adakv(" + second.name + ")+kivi4");
    QCOMPARE(method_of(first.name)->text(), first.name);
    std::filesystem::remove(path);
    const auto gone = open_method_file(path);
    QVERIFY(!gone && gone.error().code == ErrorCode::rejected_input);
    QVERIFY2(gone.error().message.find("My-Scorer v2.pt") != std::string::npos, gone.error().message.c_str());
    // What has been loaded still runs: its bytes are those of then.
    const RandomContext context(shape, 50);
    QVERIFY(method_of(second.name)->scores(context.cache, context.observed).has_value());
  }

  // Requests wait for a profile step, so a layer has 5 s, once.
  void aSessionWaitsForALayerOnce() {
    const RandomContext context(shape, 50);
    const auto refusal = [&](bool again) {
      const auto opened = open_method_file(golden_method_file("loops"), again).value();
      const auto scores = method_of(opened.name)->scores(context.cache, context.observed);
      return scores ? std::string() : scores.error().message;
    };
    const char* const says = "layer 0: took longer than 5 seconds and was ended, so it is not run again; load it again";
    const std::string first = refusal(true);
    QVERIFY2(first.ends_with(says), first.c_str());
    QElapsedTimer timer;
    timer.start();
    QCOMPARE(refusal(false), first);
    QVERIFY(timer.elapsed() < 2000);
    // Loaded again, it may run again.
    QCOMPARE(refusal(true), first);
    QVERIFY(timer.elapsed() >= 5000);
  }

  void filesMayBeOfAnotherFolder() {
    constexpr const char* variable = "KVANTAGE_METHOD_FILES";
    const QByteArray before = qgetenv(variable);
    qputenv(variable, "/nowhere/other");
    QCOMPARE(golden_method_file("script_knorm"), std::filesystem::path("/nowhere/other/script_knorm.pt"));
    qunsetenv(variable);
    QVERIFY(std::filesystem::exists(golden_method_file("script_knorm")));
    if (!before.isEmpty()) qputenv(variable, before);
  }

  void aRecordNamesTheFiles() {
    const auto file = open_method_file(golden_method_file("script_knorm")).value();
    SessionSettings settings;
    settings.methods = {"knorm", "adakv(" + file.name + ")+kivi4"};
    QCOMPARE(method_files_text(settings), file.name + " (digest " + file.digest + ")");
    settings.methods = {"knorm"};
    QCOMPARE(method_files_text(settings), std::string());
  }

  void settingsOfAMissingFileAreLeftOut() {
    SessionSettings settings;
    settings.methods = {"knorm", "adakv(gone_0123456789)", "snapkv"};
    settings.policy = "fixed(gone_0123456789,0.5)";
    settings.decode_options = {"gone_0123456789(budget=25%)", "knorm(budget=25%)"};
    settings.decode_eviction = "gone_0123456789(budget=25%)";
    const SessionSettings left = without_unloaded_files(settings);
    QCOMPARE(left.methods, (std::vector<std::string>{"knorm", "snapkv"}));
    QCOMPARE(left.policy, SessionSettings{}.policy);
    QCOMPARE(left.decode_options, std::vector<std::string>{"knorm(budget=25%)"});
    QCOMPARE(left.decode_eviction, std::string("none"));
    QVERIFY(unloaded_files_text(settings).find("adakv(gone_0123456789)") != std::string::npos);
    QCOMPARE(unloaded_files_text(left), std::string());
  }

  void aSessionFileNamesFilesBesideIt() {
    QTemporaryDir folder;
    const std::filesystem::path workload = folder.path().toStdString();
    std::filesystem::copy_file(golden_method_file("recent"), workload / "newest_first.pt");
    Json session = Json::parse(R"({"methods": ["newest_first"], "method_files": ["newest_first.pt"]})");
    const Status opened = open_method_files_of(session, workload, workload / "session.json");
    QVERIFY2(opened.has_value(), opened ? "" : opened.error().message.c_str());
    QCOMPARE(session, Json::parse(R"({"methods": ["newest_first"]})"));
    QVERIFY(parse_method("newest_first").has_value());
    const auto named = [&](const char* text) {
      if (!write_text_file(workload / "session.json", text)) qFatal("not written");
      return method_files_named_in(workload / "session.json");
    };
    QCOMPARE(named(R"({"method_files": ["a.pt", "../b.pt", 3, "c.pt"]})"), (std::vector<std::string>{"a.pt", "c.pt"}));
    QVERIFY(named("{}").empty() && named("no JSON").empty() && method_files_named_in(workload / "none").empty());
    QVERIFY(parse_decode_eviction("newest_first(budget=25%)").has_value());
    for (const char* files : {R"(["../x.pt"])", R"(["/etc/passwd"])", R"("x.pt")", R"([3])", R"(["missing.pt"])"}) {
      Json wrong{{"method_files", Json::parse(files)}};
      const Status refused = open_method_files_of(wrong, workload, workload / "session.json");
      QVERIFY2(!refused && refused.error().code == ErrorCode::rejected_input, files);
      QVERIFY2(refused.error().message.find('\n') == std::string::npos, files);
    }
  }

  void aMethodOfAFileEvictsWhileDecoding() {
    open_method_file(golden_method_file("recent")).value();
    const RandomContext context(shape, 50);
    const auto setting = parse_decode_eviction("recent(budget=25%)").value();
    const auto eviction =
        make_eviction(setting->method, {.layers = 2, .kv_heads = 2, .heads = 6, .head_dim = 64, .frequencies = {}});
    QVERIFY(eviction.has_value());
    const auto victims = (*eviction)->victims({context.cache, 0, query_group, {}, {}}, 3);
    QVERIFY2(victims.has_value(), victims ? "" : victims.error().message.c_str());
    QVERIFY((*victims == KeptIndices{{0, 1, 2}, {0, 1, 2}}));  // the oldest
  }
};

KV_TEST_GUILESS_MAIN(MethodFilesTest)

}  // namespace method_files_test

#include "method_files_test.moc"
