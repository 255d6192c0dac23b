// links: kv_ui_models kv_experiments
// Texts of core in the language of the window: every row of its registries has a translation, sentences keep their
// arguments, and each row of the catalog is still what core writes.
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTest>
#include <QTranslator>
#include <algorithm>
#include <functional>
#include <set>
#include <vector>

#include "core/base/file_kind.h"
#include "core/base/files.h"
#include "core/compress/method.h"
#include "core/eviction/eviction_orders.h"
#include "core/experiments/frontier_findings.h"
#include "core/experiments/model/pool_walk.h"
#include "core/experiments/paper_figures.h"
#include "core/imported/serving/serving_config.h"
#include "core/kv/codecs/codec.h"
#include "core/policy/formula/formula.h"
#include "core/policy/policy_info.h"
#include "core/policy/types_json.h"
#include "core/ports/session.h"
#include "core/report/event_lines.h"
#include "core/report/report.h"
#include "tests/support/source_literals.h"
#include "tests/support/test_program.h"
#include "ui/live/requests/model/events_model.h"
#include "ui/live/tiers/model/tier_series_model.h"
#include "ui/text/core_text.h"
#include "ui/text/language.h"
#include "ui/text/words.h"

namespace core_text_test {

using namespace kvantage;
using Texts = std::vector<std::string>;

/// The window is in Chinese as long as this lives.
class Chinese {
 public:
  Chinese() {
    if (!translator_.load("kvantage_zh_CN", ":/kvantage/translations")) qFatal("the translation is not compiled in");
    QCoreApplication::installTranslator(&translator_);
  }
  Chinese(const Chinese&) = delete;
  Chinese& operator=(const Chinese&) = delete;
  ~Chinese() { QCoreApplication::removeTranslator(&translator_); }

