// links: kv_reports
// Budgets, kinds and files of tiers: what is read, what is implied, what is refused.
#include <QtTest>

#include "core/ports/session.h"
#include "tests/support/test_program.h"
#include "tests/support/three_contexts.h"

namespace tier_config_test {

using namespace kvantage;

class TierConfigTest : public QObject {
  Q_OBJECT

  static Expected<TierConfig> tier_of(const char* json) {
    const auto read = session_settings_from_json(Json{{"tiers", Json::array({*parse_json(json, "t")})}}, "s.json");
    if (!read) return tl::unexpected(read.error());
    return read->tiers[0];
  }

 private slots:
  void budgetsAreReadAndPrinted_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("printed");  // empty: it is refused
    const auto row = [](const char* text, const char* printed) { QTest::newRow(text) << text << printed; };
    row("4096", "4096");
    row("64MiB", "67108864");
    row("40%", "40%");
    row("0.5%", "0.5%");
    row("400%", "400%");
    row("1000000%", "1e+06%");
    row("unlimited", "unlimited");
    for (const char* wrong : {"", "%", "0", "0%", "-1%", "1e9%", "inf%", "nan%", "40%%", "4 %", "many", "Unlimited"})
      row(wrong, "");
  }
  void budgetsAreReadAndPrinted() {
    QFETCH(QString, text);
    QFETCH(QString, printed);
    const auto budget = parse_budget(text.toStdString());
    QCOMPARE(budget.has_value(), !printed.isEmpty());
    if (!budget) {
      QCOMPARE(budget.error().code, ErrorCode::usage);
      return;
    }
    QCOMPARE(QString::fromStdString(to_string(*budget)), printed);
    QVERIFY(*parse_budget(to_string(*budget)) == *budget);
  }

  void aPercentageIsOfTheFullBytes() {
    QCOMPARE(TierBudget::percent(40).of(1000).bytes(), std::uint64_t{400});
    QCOMPARE(TierBudget::percent(400).of(1000).bytes(), std::uint64_t{4000});
    QCOMPARE(TierBudget::percent(0.001).of(1000).bytes(), std::uint64_t{1});  // room for nothing, yet a budget
    QVERIFY(TierBudget::percent(1e6).of(std::uint64_t{1} << 62).bytes() < TierBudget::unlimited_bytes);
    QVERIFY(TierBudget(7).of(1000) == TierBudget(7));
    QVERIFY(TierBudget::unlimited().of(1000).is_unlimited());
    QCOMPARE(TierBudget::unlimited().capacity_bytes(), std::uint64_t{0});
    QVERIFY(!TierBudget().is_given());
  }

  void percentagesAreResolvedOnceAndSaid() {
    std::vector<TierConfig> tiers{
        {"dram", TierBudget::percent(40)}, {"ssd", 5 << 20}, {"more", TierBudget::unlimited()}};
    const auto lines = resolve_budgets(tiers, 10 << 20);
    QCOMPARE(lines.size(), std::size_t{1});
    QCOMPARE(QString::fromStdString(lines[0]),
             "tier dram: 40% of the workload's 10.0 MiB of uncompressed KV is 4.0 MiB");
    QCOMPARE(tiers[0].budget.bytes(), std::uint64_t{4} << 20);
    QCOMPARE(tiers[1].budget.bytes(), std::uint64_t{5} << 20);
    QVERIFY(tiers[2].budget.is_unlimited());
    QVERIFY(resolve_budgets(tiers, 20 << 20).empty());
    QCOMPARE(tiers[0].budget.bytes(), std::uint64_t{4} << 20);
  }

