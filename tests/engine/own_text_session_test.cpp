// links: app_wiring
// The sample of plain texts, from files without a question to answered requests: opened as `kvantage PATH` does,
// profiled with the questions that were made, served. In virtual time, with the numbers of the real model.
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>

#include "app/wiring/chosen_settings.h"
#include "app/wiring/resources.h"
#include "app/wiring/workload_opening.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/units.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_harness.h"

namespace own_text_session_test {

using namespace kvantage;
using namespace kvantage::test;

class OwnTextSessionTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  SessionOptions options(const std::filesystem::path& workload) const {
    SessionOptions options;
    options.model = model_directory();
    options.workload = workload;
    options.store = std::filesystem::path(folder_.path().toStdString()) / "store";
    options.methods = {"knorm", "keydiff"};
    options.removed_fractions = {0.9};
    options.policy = "evicpress";
    options.request_limit = 8;
    options.probes = 3;
    options.profile_grid = ProfileGridKind::full;
    return options;
  }
  static std::filesystem::path sample() { return source_directory() / "sample_workloads" / "own-text"; }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("needs a model: resources/model");
  }

  void theSampleIsServedAndProfiled() {
    const auto harness = open_virtual(options(sample()), ModelKind::real);
    QVERIFY2(harness, harness ? "" : harness.error().message.c_str());
    QVERIFY(!(*harness)->session.notes.empty());
    Engine& engine = (*harness)->engine();
    QCOMPARE(engine.info().contexts, std::size_t{4});
    QCOMPARE(engine.info().questions, std::size_t{4 * 6});

    engine.profile_all();
    QVERIFY((*harness)->wait() != RunState::failed);
    const auto snapshot = engine.snapshot();
    std::size_t compressed = 0;
    double worst = 1;
    for (const ContextState& context : snapshot->contexts) {
      QVERIFY(context.profile != nullptr);
      for (const ProfilePoint& point : context.profile->points) {
        QCOMPARE(point.n, 3);
        QVERIFY(std::isfinite(point.quality) && point.quality >= 0 && point.quality <= 1);
        // Without a gold the answer with the uncompressed cache is what counts: nothing removed is nothing lost.
        if (point.method == "none") QCOMPARE(point.quality, 1.0);
        compressed += point.method != "none" ? 1 : 0;
        worst = std::min(worst, point.quality);
      }
    }
    QCOMPARE(compressed, std::size_t{4 * 2});
    QVERIFY2(worst < 0.9, "nine tenths of the text are gone and no answer changed");  // the questions need the text

    engine.start();
    QCOMPARE((*harness)->wait(), RunState::finished);
    const std::vector<RequestRecord> records = (*harness)->sink.records();
    QCOMPARE(records.size(), std::size_t{8});
    for (const RequestRecord& record : records) {
      QVERIFY(record.gold.empty());
      QVERIFY(record.quality.contains("token_f1"));
      QVERIFY(std::isfinite(record.quality.at("token_f1")));
    }
  }

  void theSamePathGivesTheSameWorkload() {
    const OpenWorkloadOptions model{.model = model_directory()};
    const auto folder = open_workload(sample(), model);
    const auto again = open_workload(sample() / "", model);
    QVERIFY2(folder && again, folder ? "" : folder.error().message.c_str());
    QCOMPARE(folder->workload.digest().hex(), again->workload.digest().hex());
    const auto file = open_workload(sample() / "market-day.txt", model);
    QVERIFY(file);
    QCOMPARE(file->workload.contexts.size(), std::size_t{1});
    // The text is the same one, whatever was named to reach it, and so are its questions.
    std::vector<std::string> of_file, of_folder;
    for (const WorkloadQuestion& question : file->workload.questions) of_file.push_back(question.question);
    for (const WorkloadQuestion& question : folder->workload.questions)
      if (folder->workload.contexts[question.context].id == "market-day.txt") of_folder.push_back(question.question);
    QCOMPARE(of_file, of_folder);
    QCOMPARE(of_file.size(), std::size_t{16});
  }

  void aShorterLimitCutsTheTexts() {
    const auto cut = open_workload(sample(), {.model = model_directory(), .context_tokens = 300});
    QVERIFY2(cut, cut ? "" : cut.error().message.c_str());
    QVERIFY(cut->workload.contexts.size() >= 8);
    const auto reading = read_model_reading(model_directory());
    QVERIFY(reading);
    for (const WorkloadContext& context : cut->workload.contexts) {
      QVERIFY(reading->count_tokens(context.text) <= 300);
      QVERIFY(context.id.find('#') != std::string::npos);
    }
    QVERIFY(!cut->suggested_tiers.empty());
  }

  // Whatever the length, the caches do not fit uncompressed and do when a tenth is kept.
  void theTiersAskForADecision_data() {
    QTest::addColumn<int>("times");
    QTest::newRow("a note") << 1;
    QTest::newRow("a text") << 12;
  }
  void theTiersAskForADecision() {
    QFETCH(int, times);
    std::string text;
    for (int i = 0; i < 12 * times; ++i)
      text +=
          "Keeper number " + std::to_string(i) + " wrote that the lamp of the harbour was lit again after the storm.\n";
    const std::filesystem::path file = std::filesystem::path(folder_.path().toStdString()) / "some.txt";
    QVERIFY(write_text_file(file, text));
    const auto opened = open_workload(file, {.model = model_directory()});
    QVERIFY2(opened, opened ? "" : opened.error().message.c_str());
    const auto reading = read_model_reading(model_directory());
    std::uint64_t whole = 0, room = 0;
    for (const WorkloadContext& context : opened->workload.contexts)
      whole += reading->count_tokens(context.text) * reading->bytes_per_token;
    for (const std::string& tier : opened->suggested_tiers)
      room += parse_bytes(tier.substr(tier.find('=') + 1)).value();
    QVERIFY2(room < whole && room > whole / 10, qPrintable(QString("%1 of %2").arg(room).arg(whole)));
  }

  // Two contexts are few: a tenth of them is less than either, even in 4-bit codes.
  void eachTierHoldsAContextInFourBitCodes() {
    const std::filesystem::path folder = std::filesystem::path(folder_.path().toStdString()) / "two";
    std::filesystem::create_directories(folder);
    for (const char* name : {"market-day.txt", "keepers-meeting.txt"})
      std::filesystem::copy_file(sample() / name, folder / name, std::filesystem::copy_options::overwrite_existing);
    const auto opened = open_workload(folder, {.model = model_directory()});
    QVERIFY2(opened, opened ? "" : opened.error().message.c_str());
    QCOMPARE(opened->workload.contexts.size(), std::size_t{2});
    const auto reading = read_model_reading(model_directory());
    std::uint64_t longest = 0;
    for (const WorkloadContext& context : opened->workload.contexts)
      longest = std::max<std::uint64_t>(longest, reading->count_tokens(context.text) * reading->bytes_per_token);
    QCOMPARE(opened->suggested_tiers.size(), std::size_t{2});
    for (const std::string& tier : opened->suggested_tiers)
      QVERIFY2(parse_bytes(tier.substr(tier.find('=') + 1)).value() > longest / 3, tier.c_str());
  }

  void candidatesOfATextHaveACodecUnlessOthersAreGiven() {
    const std::vector<std::string> as_quick_start{"kivi4", "keydiff", "keydiff+kivi4", "streaming_llm+kivi4"};
    const std::filesystem::path file = std::filesystem::path(folder_.path().toStdString()) / "candidates.txt";
    std::filesystem::copy_file(sample() / "market-day.txt", file, std::filesystem::copy_options::overwrite_existing);
    for (const std::filesystem::path& path : {file, sample()}) {
      SessionOptions given;
      given.model = model_directory();
      given.workload = path;
      if (path == file) given.tiers = {"dram=1MiB"};
      const auto settings = session_settings(given);
      QVERIFY2(settings, settings ? "" : settings.error().message.c_str());
      QCOMPARE(settings->methods, as_quick_start);
      given.methods = {"knorm"};
      QCOMPARE(session_settings(given)->methods, std::vector<std::string>{"knorm"});
    }
  }

  // A first curve is what is waited for; it is said, and whoever chooses is heard.
  void curvesOfATextAreMeasuredAnytimeUnlessOthersAreGiven() {
    SessionOptions given;
    given.model = model_directory();
    given.workload = sample();
    given.tiers = {"dram=1MiB"};
    const auto grid = [](const SessionOptions& options) { return session_settings(options)->profile_grid; };
    QVERIFY(grid(given) == ProfileGridKind::racing);
    SessionOptions whole = given;
    whole.whole_curves_by_default = true;
    QVERIFY(grid(whole) == ProfileGridKind::full);
    given.profile_grid = ProfileGridKind::full;
    QVERIFY(grid(given) == ProfileGridKind::full);
    given.profile_grid.reset();
    given.last = SessionSettings{};  // chosen in the last session
    QVERIFY(grid(given) == ProfileGridKind::full);

    // A workload has whole curves with the included models, not with another one.
    SessionOptions sampled;
    sampled.model = default_model_directory();
    sampled.workload = source_directory() / "sample_workloads" / "quickstart";
    QVERIFY(grid(sampled) == ProfileGridKind::full);
    sampled.model = model_path("reference-mha");
    QVERIFY(grid(sampled) == ProfileGridKind::full);
    sampled.model = folder_.path().toStdString();
    QVERIFY(grid(sampled) == ProfileGridKind::racing);
    // Its own session.json may choose.
    const std::filesystem::path chosen = std::filesystem::path(folder_.path().toStdString()) / "chosen";
    std::filesystem::copy(sampled.workload, chosen, std::filesystem::copy_options::recursive);
    auto file = read_json_file(chosen / "session.json");
    QVERIFY(file.has_value());
    (*file)["profile_grid"] = "full";
    QVERIFY(write_text_file(chosen / "session.json", dump_json(*file)));
    sampled.workload = chosen;
    QVERIFY(grid(sampled) == ProfileGridKind::full);
  }

  // What the default model was trained on, by its own card, is what a text is cut to; and it is said.
  void textsAreCutToWhatTheModelWasTrainedOn() {
    const std::filesystem::path shipped = default_model_directory();
    const auto card = read_text_file(shipped / "MODEL_CARD.md");
    QVERIFY(card && card->find("--max-length 2688") != std::string::npos);
    QCOMPARE(read_model_reading(shipped)->context_tokens, shipped_models[0].context_tokens);
    QVERIFY(shipped_models[0].context_tokens < 2688);
    // reference-mha was trained on longer ones, by its card.
    const std::filesystem::path reference = model_path("reference-mha");
    const auto other_card = read_text_file(reference / "MODEL_CARD.md");
    QVERIFY(other_card && other_card->find("--max-length 8192") != std::string::npos);
    QCOMPARE(read_model_reading(reference)->context_tokens, shipped_models[1].context_tokens);
    QVERIFY(shipped_models[1].context_tokens < 8192 && shipped_models[1].context_tokens > 7500);
    std::string text;
    for (int i = 0; i < 400; ++i)
      text += "The keeper wrote line " + std::to_string(i) + " of the long book of the harbour.\n";
    const std::filesystem::path file = std::filesystem::path(folder_.path().toStdString()) / "long.txt";
    QVERIFY(write_text_file(file, text));
    const auto opened = open_workload(file, {.model = shipped});
    QVERIFY(opened && opened->workload.contexts.size() > 1);
    const std::string said =
        "long.txt: split into " + std::to_string(opened->workload.contexts.size()) + " contexts of at most 2560 tokens";
    QVERIFY2(opened->notes.front().starts_with(said), opened->notes.front().c_str());
  }

  void whatCannotBeOpenedIsSaidBeforeAnythingIs() {
    const auto reason = [this](const std::filesystem::path& path) {
      const Status openable = check_openable(options(path));
      return openable ? QString() : QString::fromStdString(openable.error().message);
    };
    QCOMPARE(reason(sample()), QString());
    QVERIFY(reason(folder_.path().toStdString() + "/nowhere").contains("nowhere"));
    QVERIFY(reason(source_directory() / "resources" / "model" / "config.json").contains("workload import"));
    SessionOptions no_model = options(sample());
    no_model.model = "/nowhere";
    QVERIFY(!check_openable(no_model));
    // A text has no session.json, and is served all the same.
    const std::filesystem::path file = std::filesystem::path(folder_.path().toStdString()) / "alone.txt";
    std::filesystem::copy_file(sample() / "market-day.txt", file);
    QCOMPARE(reason(file), QString());
  }
};

KV_TEST_GUILESS_MAIN(OwnTextSessionTest)

}  // namespace own_text_session_test

#include "own_text_session_test.moc"
