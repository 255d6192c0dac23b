// links: kv_ui_models
// Prices of tiers: defaults by what a tier is, kept as a preference of the user.
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <vector>

#include "tests/support/test_program.h"
#include "ui/live/frontier/model/tier_prices.h"

namespace tier_prices_test {

using namespace kvantage;

class TierPricesTest : public QObject {
  Q_OBJECT

  static TierConfig tier(const char* name) {
    TierConfig config;
    config.name = name;
    return config;
  }

 private slots:
  void defaultsFollowTheKindOfTier() {
    const TierPrices prices;
    QCOMPARE(prices.price(tier("dram")), 1.0);
    QCOMPARE(prices.price(tier("ssd")), 0.1);
    TierConfig server = tier("far");
    server.options["url"] = "redis://127.0.0.1";
    QCOMPARE(kind_of(server).medium, TierMedium::server);
    QCOMPARE(prices.price(server), 0.02);
  }

  void whatIsSetIsKept() {
    const QTemporaryDir folder;
    QSettings settings(folder.filePath("prices.ini"), QSettings::IniFormat);
    {
      TierPrices prices;
      prices.keep_in(settings, "prices/tiers");
      QSignalSpy changed(&prices, &TierPrices::changed);
      prices.set_price("ssd", 0.25);
      prices.set_price("ssd", 0.25);
      QCOMPARE(changed.count(), 1);
      prices.set_price("dram", -3);  // limited
      QCOMPARE(prices.price(tier("dram")), 0.0);
      prices.set_price("dram", std::nan(""));
      QCOMPARE(prices.price(tier("dram")), 0.0);
    }
    TierPrices next;
    next.keep_in(settings, "prices/tiers");
    QCOMPARE(next.price(tier("ssd")), 0.25);
    QCOMPARE(next.price(tier("dram")), 0.0);
    // A hand wrote these.
    settings.setValue("prices/tiers", QStringList{"ssd=cheap", "=3", "dram=-1", "dram=inf", "a=b=2", "far"});
    TierPrices others;
    others.keep_in(settings, "prices/tiers");
    QCOMPARE(others.price(tier("ssd")), 0.1);
    QCOMPARE(others.price(tier("dram")), 1.0);
    QCOMPARE(others.price(tier("a=b")), 2.0);
  }

  void whereAllAreFreeTheCostIsTheSumOfTheBudgets() {
    TierPrices prices;
    const std::vector<TierConfig> tiers{tier("dram"), tier("ssd")};
    QCOMPARE(prices.prices(tiers), (std::vector<double>{1, 0.1}));
    prices.set_price("dram", 0);
    QCOMPARE(prices.prices(tiers), (std::vector<double>{0, 0.1}));
    prices.set_price("ssd", 0);
    QCOMPARE(prices.prices(tiers), (std::vector<double>{1, 1}));
  }
};

KV_TEST_GUILESS_MAIN(TierPricesTest)

}  // namespace tier_prices_test

#include "tier_prices_test.moc"
