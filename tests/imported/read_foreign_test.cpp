// links: kv_base
// Quality curves of others: tables, kvpress' evaluation folders as its evaluate.py names them, LongBench's result
// files; what is missing is said at once, and hostile files are refused in one line.
#include "core/imported/read_foreign.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <filesystem>

#include "core/base/digest.h"
#include "core/base/files.h"
#include "core/base/random.h"
#include "core/imported/kvpress_results.h"
#include "core/imported/use_imported.h"
#include "tests/support/test_program.h"

namespace read_foreign_test {

using namespace kvantage;
namespace fs = std::filesystem;

class ReadForeignTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  fs::path root() const { return folder_.path().toStdString(); }
  fs::path write(const std::string& name, const std::string& text) const {
    const fs::path path = root() / name;
    fs::create_directories(path.parent_path());
    if (!write_text_file(path, text)) qFatal("cannot write %s", path.c_str());
    return path;
  }
  static ForeignOptions dated() {
    ForeignOptions options;
    options.date = "2026-11-29";
    return options;
  }
  static const ImportedPoint* find(const ImportedProfile& profile, const std::string& dataset,
                                   const std::string& method, double removed) {
    for (const ImportedPoint& point : profile.points)
      if (point.dataset == dataset && point.method == method && point.removed_fraction == removed) return &point;
    return nullptr;
  }
  static std::string complaint(const Expected<ImportedProfile>& profile) {
    return profile ? std::string("it was read") : profile.error().message;
  }

 private slots:
  void aTableIsReadByItsColumns() {
    const std::string text =
        "task,press_name,compression_ratio,score,count,low,high\n"
        "qa,snapkv,0.5,71.5,200,68,75\n"
        "qa,no_press,0,90,200,,\n"
        "\"sum, long\",adakv_snapkv,0.25,50,,,\n";
    const fs::path path = write("scores.csv", text);
    const auto profile = read_foreign(path, dated());
    QVERIFY2(profile.has_value(), complaint(profile).c_str());
    QCOMPARE(profile->points.size(), std::size_t{3});
    const ImportedPoint* point = find(*profile, "qa", "snapkv", 0.5);
    QVERIFY(point != nullptr);
    QCOMPARE(point->quality, 0.715);
    QCOMPARE(*point->n, 200);
    QCOMPARE(*point->quality_low, 0.68);
    QCOMPARE(*point->quality_high, 0.75);
    QVERIFY(find(*profile, "qa", "none", 0) != nullptr && !find(*profile, "qa", "none", 0)->quality_low);
    QVERIFY(find(*profile, "sum, long", "adakv(snapkv)", 0.25) != nullptr);
    QCOMPARE(profile->source.kind, std::string("table"));
    QCOMPARE(profile->source.digest, digest_of(text).hex());
    QCOMPARE(source_text(profile->source), "imported from " + path.string() + " (digest " +
                                               digest_of(text).hex().substr(0, 8) +
                                               ", 2026-11-29; quality divided by 100)");
    const auto as_is = read_foreign(write("ones.csv", "method,removed,quality\nnone,0,0.5\n"), dated());
    QVERIFY(as_is.has_value() && !source_text(as_is->source).ends_with("100)"));
    ImportedSource source{.file = "a.csv", .digest = "0123456789", .date = {}, .kind = "table"};
    QCOMPARE(source_text(source), std::string("imported from a.csv (digest 01234567)"));
    source.scale = 0.5;
    QCOMPARE(source_text(source), std::string("imported from a.csv (digest 01234567; quality divided by 0.5)"));
  }

