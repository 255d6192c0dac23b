// links: kv_base
// Times of others: fits against numpy's least squares (tests/parity/make_ttft_goldens.py), tables in both units, by
// tier, and those that are refused.
#include "core/imported/ttft_table.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <filesystem>

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/imported/imported_date.h"
#include "tests/support/test_program.h"

namespace ttft_table_test {

using namespace kvantage;

class TtftTableTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    const auto path = std::filesystem::path(folder_.path().toStdString()) / name;
    if (!write_text_file(path, text)) qFatal("cannot write %s", path.c_str());
    return path;
  }
  static bool near(double a, double b, double relative) {
    return std::fabs(a - b) <= relative * (1e-12 + std::fabs(b));
  }

 private slots:
  void fitsAreThoseOfNumpy() {
    const auto goldens =
        read_json_file(std::filesystem::path(KVANTAGE_SOURCE_DIR) / "tests" / "goldens" / "ttft_fits.json");
    QVERIFY(goldens.has_value());
    QCOMPARE(goldens->size(), std::size_t{20});
    int squares = 0;
    for (const Json& golden : *goldens) {
      std::vector<TimedTokens> rows;
      for (std::size_t i = 0; i < golden["tokens"].size(); ++i)
        rows.push_back({golden["tokens"][i].get<double>(), golden["seconds"][i].get<double>()});
      const bool quadratic = golden["quadratic"].get<bool>();
      const auto fit = fit_ttft(rows, quadratic, "golden");
      QVERIFY(fit.has_value());
      QVERIFY(near(fit->curve.seconds_per_token, golden["per_token"].get<double>(), 1e-6));
      QVERIFY(near(fit->curve.seconds_per_token_squared, golden["per_token_squared"].get<double>(), 1e-6));
      QVERIFY(std::fabs(fit->curve.base_seconds - golden["base"].get<double>()) < 1e-8);
      squares += fit->curve.seconds_per_token_squared > 0;
    }
    QCOMPARE(squares, 10);
  }

  void aTableHasComputingAndTiers() {
    const auto path = write("times.csv",
                            "tokens,ttft_ms,source\n"
                            "1000,250,prefill\n2000,400,prefill\n4000,700,\n"
                            "1000,12,dram\n3000,32,dram\n1000,25,ssd\n5000,105,ssd\n");
    const auto table = read_ttft_table(path, {}, "2026-11-29");
    QVERIFY2(table.has_value(), table ? "" : table.error().message.c_str());
    QVERIFY(table->compute.has_value());
    QVERIFY(near(table->compute->curve.base_seconds, 0.1, 1e-9));
    QVERIFY(near(table->compute->curve.seconds_per_token, 0.00015, 1e-9));
    QCOMPARE(table->compute->rows, std::size_t{3});
    QCOMPARE(table->compute->min_tokens, 1000.0);
    QCOMPARE(table->compute->max_tokens, 4000.0);
    QVERIFY(table->compute->residual_seconds < 1e-9);
    QCOMPARE(table->tiers.size(), std::size_t{2});
    QCOMPARE(table->tiers[0].tier, std::string("dram"));
    QVERIFY(near(table->tiers[0].curve.seconds_per_token, 1e-5, 1e-9));
    QVERIFY(near(table->tiers[0].curve.base_seconds, 0.002, 1e-9));
    QVERIFY(near(table->tiers[1].curve.seconds_per_token, 2e-5, 1e-9));
    QCOMPARE(table->source.date, std::string("2026-11-29"));
    QCOMPARE(table->source.digest.size(), std::size_t{32});
  }

  // A square that the times do not have is not fitted below 0: the line stays.
  void timesThatFlattenAreALine() {
    std::vector<TimedTokens> rows;
    for (int n = 1; n <= 8; ++n) rows.push_back({1000.0 * n, std::sqrt(static_cast<double>(n))});
    const auto fit = fit_ttft(rows, true, "flat");
    QVERIFY(fit.has_value());
    QCOMPARE(fit->curve.seconds_per_token_squared, 0.0);
    QVERIFY(fit->curve.seconds_per_token > 0 && fit->residual_seconds > 0.01);
  }

  void columnsAreMapped() {
    const auto path = write("own.csv", "n;t\n10;1\n20;2\n");
    const auto missing = read_ttft_table(path, {}, "");
    QVERIFY(!missing.has_value());
    QVERIFY2(missing.error().message.find(
                 "lacks tokens, seconds; its columns are n, t; name columns so in its first line") != std::string::npos,
             missing.error().message.c_str());
    const auto map = read_column_map("tokens=n, seconds=t", ttft_columns());
    QVERIFY(map.has_value());
    const auto table = read_ttft_table(path, *map, "");
    QVERIFY2(table.has_value(), table ? "" : table.error().message.c_str());
    QVERIFY(near(table->compute->curve.seconds_per_token, 0.1, 1e-9));
  }

  void otherTablesAreRefused_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("mentions");
    QTest::newRow("one length") << "tokens,seconds\n10,1\n10,2\n"
                                << "fewer than two lengths";
    QTest::newRow("falls") << "tokens,seconds\n10,2\n20,1\n"
                           << "do not rise with tokens";
    QTest::newRow("not a number") << "tokens,seconds\n10,fast\n"
                                  << ":2: seconds 'fast' is not a number";
    QTest::newRow("NaN") << "tokens,seconds\n10,nan\n"
                         << "'nan' is not a number";
    QTest::newRow("negative") << "tokens,seconds\n-1,1\n"
                              << "out of range";
    QTest::newRow("no rows") << "tokens,seconds\n"
                             << "has no rows";
    QTest::newRow("tier falls") << "tokens,seconds,tier\n10,1,\n20,2,\n10,2,dram\n20,1,dram\n"
                                << "tier dram: times do not";
  }
  void otherTablesAreRefused() {
    QFETCH(QString, text);
    QFETCH(QString, mentions);
    const auto table = read_ttft_table(write("bad.csv", text.toStdString()), {}, "");
    QVERIFY(!table.has_value());
    QCOMPARE(table.error().code, ErrorCode::rejected_input);
    QVERIFY2(QString::fromStdString(table.error().message).contains(mentions), table.error().message.c_str());
  }

  void dates() {
    QCOMPARE(date_of(0), std::string("1970-01-01"));
    QCOMPARE(date_of(1'795'996'799'999'999'999), std::string("2026-11-29"));
    QCOMPARE(date_of(1'795'996'800'000'000'000), std::string("2026-11-30"));
  }
};

KV_TEST_GUILESS_MAIN(TtftTableTest)

}  // namespace ttft_table_test

#include "ttft_table_test.moc"
