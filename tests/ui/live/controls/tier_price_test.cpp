// links: kv_ui
// The price of a tier in Controls: a preference, which changes no setting of the session.
#include <QSignalSpy>
#include <QTest>

#include "tests/support/test_program.h"
#include "ui/live/controls/tier_controls.h"

namespace tier_price_test {

using namespace kvantage;

class TierPriceTest : public QObject {
  Q_OBJECT

 private slots:
  void theFieldShowsAndSetsIt() {
    TierPrices prices;
    TierControls dram(QStringLiteral("dram")), ssd(QStringLiteral("ssd"));
    QVERIFY(dram.price().isHidden());
    TierConfig config;
    config.name = "ssd";
    config.budget = 1 << 20;
    ssd.show_setting(config);
    for (TierControls* controls : {&dram, &ssd}) controls->set_prices(prices);
    QVERIFY(!dram.price().isHidden() && !dram.price().accessibleName().isEmpty() && !dram.price().toolTip().isEmpty());
    QCOMPARE(dram.price().value(), 1.0);
    QCOMPARE(ssd.price().value(), 0.1);
    QSignalSpy released(&ssd, &TierControls::released);
    ssd.price().setValue(0.25);
    QCOMPARE(prices.price(config), 0.25);
    prices.set_price("ssd", 0);
    QCOMPARE(ssd.price().text(), QString("free"));
    QVERIFY(ssd.setting() == config && released.isEmpty());
    ssd.show_setting(config);  // shows it again, and sets nothing
    QCOMPARE(prices.price(config), 0.0);
  }
};

KV_TEST_MAIN(TierPriceTest)

}  // namespace tier_price_test

#include "tier_price_test.moc"
