// links: app_wiring
// What a window takes over from the session before: settings without the faults, and that is said.
#include <QtTest>

#include "app/wiring/last_settings.h"
#include "tests/support/test_program.h"

namespace last_settings_test {

using namespace kvantage;

class LastSettingsTest : public QObject {
  Q_OBJECT

  static TierConfig tier(const char* name, std::uint64_t budget, const char* faults) {
    TierConfig made;
    made.name = name;
    made.budget = budget;
    made.faults = faults;
    return made;
  }

 private slots:
  void faultsAreNotTakenOverAndThatIsSaid() {
    SessionSettings now, last;
    now.tiers = {tier("dram", 1, ""), tier("ssd", 2, "")};
    last.tiers = {tier("dram", 5, ""), tier("ssd", 6, "read_error:0.02"), tier("gone", 7, "read_error:0.5")};
    QCOMPARE(faults_left_out(now, last),
             std::string("the last session resumes without the faults injected into ssd (read_error:0.02); "
                         "inject them again in Controls or Run > Inject faults"));
    SessionSettings taken = now;
    take_over(taken, last);
    QCOMPARE(taken.tiers[1].budget.bytes(), std::uint64_t{6});
    last.products = "batch_invariant";  // no control of the window changes it: the file's stay
    take_over(taken, last);
    QCOMPARE(taken.products, std::string("library"));
    QVERIFY(taken.tiers[1].faults.empty());
    now.tiers[1].faults = "read_error:0.02";  // its own settings ask for the same
    QVERIFY(faults_left_out(now, last).empty());
    last.tiers[1].faults.clear();
    QVERIFY(faults_left_out(now, last).empty());
    last.tiers = {tier("dram", 5, "delay:20ms"), tier("ssd", 6, "read_error:0.1")};
    const std::string both = faults_left_out(now, last);
    QVERIFY2(both.find("into dram (delay:20ms), ssd (read_error:0.1);") != std::string::npos, both.c_str());
  }

  // A workload that offloads is opened after one whose answers were decoded with eviction, which excludes it.
  void evictionIsNotTakenOverWhereAContextIsOffloaded() {
    SessionSettings now, last;
    now.tiers = {tier("ssd", 2, "")};
    now.decode_offload = "ssd(split=load_only)";
    last.decode_eviction = "knorm(budget=25%)";
    take_over(now, last);
    QCOMPARE(now.decode_offload, std::string("ssd(split=load_only)"));
    QCOMPARE(now.decode_eviction, std::string("none"));
    SessionSettings in_memory;
    take_over(in_memory, last);
    QCOMPARE(in_memory.decode_eviction, last.decode_eviction);
  }
};

KV_TEST_APPLESS_MAIN(LastSettingsTest)

}  // namespace last_settings_test

#include "last_settings_test.moc"