  void columnsAreMapped() {
    ForeignOptions options = dated();
    const auto map = read_column_map("quality=EM,kept=budget,method=algo", profile_columns());
    QVERIFY(map.has_value());
    options.columns = *map;
    options.dataset = "triviaqa";
    const auto profile =
        read_foreign(write("own.tsv", "algo\tbudget\tEM\nknorm\t0.9\t0.5\nknorm\t0.25\t0.25\n"), options);
    QVERIFY2(profile.has_value(), complaint(profile).c_str());
    QVERIFY(find(*profile, "triviaqa", "knorm", 0.1) != nullptr);  // 1 - 0.9 exactly as it is written
    QCOMPARE(find(*profile, "triviaqa", "knorm", 0.75)->quality, 0.25);
    for (const char* bad : {"quality", "quality=", "score=a", "quality=a,quality=b", "=a"})
      QVERIFY2(!read_column_map(bad, profile_columns()).has_value(), bad);
    options.columns = {{"quality", "missing"}};
    QVERIFY(
        complaint(read_foreign(root() / "own.tsv", options)).find("has no column 'missing'; it has algo, budget, EM") !=
        std::string::npos);
  }

  // Rows of a press at 0 are what is not compressed; a codec removes no tokens and is none all the same.
  void aPressThatRemovesNothingIsNone() {
    const std::string rows =
        "dataset,press,compression_ratio,score,n\n"
        "a,snapkv,0.0,0.9,10\na,snapkv,0.5,0.7,10\na,knorm,0.0,0.8,10\na,knorm,0.5,0.4,10\na,kivi4,0,0.6,10\n"
        "b,snapkv,0,0.5,4\nb,snapkv+kivi4,0,0.3,4\nb,snapkv+kivi4,0.5,0.2,4\n";
    const auto profile = read_foreign(write("presses.csv", rows), dated());
    QVERIFY2(profile.has_value(), complaint(profile).c_str());
    QCOMPARE(profile->points.size(), std::size_t{7});
    QVERIFY(std::abs(find(*profile, "a", "none", 0)->quality - 0.85) < 1e-12);
    QCOMPARE(*find(*profile, "a", "none", 0)->n, 10);
    QCOMPARE(find(*profile, "a", "kivi4", 0)->quality, 0.6);
    QVERIFY(find(*profile, "a", "snapkv", 0) == nullptr && find(*profile, "a", "knorm", 0) == nullptr);
    QCOMPARE(find(*profile, "b", "none", 0)->quality, 0.5);
    QCOMPARE(find(*profile, "b", "snapkv+kivi4", 0)->quality, 0.3);
    // Their kept bytes become a mean as well, of the rows that have them.
    const auto kept = read_foreign(write("kept.csv",
                                         "dataset,press,compression_ratio,score,kept_bytes\n"
                                         "a,no_press,0,0.875,0.5\na,snapkv,0,0.75,\na,no_press,0,0.625,1\n"
                                         "a,snapkv,0.5,0.25,0.5\n"),
                                   dated());
    QVERIFY2(kept.has_value(), complaint(kept).c_str());
    QCOMPARE(kept->points.size(), std::size_t{2});
    QCOMPARE(find(*kept, "a", "none", 0)->quality, 0.75);
    QCOMPARE(*find(*kept, "a", "none", 0)->kept_bytes, 0.75);
    // So simulate takes a table of presses without an uncompressed row and without bytes.
    SimulatorPreset bare;
    const auto presses = read_foreign(
        write("two.csv", "dataset,press,compression_ratio,score\na,snapkv,0,0.9\na,snapkv,0.5,0.7\n"), dated());
    const Status used = use_profile(bare, *presses);
    QVERIFY2(used.has_value(), used ? "" : used.error().message.c_str());
    QCOMPARE(bare.quality.at(0).uncompressed, 0.9);
    QCOMPARE(bare.candidates.size(), std::size_t{1});
  }

