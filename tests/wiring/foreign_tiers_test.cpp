// links: app_wiring
// Tiers of files and of a sweep's plan choose no file or folder of this machine; those that the user types may.
#include <QtTest>

#include "app/wiring/session_tiers.h"
#include "tests/support/test_program.h"
#include "tiers/kinds/tier_place.h"

namespace foreign_tiers_test {

using namespace kvantage;
using namespace kvantage::test;

class ForeignTiersTest : public QObject {
  Q_OBJECT

  static SessionSettings settings_with(const TierConfig& tier) {
    SessionSettings settings;
    settings.tiers = {tier};
    return settings;
  }
  static TierConfig remote(const std::string& name, const std::string& url) {
    return {
        .name = name, .budget = name == archive_name ? TierBudget() : TierBudget(1 << 20), .options = {{"url", url}}};
  }
  static void check_refused(const Expected<ChosenTiers>& chosen, const std::string& beginning) {
    QVERIFY(!chosen);
    QCOMPARE(chosen.error().code, ErrorCode::rejected_input);
    const std::string& message = chosen.error().message;
    QVERIFY2(message.starts_with(beginning) && message.find("; ") != std::string::npos, message.c_str());
    QVERIFY2(message.find("secret place") == std::string::npos, message.c_str());
  }

 private slots:
  void textsOfAPlanNameNoLocalPlace_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("part");  // empty: it may be in a plan
    const auto row = [](const char* text, const char* part) { QTest::newRow(text) << text << part; };
    row("ssd=1MiB,path=/secret place", "tier 'ssd': path= names");
    row("archive=unlimited,path=/secret place", "tier 'archive': path= names");
    row("pool=1MiB,url=rediss://h,ca=/secret place", "tier 'pool': ca= names");
    row("pool=1MiB,url=rediss://h?ca=/secret place", "tier 'pool': ?ca= of its url names");
    row("pool=1MiB,url=redis://h,seal_key_file=/secret place", "tier 'pool': seal_key_file= names");
    row("ssd=1MiB,latency=1ms", "");
    row("pool=1MiB,url=rediss://h:1/2,prefix=p,timeout=1s", "");
  }
  void textsOfAPlanNameNoLocalPlace() {
    QFETCH(QString, text);
    QFETCH(QString, part);
    const std::vector<std::string> texts{"dram=1MiB", text.toStdString()};
    const auto typed = choose_tiers(texts, SessionSettings{}, UrlSource::user);
    QVERIFY2(typed, typed ? "" : typed.error().message.c_str());
    const auto planned = choose_tiers(texts, SessionSettings{}, UrlSource::file);
    if (part.isEmpty())
      QVERIFY2(planned, planned ? "" : planned.error().message.c_str());
    else
      check_refused(planned, part.toStdString());
  }

  void settingsNameNoAuthority() {
    const std::string url = "rediss://evil.example:1?ca=/secret%20place";
    check_refused(choose_tiers({}, settings_with(remote("pool", url))), "tier 'pool': ?ca= of its url names");
    SessionSettings settings = settings_with(remote("pool", "rediss://h:1"));
    QVERIFY(choose_tiers({}, settings));
    settings.archive = remote("archive", url);
    check_refused(choose_tiers({}, settings), "tier 'archive': ?ca= of its url names");
    check_refused(choose_tiers({"dram=1MiB"}, settings), "tier 'archive': ?ca= of its url names");
  }

  // What a session records of them is chosen from again when it opens.
  void theUsersOwnChoiceIsRecordedWithoutIt() {
    const std::vector<std::string> texts{"pool=1MiB,url=rediss://h:1?ca=/secret place",
                                         "archive=unlimited,url=rediss://h:1,ca=/secret place"};
    const auto chosen = choose_tiers(texts, SessionSettings{});
    QVERIFY2(chosen, chosen ? "" : chosen.error().message.c_str());
    SessionSettings recorded = settings_with(recorded_form(chosen->tiers.at(0)));
    recorded.archive = recorded_form(chosen->archive);
    QVERIFY(to_json(recorded).dump().find("secret place") == std::string::npos);
    QVERIFY(choose_tiers(texts, recorded));
    QVERIFY(choose_tiers({}, recorded));
  }
};

KV_TEST_GUILESS_MAIN(ForeignTiersTest)

}  // namespace foreign_tiers_test

#include "foreign_tiers_test.moc"
