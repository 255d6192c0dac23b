// links: app_wiring
// A kind of tier from outside the program's folders is added with one call: then it is parsed, refused, kept in files,
// opened and served like those that the program comes with.
#include <QtTest>

#include "tests/support/test_program.h"
#include "tests/support/virtual_harness.h"
#include "tests/wiring/tape_kind.h"
#include "tiers/kinds/tier_text.h"

namespace added_tier_kind_test {

using namespace kvantage;
using namespace kvantage::test;

class AddedTierKindTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    const auto before = parse_tier_option("archive2=4MiB,label=A7");
    QVERIFY(!before && before.error().message.find("unknown option 'label'") != std::string::npos);
    QVERIFY(register_tape_kind());
    const Status again = register_tape_kind();
    QVERIFY(!again && again.error().message.find("the id is taken") != std::string::npos);
  }

  void itIsParsedAndRefusedLikeTheOthers() {
    const auto implied = parse_tier_option("slow=4MiB,label=A7,latency=1ms");
    QVERIFY2(implied, implied ? "" : implied.error().message.c_str());
    QCOMPARE(kind_of(*implied).id, std::string("tape"));
    QVERIFY(implied->kind.empty());
    const auto several = parse_tiers("dram=40%,slow=unlimited,label=A7,ssd=1GiB");
    QVERIFY2(several && several->size() == 3, several ? "" : several.error().message.c_str());
    QCOMPARE((*several)[1].option("label"), std::string("A7"));
    const auto message_of = [](const char* text) {
      const auto config = parse_tier_option(text);
      return config ? std::string() : config.error().message;
    };
    QVERIFY(message_of("slow=4MiB,kind=tape").ends_with("a tape needs a label; add label=TEXT"));
    QVERIFY(message_of("slow=4MiB,label=").ends_with("a tape needs a label; add label=TEXT"));
    QVERIFY(message_of("slow=4MiB,label=A7,path=x").ends_with("a tier has a path or a label, not both; leave one out"));
    QVERIFY(message_of("slow=4MiB,label=A7,faults=read_error:0.1").find("a tape has none") != std::string::npos);
    QVERIFY(message_of("ssd=4MiB,speed=3").find("and label of a tape") != std::string::npos);
  }

  void filesKeepIt() {
    SessionSettings settings;
    settings.tiers = {*parse_tier_option("slow=4MiB,label=A7")};
    settings.methods = {"knorm"};
    settings.removed_fractions = {0.5};
    QVERIFY(validate(settings));
    const auto again = session_settings_from_json(*parse_json(to_json(settings).dump(), "t"), "t");
    QVERIFY2(again, again ? "" : again.error().message.c_str());
    QVERIFY(again->tiers == settings.tiers);
    QCOMPARE(kind_of(again->tiers[0]).color, std::size_t{4});
  }

  void aRunIsServedOnIt() {
    QTemporaryDir folder;
    const Workload workload = small_workload(3, 30, 5);
    TapeStore::writes = TapeStore::reads = 0;
    // Of the full bytes: everything fits, nothing is compressed.
    auto harness = open_virtual(folder.path().toStdString(), workload, {"slow=200%,label=A7"}, "lru", true);
    QVERIFY2(harness.has_value(), harness ? "" : harness.error().message.c_str());
    const auto notes = (*harness)->sink.all<events::Message>();
    QVERIFY(std::ranges::any_of(notes, [](const events::Message& message) {
      return message.text.starts_with("tier slow: 200% of the workload's ") && message.level == "info";
    }));
    const TierConfig tier = (*harness)->engine().settings().tiers[0];
    std::uint64_t full_bytes = 0;
    for (const ContextState& context : (*harness)->engine().snapshot()->contexts) full_bytes += context.full_bytes;
    QVERIFY(full_bytes > 0);
    QCOMPARE(tier.budget.bytes(), 2 * full_bytes);
    const auto records = (*harness)->serve("lru", 12);
    QVERIFY2(records, records ? "" : records.error().message.c_str());
    QCOMPARE(records->size(), std::size_t{12});
    const auto count = [&](const char* source) {
      return std::ranges::count(*records, std::string(source), &RequestRecord::source);
    };
    // How many depends on when a write is done; until then its bytes are served from memory.
    const auto stored = count("slow") + count(write_back_source);
    QVERIFY2(stored >= 4 && stored + count("prefill") == 12, qPrintable(QString::number(stored)));
    QVERIFY(TapeStore::writes > 0 && TapeStore::reads > 0);
    const auto reports = (*harness)->engine().tier_reports();
    QVERIFY(reports && reports->at(0).description.kind == "tape");

    // A percentage that comes while it runs is of the same bytes.
    SessionSettings settings = (*harness)->engine().settings();
    settings.tiers[0].budget = TierBudget::percent(50);
    QVERIFY((*harness)->engine().apply(settings));
    QCOMPARE((*harness)->engine().settings().tiers[0].budget.bytes(), full_bytes / 2);
  }

  void theLastTierMayBeUnlimited() {
    QTemporaryDir folder;
    const Workload workload = small_workload(3, 30, 5);
    for (const char* policy : {"lru", "evicpress"}) {
      auto harness =
          open_virtual(folder.path().toStdString(), workload, {"dram=4KiB,slow=unlimited,label=A7"}, policy, true);
      QVERIFY2(harness.has_value(), harness ? "" : harness.error().message.c_str());
      const auto records = (*harness)->serve(policy, 12);
      QVERIFY2(records, records ? "" : records.error().message.c_str());
      QVERIFY(std::ranges::any_of(*records, [](const RequestRecord& record) {
        return record.source == "slow" || record.source == write_back_source;
      }));
      for (const auto& occupancy : (*harness)->sink.all<events::TierOccupancy>())
        if (occupancy.tier == "slow") QCOMPARE(occupancy.budget_bytes, std::uint64_t{0});
    }
    auto refused =
        open_virtual(folder.path().toStdString(), workload, {"slow=unlimited,label=A7", "dram=4MiB"}, "lru", true);
    QVERIFY(!refused && refused.error().message.find("'slow' is unlimited") != std::string::npos);
  }
};

KV_TEST_GUILESS_MAIN(AddedTierKindTest)

}  // namespace added_tier_kind_test

#include "added_tier_kind_test.moc"