  void jsonTablesAreRead() {
    const auto list =
        read_foreign(write("list.json", R"([{"dataset":"a","method":"knorm","removed":0.5,"quality":0.4},)"
                                        R"({"dataset":"a","method":"none","removed":0,"quality":0.8,"n":3}])"),
                     dated());
    QVERIFY2(list.has_value(), complaint(list).c_str());
    QCOMPARE(list->points.size(), std::size_t{2});
    QCOMPARE(*find(*list, "a", "none", 0)->n, 3);
    const auto lines = read_foreign(write("lines.jsonl",
                                          "{\"method\":\"knorm\",\"removed\":0.5,\"quality\":0.4}\n\n"
                                          "{\"method\":\"none\",\"removed\":0,\"quality\":0.8}\n"),
                                    dated());
    QVERIFY2(lines.has_value(), complaint(lines).c_str());
    QVERIFY(find(*lines, "lines", "knorm", 0.5) != nullptr);  // named after the file
  }

  void allThatIsMissingIsNamedAtOnce() {
    const auto message = complaint(read_foreign(write("bare.csv", "name,points\na,1\n"), dated()));
    for (const char* part : {"lacks method, removed or kept, quality", "its columns are name, points",
                             "--map method=COLUMN,removed=COLUMN,quality=COLUMN", "--method and --removed"})
      QVERIFY2(message.find(part) != std::string::npos, message.c_str());
    ForeignOptions options = dated();
    options.method = "snapkv";
    options.removed_fraction = 0.5;
    const auto less = complaint(read_foreign(root() / "bare.csv", options));
    QVERIFY2(less.find("lacks quality;") != std::string::npos, less.c_str());
  }

  void evaluationFoldersOfKvpressAreRead() {
    const std::string model = "meta-llama--Meta-Llama-3.1-8B-Instruct", base = "kvpress/ruler__4096__" + model;
    write(base + "__snapkv__0.50/metrics.json", R"({"niah":{"string_match":80.0},"vt":{"string_match":60.0}})");
    write(base + "__snapkv__0.50/predictions.csv", "predicted_answer\nyes\n\"a\nlonger one\"\nno\n");
    write(base + "__snapkv__0.50/config.yaml", "dataset: ruler\n");
    write(base + "__no_press__0.00/metrics.json", R"({"niah":{"string_match":100.0},"vt":{"string_match":90.0}})");
    write(base + "__knorm__0.00/metrics.json", R"({"niah":{"string_match":96.0},"vt":{"string_match":90.0}})");
    write(base + "__adakv_snapkv__0.75__fraction0.100/1/metrics.json", R"({"niah":{"string_match":50.0}})");
    const auto profile = read_foreign(root() / "kvpress", dated());
    QVERIFY2(profile.has_value(), complaint(profile).c_str());
    QCOMPARE(profile->source.kind, std::string("kvpress"));
    QCOMPARE(profile->model, std::string("meta-llama/Meta-Llama-3.1-8B-Instruct"));
    QCOMPARE(find(*profile, "ruler/4096", "snapkv", 0.5)->quality, 0.7);
    QCOMPARE(*find(*profile, "ruler/4096", "snapkv", 0.5)->n, 3);
    QCOMPARE(find(*profile, "ruler/4096/vt", "snapkv", 0.5)->quality, 0.6);
    QCOMPARE(find(*profile, "ruler/4096/niah", "none", 0)->quality, 0.98);  // the mean of both uncompressed ones
    QVERIFY(find(*profile, "ruler/4096 fraction0.100", "adakv(snapkv)", 0.75) != nullptr);
    QCOMPARE(profile->points.size(), std::size_t{7});

    write("several/loogle__" + model + "__knorm__0.50/metrics.json", R"({"qa":{"bleu1":0.2,"bert":0.8}})");
    QVERIFY(complaint(read_foreign(root() / "several", dated())).find("choose one with --metric: bert, bleu1") !=
            std::string::npos);
    ForeignOptions options = dated();
    options.metric = "bert";
    QCOMPARE(find(*read_foreign(root() / "several", options), "loogle", "knorm", 0.5)->quality, 0.8);

    write("two/ruler__a__knorm__0.50/metrics.json", R"({"t":{"m":1}})");
    write("two/ruler__b__knorm__0.50/metrics.json", R"({"t":{"m":1}})");
    QVERIFY(complaint(read_foreign(root() / "two", dated())).find("evaluations of a and of b") != std::string::npos);
    write("think/ruler__a__think__0.50/metrics.json", R"({"t":{"m":1}})");
    QVERIFY(complaint(read_foreign(root() / "think", dated())).find("no share of a context's tokens") !=
            std::string::npos);
    write("named/results/metrics.json", R"({"t":{"m":1}})");
    QVERIFY(complaint(read_foreign(root() / "named", dated())).find("is not DATASET__MODEL__PRESS__RATIO") !=
            std::string::npos);
    write("empty/readme.txt", "nothing");
    QVERIFY(complaint(read_foreign(root() / "empty", dated())).find("has no metrics.json") != std::string::npos);
    write("broken/ruler__a__knorm__0.50/metrics.json", R"({"t":{"m":NaN}})");
    QVERIFY(!read_foreign(root() / "broken", dated()).has_value());
  }

