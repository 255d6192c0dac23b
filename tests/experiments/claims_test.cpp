// links: kv_reports
// The papers' claims as a file: what is wrong with it is said in one line.
#include <QTemporaryDir>
#include <fstream>

#include "core/experiments/claims.h"
#include "tests/support/test_program.h"

namespace claims_test {

using namespace kvantage;

class ClaimsTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  std::filesystem::path file(const std::string& text) const {
    const std::filesystem::path path = std::filesystem::path(folder_.path().toStdString()) / "claims.json";
    std::ofstream(path) << text;
    return path;
  }

 private slots:
  void aClaimIsRead() {
    const auto claims = read_claims(file(
        R"([{"id": "kvpr/a", "where": "table 1", "says": "It is so.", "low": null, "high": 2.19, "unit": "ratio",
             "figure": "kvpr/table1", "out_of_scope": null, "note": "elsewhere 3.77"},
            {"id": "kvpr/b", "where": "abstract", "says": "So.", "low": 1.5, "high": 2, "unit": "ms", "figure": null,
             "out_of_scope": "another machine"}])"));
    QVERIFY2(claims, claims ? "" : claims.error().message.c_str());
    QCOMPARE(claims->size(), std::size_t{2});
    QCOMPARE((*claims)[0].figure, std::string("kvpr/table1"));
    QCOMPARE((*claims)[0].note, std::string("elsewhere 3.77"));
    QCOMPARE(span_text((*claims)[0]), std::string("at most 2.19"));
    QCOMPARE(span_text((*claims)[1]), std::string("1.5 - 2"));
    QCOMPARE((*claims)[1].out_of_scope, std::string("another machine"));
    QCOMPARE(span_text(PaperClaim{.low = 5}), std::string("at least 5"));
    QCOMPARE(span_text(PaperClaim{.low = 5, .high = 5}), std::string("5"));
    QCOMPARE(span_text(PaperClaim{}), std::string());
  }

  void whatIsWrongIsOneLine_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("part");
    const auto one = [](const char* rest) {
      return QString(R"([{"id": "a", "where": "w", "says": "s", "unit": "u", %1}])").arg(rest);
    };
    QTest::newRow("no list") << "{}"
                             << "not a list";
    QTest::newRow("no text") << R"([{"id": "a"}])"
                             << "where";
    QTest::newRow("neither") << one(R"("figure": null, "out_of_scope": null)") << "neither a figure nor a reason";
    QTest::newRow("both") << one(R"("figure": "kvpr/fig3", "out_of_scope": "x")") << "or both";
    QTest::newRow("no such figure") << one(R"("figure": "kvpr/fig99")") << "unknown figure 'kvpr/fig99'";
    QTest::newRow("upside down") << one(R"("figure": "kvpr/fig3", "low": 3, "high": 2)") << "low is above high";
    QTest::newRow("no number") << one(R"("figure": "kvpr/fig3", "low": "x")") << "low";
    QTest::newRow("twice") << R"([{"id": "a", "where": "w", "says": "s", "unit": "u", "out_of_scope": "x"},
                                  {"id": "a", "where": "w", "says": "s", "unit": "u", "out_of_scope": "x"}])"
                           << "twice";
  }
  void whatIsWrongIsOneLine() {
    QFETCH(QString, text);
    QFETCH(QString, part);
    const auto claims = read_claims(file(text.toStdString()));
    QVERIFY(!claims);
    QCOMPARE(claims.error().code, ErrorCode::rejected_input);
    const QString said = QString::fromStdString(claims.error().message);
    QVERIFY2(said.contains(part) && said.startsWith("claims.json") && !said.contains('\n'), qPrintable(said));
  }
};

KV_TEST_GUILESS_MAIN(ClaimsTest)

}  // namespace claims_test

#include "claims_test.moc"
