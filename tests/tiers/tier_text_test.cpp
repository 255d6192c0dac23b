// links: kv_base kv_tiers
// Tiers as users write them.
#include "tests/support/test_program.h"
#include "tests/tiers/tier_testing.h"
#include "tiers/kinds/tier_places.h"
#include "tiers/mapped_memory.h"
#include "tiers/read_plan.h"

namespace tier_text_test {

using namespace kvantage;
using namespace kvantage::testing;

class TierTextTest : public QObject {
  Q_OBJECT

 private slots:
  void optionsAreRead() {
    const auto config = parse_tier_option("ssd=64MiB,path=/some where/x=y,bandwidth=200MB/s,latency=1.5ms");
    QVERIFY(config);
    QCOMPARE(config->name, std::string("ssd"));
    QCOMPARE(config->budget.bytes(), std::uint64_t{64} << 20);
    QCOMPARE(config->option("path"), std::string("/some where/x=y"));
    QCOMPARE(config->throttle.bytes_per_second, 200e6);
    QCOMPARE(config->throttle.latency_seconds, 1.5e-3);
    QVERIFY(parse_tier_option("archive=unlimited")->budget.is_unlimited());
    QCOMPARE(parse_tier_option("ssd=1,latency=0")->throttle.latency_seconds, 0.0);
    QCOMPARE(parse_tier_option("ssd=1,latency=20us")->throttle.latency_seconds, 20e-6);
    const TierThrottle relative = parse_tier_option("ssd=20%,latency=1ms,bandwidth=prefill/0.45")->throttle;
    QVERIFY(relative.is_relative() && relative.any());
    QCOMPARE(relative.load_per_prefill, 0.45);
    QCOMPARE(relative.bytes_per_second, 0.0);
    QCOMPARE(relative.latency_seconds, 1e-3);
    QCOMPARE(parse_tiers("dram=2%,bandwidth=prefill/0.09,remote=unlimited,bandwidth=prefill/4.75")->back().name,
             std::string("remote"));
    // Of two, the last counts.
    QVERIFY(!parse_tier_option("ssd=1MiB,bandwidth=prefill/2,bandwidth=1MB/s")->throttle.is_relative());
    QCOMPARE(parse_tier_option("ssd=1MiB,bandwidth=1MB/s,bandwidth=prefill/2")->throttle.bytes_per_second, 0.0);
    QCOMPARE(parse_tier_option("ssd=1MiB,faults=seed:7+no_space:0.25")->faults, std::string("no_space:0.25+seed:7"));
  }

  void optionsAndNamesSayTheKind_data() {
    QTest::addColumn<QString>("option");
    QTest::addColumn<QString>("kind");
    QTest::addColumn<bool>("is_written");  // in files: the others are implied there, too
    const auto row = [](const char* option, const char* kind, bool is_written = false) {
      QTest::newRow(option) << option << kind << is_written;
    };
    row("dram=1GiB", "dram");
    row("device=1GiB", "device");
    row("ssd=1GiB", "ssd");
    row("anything=1GiB", "ssd");
    row("remote=1GiB", "ssd");  // as ever: a name alone is no server
    row("anything=1GiB,path=x", "ssd");
    row("dram=1GiB,url=redis://h", "remote");  // whatever its name
    row("dram=1GiB,kind=dram", "dram");
    row("pool=1GiB,kind=remote,url=redis://h", "remote");
    row("pool=1GiB,kind=dram", "dram", true);
    row("dram=1GiB,kind=ssd,path=x", "ssd", true);
    row("gpu=1GiB,kind=device", "device", true);
  }
  void optionsAndNamesSayTheKind() {
    QFETCH(QString, option);
    QFETCH(QString, kind);
    QFETCH(bool, is_written);
    const auto config = parse_tier_option(option.toStdString());
    QVERIFY2(config, config ? "" : config.error().message.c_str());
    QCOMPARE(QString::fromStdString(kind_of(*config).id), kind);
    QCOMPARE(!config->kind.empty(), is_written);
  }