  void folderNames() {
    const auto name = evaluation_name("longbench__narrativeqa__org--Model-8B__expected_attention__0.10__query_aware");
    QVERIFY(name.has_value());
    QCOMPARE(name->dataset, std::string("longbench/narrativeqa query_aware"));
    QCOMPARE(name->model, std::string("org/Model-8B"));
    QCOMPARE(name->press, std::string("expected_attention"));
    QCOMPARE(name->removed_fraction, 0.1);
    for (const char* other : {"", "a", "a__b__0.50", "a__b__c__d", "a__b__c__1.50", "a__b__c__5"})
      QVERIFY2(!evaluation_name(other).has_value(), other);
  }

  void longBenchResultsNeedTheirForm() {
    const fs::path path = write("pred/llama-8b/result.json", R"({"hotpotqa": 42.5, "qmsum": 20})");
    const auto message = complaint(read_foreign(path, dated()));
    QVERIFY2(message.find("the method (--method) and the removed fraction (--removed)") != std::string::npos,
             message.c_str());
    ForeignOptions options = dated();
    options.method = "none";
    options.removed_fraction = 0;
    const auto profile = read_foreign(path, options);
    QVERIFY2(profile.has_value(), complaint(profile).c_str());
    QCOMPARE(profile->model, std::string("llama-8b"));
    QCOMPARE(find(*profile, "hotpotqa", "none", 0)->quality, 0.425);
    const auto by_length =
        read_foreign(write("pred_e/m/result.json", R"({"trec": {"0-4k": 60.0, "8k+": 0.5}})"), options);
    QVERIFY2(by_length.has_value(), complaint(by_length).c_str());
    QCOMPARE(find(*by_length, "trec/8k+", "none", 0)->quality, 0.005);  // of 100, whatever the others are
  }

  void whatIsWrittenIsReadAgain() {
    const auto profile = read_foreign(
        write("again.csv", "dataset,method,removed,quality,n,kept_bytes\na,kivi4,0,0.5,7,0.27\na,none,0,0.75,,\n"),
        dated());
    QVERIFY2(profile.has_value(), complaint(profile).c_str());
    const std::string text = imported_to_text(*profile);
    const auto again = imported_from_text(text, "again");
    QVERIFY2(again.has_value(), complaint(again).c_str());
    QVERIFY(*again == *profile);
    // As a file, it keeps its source.
    ForeignOptions later;
    later.date = "2030-01-01";
    const auto file = read_foreign(write("again.json", text), later);
    QVERIFY2(file.has_value(), complaint(file).c_str());
    QVERIFY(*file == *profile);
    const auto scaled = read_foreign(write("scaled.csv", "method,removed,quality\nnone,0,50\n"), dated());
    QCOMPARE(scaled->source.scale, 100.0);
    QVERIFY(*imported_from_text(imported_to_text(*scaled), "scaled") == *scaled);
    QVERIFY(!imported_from_text(
                 R"({"format":"kvantage-imported-profile","version":1,"provenance":"imported","source":{"date":"",)"
                 R"("digest":"","file":"a","kind":"table","scale":0},"model":"","points":[{"dataset":"a",)"
                 R"("method":"none","quality":0.5,"removed_fraction":0}]})",
                 "zero")
                 .has_value());
    std::string other = text;
    other.replace(other.find("\"version\":1"), 11, "\"version\":2");
    QVERIFY(!imported_from_text(other, "other").has_value());
  }

