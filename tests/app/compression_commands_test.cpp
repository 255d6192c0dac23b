// links: kv_experiments kv_cli_program
// What `kept`, `methods` and `reproduce` print is what the program computes: positions, bytes and counts are compared
// with the same method called directly, and with each other.
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/compress/decode/eviction_method.h"
#include "core/compress/method.h"
#include "core/kv/codecs/codec.h"
#include "core/kv/recode.h"
#include "core/runtime/observing.h"
#include "tests/support/made_figure.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace compression_commands_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

Json json_of(const Answer& answer) {
  if (answer.exit_code != 0) qFatal("%s", answer.text().constData());
  return Json::parse(answer.out.toStdString());
}

}  // namespace

class CompressionCommandsTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  std::filesystem::path text_file_;
  std::unique_ptr<ModelRuntime> runtime_;
  Answer eviction_, quest_;  // figures
  static constexpr int steps_ = 40;

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: neither resources/model nor the trial checkpoint is there");
    std::string text;
    for (int i = 0; i < 60; ++i)
      text += "The code of box " + std::to_string(i) + " is " + std::to_string(7 * i + 3) + ". ";
    text_file_ = std::filesystem::path(folder_.path().toStdString()) / "text";
    QVERIFY(write_text_file(text_file_, text).has_value());
    // In copies of this process, before it has threads that compute.
    eviction_ = call_figure({"compaction/compaction", "--contexts", "1", "--context-tokens", "256", "--answer-tokens",
                             QString::number(steps_), "--compact-every", "8", "--page-tokens", "16",
                             "--eviction-methods", "streaming_llm,knorm", "--json"});
    quest_ = call_figure({"compaction/decode", "--contexts", "1", "--context-tokens", "256", "--answer-tokens", "24",
                          "--eviction-methods", "quest", "--json"});
    runtime_ = ModelRuntime::load(model_directory()).value();
  }

  void keptPrintsWhatTheMethodKeeps_data() {
    QTest::addColumn<QString>("method");
    for (const char* method :
         {"knorm", "snapkv(window=16)", "adakv(snapkv(window=16))+kivi4(residual=32)", "global(kvzip)",
          "criticaladakv(snapkv(window=16))", "global(kvzip_plus)", "block(keydiff)", "snapkv(window=16)+think"})
      QTest::newRow(method) << method;
  }
  void keptPrintsWhatTheMethodKeeps() {
    QFETCH(QString, method);
    constexpr double removed = 0.6;
    const Json printed = json_of(call({"kept", "--model", text_of(model_directory()), "--text-file",
                                       text_of(text_file_), "--method", method, "--removed", "0.6", "--json"}));
    const auto parsed = parse_method(method.toStdString()).value();
    QCOMPARE(printed.at("method").get<std::string>(), parsed->text());
    const auto tokens = printed.at("token_ids").get<std::vector<std::int32_t>>();
    QCOMPARE(tokens, runtime_->prompt->encode_context(read_text_file(text_file_).value()));

    KvCache cache(*runtime_->pool);
    PrefillTask prefill(
        *runtime_->model, cache, tokens, 0,
        {.chunk_tokens = runtime_->chunk_tokens(),
         .window_queries = std::min(parsed->info().needs.window_queries, static_cast<int>(tokens.size())),
         .logits = PrefillLogits::none});
    QVERIFY(prefill.run().has_value());
    Observation observed = observation_of(*runtime_, prefill.take_window_queries());
    QVERIFY(complete_observation(*runtime_, cache, tokens, parsed->info().needs, observed).has_value());
    const auto scores = parsed->scores(cache, observed).value();
    const auto kept = parsed->keep_for(scores, removed);
    QCOMPARE(printed.at("layers").size(), kept.size());
    std::size_t rows = 0;
    for (std::size_t l = 0; l < kept.size(); ++l)
      for (std::size_t h = 0; h < kept[l].size(); ++h) {
        const Json& head = printed.at("layers").at(l).at(h);
        QCOMPARE(head.at("kept").get<std::vector<std::int32_t>>(), kept[l][h]);
        QCOMPARE(head.at("scores").get<std::vector<float>>(), scores.layers[l][h].scores);
        rows += kept[l][h].size();
      }
    const Json& bytes = printed.at("bytes");
    const KvShape& shape = cache.shape();
    QCOMPARE(bytes.at("rows_after").get<std::size_t>(), rows * shape.bytes_per_head_token());
    QCOMPARE(bytes.at("rows_before").get<std::size_t>(), tokens.size() * shape.bytes_per_token());
    QVERIFY(bytes.at("pool_after").get<std::size_t>() < bytes.at("pool_before").get<std::size_t>());
    QVERIFY(bytes.at("entry_after").get<std::size_t>() < bytes.at("entry_before").get<std::size_t>());
    QVERIFY(printed.at("prefill_seconds").get<double>() > 0);
    QCOMPARE(printed.at("score_buffer_bytes").get<std::size_t>(), scores.buffer_bytes);
  }

  void methodsListsEveryRegisteredOne() {
    const Json listed = json_of(call({"methods", "--json"}));
    const auto holds = [&](const std::string& kind, std::string_view name) {
      return std::ranges::any_of(listed, [&](const Json& line) {
        return line.at("kind") == kind && line.at("name") == name && !line.at("summary").get<std::string>().empty() &&
               !line.at("needs").get<std::string>().empty() && !line.at("costs").get<std::string>().empty();
      });
    };
    std::size_t count = 1 + method_aliases().size();  // quest
    for (const MethodInfo& info : known_methods()) {
      ++count;
      QVERIFY2(holds("scorer", info.name), info.name.c_str());
    }
    for (const MethodInfo& info : weight_methods()) {
      ++count;
      QVERIFY2(holds("scorer", info.name), info.name.c_str());
    }
    for (const BudgetInfo& info : known_budgets()) {
      ++count;
      QVERIFY2(holds("budget", info.name), info.name.c_str());
    }
    for (const DecodeMethodInfo& info : known_eviction_methods()) {
      ++count;
      QVERIFY2(holds("evictor", info.name), info.name.data());
    }
    for (const CodecInfo& info : known_codecs()) {
      ++count;
      QVERIFY2(holds("codec", info.name), info.name.data());
    }
    QVERIFY(holds("page selector", "quest"));
    QCOMPARE(listed.size(), count);
  }

  // As the window's tool tip: what a setting may name, of the method and of the loop; and what Algorithm 3 scores.
  void evictionMethodsListTheLoopsParameters() {
    for (const Json& line : json_of(call({"methods", "--json"}))) {
      if (line.at("kind") != "evictor" && line.at("kind") != "page selector") continue;
      const auto name = line.at("name").get<std::string>(), parameters = line.at("parameters").get<std::string>();
      const auto setting = parse_decode_eviction(name + "(" + parameters + ")");
      QVERIFY2(setting && setting->has_value(), parameters.c_str());
      QVERIFY2(parameters.find("budget=50%") != std::string::npos, parameters.c_str());
      const bool evicts = line.at("kind") == "evictor";
      for (const char* key : {"table=", "compaction=repack", "compact_every=128", "compact_ms=", "cut=first_token"})
        QCOMPARE(parameters.find(key) != std::string::npos, evicts);
      if (name == "paged_eviction") {
        QCOMPARE(line.at("needs").get<std::string>(), std::string("keys, values"));
        QVERIFY(parameters.starts_with("evict_when=above_budget,page=0,budget="));
        // As that default does it; Algorithm 3 itself evicts whenever a page is full.
        const auto summary = line.at("summary").get<std::string>();
        QVERIFY2(summary.ends_with("when the newest page is full and the budget is exceeded"), summary.c_str());
      }
      if (name == "knorm") QCOMPARE(line.at("needs").get<std::string>(), std::string("keys"));
      if (name == "streaming_llm") QCOMPARE(line.at("needs").get<std::string>(), std::string("positions"));
    }
    const Answer details = call({"methods", "--details"});
    // What is ours and not the paper's is said where its source is.
    QVERIFY2(details.out.simplified().contains("KVPR (arXiv 2411.17089); at load time: our extension"),
             qPrintable(details.out));
    const QString shown = details.out.section("decode-time eviction methods", 1);
    QVERIFY2(shown.contains("keys, values") && shown.contains("compact_every=128"), qPrintable(shown));
  }

  void evictionFiguresCountEqualSteps() {
    const Json figure = json_of(eviction_);
    const Json& rows = figure.at("rows");
    QCOMPARE(rows.size(), std::size_t{7});  // the full cache, and two methods with two kinds of passes and none
    const ModelConfig& config = runtime_->model->config();
    for (const Json& row : rows) {
      QCOMPARE(row.at("timed_steps").get<int>(), steps_ - 1);  // and counts: in each of three blocks
      QCOMPARE(row.at("seconds_per_output_token_by_block").size(), std::size_t{3});
      const bool full = row.at("evictor") == "full cache";
      // One row per head, layer and step is evicted once the budget is full, which it is after the prompt.
      QCOMPARE(row.at("tokens_evicted").get<int>(), full ? 0 : (steps_ - 1) * config.layers * config.kv_heads);
      const bool passes = row.at("compaction") == "repack" || row.at("compaction") == "hole filling";
      QCOMPARE(row.at("compaction_passes").get<int>(), passes ? (steps_ - 1) / 8 : 0);
      if (!passes) QCOMPARE(row.at("blocks_freed_by_compaction").get<int>(), 0);
    }
    // Without a pass, holes of scattered eviction stay.
    const auto fragmentation = [&](const std::string& compaction) {
      for (const Json& row : rows)
        if (row.at("evictor") == "knorm" && row.at("compaction") == compaction)
          return row.at("fragmentation").get<double>();
      qFatal("no such row");
    };
    QVERIFY(fragmentation("repack") < fragmentation("none"));
  }

  void questReadsFewerRowsAndFreesNone() {
    const Json figure = json_of(quest_);
    double before = 0;
    for (const Json& row : figure.at("rows")) {
      if (row.at("evictor") == "full cache") continue;
      const auto read = row.at("rows_read_fraction").get<double>();
      QVERIFY(read > before && read < 1);  // more with each budget
      before = read;
      QCOMPARE(row.at("tokens_evicted").get<int>(), 0);
      QVERIFY(row.at("page_summary_bytes").get<int>() > 0);
    }
  }
};

KV_TEST_GUILESS_MAIN(CompressionCommandsTest)

}  // namespace compression_commands_test

#include "compression_commands_test.moc"