  void severalTiersAreOneText_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("tiers");
    const auto row = [](const char* text, const QStringList& tiers) { QTest::newRow(text) << text << tiers; };
    row("dram=40%,ssd=400%,remote=unlimited", {"dram 40%", "ssd 400%", "remote unlimited"});
    row("dram=12.5%,bandwidth=1GB/s,ssd=1GiB,path=/x=y,latency=1ms",
        {"dram 12.5% 1000000000", "ssd 1073741824 path=/x=y"});
    row("dram=64MiB,pool=4GiB,url=redis://h:1/2,prefix=a",
        {"dram 67108864", "pool 4294967296 prefix=a url=redis://h:1/2"});
    row("pool=1GiB,url=redis://h,ssd=1GiB,faults=delay:20ms@0.1", {"pool 1073741824 url=redis://h", "ssd 1073741824"});
    row("dram=4096", {"dram 4096"});
  }
  void severalTiersAreOneText() {
    QFETCH(QString, text);
    QFETCH(QStringList, tiers);
    const auto read = parse_tiers(text.toStdString());
    QVERIFY2(read, read ? "" : read.error().message.c_str());
    QStringList found;
    for (const TierConfig& config : *read) {
      QString line = QString::fromStdString(config.name + " " + to_string(config.budget));
      for (const auto& [key, value] : config.options) line += QString::fromStdString(" " + key + "=" + value);
      if (config.throttle.bytes_per_second > 0) line += " " + QString::number(config.throttle.bytes_per_second, 'f', 0);
      found << line;
    }
    QCOMPARE(found, tiers);
  }

  void oneTextAfterTheOther() {
    const auto read = parse_tiers(std::vector<std::string>{"dram=40%", "ssd=400%,scratch=unlimited"});
    QVERIFY(read);
    QCOMPARE(read->size(), std::size_t{3});
    QCOMPARE(read->back().name, std::string("scratch"));
    QVERIFY(!parse_tier_option("dram=40%,ssd=400%"));
  }

