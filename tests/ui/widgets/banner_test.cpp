// links: kv_ui
// Messages at the top of the window: none is lost while another is shown.
#include "ui/widgets/banner.h"

#include <QApplication>
#include <QTest>

#include "tests/support/test_program.h"

namespace banner_test {

using namespace kvantage;

class BannerTest : public QObject {
  Q_OBJECT

 private slots:
  void lesserMessagesWaitForTheirTurn() {
    Banner banner;
    banner.show_message("warning", "notes.txt: is UTF-16; save it as UTF-8");
    banner.show_message("info", "Report written: a");
    banner.show_message("info", "Run written: b");
    banner.show_message("info", "Report written: a");  // said already
    QCOMPARE(banner.text(), QString("notes.txt: is UTF-16; save it as UTF-8"));
    QCOMPARE(banner.waiting(), 2);
    banner.show_message("error", "The engine stopped");
    QCOMPARE(banner.level(), QString("error"));
    QCOMPARE(banner.waiting(), 3);
    auto* close = banner.findChild<QToolButton*>();
    QVERIFY(close && close->toolTip().contains('3'));
    QStringList seen;
    while (!banner.isHidden()) {
      seen << banner.level() + ": " + banner.text();
      QTest::mouseClick(close, Qt::LeftButton);
    }
    const QStringList wanted{"error: The engine stopped", "warning: notes.txt: is UTF-16; save it as UTF-8",
                             "info: Report written: a", "info: Run written: b"};
    QCOMPARE(seen, wanted);
    banner.show_message("info", "new");
    QCOMPARE(banner.text(), QString("new"));
    banner.show_message("info", "newer");  // of the same level the newest counts
    QCOMPARE(banner.text(), QString("newer"));
    QCOMPARE(banner.waiting(), 0);
  }

  void whatCanBeDoneIsAButton() {
    Banner banner;
    int done = 0;
    banner.show_message("info", "Report written: a");
    QVERIFY(banner.button().isHidden());
    banner.show_message("warning", "the store is in use");  // as the log says it
    banner.offer("warning", "the store is in use", {"Retry", "Open it again", [&done] { ++done; }});
    QVERIFY(!banner.button().isHidden());
    QCOMPARE(banner.button().text(), QString("Retry"));
    banner.show_message("warning", "the store is in use");  // said already: the button stays
    QVERIFY(!banner.button().isHidden());
    banner.show_message("error", "it stopped");
    QVERIFY(banner.button().isHidden());
    banner.dismiss();
    QCOMPARE(banner.text(), QString("the store is in use"));
    QTest::mouseClick(&banner.button(), Qt::LeftButton);
    QCOMPARE(done, 1);
    QCOMPARE(banner.text(), QString("Report written: a"));
    QVERIFY(banner.button().isHidden());
  }

  // News go by themselves; what needs an answer stays.
  void informationGoesByItself() {
    Banner banner;
    banner.show_message("info", "Report written: a");
    QVERIFY(banner.goes_in_ms() > 0 && banner.goes_in_ms() <= 1.1 * Banner::info_ms);  // the system may round it
    banner.offer("info", "α is set", {"Undo", {}, [] {}});
    QVERIFY(banner.goes_in_ms() > 2 * Banner::info_ms && banner.goes_in_ms() <= 1.1 * Banner::offer_ms);
    banner.show_message("warning", "notes.txt: is UTF-16; save it as UTF-8");
    QCOMPARE(banner.goes_in_ms(), -1);
    banner.dismiss();
    QVERIFY(!banner.isHidden() && banner.goes_in_ms() > Banner::info_ms);
    banner.dismiss();
    QVERIFY(banner.isHidden());
    QCOMPARE(banner.goes_in_ms(), -1);
  }

  // Paths are long: they are the tool tip of a sentence, which goes by itself like any other offer.
  void detailsAreTheToolTip() {
    Banner banner;
    banner.offer("info", "Another process uses this store; this session uses a separate one.",
                 {"Retry", "Reopen", [] {}, "/stores/a is in use by process 7; using /stores/a-2"});
    auto* label = banner.findChild<QLabel*>();
    QCOMPARE(banner.text(), QString("Another process uses this store; this session uses a separate one."));
    QVERIFY(label->toolTip().contains("/stores/a-2") && !banner.text().contains('/'));
    QVERIFY(banner.goes_in_ms() > 2 * Banner::info_ms && banner.goes_in_ms() <= 1.1 * Banner::offer_ms);
    banner.show_message("info", "another");
    QVERIFY(!label->toolTip().isEmpty() && !label->toolTip().contains("/stores"));
  }

  void aLongMessageIsCutInTheMiddle() {
    Banner banner;
    auto* label = banner.findChild<QLabel*>();
    const QString path = "/tmp/" + QString(5000, 'a');
    banner.show_message("error", path + ": no such folder; choose another one");
    QCOMPARE(banner.text().size(), Banner::max_characters);
    QVERIFY(banner.text().startsWith("/tmp/aaa") && banner.text().endsWith("a: no such folder; choose another one"));
    QVERIFY(banner.text().contains(QChar(0x2026)));
    QCOMPARE(label->toolTip().size(), Banner::max_tip_characters);
    QVERIFY(label->toolTip().endsWith("; choose another one"));
    QVERIFY(label->accessibleName().size() < 320);
    banner.withdraw(path + ": no such folder; choose another one");  // by its whole text
    QVERIFY(banner.isHidden());
    const QString fits(Banner::max_characters, 'b');
    banner.show_message("error", fits);
    QCOMPARE(banner.text(), fits);
    QVERIFY(!label->toolTip().contains("bbb"));
  }

  void aFloodIsCutOff() {
    Banner banner;
    banner.show_message("error", "it stopped");
    for (int i = 0; i < 100; ++i) banner.show_message("info", QString::number(i));
    QCOMPARE(banner.waiting(), Banner::max_waiting);
    banner.show_message("warning", "w");
    QCOMPARE(banner.waiting(), Banner::max_waiting);
    banner.dismiss();
    QCOMPARE(banner.text(), QString("w"));  // before all that matter less
  }

  void whatIsSaidElsewhereGoesShownOrWaiting() {
    Banner banner;
    banner.show_message("warning", "low");
    banner.show_message("error", "it stopped");
    banner.withdraw("nothing like this");
    QCOMPARE(banner.text(), QString("it stopped"));
    QCOMPARE(banner.waiting(), 1);
    banner.withdraw("low");
    QCOMPARE(banner.waiting(), 0);
    banner.show_message("info", "later");
    banner.withdraw("it stopped");
    QCOMPARE(banner.text(), QString("later"));
    banner.withdraw("later");
    QVERIFY(banner.isHidden());
  }
};

KV_TEST_MAIN(BannerTest)

}  // namespace banner_test

#include "banner_test.moc"