  void hostileFilesAreRefused_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("mentions");
    const auto row = [](const char* name, const QByteArray& rows, const char* mentions) {
      QTest::newRow(name) << QByteArray("dataset,method,removed,quality\n" + rows) << QString(mentions);
    };
    row("beyond one", "a,knorm,1.5,0.5\n", "the removed fraction is not from 0");
    row("all removed", "a,knorm,1,0.5\n", "the removed fraction is not from 0");
    row("negative", "a,knorm,-0.1,0.5\n", "the removed fraction is not from 0");
    row("quality below 0", "a,knorm,0.5,-0.1\n", "is not from 0 to 1");
    row("quality beyond 100", "a,knorm,0.5,101\n", "is not from 0 to 100");
    row("NaN", "a,knorm,0.5,NaN\n", "'NaN' is not a number");
    row("infinite", "a,knorm,0.5,inf\n", "'inf' is not a number");
    row("twice", "a,knorm,0.5,0.5\na,knorm,0.50,0.6\n", "is given twice");
    row("short row", "a,knorm,0.5\n", ":2: has 3 fields where the header has 4");
    row("open quote", "\"a,knorm,0.5,0.5\n", "a quote is not closed");
    row("no rows", "", "has no rows");
    row("long name", QByteArray(400, 'x') + ",knorm,0.5,0.5\n", "too long");
    row("no method", "a,,0.5,0.5\n", "the method is empty");
    QTest::newRow("binary") << QByteArray("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 17) << QString("is no text");
    row("Latin-1", "caf\xE9,none,0,0.5\n", "is not UTF-8; convert it, e.g. with iconv");
    QTest::newRow("empty") << QByteArray() << QString("is empty");
    QTest::newRow("a list of numbers") << QByteArray("[1,2,3]") << QString("is no object");
    QTest::newRow("broken JSON") << QByteArray("[{\"a\":1},") << QString("");
    QTest::newRow("deep JSON") << QByteArray(100'000, '[') << QString("");
    QTest::newRow("columns") << (QByteArray(5'000, ',') + "\n" + QByteArray(5'000, ',') + "\n") << QString("columns");
  }
  void hostileFilesAreRefused() {
    QFETCH(QByteArray, text);
    QFETCH(QString, mentions);
    const auto profile = read_foreign(write("hostile.csv", text.toStdString()), dated());
    QVERIFY(!profile.has_value());
    QCOMPARE(profile.error().code, ErrorCode::rejected_input);
    const QString message = QString::fromStdString(profile.error().message);
    QVERIFY2(message.contains(mentions) && !message.contains('\n') && message.size() < 1500, qPrintable(message));
  }
  void foldersAndMissingFilesAreRefused() {
    QVERIFY(!read_foreign(root() / "nowhere.csv", dated()).has_value());
    fs::create_directories(root() / "nothing");
    QVERIFY(!read_foreign(root() / "nothing", dated()).has_value());
  }

  // A few bytes changed: an error in one line, or a profile that holds what is promised of one.
  void changedTablesAreRefusedOrSound() {
    const std::string table =
        "dataset,method,removed,quality,n,low,high\na,none,0,0.9,10,0.8,0.95\na,snapkv,0.5,0.7,10,0.6,0.8\n"
        "b,none,0,0.5,,,\nb,kivi4,0,0.4,,,\n";
    const std::string letters = ",.;\t\"\n-0159eNa{}[]:\\\0 ";
    Random random(3);
    int read = 0, refused = 0;
    for (int i = 0; i < 3000; ++i) {
      std::string text = table;
      for (auto n = 1 + random.below(2); n > 0; --n) {
        const std::size_t at = random.below(text.size());
        if (random.below(4) != 0)
          text[at] = letters[random.below(letters.size())];
        else
          text.erase(at, 1 + random.below(5));
      }
      auto profile = read_foreign(write("changed.csv", text), dated());
      if (!profile) {
        ++refused;
        QCOMPARE(profile.error().code, ErrorCode::rejected_input);
        continue;
      }
      ++read;
      QVERIFY(check_imported(*profile, "again").has_value());
    }
    QVERIFY2(read > 300 && refused > 300, qPrintable(QString("%1 read, %2 refused").arg(read).arg(refused)));
  }

  void aPresetTakesThem() {
    SimulatorPreset preset;
    preset.name = "shape";
    preset.source = "a shape";
    preset.bytes_per_token = 1000;
    preset.candidates.push_back({"kivi4", 0, 0.3, {{"dram", "", {0, 1e-6}}}});
    const auto profile =
        read_foreign(write("preset.csv",
                           "dataset,method,removed,quality\na,none,0,0.9\na,snapkv,0.5,0.7\na,kivi4,0,0.8\n"
                           "b,none,0,0.6\nb,snapkv,0.5,0.5\n"),
                     dated());
    QVERIFY2(profile.has_value(), complaint(profile).c_str());
    QVERIFY(use_profile(preset, *profile).has_value());
    QCOMPARE(preset.candidates.size(), std::size_t{2});
    QCOMPARE(preset.candidates[0].method, std::string("kivi4"));
    QCOMPARE(preset.candidates[0].kept_bytes, 0.3);  // as the preset knows it, with its own line
    QCOMPARE(preset.candidates[0].tiers.size(), std::size_t{1});
    QCOMPARE(preset.candidates[1].kept_bytes, 0.5);
    QCOMPARE(preset.quality.size(), std::size_t{2});
    QCOMPARE(preset.quality[0].uncompressed, 0.9);
    QCOMPARE(*preset.quality[0].candidates[0], 0.8);
    QVERIFY(!preset.quality[1].candidates[0].has_value());
    QCOMPARE(*preset.quality[1].candidates[1], 0.5);
    QVERIFY(preset.quality[0].measure.starts_with("imported from ") &&
            preset.source.starts_with("a shape; quality imp"));

    SimulatorPreset bare;
    const Status codec = use_profile(bare, *profile);
    QVERIFY(!codec && codec.error().message.find("kivi4 removes no tokens") != std::string::npos);
    const auto half = read_foreign(write("half.csv", "dataset,method,removed,quality\na,snapkv,0.5,0.7\n"), dated());
    const Status whole = use_profile(bare, *half);
    QVERIFY(!whole && whole.error().message.find("no uncompressed quality of a") != std::string::npos);

    TtftTable times{.source = profile->source, .compute = {}, .tiers = {}};
    times.compute.emplace();
    times.compute->curve = {0.1, 1e-4, 1e-9};
    times.compute->min_tokens = 512;
    times.compute->max_tokens = 4096;
    times.tiers.emplace_back();
    times.tiers[0].tier = "dram";
    times.tiers[0].curve = {0.01, 1e-5, 0};
    QVERIFY(use_times(preset, times).has_value());
    QCOMPARE(preset.prefill->seconds_per_token_squared, 1e-9);
    QVERIFY(preset.fitted && preset.is_beyond_fit(511) && !preset.is_beyond_fit(4096) && preset.is_beyond_fit(4097));
    QCOMPARE(preset.tier("dram")->line.seconds_per_token, 1e-5);
    QVERIFY(preset.candidates[0].tiers.empty());  // its line was of the tier as published
  }
};

KV_TEST_GUILESS_MAIN(ReadForeignTest)

}  // namespace read_foreign_test

#include "read_foreign_test.moc"