  void bandwidthsRelativeToPrefillAreReadAndPrinted() {
    for (const char* text : {"prefill/0.09", "prefill/0.45", "prefill/4.75", "prefill/1", "prefill/0.001"}) {
      const auto ratio = parse_load_per_prefill(text);
      QVERIFY2(ratio, text);
      QCOMPARE(load_per_prefill_text(*ratio), std::string(text));
    }
    for (const char* wrong : {"", "prefill", "prefill/", "prefill/0", "prefill/-1", "prefill/1e4", "prefill/inf",
                              "prefill/nan", "prefill/1 ", "0.45", "load/0.45"}) {
      const auto ratio = parse_load_per_prefill(wrong);
      QVERIFY2(!ratio && ratio.error().code == ErrorCode::usage, wrong);
    }
    TierConfig config{.name = "ssd", .budget = 5, .throttle = {.load_per_prefill = 0.45}};
    QVERIFY(check_tier(config));
    config.throttle.bytes_per_second = 1e6;
    QVERIFY(!check_tier(config));
    for (const double wrong : {-1.0, 1e-4, 1e4, std::numeric_limits<double>::quiet_NaN()}) {
      config.throttle = {.load_per_prefill = wrong};
      QVERIFY(!check_tier(config));
    }
  }

  // Contexts of 1,000 to 3,000 tokens of 3,000 bytes, 18 MB and 330 ms of prefill. Their latency and unpacking take 9
  // ms, so that 0.45 of prefill, 148.5 ms, leaves 139.5 ms for the bytes.
  void bandwidthsAreSetByTheFits() {
    Snapshot snapshot = test::three_contexts();
    const TierModel fit{0.001, 5e9, 1e-6, 0};
    snapshot.tiers = {
        {"dram", 5, fit, false}, {"ssd", 5, fit, false}, {"disk", 5, fit, false}, {"slow", 5, fit, false}};
    snapshot.tiers[3].model.bytes_per_second = 1e8;
    std::vector<TierConfig> tiers{
        {.name = "dram", .budget = 5, .throttle = {.load_per_prefill = 0.09}},
        {.name = "ssd", .budget = 5, .throttle = {.latency_seconds = 0.001, .load_per_prefill = 0.45}},
        {.name = "disk", .budget = 5, .throttle = {.bytes_per_second = 7e6}},
        {.name = "slow", .budget = 5, .throttle = {.load_per_prefill = 0.45}}};
    const auto lines = resolve_bandwidths(tiers, snapshot);
    QCOMPARE(lines.size(), std::size_t{3});
    const auto is = [](double value, double wanted) { return std::abs(value - wanted) < 1e-6 * wanted; };
    QVERIFY(is(tiers[0].throttle.bytes_per_second, 18e6 / 0.0207));
    QVERIFY(is(tiers[1].throttle.bytes_per_second, 18e6 / 0.1395));
    QCOMPARE(tiers[1].throttle.latency_seconds, 0.001);
    QVERIFY2(lines[1].starts_with("tier ssd: prefill/0.45 of prefilling 17.2 MiB in 330"), lines[1].c_str());
    // What is given in bytes stays, and what the device cannot do is said.
    QCOMPARE(tiers[2].throttle.bytes_per_second, 7e6);
    QCOMPARE(tiers[3].throttle.bytes_per_second, 0.0);
    QCOMPARE(lines[2],
             std::string("tier slow: prefill/0.45 is faster than this tier is by itself; it runs at full speed"));
    for (const TierConfig& tier : tiers) QVERIFY(!tier.throttle.is_relative());
    QVERIFY(resolve_bandwidths(tiers, snapshot).empty());
    // Prefill is what it takes at rest, where that is known: requests that meet writes take longer.
    tiers[0].throttle = {.load_per_prefill = 0.09};
    snapshot.prefill_at_rest = std::exchange(snapshot.prefill, {.base_seconds = 9, .seconds_per_token = 9});
    QCOMPARE(resolve_bandwidths(tiers, snapshot).size(), std::size_t{1});
    QVERIFY(is(tiers[0].throttle.bytes_per_second, 18e6 / 0.0207));
    // Latency and unpacking alone may take longer than the whole load should.
    tiers[0].throttle = {.load_per_prefill = 0.02};
    QCOMPARE(resolve_bandwidths(tiers, snapshot).size(), std::size_t{1});
    QCOMPARE(tiers[0].throttle.bytes_per_second, 0.0);
  }

