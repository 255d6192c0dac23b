// links: kv_reports
// Settings survive JSON, and a setting that makes no sense is refused by the name of its field.
#include <QtTest>
#include <functional>
#include <limits>

#include "core/ports/session.h"
#include "tests/support/test_program.h"

namespace session_settings_test {

using namespace kvantage;

namespace {

SessionSettings good_settings() {
  SessionSettings settings;
  settings.policy = "fixed(adakv(snapkv,beta=0.2),0.5)";
  settings.alpha = 0.3;
  settings.tiers = {{"dram", 64 << 20, 0, 0}, {"ssd", 1ULL << 40, 1.5e8, 0.001}};
  settings.tiers.push_back({.name = "remote",
                            .budget = TierBudget::unlimited(),
                            .options = {{"url", "redis://host:6379"}, {"connect", "0.5s"}, {"timeout", "3s"}}});
  settings.tiers[1].faults = "flip_on_read:0.01+delay:0.02s@0.1+seed:7";
  settings.archive.options = {{"url", "redis://host:6379"}, {"timeout", "2s"}};
  settings.methods = {"none", "snapkv", "adakv(snapkv)+kivi4"};
  settings.removed_fractions = {0, 0.3, 0.6, 0.9};
  settings.requests_per_second = 2.5;
  settings.reprofile_when = ReprofileRule::absolute(0.1);
  settings.assume_loss = false;
  settings.reprofile_share = 0.5;
  settings.quality_bound = QualityBound::lower;
  settings.profile_grid = ProfileGridKind::racing;
  settings.good_enough = 0.05;
  settings.quality_metric = "exact_match";
  settings.request_limit = 17;
  settings.max_batch = 4;
  settings.prefill_batch_tokens = 96;
  settings.compute_or_load = "off";
  settings.attend_quantized = true;
  settings.speculation = "auto(k=4)";
  settings.products = "batch_invariant";
  settings.decode_options = {"paged_eviction(budget=25%)", "knorm(budget=512)"};
  settings.reprofile = false;
  return settings;
}

using Change = std::function<void(SessionSettings&)>;
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

struct BadCase {
  const char* title;
  const char* mentions;
  Change change;
};
std::vector<BadCase> bad_policies_and_tiers() {
  return {
      {"negative alpha", "alpha", [](auto& s) { s.alpha = -1; }},
      {"alpha not a number", "alpha", [](auto& s) { s.alpha = nan_value; }},
      {"infinite alpha", "alpha", [](auto& s) { s.alpha = infinite; }},
      {"alpha beyond sense", "alpha", [](auto& s) { s.alpha = 1e100; }},
      {"unknown policy", "policy", [](auto& s) { s.policy = "evicpres"; }},
      {"policy near miss", "did you mean 'evicpress'", [](auto& s) { s.policy = "evicpres"; }},
      {"no tiers", "tiers", [](auto& s) { s.tiers.clear(); }},
      {"same tier twice", "'dram' is given twice", [](auto& s) { s.tiers[1].name = "dram"; }},
      {"tier without a name", "tiers", [](auto& s) { s.tiers[0].name = ""; }},
      {"negative bandwidth", "shaped_bytes_per_second", [](auto& s) { s.tiers[1].throttle.bytes_per_second = -1; }},
      {"latency not a number", "shaped_latency_seconds",
       [](auto& s) { s.tiers[0].throttle.latency_seconds = nan_value; }},
      {"wait without a server", "tiers: ssd: prefix, connect and timeout belong to a remote store",
       [](auto& s) { s.tiers[1].options["connect"] = "1s"; }},
      {"negative wait", "tiers: remote: timeout '-1s'", [](auto& s) { s.tiers[2].options["timeout"] = "-1s"; }},
      {"unknown fault", "did you mean 'torn_write'", [](auto& s) { s.tiers[1].faults = "torn_writes:0.1"; }},
      {"faults of host memory", "tiers: dram: faults apply to files",
       [](auto& s) { s.tiers[0].faults = "read_error:0.1"; }},
      {"faults of a server", "tiers: remote: faults apply to files",
       [](auto& s) { s.tiers[2].faults = "read_error:0.1"; }},
      {"faults of the archive", "archive", [](auto& s) { s.archive.faults = "read_error:0.1"; }},
      {"archive with a budget", "archive", [](auto& s) { s.archive.budget = 5; }},
      {"archive that is throttled", "archive", [](auto& s) { s.archive.throttle.latency_seconds = 1; }},
      {"no budget", "'dram' has no budget", [](auto& s) { s.tiers[0].budget = {}; }},
      {"no limit before the last", "'dram' is unlimited", [](auto& s) { s.tiers[0].budget = TierBudget::unlimited(); }},
      {"unknown kind", "tiers: dram: unknown kind 'tape'; write kind= and one of dram, ssd, device, remote, s3",
       [](auto& s) { s.tiers[0].kind = "tape"; }},
      {"unknown option", "unknown option 'speed'", [](auto& s) { s.tiers[1].options["speed"] = "3"; }},
      {"archive of another name", "archive", [](auto& s) { s.archive.name = "attic"; }}};
}

std::vector<BadCase> bad_candidates_and_rules() {
  return {
      {"no methods", "methods", [](auto& s) { s.methods.clear(); }},
      {"method twice", "methods",
       [](auto& s) {
         s.methods = {"knorm", "knorm"};
       }},
      {"method with a hole", "methods", [](auto& s) { s.methods = {"adakv(snapkv"}; }},
      {"empty method", "methods", [](auto& s) { s.methods = {""}; }},
      {"no fractions", "removed_fractions", [](auto& s) { s.removed_fractions.clear(); }},
      {"everything removed", "removed_fractions", [](auto& s) { s.removed_fractions = {1.0}; }},
      {"negative fraction", "removed_fractions", [](auto& s) { s.removed_fractions = {-0.1}; }},
      {"fraction not a number", "removed_fractions", [](auto& s) { s.removed_fractions = {nan_value}; }},
      {"fraction twice", "removed_fractions",
       [](auto& s) {
         s.removed_fractions = {0.5, 0.5};
       }},
      {"negative rate", "requests_per_second", [](auto& s) { s.requests_per_second = -2; }},
      {"a request in a million ages", "requests_per_second", [](auto& s) { s.requests_per_second = 5e-324; }},
      {"infinite rate", "requests_per_second", [](auto& s) { s.requests_per_second = infinite; }},
      {"negative threshold", "reprofile_when: relative(-0.1)",
       [](auto& s) { s.reprofile_when = ReprofileRule::relative(-0.1); }},
      {"threshold beyond a quality", "reprofile_when: below(1.5)",
       [](auto& s) { s.reprofile_when = ReprofileRule::below(1.5); }},
      {"threshold not a number", "write one such as relative(0.3)",
       [](auto& s) { s.reprofile_when.bound = nan_value; }},
      {"negative share", "reprofile_share: -0.1 is not a share from 0 to 1", [](auto& s) { s.reprofile_share = -0.1; }},
      {"share of more than all", "reprofile_share", [](auto& s) { s.reprofile_share = 1.01; }},
      {"share not a number", "reprofile_share", [](auto& s) { s.reprofile_share = nan_value; }},
      {"good enough of less than nothing", "good_enough: -0.1 is not a share from 0 to 1",
       [](auto& s) { s.good_enough = -0.1; }},
      {"good enough that is no number", "good_enough", [](auto& s) { s.good_enough = nan_value; }},
      {"no request at once", "max_batch", [](auto& s) { s.max_batch = 0; }},
      {"a batch beyond sense", "max_batch", [](auto& s) { s.max_batch = 1000; }},
      {"less than no prefill batch", "prefill_batch_tokens: -1 is not from 0 to 16384",
       [](auto& s) { s.prefill_batch_tokens = -1; }},
      {"a prefill batch beyond sense", "prefill_batch_tokens", [](auto& s) { s.prefill_batch_tokens = 16'385; }},
      {"a way of loading nobody knows", "compute_or_load", [](auto& s) { s.compute_or_load = "on"; }},
      {"no way of loading", "write auto, hybrid, prefill or off", [](auto& s) { s.compute_or_load = ""; }},
      {"unknown decode option", "decode_options: decode eviction 'knormm': unknown",
       [](auto& s) { s.decode_options = {"knormm"}; }},
      {"none as a decode option", "decode_options: 'none' is always an option",
       [](auto& s) { s.decode_options = {"none"}; }},
      {"decode option twice", "decode_options: 'knorm' is given twice",
       [](auto& s) {
         s.decode_options = {"knorm(budget=50%)", "knorm"};
       }},
      {"planned as a decode option", "decode_options", [](auto& s) { s.decode_options = {"planned"}; }},
      {"planned without options", "decode_eviction: planned chooses from decode_options",
       [](auto& s) {
         s.decode_eviction = "planned";
         s.decode_options.clear();
       }},
      {"planned on quantized rows", "decode_eviction: needs dequantized KV",
       [](auto& s) { s.decode_eviction = "planned"; }},
      {"no metric", "quality_metric", [](auto& s) { s.quality_metric = ""; }}};
}

std::vector<BadCase> long_lists() {
  return {
      {"33 tiers", "tiers: the list has 33 elements, more than 32; shorten it", [](auto& s) { s.tiers.resize(33); }},
      {"257 methods", "methods: the list has 257 elements, more than 256; shorten it",
       [](auto& s) { s.methods.resize(257); }},
      {"257 fractions", "removed_fractions: the list has 257 elements, more than 256; shorten it",
       [](auto& s) { s.removed_fractions.resize(257); }},
      {"65 decode options", "decode_options: the list has 65 elements, more than 64; shorten it",
       [](auto& s) { s.decode_options.resize(65); }}};
}

std::vector<BadCase> bad_speculation() {
  return {{"unknown speculation", "speculation: speculation 'lookups': unknown; did you mean 'lookup'",
           [](auto& s) { s.speculation = "lookups"; }},
          {"too many drafts", "speculation: speculation 'lookup(k=9)': k is 9",
           [](auto& s) { s.speculation = "lookup(k=9)"; }},
          {"unknown products", "products: 'onednn' is not known; write library or batch_invariant",
           [](auto& s) { s.products = "onednn"; }}};
}

const std::vector<BadCase>& bad_cases() {
  static const std::vector<BadCase> cases = [] {
    std::vector<BadCase> all = bad_policies_and_tiers();
    for (const std::vector<BadCase>& more : {bad_candidates_and_rules(), long_lists(), bad_speculation()})
      all.insert(all.end(), more.begin(), more.end());
    return all;
  }();
  return cases;
}

}  // namespace

class SessionSettingsTest : public QObject {
  Q_OBJECT
 private slots:
  void settingsSurviveTheRoundTrip() {
    const auto back = session_settings_from_json(*parse_json(to_json(good_settings()).dump(), "t"), "t");
    QVERIFY(back.has_value());
    QVERIFY(*back == good_settings());
    const Json defaults = to_json(SessionSettings{});
    const Json set = to_json(good_settings());
    for (const auto& [key, value] : defaults.items())
      QVERIFY2(key == "decode_eviction" || key == "decode_offload" || set.at(key) != value, key.c_str());
  }
  void theRuleOfReprofilingIsAText() {
    const Json defaults = to_json(SessionSettings{});
    QCOMPARE(defaults.at("reprofile_when"), Json("relative(0.3)"));
    QCOMPARE(defaults.at("assume_loss"), Json(true));
    QCOMPARE(defaults.at("reprofile_share"), Json(0.05));
    QVERIFY(!defaults.contains("reprofile_threshold"));
    for (const char* text : {"below(0.8)", "relative(0.125)", "absolute(0.3)"}) {
      const auto read = session_settings_from_json(Json{{"reprofile_when", text}}, "t");
      QVERIFY2(read.has_value(), read ? "" : read.error().message.c_str());
      QCOMPARE(to_json(*read).at("reprofile_when"), Json(text));
    }
    for (const double share : {0.0, 1.0}) {
      SessionSettings settings = good_settings();
      settings.reprofile_share = share;
      QVERIFY(validate(settings).has_value());
    }
  }
  // Earlier versions wrote the share as a number. Above 1, nothing drifted.
  void aFormerThresholdIsAShareOfTheProfile() {
    for (const auto& [written, share] :
         {std::pair(Json(0.15), 0.15), std::pair(Json(0), 0.0), std::pair(Json(1), 1.0), std::pair(Json(2.5), 1.0)}) {
      const auto read = session_settings_from_json(Json{{"reprofile_threshold", written}, {"alpha", 2}}, "t");
      QVERIFY2(read.has_value(), read ? "" : read.error().message.c_str());
      QVERIFY(read->reprofile_when == ReprofileRule::relative(share));
      QCOMPARE(read->alpha, 2.0);
      QVERIFY(!to_json(*read).contains("reprofile_threshold"));
    }
  }
  void wrongRulesOfAFileAreRefused_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("error");
    const auto row = [](const char* file, const char* error) {
      QTest::newRow(file) << QString(file) << QString(error);
    };
    row(R"json({"reprofile_when": "under(0.3)"})json",
        "my.json: reprofile_when: 'under(0.3)' is not a re-profiling rule; write below(0.7), relative(0.3) or "
        "absolute(0.3)");
    row(R"json({"reprofile_when": "below(7)"})json",
        "my.json: reprofile_when: 'below(7)' has no number from 0 to 1; write below(0.7)");
    row(R"({"reprofile_when": 0.3})", "my.json: reprofile_when: expected a string, found number; correct its value");
    row(R"({"assume_loss": 1})", "my.json: assume_loss: expected true or false, found number; correct its value");
    row(R"({"reprofile_threshold": "0.3"})",
        "my.json: reprofile_threshold: expected a number, found string; correct its value");
    row(R"({"reprofile_threshold": -0.1})", "my.json: reprofile_threshold: must be 0 or greater; it is -0.1");
    row(R"({"reprofile_threshold": null})", "my.json: reprofile_threshold: must be 0 or greater; it is nan");
    row(R"json({"reprofile_threshold": 0.3, "reprofile_when": "below(0.7)"})json",
        "my.json: has reprofile_when and reprofile_threshold; leave reprofile_threshold out");
  }
  void wrongRulesOfAFileAreRefused() {
    QFETCH(QString, file);
    QFETCH(QString, error);
    const auto read = session_settings_from_json(*parse_json(file.toStdString(), "t"), "my.json");
    QVERIFY(!read.has_value());
    QCOMPARE(read.error().code, ErrorCode::rejected_input);
    QCOMPARE(QString::fromStdString(read.error().message), error);
  }
  // It names a tier of this machine, and keeps every entry.
  void decodeOffloadNamesATier() {
    SessionSettings settings = good_settings();
    settings.decode_offload = "ssd(split=load_only)";
    QVERIFY(validate(settings).has_value());
    const auto back = session_settings_from_json(*parse_json(to_json(settings).dump(), "t"), "t");
    QVERIFY(back.has_value() && *back == settings);
    const auto says = [&settings](const char* setting, const char* part) {
      settings.decode_offload = setting;
      const Status checked = validate(settings);
      return !checked && checked.error().message.starts_with("decode_offload: ") &&
             checked.error().message.find(part) != std::string::npos;
    };
    QVERIFY(says("sdd", "no tier is named 'sdd'; did you mean 'ssd'?"));
    QVERIFY(says("remote", "other programs use 'remote' too"));
    QVERIFY(says("ssd(split=sloved)", "did you mean 'solved'?"));
    settings.attend_quantized = false;
    settings.decode_eviction = "knorm(budget=50%)";
    QVERIFY(says("ssd", "set decode_eviction to none"));
    settings.decode_offload = "none";
    QVERIFY(validate(settings).has_value());
  }
  // It works on dequantized KV.
  void decodeEvictionExcludesAttentionOnQuantizedRows() {
    SessionSettings settings = good_settings();
    settings.decode_eviction = "paged_eviction(budget=25%)";
    const Status both = validate(settings);
    QVERIFY(!both && both.error().message.starts_with("decode_eviction: needs dequantized KV"));
    for (const char* name : {"--attend-quantized", "Attend on quantized KV"})  // the option and the control
      QVERIFY2(both.error().message.find(name) != std::string::npos, both.error().message.c_str());
    QVERIFY(both.error().message.find("attend_coded") == std::string::npos);
    settings.attend_quantized = false;
    QVERIFY(validate(settings).has_value());
    const auto back = session_settings_from_json(*parse_json(to_json(settings).dump(), "t"), "t");
    QVERIFY(back.has_value() && *back == settings);
    settings.decode_eviction = "paged_evictoin";
    QVERIFY(validate(settings).error().message.find("did you mean 'paged_eviction'") != std::string::npos);
  }
  void plannedDecodingChoosesFromAList() {
    SessionSettings settings = good_settings();
    settings.attend_quantized = false;
    settings.decode_eviction = "planned";
    const Status sound = validate(settings);
    QVERIFY2(sound.has_value(), sound ? "" : sound.error().message.c_str());
    const auto back = session_settings_from_json(*parse_json(to_json(settings).dump(), "t"), "t");
    QVERIFY(back.has_value() && *back == settings);
    Json older = to_json(settings);  // a file from before there were options
    older.erase("decode_options");
    const auto without = session_settings_from_json(older, "t");
    QVERIFY(without.has_value() && without->decode_options.empty());
  }
  void whatIsLeftOutKeepsItsDefault() {
    const auto back = session_settings_from_json(Json{{"alpha", 2}}, "my.json");
    QVERIFY(back.has_value());
    QCOMPARE(back->alpha, 2.0);
    QCOMPARE(back->policy, SessionSettings{}.policy);
  }
  void unknownFieldsAndNegativeBudgetsAreRefused() {
    const auto unknown = session_settings_from_json(Json{{"alfa", 2}}, "my.json");
    QVERIFY(!unknown.has_value());
    QCOMPARE(QString::fromStdString(unknown.error().message), "my.json: unknown field 'alfa'; did you mean 'alpha'?");
    const auto negative =
        session_settings_from_json(*parse_json(R"({"tiers":[{"name":"dram","budget_bytes":-5}]})", "t"), "my.json");
    QVERIFY(!negative.has_value());
    QVERIFY(negative.error().message.find("budget_bytes") != std::string::npos);
  }
  void listsMayBeAsLongAsTheirLimits() {
    SessionSettings settings = good_settings();
    settings.tiers.clear();
    for (std::size_t i = 0; i < max_tiers; ++i)
      settings.tiers.push_back({.name = "t" + std::to_string(i), .budget = 1 << 20});
    settings.removed_fractions.clear();
    for (std::size_t i = 0; i < max_removed_fractions; ++i)
      settings.removed_fractions.push_back(static_cast<double>(i) / 1000);
    const auto status = validate(settings);
    QVERIFY2(status.has_value(), status ? "" : status.error().message.c_str());
    const auto back = session_settings_from_json(to_json(settings), "t");
    QVERIFY(back && *back == settings);
  }
  void longListsOfAFileAreRefusedUnread_data() {
    QTest::addColumn<QString>("field");
    for (const char* field : {"tiers", "methods", "removed_fractions", "decode_options"}) QTest::newRow(field) << field;
  }
  void longListsOfAFileAreRefusedUnread() {
    QFETCH(QString, field);
    Json json = Json::object();
    json[field.toStdString()] = Json(20'000, Json());  // each element would be refused
    const auto read = session_settings_from_json(json, "my.json");
    QVERIFY(!read);
    QCOMPARE(read.error().code, ErrorCode::rejected_input);
    const QString message = QString::fromStdString(read.error().message);
    QVERIFY2(message.startsWith("my.json: " + field + ": the list has 20000 elements, more than "),
             qPrintable(message));
  }
  void goodSettingsAreAccepted() {
    const auto status = validate(good_settings());
    QVERIFY2(status.has_value(), status ? "" : status.error().message.c_str());
  }
  void nonsenseIsRefusedByName_data() {
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < bad_cases().size(); ++i) QTest::newRow(bad_cases()[i].title) << static_cast<int>(i);
  }
  void nonsenseIsRefusedByName() {
    QFETCH(int, index);
    const BadCase& bad = bad_cases()[static_cast<std::size_t>(index)];
    SessionSettings settings = good_settings();
    bad.change(settings);
    const auto status = validate(settings);
    QVERIFY(!status.has_value());
    QCOMPARE(status.error().code, ErrorCode::usage);
    QVERIFY2(status.error().message.find(bad.mentions) != std::string::npos, status.error().message.c_str());
  }
};

KV_TEST_GUILESS_MAIN(SessionSettingsTest)

}  // namespace session_settings_test

#include "session_settings_test.moc"