 private:
  QTranslator translator_;
};

/// Policies and eviction orders whose texts are translated. Adding one takes a file and a row, no translation: the
/// window shows its English text. So this list is frozen, and whoever translates the texts of a new one adds its name.
const std::set<std::string_view> translated_rows{
    "full_prefill", "lru",    "fifo",  "lfu",       "s3fifo",     "gdsf",    "sieve",
    "w_tinylfu",    "arc",    "fixed", "evicpress", "adaptcache", "impress", "important_fraction",
    "optimal",      "formula"};

Texts texts_of(const PolicyInfo& policy) {
  Texts all{policy.summary};
  for (const ParameterInfo& parameter : policy.parameters)
    if (!parameter.meaning.empty()) all.push_back(parameter.meaning);
  return all;
}

std::string reason_with(const EvictionOrderInfo& order) { return std::string(order.victim_text) + "; dram is full"; }

/// What the registries of core write for people, without policies and orders that are not in translated_rows.
Texts registered_texts() {
  Texts all;
  const auto add = [&all](const std::string& text) {
    if (!text.empty()) all.push_back(text);
  };
  for (const PolicyInfo& policy : policy_infos())
    if (translated_rows.contains(policy.name))
      for (const std::string& text : texts_of(policy)) add(text);
  for (const EvictionOrderInfo& order : eviction_orders())
    if (translated_rows.contains(order.name)) add(reason_with(order));
  for (const MethodInfo& method : known_methods()) add(method.summary);
  for (const MethodInfo& method : weight_methods()) add(method.summary);
  for (const BudgetInfo& budget : known_budgets()) add(budget.summary);
  for (const CodecInfo& codec : known_codecs()) add(std::string(codec.summary));
  for (const MetricDefinition& metric : metric_definitions()) add(metric.meaning);
  for (const Paper& paper : papers()) add(paper.missing);
  for (const PaperFigure& figure : paper_figures()) {
    for (const std::string& text : {figure.title, figure.does, figure.expected, figure.published}) add(text);
    for (const FigureSetting& setting : figure.settings)
      for (const std::string& text : {setting.label, setting.otherwise, setting.tip}) add(text);
  }
  return all;
}

/// The sentence of each frame of a walk with every kind of frame.
Texts frame_texts() {
  Texts all;
  for (const char* compaction : {"repack", "hole_fill"}) {
    PoolWalkSetting setting{.compaction = compaction};
    setting.eviction_method = "knorm";
    setting.shared_prompt = true;
    const auto frames = walk_pool(setting);
    if (!frames) qFatal("%s", frames.error().message.c_str());
    for (const PoolFrame& frame : *frames) all.push_back(frame.what);
  }
  return all;
}

Texts finding_texts() {
  Speedups speed{.span = {.low = 1.5, .high = 3, .n = 4}};
  speed.low_interval = Interval{1.2, 1.8};
  Speedups slow{.span = {.low = 0.5, .high = 3, .n = 4}};
  slow.unreached = 2;
  return frontier_findings({.budget_fraction = 0.2,
                            .rule = "section 4.4, drop=best (ours)",
                            .fixed_speed = speed,
                            .fixed_rise = slow,
                            .impress_speed = Speedups{},
                            .impress_rise = slow,
                            .full_quality_known = true,
                            .chance = 0.3,
                            .prefill = MeasuredSpan{1.5, 1.5, Interval{1.2, 1.8}, Interval{1.2, 1.8}}});
}

/// Refusals of settings that a control or a lesson may give.
Texts refusal_texts() {
  Texts all;
  const auto add = [&all](const std::function<void(SessionSettings&)>& change) {
    SessionSettings settings;
    settings.tiers = {{.name = "dram", .budget = TierBudget(1 << 20)}};
    settings.methods = {"none", "knorm"};
    settings.removed_fractions = {0.5};
    change(settings);
    const Status sound = validate(settings);
    if (sound) qFatal("these settings are sound");
    all.push_back(sound.error().message);
  };
  add([](SessionSettings& s) { s.alpha = -1; });
  add([](SessionSettings& s) { s.alpha = 1e12; });
  add([](SessionSettings& s) { s.policy = "lru2"; });
  add([](SessionSettings& s) { s.tiers.clear(); });
  add([](SessionSettings& s) { s.tiers.push_back(s.tiers.front()); });
  add([](SessionSettings& s) { s.tiers.front().faults = "flip_on_read:2"; });
  add([](SessionSettings& s) { s.methods = {"knorm("}; });
  add([](SessionSettings& s) { s.removed_fractions = {1.5}; });
  add([](SessionSettings& s) { s.removed_fractions.resize(1000); });
  add([](SessionSettings& s) { s.max_batch = 0; });
  add([](SessionSettings& s) { s.prefill_batch_tokens = -1; });
  for (const char* file :
       {R"({"chunk_size": 0.5})", R"({"cache_policy": [1]})", R"({"kv-transfer-config": [1]})",
        R"({"kv-offloading-size": 1, "max-num-seqs": 2.5})",
        R"({"kv_connector": "OffloadingConnector", "kv_connector_extra_config": [1]})",
        R"({"remote_url": "redis://u:secret@h:1"})",
        R"({"remote_storage_plugins": ["redis"], "extra_config": {"redis_url": "redis://u:secret@h:1"}})"}) {
    const auto config = serving_config(Json::parse(file), "s.yaml");
    if (config) qFatal("this file is sound");
    all.push_back(config.error().message);
  }
  return all;
}

QString han(const QString& text) {
  static const QRegularExpression others("[^\\x{4e00}-\\x{9fff}]");
  return QString(text).remove(others);
}

/// Numbers in any order: a translation may name them in another one.
QStringList numbers(const QString& text) {
  static const QRegularExpression form("\\d+(\\.\\d+)?");
  QStringList found;
  for (auto at = form.globalMatch(text); at.hasNext();) found << at.next().captured();
  found.sort();
  return found;
}

/// Literals of the sources that write such texts.
const QStringList& literals() {
  static const QStringList all = [] {
    std::set<QString> found;
    for (const char* root : {"core", "tiers", "gpu", "profiles", "app"})
      for (QDirIterator at(QStringLiteral(KVANTAGE_SOURCE_DIR "/") + root, {"*.cpp", "*.h", "*.inl"}, QDir::Files,
                           QDirIterator::Subdirectories);
           at.hasNext();) {
        QFile file(at.next());
        if (!file.open(QIODevice::ReadOnly)) qFatal("%s cannot be read", qPrintable(file.fileName()));
        for (const test::Literal& literal : test::LiteralReader(QString::fromUtf8(file.readAll())).read())
          found.insert(literal.text.trimmed());
      }
    return QStringList(found.begin(), found.end());
  }();
  return all;
}

bool any_literal(const std::function<bool(const QString&)>& has) { return std::ranges::any_of(literals(), has); }

/// Whether words[from...] are whole literals and then the beginning of one.
bool continues(const QStringList& words, qsizetype from, int depth) {
  const QString rest = words.sliced(from).join(' ');
  if (any_literal([&](const QString& literal) { return literal.startsWith(rest); })) return true;
  for (qsizetype to = from + 1; depth > 0 && to < words.size(); ++to)
    if (literals().contains(words.sliced(from, to - from).join(' ')) && continues(words, to, depth - 1)) return true;
  return false;
}

/// In one literal, or where core joins some: the end of one, whole ones, and the beginning of the last.
bool is_written(const QString& piece) {
  if (any_literal([&](const QString& literal) { return literal.contains(piece); })) return true;
  const QStringList words = piece.split(' ');
  for (qsizetype to = 1; to < words.size(); ++to) {
    const QString start = words.first(to).join(' ');
    if (any_literal([&](const QString& literal) { return literal.endsWith(start); }) && continues(words, to, 3))
      return true;
  }
  return false;
}

/// Literal parts of a row that no source writes any more.
QStringList unwritten(const QString& row) {
  static const QRegularExpression argument("%\\d"), marks("[,;:.()\\[\\]/'\"\\\\]+"), letters("[A-Za-z]{2}");
  QStringList found;
  for (const QString& part : row.split(argument)) {
    if (!letters.match(part).hasMatch() || is_written(part.trimmed())) continue;
    for (const QString& piece : part.split(marks))
      if (letters.match(piece).hasMatch() && !is_written(piece.trimmed())) found << piece.trimmed();
  }
  return found;
}

class CoreTextTest : public QObject {
  Q_OBJECT

  static Texts all_texts() {
    Texts all = registered_texts();
    for (const Texts& more : {frame_texts(), finding_texts(), refusal_texts()})
      all.insert(all.end(), more.begin(), more.end());
    return all;
  }

 private slots:
  void initTestCase() { install_plurals(); }  // and with it what is compiled in

  void englishStaysAsItIs() {
    for (const std::string& text : all_texts()) QCOMPARE(core_text(text), to_q(text));
  }

  void everyTextIsTranslated() {
    const Chinese chinese;
    static const QRegularExpression english("[A-Za-z]{3,} [a-z]{3,}"), command("`[^`]*`");
    const Texts all = all_texts();
    QVERIFY(all.size() > 400);
    QStringList found;
    for (const std::string& text : all) {
      const QString shown = core_text(text).remove(command);
      if (han(shown).isEmpty() || english.match(shown).hasMatch()) found << to_q(text) + " => " + shown;
    }
    QVERIFY2(found.isEmpty(), qPrintable('\n' + found.join('\n')));
  }

  // The list has no name that is gone. Others may have translations or not; either is shown.
  void otherPoliciesStayEnglish() {
    for (const std::string_view name : translated_rows)
      QVERIFY2(find_policy_info(name) != nullptr || find_eviction_order(name) != nullptr ||
                   (name == "formula" && !Formula::is_available()),
               std::string(name).c_str());
    const Chinese chinese;
    Texts others;
    for (const PolicyInfo& policy : policy_infos())
      if (!translated_rows.contains(policy.name))
        for (const std::string& text : texts_of(policy)) others.push_back(text);
    for (const EvictionOrderInfo& order : eviction_orders())
      if (!translated_rows.contains(order.name)) others.push_back(reason_with(order));
    for (const std::string& text : others)
      for (const QString& part : to_q(text).split("; "))
        if (core_text(text).contains(part)) qInfo("stays English: %s", qPrintable(part));
    const QString reason = core_text(std::string("A sentence that nobody wrote.; dram is full"));
    QVERIFY2(reason.startsWith("A sentence that nobody wrote.") && reason.endsWith("已满"), qPrintable(reason));
  }

  void numbersAreKept() {
    const Chinese chinese;
    for (const Texts& texts : {frame_texts(), finding_texts(), refusal_texts()})
      for (const std::string& text : texts) QCOMPARE(numbers(core_text(text)), numbers(to_q(text)));
  }

  void argumentsAreKept_data() {
    QTest::addColumn<QString>("english");
    QTest::addColumn<QString>("chinese");
    QTest::newRow("reason")
        << "dram was full; moving this context cost the least utility (0.04 s); runner-up: c2 to "
           "ssd, keydiff, 60 % removed (0.1 s); not profiled yet: quality assumed 0.9"
        << "dram 已满；移动此上下文的效用损失最小（0.04 s）；次优：将 c2 移至 ssd，keydiff，移除 60 "
           "%（0.1 s）；尚未剖析：质量假定为 0.9";
    QTest::newRow("eviction") << "least recently used; dram is full; it does not fit any lower tier"
                              << "最近最少使用；dram 已满；任何较低层级都放不下它";
    QTest::newRow("turning") << "dram budget ≥ 30 MiB (now 20 MiB): dram, uncompressed"
                             << "dram 预算 >= 30 MiB（现为 20 MiB）：dram，未压缩";
    QTest::newRow("name and value") << "tiers: dram: faults: 'x': is not a kind of fault; known are a, b"
                                    << "tiers：dram：faults：“x”：不是故障类型；已知类型：a, b";
    QTest::newRow("list") << "faults injected: no_space:0.1; shaped: 20.0 MB/s + 1.0 ms"
                          << "已注入故障：no_space:0.1；限速：20.0 MB/s + 1.0 ms";
    QTest::newRow("claim") << "Of 3 compared, lru is fastest (mean TTFT 12.0 ms) and evicpress has the best token_f1 "
                              "(mean TTFT 13.0 ms at token_f1 0.950); the TTFT difference to gdsf and 2 more is not "
                              "significant (95 % intervals overlap)."
                           << "所比较的 3 个中，lru 最快（平均 TTFT 12.0 ms），evicpress 的 token_f1 最好（平均 TTFT "
                              "13.0 ms，token_f1 0.950）；与 gdsf 及另外 2 个 的 TTFT 差异不显著（95 % 区间重叠）。";
    QTest::newRow("claim with ties")
        << "Of 3 compared, lru is fastest (mean TTFT 12.0 ms at token_f1 0.963) and 2 tie for the best token_f1 "
           "(0.963: "
           "lru, gdsf); in TTFT, the best 95 % interval overlaps no other. Not compared: lfu (stopped)."
        << "所比较的 3 个中，lru 最快（平均 TTFT 12.0 ms，token_f1 0.963），2 个并列 token_f1 最好（0.963: lru, "
           "gdsf）；就 TTFT 而言，最优者的 95 % 区间与其他的不重叠。未比较：lfu（已停止）。";
    QTest::newRow("cell of a figure") << "evicpress, alpha 0.3 s, 20 % of the bytes, 4 requests/s, seed 2"
                                      << "evicpress，alpha 0.3 s，20 % 字节，4 请求/s，种子 2";
    QTest::newRow("own text in UTF-16") << "/texts/a.txt: is UTF-16; save it as UTF-8"
                                        << "/texts/a.txt：是 UTF-16 编码；请另存为 UTF-8";
    QTest::newRow("own text with bad bytes") << "a.txt: is not UTF-8 (12 malformed characters); convert it to UTF-8"
                                             << "a.txt：不是 UTF-8（12 个无效字符）；请转换为 UTF-8";
    QTest::newRow("a value of several lines") << "request 3: one\ntwo"
                                              << "请求 3：one\ntwo";
    QTest::newRow("a value with a row") << "request failed: closed while loading"
                                        << "请求失败：加载时已关闭";
    QTest::newRow("a value that looks like an argument") << "run is not recorded: %2 %1"
                                                         << "运行未被记录：%2 %1";
  }
  void argumentsAreKept() {
    QFETCH(QString, english);
    QFETCH(QString, chinese);
    QCOMPARE(core_text(english), english);
    const Chinese language;
    QCOMPARE(core_text(english), chinese);
    QCOMPARE(core_text(english), chinese);  // as remembered
  }

  void linesOfEventsAreTranslated() {
    const Chinese chinese;
    const QString line = to_q(event_line({.sequence = 7, .payload = events::RunFinished{"a", "stopped", 12}}, 0.5));
    QCOMPARE(core_text(line.simplified().section(' ', 4)), QString("12 个请求后已停止"));
  }

  void provenancesOfEventsAreTranslated() {
    RequestRecord record;
    record.context_id = "c1";
    record.source = "ssd";
    record.quality = {{"token_f1", 1.0}};
    const auto line = [&record](Provenance provenance) {
      record.provenance = provenance;
      return to_q(event_line({.sequence = 7, .payload = events::RequestFinished{record}}, 0.5));
    };
    QVERIFY(line(Provenance::throttled).contains("(throttled)"));
    QVERIFY(line(Provenance::simulated).contains("(simulated)"));
    QVERIFY(line(Provenance::imported).contains("(imported)"));
    QCOMPARE(provenance_text(Provenance::throttled), QString("throttled"));
    const Chinese chinese;
    QCOMPARE(provenance_text(Provenance::throttled), QString("限速"));
    QCOMPARE(provenance_text(Provenance::simulated), QString("模拟"));
    QVERIFY(core_text(line(Provenance::throttled).simplified().section(' ', 4)).contains("（限速）"));
  }

  void actionsAreTranslated() {
    const Chinese chinese;
    for (const auto& [kind, name] : JsonNames<ActionKind>::list)
      QVERIFY2(!han(action_text(kind)).isEmpty(), std::string(name).c_str());
    events::PlacementCommitted moved;
    moved.action.kind = ActionKind::demote;
    moved.action.to.tier = 0;
    moved.context_id = "c1";
    EventsModel log;
    log.add({.sequence = 1, .payload = moved}, 0);
    QVERIFY(log.index(0, EventsModel::text).data().toString().startsWith("降级 c1: "));
    TierSeriesModel tiers;
    tiers.tier_occupancy(0, {"dram", 1, 2, {}});
    tiers.placement_committed(1, moved);
    QVERIFY(tiers.tiers().at(0).marks.at(0).text.startsWith("降级 c1: "));
    const QString line = to_q(event_line({.sequence = 7, .payload = moved}, 0.5));
    QCOMPARE(core_text(line.simplified().section(' ', 4)), QString("降级 c1：未存储（0 B）移至 层级 0（0 B）"));
  }

  // A move between tiers changes no size: one is enough.
  void anEventSaysASizeOnce() {
    events::PlacementCommitted moved;
    moved.action.kind = ActionKind::demote;
    moved.action.to.tier = 1;
    moved.action.bytes_before = moved.action.bytes_after = 2 << 20;
    moved.context_id = "c1";
    EventsModel log;
    log.add({.sequence = 1, .payload = moved}, 0);
    moved.action.bytes_after = 1 << 20;
    log.add({.sequence = 2, .payload = moved}, 0);
    const auto text = [&](int row) { return log.index(row, EventsModel::text).data().toString(); };
    QVERIFY2(text(0).contains(": 2.0 MiB") && !text(0).contains("→"), qPrintable(text(0)));
    QVERIFY2(text(1).contains(": 2.0 MiB → 1.0 MiB"), qPrintable(text(1)));
  }

  void errorsOfFilesAreTranslated() {
    const Chinese chinese;
    const auto text = read_text_file("/nowhere/a");
    const Status written = write_text_file("/nowhere/a", "");
    QVERIFY(!text && !written);
    QVERIFY2(core_text(text.error().message).startsWith("/nowhere/a：无法读取（"), text.error().message.c_str());
    QVERIFY2(core_text(written.error().message).startsWith("/nowhere/a：无法写入（"), written.error().message.c_str());
    const FileKind* kind = foreign_kind("%PDF-1.7");
    QVERIFY(kind != nullptr);
    QCOMPARE(core_text(foreign_file("/a.txt", *kind).value().message),
             QString("/a.txt：是 PDF；请用 pdftotext 保存其文本"));
  }

  // Whatever a view shows of an error goes through the catalog.
  void noViewShowsAnErrorUntranslated() {
    static const QRegularExpression raw("(to_q|fromStdString)\\([^()]*error(\\(\\))?\\.message\\)");
    QStringList found;
    for (QDirIterator at(QStringLiteral(KVANTAGE_SOURCE_DIR "/ui"), {"*.cpp", "*.h"}, QDir::Files,
                         QDirIterator::Subdirectories);
         at.hasNext();) {
      QFile file(at.next());
      QVERIFY(file.open(QIODevice::ReadOnly));
      if (const auto match = raw.match(QString::fromUtf8(file.readAll())); match.hasMatch())
        found << file.fileName() + ": " + match.captured();
    }
    QVERIFY2(found.isEmpty(), qPrintable('\n' + found.join('\n')));
  }

  void anUnknownTextStays() {
    const Chinese chinese;
    for (const char* text : {"", "dram", "none", "evicpress(drop=best)", "kivi4+zstd", "A sentence that nobody wrote.",
                             "ssd-17: 12 things; all of them unheard of", "100%", "%1"})
      QCOMPARE(core_text(std::string(text)), QString(text));
  }

  void rowsAreWhatCoreWrites() {
    QStringList found;
    int rows = 0;
    for (QDirIterator at(QStringLiteral(KVANTAGE_SOURCE_DIR "/ui/text"), {"core_text_*.inl"}, QDir::Files);
         at.hasNext();) {
      QFile file(at.next());
      QVERIFY(file.open(QIODevice::ReadOnly));
      for (const test::Literal& literal : test::LiteralReader(QString::fromUtf8(file.readAll())).read()) {
        if (literal.text == "core") continue;
        ++rows;
        for (const QString& piece : unwritten(literal.text)) found << piece + " of: " + literal.text;
      }
    }
    QVERIFY(rows > 900);
    QVERIFY2(found.isEmpty(), qPrintable("\nwritten nowhere; bring the rows up to date:\n" + found.join('\n')));
  }

  void aRowThatNobodyWritesIsFound() {
    QVERIFY(unwritten("not requested yet").isEmpty());
    QVERIFY(unwritten("%1 KV entry evicted, %2 blocks freed").isEmpty());
    QCOMPARE(unwritten("not requested so far"), QStringList("not requested so far"));
    QCOMPARE(unwritten("%1 KV entries evicted, %2 blocks let loose"), QStringList("blocks let loose"));
  }
};

KV_TEST_GUILESS_MAIN(CoreTextTest)

}  // namespace core_text_test

#include "core_text_test.moc"