  // What files had before there were kinds and percentages reads as it did, and is written with the same fields; added
  // is the kind, which url and name no longer have to imply.
  void filesWrittenSoFarReadAsTheyDid() {
    const char* text =
        R"({"name":"pool","budget_bytes":5,"shaped_bytes_per_second":2.5,"shaped_latency_seconds":0.5,
              "url":"redis://h:1","prefix":"p","faults":"","connect_seconds":0.25,"timeout_seconds":3.0})";
    const auto config = tier_of(text);
    QVERIFY2(config, config ? "" : config.error().message.c_str());
    QCOMPARE(config->budget.bytes(), std::uint64_t{5});
    QCOMPARE(config->throttle.bytes_per_second, 2.5);
    QCOMPARE(config->option("timeout"), std::string("3s"));
    QCOMPARE(kind_of(*config).id, std::string("remote"));
    Json with_kind = *parse_json(text, "t");
    with_kind["kind"] = "remote";
    QCOMPARE(to_json(*config), with_kind);
    QCOMPARE(to_json(TierConfig{"dram", 5}),
             *parse_json(R"({"name":"dram","budget_bytes":5,"shaped_bytes_per_second":0.0,"shaped_latency_seconds":0.0,
                                "url":"","prefix":"","faults":"","connect_seconds":0.0,"timeout_seconds":0.0,
                                "kind":"dram"})",
                         "t"));
    QCOMPARE(kind_of(*tier_of(R"({"name":"remote","budget_bytes":5})")).id, std::string("ssd"));
  }

  // Fields that a file lacks have the value of default settings, but a kind is implied by what the file has.
  void anOlderFilesArchiveAndTiersKeepTheirKinds() {
    const auto settings = session_settings_from_json(
        *parse_json(R"({"tiers":[{"name":"dram","budget_bytes":5},{"name":"disk","budget_bytes":5}],
                        "archive":{"name":"archive","url":"redis://h:1"}})",
                    "t"),
        "t");
    QVERIFY2(settings, settings ? "" : settings.error().message.c_str());
    QCOMPARE(kind_of(settings->tiers[0]).id, std::string("dram"));
    QCOMPARE(kind_of(settings->tiers[1]).id, std::string("ssd"));
    QCOMPARE(kind_of(settings->archive).id, std::string("remote"));
    const Json written = to_json(*settings);
    QCOMPARE(written["tiers"][0]["kind"], Json("dram"));
    QCOMPARE(written["tiers"][1]["kind"], Json("ssd"));
    QCOMPARE(written["archive"]["kind"], Json("remote"));
  }

  void everyFileNamesTheKindOfATier_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("url");
    QTest::addColumn<QString>("given");
    QTest::addColumn<QString>("written");
    QTest::newRow("by its name") << "dram"
                                 << ""
                                 << ""
                                 << "dram";
    QTest::newRow("a folder") << "disk"
                              << ""
                              << ""
                              << "ssd";
    QTest::newRow("by its url") << "pool"
                                << "redis://h:1"
                                << ""
                                << "remote";
    QTest::newRow("given") << "dram"
                           << ""
                           << "ssd"
                           << "ssd";
    QTest::newRow("unknown here") << "dram"
                                  << ""
                                  << "tape"
                                  << "tape";  // check_tier() says so
  }
  void everyFileNamesTheKindOfATier() {
    QFETCH(QString, name);
    QFETCH(QString, url);
    QFETCH(QString, given);
    QFETCH(QString, written);
    TierConfig config{.name = name.toStdString(), .budget = 5, .kind = given.toStdString()};
    if (!url.isEmpty()) config.options["url"] = url.toStdString();
    QCOMPARE(to_json(config).at("kind"), Json(written.toStdString()));
    const auto again = tier_of(to_json(config).dump().c_str());
    QVERIFY(again && *again == config);
  }

  void kindsAndBudgetsGoThroughFiles() {
    const std::vector<TierConfig> configs{{.name = "fast", .budget = TierBudget::percent(40), .kind = "dram"},
                                          {.name = "dram", .budget = TierBudget::unlimited(), .kind = "ssd"},
                                          {.name = "pool", .budget = 5, .options = {{"url", "redis://h:1"}}},
                                          {.name = "ssd",
                                           .budget = TierBudget::percent(20),
                                           .throttle = {.latency_seconds = 0.001, .load_per_prefill = 0.45}}};
    for (const TierConfig& config : configs) {
      const auto again = tier_of(to_json(config).dump().c_str());
      QVERIFY2(again, again ? "" : again.error().message.c_str());
      QVERIFY2(*again == config, to_json(*again).dump().c_str());
    }
    QVERIFY(tier_of(R"({"name":"a","budget":"64MiB"})")->budget == TierBudget(64 << 20));
    QCOMPARE(tier_of(R"({"name":"a","budget":"2%","bandwidth":"prefill/0.09"})")->throttle.load_per_prefill, 0.09);
    QVERIFY(!to_json(TierConfig{"dram", 5}).contains("bandwidth"));
    // What is implied anyhow is not kept.
    QVERIFY(tier_of(R"({"name":"dram","budget_bytes":5,"kind":"dram"})")->kind.empty());
  }

  void filesThatMakeNoSenseAreRefused_data() {
    QTest::addColumn<QString>("tier");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char* tier, const char* reason) { QTest::newRow(tier) << tier << reason; };
    row("{'name':'a','budget':'40%','budget_bytes':5}", "s.json: tiers[0]: has a budget and budget_bytes");
    row("{'name':'a','budget':'lots'}", "s.json: tiers[0]: budget: ");
    QTest::newRow("a long budget") << "{'name':'a','budget':'" + QString(101, 'a') + "'}"
                                   << "longer than 100 bytes";
    row("{'name':'a','budget':'2%','bandwidth':'fast'}", "s.json: tiers[0]: bandwidth: 'fast' is not prefill/");
    row("{'name':'a','budget':'2%','bandwidth':'prefill/2','shaped_bytes_per_second':5.0}",
        "has a bandwidth and shaped_bytes_per_second; leave one out");
    QTest::newRow("a long bandwidth") << "{'name':'a','budget':'2%','bandwidth':'prefill/" + QString(101, '1') + "'}"
                                      << "bandwidth: is longer than 100 bytes";
    row("{'name':'a','budget_bytes':5,'options':{'path':'/x'}}", "path means nothing on another machine");
    row("{'name':'a','budget_bytes':5,'options':{'ca':'/x'}}", "ca means nothing on another machine");
    row("{'name':'a','budget_bytes':5,'options':{'url':'redis://h'}}", "url has a field of its own");
    row("{'name':'a','budget_bytes':5,'options':{'x':'a\\nb'}}", "holds a control character");
    row("{'name':'a','budget_bytes':5,'kind':'a\\nb'}", "holds a control character");
  }
  void filesThatMakeNoSenseAreRefused() {
    QFETCH(QString, tier);
    QFETCH(QString, reason);
    const auto config = tier_of(tier.replace('\'', '"').toUtf8().constData());
    QVERIFY(!config);
    QCOMPARE(config.error().code, ErrorCode::rejected_input);
    QVERIFY2(QString::fromStdString(config.error().message).contains(reason), config.error().message.c_str());
  }

  void everyKindIsWhole() {
    QCOMPARE(std::ranges::count(tier_kinds(), true, &TierKind::is_default), 1);
    for (const TierKind& kind : tier_kinds()) {
      QVERIFY2(!kind.noun.empty() && !kind.place.empty() && !kind.summary.empty(), kind.id.c_str());
      for (const TierOption& option : kind.options)
        QVERIFY2(option.form.starts_with(option.key + "=") && !option.meaning.empty(), option.key.c_str());
    }
    QVERIFY(!add_tier_kind({.id = "dram", .noun = "x", .place = "x", .summary = "x"}));
    QVERIFY(!add_tier_kind({.id = "new", .noun = "x"}));
    QVERIFY(find_tier_kind("new") == nullptr);
  }
};

KV_TEST_APPLESS_MAIN(TierConfigTest)

}  // namespace tier_config_test

#include "tier_config_test.moc"
