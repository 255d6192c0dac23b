// links: app_wiring
// Sessions on a model with sliding windows: a loaded context, and one that is computed and not stored, is without the
// rows that no token of the request sees, and the answer is that of the whole context. The default model, with windows
// written into its configuration.
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "core/base/files.h"
#include "core/base/json.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_harness.h"

namespace windowed_sessions_test {

using namespace kvantage;
using namespace kvantage::test;

class WindowedSessionsTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;

  std::filesystem::path path(const char* name) const {
    return std::filesystem::path(folder_.path().toStdString()) / name;
  }
  /// Four of its six layers see 64 tokens.
  std::filesystem::path windowed_model() const {
    const std::filesystem::path target = path("model");
    if (!std::filesystem::create_directory(target)) return target;
    for (const auto& entry : std::filesystem::directory_iterator(model_directory()))
      if (entry.path().filename() != "config.json")
        std::filesystem::create_symlink(std::filesystem::absolute(entry.path()), target / entry.path().filename());
    Json config = *read_json_file(model_directory() / "config.json");
    config["use_sliding_window"] = true;
    config["sliding_window"] = 64;
    config["max_window_layers"] = 2;
    std::ofstream(target / "config.json") << config.dump();
    return target;
  }
  static std::vector<RequestRecord> served(EngineHarness& harness, const std::string& policy) {
    auto records = harness.serve(policy, 10);
    if (!records) qFatal("%s", records.error().message.c_str());
    std::ranges::sort(*records, {}, [](const RequestRecord& record) { return record.id; });
    return std::move(*records);
  }
  /// At most what a request holds: two layers all tokens, four the window, less than a tile before it, question and
  /// answer. `whole`: a request of the same session that holds all.
  static double most_bytes(const RequestRecord& of, const RequestRecord& whole) {
    const auto blocks = [](const RequestRecord& one) {
      return std::ceil((one.context_tokens + one.question_tokens + one.answer_tokens) / 32.0);
    };
    const double all = static_cast<double>(whole.decoding.peak_bytes) * blocks(of) / blocks(whole);
    const double tokens = of.context_tokens + of.question_tokens + 48 + 32;
    return all * (2 * tokens + 4 * (tokens - of.context_tokens + 64 + 64)) / (6 * tokens);
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: neither resources/model nor the trial checkpoint is there");
    if (read_json_file(model_directory() / "config.json")->value("model_type", "") != "qwen2")
      QSKIP("the model there has no configuration with windows");
  }

  void contextsLackUnseenRowsAndAnswerAlike_data() {
    QTest::addColumn<QString>("policy");
    QTest::addColumn<int>("batch");
    QTest::addColumn<QString>("speculation");
    QTest::newRow("uncompressed") << "lru" << 1 << "off";
    QTest::newRow("several at once") << "lru" << 4 << "off";
    QTest::newRow("with drafts") << "lru" << 1 << "lookup";
  }
  void contextsLackUnseenRowsAndAnswerAlike() {
    QFETCH(QString, policy);
    QFETCH(int, batch);
    QFETCH(QString, speculation);
    HarnessOptions other;
    other.model = windowed_model();
    auto harness = open_virtual(path(QTest::currentDataTag()), small_workload(2, 60, 3), {"ssd=256MiB"}, "full_prefill",
                                false, other, ModelKind::real);
    QVERIFY2(harness.has_value(), harness ? "" : harness.error().message.c_str());
    const auto computed = served(**harness, "full_prefill");
    SessionSettings settings = (*harness)->engine().settings();
    settings.max_batch = batch;
    settings.speculation = speculation.toStdString();
    QVERIFY((*harness)->engine().apply(settings).has_value());
    const auto first = served(**harness, policy.toStdString());  // what is stored then serves all of them
    const auto whole = std::ranges::find(first, std::string("prefill"), &RequestRecord::source);
    QVERIFY(whole != first.end());
    const auto loaded = served(**harness, policy.toStdString());
    QCOMPARE(loaded.size(), computed.size());
    QCOMPARE(first.size(), computed.size());
    int hits = 0;
    for (std::size_t i = 0; i < loaded.size(); ++i) {
      QCOMPARE(loaded[i].question, computed[i].question);
      QCOMPARE(loaded[i].answer, computed[i].answer);
      QCOMPARE(loaded[i].answer_tokens, computed[i].answer_tokens);
      QCOMPARE(first[i].answer, computed[i].answer);
      QCOMPARE(computed[i].source, std::string("prefill"));
      QCOMPARE(computed[i].kept_tokens, computed[i].context_tokens);
      for (const RequestRecord* one : {&computed[i], &loaded[i]})
        QVERIFY2(static_cast<double>(one->decoding.peak_bytes) <= most_bytes(*one, *whole),
                 qPrintable(QString("%1: %2 bytes, at most %3")
                                .arg(QString::fromStdString(one->source))
                                .arg(one->decoding.peak_bytes)
                                .arg(most_bytes(*one, *whole))));
      if (loaded[i].source != "ssd") continue;
      ++hits;
      QCOMPARE(loaded[i].kept_tokens, loaded[i].context_tokens);  // of the entry
    }
    QCOMPARE(hits, 10);
  }
};

KV_TEST_GUILESS_MAIN(WindowedSessionsTest)

}  // namespace windowed_sessions_test

#include "windowed_sessions_test.moc"