  void badOptionsAreUsageErrorsThatSayWhy_data() {
    QTest::addColumn<QString>("option");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char* option, const char* reason) { QTest::newRow(option) << option << reason; };
    row("", "no size");
    row("ssd", "no size");
    row("=64MiB", "name");
    row("s sd=64MiB", "name");
    row("../ssd=64MiB", "name");
    row("ssd=-5MiB", "negative");
    row("ssd=", "not a size");
    row("ssd=many", "not a size");
    row("ssd=nan", "not a size");
    row("ssd=0", "budget is zero; give the bytes that it may hold, or leave the tier out");
    row("dram=0", "budget is zero; give the bytes that it may hold, or leave the tier out");
    row("ssd=64MiB,", "is not an option");
    row("ssd=64MiB,fast", "'fast'");
    row("ssd=64MiB,speed=3", "'speed'");
    row("ssd=64MiB,speed=fast", "'speed'");
    row("ssd=64MiB,bandwith=200MB/s", "'bandwith'");
    row("ssd=64MiB,dram=0MiB", "'dram'");
    row("ssd=64MiB,more=1GiB,path=", "path is empty");
    row("ssd=0%", "not a percentage above 0");
    row("ssd=-4%", "not a percentage above 0");
    row("ssd=nan%", "not a percentage above 0");
    row("ssd=4 %", "not a percentage above 0");
    row("ssd=10000000%", "up to 1000000");
    row("ssd=64MiB,kind=", "kind is empty");
    row("ssd=64MiB,kind=tape", "unknown kind 'tape'; write kind= and one of dram, ssd, device, remote, s3");
    row("pool=64MiB,kind=remote", "a remote store needs a server; add url=redis://host:port");
    row("pool=64MiB,kind=dram,path=x", "pool is host memory and has no path; leave it out, or write kind=ssd");
    row("pool=64MiB,kind=ssd,url=redis://h", "url belongs to a remote store");
    row("pool=64MiB,kind=dram,faults=read_error:0.1", "host memory has none");
    row("ssd=64MiB,path=", "path is empty");
    row("ssd=64MiB,bandwidth=200MB", "per second");
    row("ssd=64MiB,bandwidth=-200MB/s", "negative");
    row("ssd=64MiB,bandwidth=0MB/s", "zero");
    row("ssd=64MiB,bandwidth=prefill", "is not prefill/ and a number from 0.001 to 1000; write prefill/0.45");
    row("ssd=64MiB,bandwidth=prefill/", "is not prefill/ and a number");
    row("ssd=64MiB,bandwidth=prefill/0", "is not prefill/ and a number");
    row("ssd=64MiB,bandwidth=prefill/-1", "is not prefill/ and a number");
    row("ssd=64MiB,bandwidth=prefill/nan", "is not prefill/ and a number");
    row("ssd=64MiB,bandwidth=prefill/2000", "is not prefill/ and a number");
    row("ssd=64MiB,bandwidth=prefill/0.45x", "is not prefill/ and a number");
    row("ssd=64MiB,latency=-1ms", "negative");
    row("ssd=64MiB,latency=1", "not a time");
    row("ssd=64MiB,latency=fast", "not a time");
    row("ssd=64MiB,latency=inf", "not a time");
    row("ssd=64MiB,latency=9999999s", "not a time");
    row("dram=64MiB,path=x", "no path");
    row("device=64MiB,path=x", "device is the memory of a GPU and has no path");
    row("device=64MiB,faults=read_error:0.1", "device memory has none; give them to a tier in a folder");
    row("dram=64MiB,faults=read_error:0.1", "host memory has none; give them to a tier in a folder");
    row("pool=64MiB,url=redis://h:1,faults=read_error:0.1", "a remote store has none; give them to a tier in a folder");
    row("ssd=64MiB,faults=", "faults is empty");
    row("ssd=64MiB,faults=read_error", "is not KIND:PROBABILITY");
  }
  void badOptionsAreUsageErrorsThatSayWhy() {
    QFETCH(QString, option);
    QFETCH(QString, reason);
    const auto spec = parse_tier_option(option.toStdString());
    QVERIFY(!spec);
    QCOMPARE(spec.error().code, ErrorCode::usage);
    const QString message = QString::fromStdString(spec.error().message);
    QVERIFY2(message.contains(reason) && message.contains(option) && !message.contains('\n'), qPrintable(message));
  }

  void aTextHasALimit() {
    std::string most, more;
    for (int i = 0; i < 34; ++i) {
      more += (i == 0 ? "t" : ",t") + std::to_string(i) + "=1MiB";
      if (i == 32) most = more;  // the archive, too
    }
    QCOMPARE(parse_tiers(most)->size(), std::size_t{33});
    const auto many = parse_tiers(more);
    QVERIFY(!many && many.error().message.find("these are more than 33 tiers; leave some out") != std::string::npos);
    const auto long_text = parse_tiers("ssd=1MiB,path=/" + std::string(65'536, 'x'));
    QVERIFY(!long_text && long_text.error().message.find("is longer than 65536 bytes; ") != std::string::npos);
    QVERIFY(long_text.error().message.size() < 300);
  }

  void aTierWithFaultsCountsThem() {
    QTemporaryDir folder;
    OpenTierOptions options{.executor = system_executor()};
    options.store_directory = folder.path().toStdString();
    const auto tier = open_or_fail(*parse_tier_option("ssd=1MiB,faults=write_error:1+seed:3,latency=1us"), options);
    QVERIFY(!write_entry(*tier, "entry", random_bytes(1, 10000)));
    const auto injected = tier->statistics().injected_faults;
    QVERIFY(injected.size() == 1 && injected.at("write_error") > 0);
    QCOMPARE(tier->statistics().failed_writes.at("io"), std::uint64_t{1});
  }

  void aTierWithFaultsSaysSo() {
    QTemporaryDir folder;
    OpenTierOptions options{.executor = system_executor()};
    options.store_directory = folder.path().toStdString();
    const auto note_of = [&](const char* text) {
      const auto tier = open_tier(*parse_tier_option(text), options);
      return tier ? (*tier)->describe() : TierDescription{};
    };
    const TierDescription injected = note_of("ssd=1MiB,faults=torn_write:0.5+seed:3");
    QVERIFY2(injected.note.starts_with("faults injected: torn_write:0.5+seed:3; "), injected.note.c_str());
    QVERIFY(!injected.throttled);
    QVERIFY(note_of("ssd=1MiB,faults=delay_on_read:1ms@0.5").throttled);
    QVERIFY(note_of("ssd=1MiB").note.find("fault") == std::string::npos);
  }

  void twoTiersInOnePlaceAreRefused_data() {
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QString>("refusal");  // empty: they are apart
    const auto row = [](const char* title, const QStringList& options, const char* refusal) {
      QTest::newRow(title) << options << refusal;
    };
    const QString a = "a=1MiB,url=redis://h:1", b = "b=1MiB,url=redis://h:1";
    row("one server", {a, b},
        "tier 'b': is in redis://h:1 with prefix kvantage, and so is 'a'; give each a prefix of its own");
    row("port that is left out", {"a=1MiB,url=redis://h", "b=1MiB,url=redis://H:6379/0"},
        "redis://h:6379 with prefix kvantage");
    row("another account", {"a=1MiB,url=redis://x@h:1", b}, "is in redis://h:1 with");
    row("prefix written out", {a, b + ",prefix=kvantage"}, "prefix kvantage");
    row("same prefix", {a + ",prefix=t", b + ",prefix=t"}, "prefix t");
    row("prefixes", {a, b + ",prefix=t"}, "");
    row("databases", {a, b + "/2"}, "");
    row("archive on a tier's server", {a, "archive=unlimited,url=redis://h:1"}, "");  // keeps apart by itself
    row("one folder", {"a=1MiB,path=/x/y", "b=1MiB,path=/x/z/../y/"},
        "tier 'b': is in /x/y, and so is 'a'; give each a folder of its own");
    row("archive in a tier's folder", {"a=1MiB,path=/x/y", "archive=unlimited,path=/x/y"},
        "tier 'archive': is in /x/y");
    row("folders", {"a=1MiB,path=/x/y", "b=1MiB,path=/x", "c=1MiB", "dram=1MiB", "archive=unlimited"}, "");
  }
  void twoTiersInOnePlaceAreRefused() {
    QFETCH(QStringList, options);
    QFETCH(QString, refusal);
    std::vector<TierConfig> tiers;
    TierConfig archive = *parse_tier_option("archive=unlimited");
    for (const QString& option : options) {
      const auto config = parse_tier_option(option.toStdString());
      QVERIFY2(config, config ? "" : config.error().message.c_str());
      (config->is_archive() ? archive : tiers.emplace_back()) = *config;
    }
    const Status apart = check_places(tiers, archive);
    QCOMPARE(apart.has_value(), refusal.isEmpty());
    if (apart) return;
    QCOMPARE(apart.error().code, ErrorCode::usage);
    QVERIFY2(apart.error().message.find(refusal.toStdString()) != std::string::npos, apart.error().message.c_str());
  }

  void aSecondTierInAFolderIsRefused() {
    // What is written may not show it: a link, or the folder another tier has by its name.
    QTemporaryDir folder;
    OpenTierOptions options{.executor = system_executor()};
    options.store_directory = folder.path().toStdString();
    const auto first = open_tier(*parse_tier_option("ssd=1MiB"), options);
    QVERIFY(first);
    const auto second =
        open_tier(*parse_tier_option("more=1MiB,path=" + folder.path().toStdString() + "/ssd"), options);
    QVERIFY(!second);
    QCOMPARE(second.error().code, ErrorCode::busy);
    QVERIFY2(second.error().message.ends_with("in use by another tier of this process; give each its own folder"),
             second.error().message.c_str());
  }

  void aDeviceTierNeedsADevice() {
    const auto tier = open_here(*parse_tier_option("device=1MiB"));
    QVERIFY(!tier);
    QCOMPARE(tier.error().code, ErrorCode::rejected_input);
    QCOMPARE(
        tier.error().message,
        std::string("tier 'device': no GPU is used here; leave the tier out, or see what 'kvantage-cli device' says"));
  }

  void aFolderTierNeedsAFolder() {
    QCOMPARE(open_here(*parse_tier_option("ssd=1MiB")).error().code, ErrorCode::usage);
    QTemporaryDir folder;
    OpenTierOptions options{.executor = system_executor()};
    options.store_directory = folder.path().toStdString();
    const auto tier = open_tier(*parse_tier_option("ssd=1MiB"), options);
    QVERIFY(tier);
    QVERIFY(std::filesystem::is_directory(options.store_directory / "ssd"));
    QCOMPARE((*tier)->describe().kind, std::string("file system"));
    QCOMPARE((*tier)->capacity(), std::uint64_t{1} << 20);
  }

  void neighborsAreReadTogether() {
    const ReadPlanLimits limits;
    std::vector<Bytes> memory;
    const auto plan = [&](const std::vector<ReadExtent>& extents) {
      std::vector<std::span<std::byte>> targets;
      memory.clear();
      for (const ReadExtent& extent : extents) memory.emplace_back(extent.bytes + 8192);
      for (std::size_t i = 0; i < extents.size(); ++i) {
        const auto address = reinterpret_cast<std::uintptr_t>(memory[i].data());
        targets.push_back(
            std::span(memory[i]).subspan((4096 - address % 4096) % 4096).first(round_up_to_page(extents[i].bytes)));
      }
      return plan_reads(extents, targets, limits);
    };
    // Sixteen packed extents of 10,000 bytes: one request.
    std::vector<ReadExtent> packed;
    for (std::uint64_t i = 0; i < 16; ++i) packed.push_back({i * 10000, 10000, {}});
    auto groups = plan(packed);
    QCOMPARE(groups.size(), std::size_t{1});
    QCOMPARE(groups[0].begin, std::uint64_t{0});
    QCOMPARE(groups[0].end, std::uint64_t{163840});
    QVERIFY(!groups[0].straight);
    // Far apart: two.
    QCOMPARE(plan({{0, 100, {}}, {1 << 20, 100, {}}}).size(), std::size_t{2});
    // Large aligned layers: one each, straight into their buffers.
    groups = plan({{0, 4096, {}}, {4096, 1 << 20, {}}, {4096 + (1 << 20), 1 << 20, {}}});
    QCOMPARE(groups.size(), std::size_t{3});
    QVERIFY(groups[0].straight && groups[1].straight && groups[2].straight);
    // Never more than the scratch buffer holds.
    packed.clear();
    for (std::uint64_t i = 0; i < 500; ++i) packed.push_back({i * 10000, 10000, {}});
    std::size_t covered = 0;
    for (const ReadGroup& group : plan(packed)) {
      QVERIFY(group.end - group.begin <= limits.scratch_bytes);
      QVERIFY(group.begin % 4096 == 0 && group.end % 4096 == 0);
      QCOMPARE(group.first, covered);
      covered += group.count;
    }
    QCOMPARE(covered, std::size_t{500});
  }
};

KV_TEST_GUILESS_MAIN(TierTextTest)

}  // namespace tier_text_test

#include "tier_text_test.moc"
