// links: kv_reports kv_cli_program
// kvantage-cli simulate and trace import as a user starts them.
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <fstream>
#include <set>

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/workload/workload.h"
#include "tests/support/command_line.h"
#include "tests/support/forked_command_line.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace simulate_command_test {

using namespace kvantage;
using namespace kvantage::test;

class SimulateCommandTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  static Json json_of(const Answer& answer) { return parse_json(answer.out.toStdString(), "output").value_or(Json()); }
  QString small_trace() const {
    const QString path = folder_.filePath("trace.jsonl");
    std::ofstream stream(path.toStdString());
    for (int i = 0; i < 40; ++i) {
      const std::string first = std::to_string(i % 4 * 100), second = std::to_string(i % 4 * 100 + 1);
      stream << "{\"timestamp\": " << i * 1000 << ", \"input_length\": 1024, \"output_length\": 10, \"hash_ids\": ["
             << first << ", " << second << "]}\n";
    }
    return path;
  }

 private slots:
  void conversationsHitAsPublished() {
    const auto file = shared_data() / "traces/mooncake/conversation_trace.jsonl";
    if (!std::filesystem::exists(file)) QSKIP("../shared/data/traces/mooncake is not there");
    const std::vector<std::pair<const char*, int>> golden{{"1000", 445},   {"5000", 1104},  {"10000", 2112},
                                                          {"30000", 3257}, {"50000", 3546}, {"unlimited", 3664}};
    for (const auto& [capacity, rate] : golden) {
      const Answer answer = call_forked(
          {"simulate", text_of(file), "--capacity-blocks", capacity, "--policy", "lru", "--json", "--quiet"});
      QVERIFY2(answer.exit_code == 0, answer.text().constData());
      const Json row = json_of(answer)["policies"][0];
      QCOMPARE(int(std::lround(row["block_hit_rate"].get<double>() * 1e4)), rate);
      QCOMPARE(row["rows_read"].get<int>(), row["emitted"].get<int>());
    }
  }

  void aSmallTraceIsCountedByHand() {
    const Answer answer = call_forked({"simulate", small_trace(), "--preset", "qwen3-30b-a3b-evicpress", "--tier",
                                       "dram=1GiB", "--policy", "lru", "--json", "--quiet"});
    QVERIFY2(answer.exit_code == 0, answer.text().constData());
    const Json row = json_of(answer)["policies"][0];
    QCOMPARE(row["request_hit_rate"].get<double>(), 0.9);  // the first of each of four contexts misses
    QCOMPARE(row["block_hit_rate"].get<double>(), 0.9);
    // 4 prefills of 1024 tokens at 3.95e-5 s each token, 36 loads at 3.40e-6.
    QVERIFY(std::fabs(row["service_seconds"]["mean"].get<double>() - 1024 * (4 * 3.95e-5 + 36 * 3.40e-6) / 40) < 1e-9);
    QCOMPARE(row["queue_seconds"]["mean"].get<double>(), 0.0);
    QCOMPARE(json_of(answer)["provenance"].get<std::string>(), std::string("modelled"));
    const Json again = json_of(call_forked({"simulate", small_trace(), "--preset", "qwen3-30b-a3b-evicpress", "--tier",
                                            "dram=1GiB", "--policy", "lru", "--json", "--quiet"}));
    QCOMPARE(again, json_of(answer));
  }

  // Caches that only a trace can drive, block sizes, and what is refused.
  void ordersOfTracesAloneAndBlockSizes() {
    const Answer answer =
        call_forked({"simulate", small_trace(), "--capacity-blocks", "4", "--policy",
                     "lru,belady,vllm_lru,workload_aware,sglang_radix,gdsf_hits,lhd", "--json", "--quiet"});
    QVERIFY2(answer.exit_code == 0, answer.text().constData());
    const Json rows = json_of(answer)["policies"];
    QCOMPARE(rows.size(), std::size_t{7});
    // Four contexts of two blocks in turn through four blocks: LRU finds nothing, Belady half of the later ones or
    // more.
    QCOMPARE(rows[0]["block_hit_rate"].get<double>(), 0.0);
    QCOMPARE(rows[2]["block_hit_rate"].get<double>(), rows[3]["block_hit_rate"].get<double>());
    QVERIFY(rows[1]["block_hit_rate"].get<double>() > 0.2);
    const Json halves = json_of(call_forked({"simulate", small_trace(), "--capacity-blocks", "unlimited", "--policy",
                                             "lru", "--block-tokens", "256", "--json", "--quiet"}));
    QCOMPARE(halves["mode"].get<std::string>(), std::string("prefix blocks of 256 tokens"));
    QCOMPARE(halves["policies"][0]["distinct"].get<int>(), 16);
    QCOMPARE(halves["policies"][0]["block_hit_rate"].get<double>(), 0.9);
    const std::vector<std::pair<QStringList, QString>> refused{
        {{"--capacity-blocks", "4", "--block-tokens", "100"}, "neither a multiple nor a part"},
        {{"--preset", "qwen3-30b-a3b-evicpress", "--tier", "dram=1GiB,ssd=1GiB", "--policy", "belady"}, "one tier"},
        {{"--capacity-blocks", "4", "--mode", "contexts", "--policy", "sglang_radix"}, "--mode blocks"},
        {{"--preset", "llama-3.1-8b-adaptcache", "--tier", "dram=1GiB", "--beyond-fit", "refuse"}, "has 1024 tokens"}};
    for (const auto& [options, why] : refused) {
      const Answer other = call_forked(QStringList{"simulate", small_trace(), "--quiet"} + options);
      QVERIFY2(other.exit_code != 0 && other.text().contains(why.toUtf8()), other.text().constData());
    }
    const Json marked = json_of(call_forked({"simulate", small_trace(), "--preset", "llama-3.1-8b-adaptcache", "--tier",
                                             "dram=1GiB", "--json", "--quiet"}));
    const auto note = marked["policies"][0]["notes"][0].get<std::string>();
    QVERIFY(note.starts_with("40 requests beyond"));
    QVERIFY2(note.ends_with("are above 0: their computing counts as 0"), note.c_str());
    const Answer session = call_forked({"policies", "--details"});
    QVERIFY(!session.text().contains("belady"));
  }

  // Where a line is below 0 the time counts as 0; beyond a range it is extrapolated; without a range that is said.
  void lengthsBeyondAFitAreSaid() {
    const auto simulated = [&](const QStringList& options) {
      return call_forked(
          QStringList{"simulate", small_trace(), "--tier", "dram=1GiB", "--policy", "lru,fifo", "--quiet", "--json"} +
          options);
    };
    const Json published = json_of(simulated({"--preset", "llama-3.1-8b-adaptcache"}));
    QCOMPARE(published["notes"], Json::array({"llama-3.1-8b-adaptcache: no fitted range is published; the longest "
                                              "request has 1024 tokens"}));  // once for both policies
    QVERIFY(published["policies"][0]["notes"].size() == 1 && published["policies"][1]["notes"].size() == 1);
    const Answer zero = simulated({"--preset", "llama-3.1-8b-adaptcache", "--beyond-fit", "refuse"});
    QVERIFY2(zero.error.contains("leave --beyond-fit out to count its time as 0"), zero.text());
    // A table of times has a range: that of its lengths.
    const QString times = folder_.filePath("longer.csv");
    QVERIFY(write_text_file(times.toStdString(), "tokens,seconds\n2000,0.2\n3000,0.3\n"));
    const QStringList table{"--preset", "qwen3-30b-a3b-evicpress", "--ttft-table", times};
    const Json extrapolated = json_of(simulated(table));
    QVERIFY(!extrapolated.contains("notes"));
    QCOMPARE(extrapolated["policies"][1]["notes"][0].get<std::string>(),
             std::string("40 requests beyond the tokens that the times of qwen3-30b-a3b-evicpress were fitted to (2000 "
                         "to 3000): their times are extrapolated"));
    const Answer refused = simulated(table + QStringList{"--beyond-fit", "refuse"});
    QVERIFY2(refused.error.contains("leave --beyond-fit out to extrapolate its time"), refused.text());
    // Without times nothing is fitted.
    QVERIFY(!json_of(call_forked({"simulate", small_trace(), "--capacity-blocks", "9", "--quiet", "--json"}))
                 .contains("notes"));
  }

  // Of 16 tokens, for prefixes, for whole contexts and for what a budget in bytes holds.
  void blocksHaveTheTracesTokens() {
    const QString path = folder_.filePath("bailian.jsonl");
    {
      std::ofstream stream(path.toStdString());
      for (int i = 0; i < 8; ++i) {  // two conversations in turn, of four blocks, later of three
        const int tokens = i < 4 ? 64 : 40;
        Json ids = Json::array();
        for (int block = 0; block < (tokens + 15) / 16; ++block) ids.push_back(i % 2 * 100 + block);
        stream << Json{{"chat_id", i},       {"parent_chat_id", i < 2 ? -1 : i % 2},
                       {"timestamp", i},     {"input_length", tokens},
                       {"output_length", 1}, {"hash_ids", ids}}
                      .dump()
               << "\n";
      }
    }
    const auto simulated = [&](const QStringList& options) {
      const Answer answer = call_forked(QStringList{"simulate", path, "--json", "--quiet"} + options);
      return answer.exit_code == 0 ? json_of(answer) : Json{{"policies", answer.text().toStdString()}};
    };
    const Json prefixes = simulated({"--capacity-blocks", "8"});
    QCOMPARE(prefixes["mode"].get<std::string>(), std::string("prefix blocks of 16 tokens"));
    QCOMPARE(prefixes["policies"][0]["block_hit_rate"].get<double>(), 20.0 / 28);
    QCOMPARE(prefixes["policies"][0]["distinct"].get<int>(), 8);
    // Tokens of 96 KiB: eight blocks and seven, of which LRU finds the last nine.
    const QStringList preset{"--preset", "qwen3-30b-a3b-evicpress"};
    const Json eight = simulated(preset + QStringList{"--tier", "dram=12MiB"});
    QCOMPARE(eight["policies"][0]["block_hit_rate"].get<double>(), 20.0 / 28);
    const Json seven = simulated(preset + QStringList{"--tier", "dram=12582911"});
    QCOMPARE(seven["policies"][0]["block_hit_rate"].get<double>(), 9.0 / 28);
    const Json whole = simulated(
        preset + QStringList{"--mode", "contexts", "--tier", "dram=1GiB", "--policy", "lru,fixed(none,0),evicpress"});
    QCOMPARE(whole["mode"].get<std::string>(), std::string("whole contexts"));
    for (const int policy : {0, 1, 2}) QCOMPARE(whole["policies"][policy]["block_hit_rate"].get<double>(), 20.0 / 28);
    const Json in_blocks = simulated({"--mode", "contexts", "--capacity-blocks", "8"});
    QCOMPARE(in_blocks["mode"].get<std::string>(), std::string("whole contexts in blocks of 16 tokens"));
    QCOMPARE(in_blocks["policies"][0]["block_hit_rate"].get<double>(), 20.0 / 28);
  }

  void aCurveOfMissRatiosComesFromOnePass() {
    const Answer answer = call_forked({"simulate", small_trace(), "--mrc", "--mrc-keys", "0", "--json", "--quiet"});
    QVERIFY2(answer.exit_code == 0, answer.text().constData());
    const Json table = json_of(answer)["tables"][0];
    QCOMPARE(table["rows"].front()[1].get<double>(), 1.0);  // a loop of eight blocks
    QCOMPARE(table["rows"].back()[0].get<int>(), 8);
    QCOMPARE(table["rows"].back()[1].get<double>(), 0.1);
    QVERIFY(call_forked({"simulate", small_trace(), "--mrc-keys", "5"}).exit_code != 0);
  }

  void whatCannotBeSimulatedIsRefusedInOneLine() {
    const QString dropped = folder_.filePath("dropped.jsonl");
    {
      std::ofstream stream(dropped.toStdString());
      for (int i = 0; i < 3; ++i)
        stream << "{\"timestamp\": 1, \"input_length\": 513, \"output_length\": 3, \"hash_ids\": [1]}\n";
    }
    const QString trace = small_trace();
    const QByteArray none =
        "has no request to simulate; of 3 rows, 3 dropped: 3 hash_ids of another length than "
        "input_length; give a trace with usable rows";
    const std::vector<std::pair<QStringList, QString>> refused{
        {{dropped, "--capacity-blocks", "4"}, none},
        {{dropped, "--capacity-blocks", "4", "--policy", "belady"}, none},
        {{dropped, "--mrc"}, none},
        {{trace}, "a cache is needed; give --capacity-blocks N for blocks, or --preset NAME --tier dram=BUDGET"},
        {{trace, "--capacity-blocks", "4", "--tier", "dram=1GiB"}, "exclude each other; keep one"},
        {{trace, "--capacity-blocks", "4,6"}, "give one number; --mrc has all sizes of LRU in one pass"},
        {{trace, "--mrc", "--policy", "lfu"}, "it does not read --policy; leave it or --mrc out"},
        {{trace, "--mrc", "--preset", "llama-3.1-8b-adaptcache"}, "it does not read --preset; leave it"},
        {{trace, "--mrc", "--tier", "dram=1GiB"}, "it does not read --tier; leave it"}};
    for (const auto& [options, why] : refused) {
      const Answer answer = call_forked(QStringList{"simulate", "--quiet"} + options);
      QVERIFY2(answer.exit_code != 0 && answer.error.contains(why), answer.text().constData());
      QVERIFY2(answer.out.isEmpty() && answer.error.count('\n') == 1, answer.text().constData());
    }
    // All that the option takes, each once.
    const Answer unknown = call_forked({"simulate", trace, "--capacity-blocks", "4", "--policy", "nosuchpolicy"});
    const QString list = unknown.error.section("choose one of ", 1).trimmed();
    const QStringList names = list.split(", ");
    QVERIFY2(names.contains("belady") && names.contains("sglang_radix") && names.contains("evicpress"),
             qPrintable(list));
    QCOMPARE(QSet<QString>(names.begin(), names.end()).size(), names.size());
  }

  void fasterArrivalsWaitAndMoreServersDoNot() {
    const auto queue = [&](const QString& rate, const QString& servers) {
      const Answer answer = call_forked({"simulate", small_trace(), "--preset", "qwen3-30b-a3b-evicpress", "--tier",
                                         "dram=1MiB", "--rate", rate, "--servers", servers, "--json", "--quiet"});
      return json_of(answer)["policies"][0]["queue_seconds"]["mean"].get<double>();
    };
    // What arrives faster than it is served has no steady state, and is marked.
    const auto unstable = [&](const QString& rate) {
      const Answer answer = call_forked({"simulate", small_trace(), "--preset", "qwen3-30b-a3b-evicpress", "--tier",
                                         "dram=1MiB", "--rate", rate, "--json", "--quiet"});
      const Json row = json_of(answer)["policies"][0];
      return row["unstable"] == true && row["notes"][0].get<std::string>().starts_with("unstable: requests arrive ");
    };
    QVERIFY(!unstable("0.1") && unstable("1000"));
    const double slow = queue("0.1", "1"), fast = queue("1000", "1"), many = queue("1000", "40");
    QVERIFY(slow < fast);
    QCOMPARE(many, 0.0);
  }

  void policiesThatPlanKnowQuality() {
    const Answer answer =
        call_forked({"simulate", small_trace(), "--mode", "contexts", "--preset", "llama-3.1-8b-adaptcache", "--tier",
                     "dram=300MiB,ssd=1GiB", "--policy", "lru,evicpress", "--alpha", "0.5", "--json", "--quiet"});
    QVERIFY2(answer.exit_code == 0, answer.text().constData());
    const Json rows = json_of(answer)["policies"];
    QVERIFY(!rows[0].contains("mean_quality"));
    QVERIFY(rows[1]["mean_quality"].get<double>() > 0.3);
    QVERIFY(!rows[0].contains("lp_gap"));
    QVERIFY(rows[1]["lp_gap"].get<double>() >= -1e-6 && rows[1]["lp_gap"].get<double>() < 1);
    QCOMPARE(rows[1]["planned_every_requests"].get<int>(), 1);
    QCOMPARE(rows[1]["requests"].get<int>(), 40);
  }

  // Of an agent's sessions, whose inputs grow from turn to turn: one policy under three names.
  void oneFormUncompressedIsTheOrderOfItsName() {
    const auto folder = shared_data() / "traces/lmcache-agent/taubench";
    if (!std::filesystem::exists(folder)) QSKIP("../shared/data/traces/lmcache-agent is not there");
    std::filesystem::path file;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".jsonl" && (file.empty() || entry.path() < file)) file = entry.path();
    const Answer answer = call_forked({"simulate", text_of(file), "--limit", "400", "--mode", "contexts", "--preset",
                                       "qwen3-30b-a3b-evicpress", "--tier", "dram=4GiB,ssd=16GiB", "--policy",
                                       "lru,fixed(none,0),evicpress", "--json", "--quiet"});
    QVERIFY2(answer.exit_code == 0, answer.text().constData());
    const Json rows = json_of(answer)["policies"];
    QVERIFY(rows[0]["token_hit_rate"].get<double>() > 0);
    for (const char* field : {"request_hit_rate", "token_hit_rate", "block_hit_rate", "service_seconds", "tiers"})
      QCOMPARE(rows[1][field], rows[0][field]);
    // A hit serves no more than was held with the last turn, whatever the policy.
    QVERIFY(rows[2]["token_hit_rate"].get<double>() < rows[2]["request_hit_rate"].get<double>());
  }

  void qualityIsNotInvented_data() {
    QTest::addColumn<QString>("policy");
    QTest::addColumn<QString>("names");
    QTest::newRow("unknown") << "fixed(nosuch,0.99)"
                             << "unknown method 'nosuch'";
    QTest::newRow("near miss") << "fixed(snapk,0.5)"
                               << "did you mean 'snapkv'";
    QTest::newRow("not of the preset") << "fixed(kivi2,0)"
                                       << "keydiff (0.1 to 0.75), knorm (0.1 to 0.5)";
    QTest::newRow("not even with tokens removed") << "fixed(kivi2,0.9)"
                                                  << "snapkv (0.1 to 0.75)";
    QTest::newRow("of another preset") << "fixed(streaming_llm,0.9)"
                                       << "no quality of streaming_llm at removed fraction 0.9";
    QTest::newRow("past the curve") << "fixed(knorm,0.6)"
                                    << "knorm (0.1 to 0.5)";
    QTest::newRow("important fraction") << "important_fraction(kept=0.01)"
                                        << "no quality of chunkkv(snapkv)";
    QTest::newRow("important fraction past the curve") << "important_fraction(kept=0.01,method=snapkv)"
                                                       << "no quality of snapkv at removed fraction 0.99";
  }
  void qualityIsNotInvented() {
    QFETCH(QString, policy);
    QFETCH(QString, names);
    const Answer answer =
        call_forked({"simulate", small_trace(), "--mode", "contexts", "--preset", "qwen3-30b-a3b-evicpress", "--tier",
                     "dram=1GiB", "--policy", policy, "--quiet"});
    QVERIFY2(answer.exit_code == 2 && answer.out.isEmpty(), answer.text().constData());
    QCOMPARE(answer.error_lines().size(), 1);
    QVERIFY2(answer.error.contains(names) && (answer.error.contains(';')), answer.text().constData());
  }

  void qualityBetweenMeasuredFractionsSaysSo() {
    const Answer answer = call_forked(
        {"simulate", small_trace(), "--mode", "contexts", "--preset", "qwen3-30b-a3b-evicpress", "--tier", "dram=1GiB",
         "--policy", "fixed(knorm,0.5),fixed(knorm,0.375),important_fraction(kept=0.625,method=knorm)", "--json",
         "--quiet"});
    QVERIFY2(answer.exit_code == 0, answer.text().constData());
    const Json rows = json_of(answer)["policies"];
    // 4 of 40 requests are computed, with the quality of the whole cache.
    QVERIFY(std::fabs(rows[0]["mean_quality"].get<double>() - (0.1 + 0.9 * 0.5210)) < 1e-9);
    QVERIFY(!rows[0].contains("notes"));
    for (const int i : {1, 2}) {
      QVERIFY(std::fabs(rows[i]["mean_quality"].get<double>() - (0.1 + 0.9 * (0.7809 + 0.5210) / 2)) < 1e-9);
      QVERIFY(rows[i]["notes"][0].get<std::string>().find("interpolated linearly") != std::string::npos);
    }
  }

  void presetsAreListedWithTheirSource() {
    const Answer answer = call_forked({"simulate", "--list-presets", "--json"});
    QCOMPARE(answer.exit_code, 0);
    QCOMPARE(call_forked({"simulate", "--preset", "list", "--json"}).out, answer.out);  // the former spelling
    const Json presets = json_of(answer)["presets"];
    QVERIFY(presets.size() >= 7);
    for (const Json& preset : presets) {
      QVERIFY(!preset["source"].get<std::string>().empty());
      QCOMPARE(preset["provenance"].get<std::string>(), std::string("modelled"));
      std::set<std::string> missing;
      for (const Json& one : preset["missing"]) missing.insert(one["what"].get<std::string>());
      QCOMPARE(missing.contains("time of computing"), !preset["has_times"].get<bool>());
      QCOMPARE(missing.contains("times of tiers"), preset["tiers"].empty());
      QCOMPARE(missing.contains("quality under compression"), preset["quality"].empty());
    }
  }

  // What others measured, in place of what the preset lacks: times by hand, quality and sources as they are written.
  void curvesAndTimesOfOthersAreUsed() {
    const QString curves = folder_.filePath("curves.csv"), times = folder_.filePath("times.csv");
    QVERIFY(write_text_file(curves.toStdString(), "dataset,method,removed,quality\nqa,none,0,90\nqa,snapkv,0.5,70\n"));
    QVERIFY(write_text_file(times.toStdString(),
                            "tokens,seconds,tier\n1000,0.1,\n2000,0.2,\n1000,0.01,dram\n2000,0.02,dram\n"));
    const QStringList command{"simulate",      small_trace(), "--mode",      "contexts", "--preset",
                              "llama-3.1-70b", "--tier",      "dram=100GiB", "--policy", "evicpress,fixed(snapkv,0.5)",
                              "--json",        "--quiet"};
    const Answer bare = call_forked(command);
    QVERIFY2(bare.exit_code == 2 && bare.error_lines().size() == 1, bare.text().constData());
    const Answer answer = call_forked(command + QStringList{"--profiles", curves, "--ttft-table", times});
    QVERIFY2(answer.exit_code == 0, answer.text().constData());
    const Json json = json_of(answer);
    QCOMPARE(json["imported"].size(), std::size_t{2});
    for (const auto& source : json["imported"])
      QCOMPARE(source["provenance"].get<std::string>(), std::string("imported"));
    QCOMPARE(json["imported"][0]["file"].get<std::string>(), curves.toStdString());
    QCOMPARE(json["imported"][0]["digest"].get<std::string>().size(), std::size_t{32});
    QVERIFY(json["source"].get<std::string>().find("quality imported from ") != std::string::npos);
    QCOMPARE(json["provenance"].get<std::string>(), std::string("modelled"));
    // Four contexts of 1024 tokens are computed once each, and loaded 36 times.
    const double expected = 1024 * (4 * 1e-4 + 36 * 1e-5) / 40;
    QVERIFY(std::fabs(json["policies"][0]["service_seconds"]["mean"].get<double>() - expected) < 1e-9);
    QCOMPARE(json["policies"][0]["mean_quality"].get<double>(), 0.9);
    // As profile import writes it, and by its other name.
    const QString written = folder_.filePath("curves.json");
    for (const char* group : {"profile", "profiles"}) {
      const Answer imported =
          call_forked({group, "import", curves, "--model", "Llama-3.1-70B", "--out", written, "--json"});
      QVERIFY2(imported.exit_code == 0, imported.text().constData());
      QCOMPARE(json_of(imported)["points"].size(), std::size_t{2});
      QCOMPARE(json_of(imported)["provenance"].get<std::string>(), std::string("imported"));
      QCOMPARE(json_of(imported)["model"].get<std::string>(), std::string("Llama-3.1-70B"));
    }
    const Json again = json_of(call_forked(command + QStringList{"--profiles", written, "--ttft-table", times}));
    QCOMPARE(again["policies"], json["policies"]);
    QCOMPARE(again["imported"][0]["digest"], json["imported"][0]["digest"]);
    const Answer without = call_forked({"simulate", small_trace(), "--capacity-blocks", "10", "--profiles", curves});
    QVERIFY2(without.exit_code == 2 && without.error.contains("give a --preset"), without.text().constData());
    const Answer refused = call_forked({"profile", "import", times});
    QVERIFY2(refused.exit_code == 3 && refused.error.contains("lacks method, removed or kept, quality"),
             refused.text().constData());
  }

  // The same policy code: EvicPress's utility as a formula decides as evicpress does.
  void aFormulaIsSimulated() {
    const Answer answer = call_forked({"simulate", small_trace(), "--mode", "contexts", "--preset",
                                       "qwen3-30b-a3b-evicpress", "--tier", "dram=250MiB,ssd=100MiB", "--policy",
                                       "evicpress,formula((alpha*quality-ttft)*frequency),formula(-read*frequency)",
                                       "--json", "--quiet"});
    if (answer.error.contains("muParser")) QSKIP("this build has no muParser");
    QVERIFY2(answer.exit_code == 0, answer.text().constData());
    Json rows = json_of(answer)["policies"];
    QCOMPARE(rows.size(), std::size_t{3});
    for (Json& row : rows) row.erase("policy");
    QCOMPARE(rows[1], rows[0]);
    QVERIFY(rows[2] != rows[0]);  // nothing is read fastest where nothing is stored
    QCOMPARE(rows[2]["request_hit_rate"].get<double>(), 0.0);
  }

  void wrongChoicesAreRefusedInOneLine_data() {
    QTest::addColumn<QStringList>("words");
    QTest::newRow("nothing") << QStringList{};
    QTest::newRow("both") << QStringList{"--capacity-blocks", "10", "--tier", "dram=1GiB"};
    QTest::newRow("tier without preset") << QStringList{"--tier", "dram=1GiB"};
    QTest::newRow("preset") << QStringList{"--capacity-blocks", "10", "--preset", "llama-3.1-8b-adaptcach"};
    QTest::newRow("tier without times") << QStringList{"--tier", "tape=1GiB", "--preset", "llama-3.1-8b-adaptcache"};
    QTest::newRow("policy") << QStringList{"--capacity-blocks", "10", "--policy", "lru2"};
    QTest::newRow("plans blocks") << QStringList{"--capacity-blocks", "10",     "--policy",
                                                 "evicpress",         "--mode", "blocks"};
    QTest::newRow("capacity") << QStringList{"--capacity-blocks", "many"};
    QTest::newRow("tier twice") << QStringList{"--tier", "dram=1GiB,dram=2GiB", "--preset", "llama-3.1-8b-adaptcache"};
    QTest::newRow("tier twice apart") << QStringList{"--tier",    "dram=1GiB", "--tier",
                                                     "dram=2GiB", "--preset",  "llama-3.1-8b-adaptcache"};
    QTest::newRow("option twice") << QStringList{"--tier",   "dram=1GiB",
                                                 "--preset", "llama-3.1-8b-adaptcache",
                                                 "--policy", "evicpress(start=utility,start=quality)"};
    QTest::newRow("alpha") << QStringList{"--capacity-blocks", "10", "--alpha", "-1"};
  }
  void wrongChoicesAreRefusedInOneLine() {
    QFETCH(QStringList, words);
    const Answer answer = call_forked(QStringList{"simulate", small_trace(), "--quiet"} + words);
    QVERIFY2(answer.exit_code == 2, answer.text().constData());
    QCOMPARE(answer.error_lines().size(), 1);
  }

  void whatIsRefusedIsWhatWasWritten_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("part");
    const QStringList preset{"--preset", "llama-3.1-8b-adaptcache"};
    const auto tier = [&](const char* text, const char* part) {
      QTest::newRow(text) << (QStringList{"--tier", text} << preset) << part;
    };
    tier("dram=1GiB,bandwidth=0",
         "tier 'dram=1GiB,bandwidth=0': bandwidth needs a unit per second; write it like 200MB/s");
    tier("dram=1GiB,bandwidth=2GB/s,latency=soon", "tier 'dram=1GiB,bandwidth=2GB/s,latency=soon': latency 'soon'");
    tier("dram=1GiB,faults=x",
         "'faults=x' after 'dram=1GiB': belongs to a tier with real storage, which simulations do not have; write a "
         "simulated tier as NAME=BUDGET[,bandwidth=BYTES/s][,latency=TIME]");
    tier("dram=1GiB,ssd=2GiB,path=/tmp/x", "'path=/tmp/x' after 'ssd=2GiB'");
    tier("dram=1GiB,color=red", "'color=red' after 'dram=1GiB': is neither an option nor the next tier; ");
    tier("latency=1ms,dram=1GiB", "'latency=1ms': comes before a tier; ");
    tier("dram=much", "tier 'dram=much': ");
    tier(",", "--tier: is empty; ");
    QTest::newRow("data set") << (QStringList{"--tier", "dram=1GiB", "--dataset", "nosuch"} << preset)
                              << "--dataset: preset llama-3.1-8b-adaptcache has no quality for 'nosuch'; choose one of "
                                 "qmsum, samsum, hotpotqa";
    QTest::newRow("data set of counting alone") << QStringList{"--capacity-blocks", "10", "--dataset", "qmsum"}
                                                << "--dataset: quality curves need a preset or a recorded run; ";
    QTest::newRow("data set of a preset without")
        << QStringList{"--capacity-blocks", "10", "--dataset", "qmsum", "--preset", "mistral-7b"}
        << "--dataset: preset mistral-7b has no quality";
  }
  void whatIsRefusedIsWhatWasWritten() {
    QFETCH(QStringList, words);
    QFETCH(QString, part);
    const Answer answer = call_forked(QStringList{"simulate", small_trace(), "--quiet"} + words);
    QVERIFY2(answer.exit_code == 2 && answer.out.isEmpty() && answer.error_lines().size() == 1,
             answer.text().constData());
    QVERIFY2(answer.error.contains(part) && !answer.error.contains("unlimited"), answer.text().constData());
  }

  // Options behind a tier are that tier's.
  void aTierMayHaveTimesOfItsOwn() {
    const auto mean = [&](const QString& tier) {
      const Answer answer = call_forked({"simulate", small_trace(), "--mode", "contexts", "--preset",
                                         "llama-3.1-8b-adaptcache", "--tier", tier, "--json", "--quiet"});
      return answer.exit_code == 0 ? json_of(answer)["policies"][0]["service_seconds"]["mean"].get<double>() : -1;
    };
    const double plain = mean("dram=1GiB,ssd=4GiB"), slow = mean("dram=1GiB,bandwidth=1MB/s,latency=1s,ssd=4GiB"),
                 fast = mean("dram=1GiB,bandwidth=1000GB/s,latency=0s,ssd=4GiB");
    QVERIFY2(fast > 0 && fast < plain && plain + 0.5 < slow,
             qPrintable(QString("%1 %2 %3").arg(fast).arg(plain).arg(slow)));
  }

  void aTextTraceBecomesAWorkload() {
    if (model_directory().empty()) QSKIP("no model whose tokenizer counts");
    const QString path = folder_.filePath("texts.jsonl"), out = folder_.filePath("workload");
    {
      std::ofstream stream(path.toStdString());
      const std::string text =
          "The badge of Ada Holt is 1234 . The badge of Ruth Moss is 4321 . The badge of Vera Lane is 5678 .";
      for (int i = 0; i < 6; ++i)
        stream << Json{{"timestamp", i * 1'000'000},
                       {"input", text + "\n\nWhat is the badge of number " + std::to_string(i % 5) + " ?"},
                       {"output", "1234"},
                       {"session_id", "s"}}
                      .dump()
               << "\n";
      stream << Json{{"timestamp", 7'000'000}, {"input", "short"}, {"output", nullptr}, {"session_id", "s"}}.dump()
             << "\n";
    }
    const Answer answer = call_forked({"trace", "import", path, "--out", out, "--model", text_of(model_directory()),
                                       "--gold", "--probes", "0", "--json"});
    QVERIFY2(answer.exit_code == 0, answer.text().constData());
    const Json report = json_of(answer);
    QCOMPARE(report["requests"].get<int>(), 7);
    QCOMPARE(report["questions"].get<int>(), 5);
    QCOMPARE(report["requests_dropped"]["too short for a context and a question"].get<int>(), 1);
    QCOMPARE(report["scheduled"].get<int>(), 6);  // one question twice
    const auto workload = read_workload(out.toStdString());
    QVERIFY2(workload.has_value(), workload ? "" : workload.error().message.c_str());
    QCOMPARE(int(workload->contexts.size()), 1);
    QCOMPARE(workload->questions[2].question, std::string("What is the badge of number 2 ?"));
    QCOMPARE(workload->questions[2].gold, std::string("1234"));
    QCOMPARE(workload->arrivals.requests_per_second, 1.0);
    // Served as the trace has them, whatever the seed.
    const std::vector<WorkloadRequest> served = workload->requests(0, 3);
    QCOMPARE(served.size(), std::size_t{6});
    for (std::size_t i = 0; i < served.size(); ++i) {
      QCOMPARE(workload->questions[served[i].question].question,
               "What is the badge of number " + std::to_string(i % 5) + " ?");
      QVERIFY(std::abs(served[i].arrival_seconds - static_cast<double>(i)) < 1e-9);
    }
    const Answer checked = call_forked({"workload", "check", out});
    QVERIFY2(checked.exit_code == 0 && checked.out.contains("6 requests by schedule, from 0 s to 5 s\n"),
             checked.text().constData());
  }

  void timesOfATraceKeepAWorkloadsDrift() {
    const QString path = folder_.filePath("azure.csv"), source = folder_.filePath("drifting"),
                  out = folder_.filePath("timed");
    Workload drifting = small_workload(3, 24, 8);
    drifting.arrivals = {.requests_per_second = 2,
                         .zipf_exponent = 0.9,
                         .requests = 30,
                         .bursts = Bursts{},
                         .drift = Drift{.begin = 0.25, .end = 0.5}};
    QVERIFY(write_workload(drifting, source.toStdString()).has_value());
    QVERIFY(write_text_file((source + "/session.json").toStdString(),
                            R"({"policy": "lru", "alpha": 0.7, "requests_per_second": 9})")
                .has_value());
    QVERIFY(write_text_file(path.toStdString(),
                            "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03,480,10\n2023-11-16 "
                            "18:17:04,480,10\n2023-11-16 18:17:10,48,1\n2023-11-16 18:17:11,48,1\n")
                .has_value());
    const Answer answer =
        call_forked({"trace", "import", path, "--workload", source, "--out", out, "--time-scale", "0.5", "--quiet"});
    QVERIFY2(answer.exit_code == 0, answer.text().constData());
    const auto workload = read_workload(out.toStdString());
    QVERIFY2(workload.has_value(), workload ? "" : workload.error().message.c_str());
    QVERIFY(workload->arrivals.drift == drifting.arrivals.drift);
    QCOMPARE(workload->arrivals.zipf_exponent, 0.9);  // the trace does not set another
    QVERIFY(!workload->arrivals.bursts);
    const std::vector<double> seconds{0, 0.5, 3.5, 4};
    const std::vector<WorkloadRequest> served = workload->requests(0, 1);
    QCOMPARE(served.size(), seconds.size());
    for (std::size_t i = 0; i < served.size(); ++i) QVERIFY(std::abs(served[i].arrival_seconds - seconds[i]) < 1e-9);
    // Its settings go along, but for the rate that would stand before the trace's times.
    const auto settings = read_json_file((out + "/session.json").toStdString());
    QVERIFY(settings.has_value());
    QCOMPARE(*settings, (Json{{"policy", "lru"}, {"alpha", 0.7}}));
  }
};

KV_TEST_GUILESS_MAIN(SimulateCommandTest)

}  // namespace simulate_command_test

#include "simulate_command_test.moc"
