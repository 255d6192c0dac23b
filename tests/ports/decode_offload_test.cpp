// links: kv_reports
// Decode-offload as a text: what is read is written again, and what is wrong is named.
#include "core/ports/decode_offload.h"

#include <QtTest>

#include "tests/support/test_program.h"

namespace decode_offload_text_test {

using namespace kvantage;
using namespace kvantage::test;

class DecodeOffloadTextTest : public QObject {
  Q_OBJECT

 private slots:
  void canonicalTexts_data() {
    QTest::addColumn<QString>("given");
    QTest::addColumn<QString>("canonical");
    const auto row = [](const char* given, const char* canonical) { QTest::newRow(given) << given << canonical; };
    row("ssd", "ssd");
    row("ssd()", "ssd");
    row("ssd(split=solved)", "ssd");
    row(" dram ( split = load_only ) ", "dram(split=load_only)");
    row("My SSD-2(split=recompute_only)", "My SSD-2(split=recompute_only)");
    row("ssd(resident=none, codec=none)", "ssd");
    row("ssd(resident=inputs)", "ssd(resident=inputs)");
    row("ssd( codec = kivi4(residual=0) , resident = kv, split=recompute_only)",
        "ssd(split=recompute_only,resident=kv,codec=kivi4(residual=0))");
    row("ssd(codec=fp8,split=load_only)", "ssd(split=load_only,codec=fp8)");
    row("ssd(weights=kv_first)", "ssd(weights=kv_first)");
    row("ssd(weights=resident)", "ssd");
    row("ssd(batch=separate)", "ssd");
    row("ssd(batch=column,weights=kv_first)", "ssd(weights=kv_first,batch=column)");
    row("ssd(weights=all_first,resident=inputs)", "ssd(resident=inputs,weights=all_first)");
  }
  void canonicalTexts() {
    QFETCH(const QString, given);
    QFETCH(const QString, canonical);
    const auto read = parse_decode_offload(given.toStdString());
    QVERIFY2(read.has_value(), read ? "" : read.error().message.c_str());
    QCOMPARE(QString::fromStdString((*read)->text()), canonical);
    const auto again = parse_decode_offload((*read)->text());
    QVERIFY(again.has_value() && **again == **read);
  }

  void noneIsNothing() {
    const auto read = parse_decode_offload("none");
    QVERIFY(read.has_value() && !read->has_value());
  }

  void whatIsWrongIsNamed_data() {
    QTest::addColumn<QString>("given");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* given, const char* says) { QTest::newRow(given) << given << says; };
    row("", "is not TIER or TIER(split=MODE)");
    row("(split=solved)", "is not TIER or TIER(split=MODE)");
    row("ssd(split=solved", "is not TIER or TIER(split=MODE)");
    row("ssd(split=lod_only)", "did you mean 'load_only'");
    row("ssd(split=)", "unknown split ''");
    row("ssd(tier=dram)", "unknown parameter 'tier'; choose one of split, resident, codec, weights, batch");
    row("ssd(splt=load_only)", "unknown parameter 'splt'; did you mean 'split'?");
    row("ssd(solved)", "its parameters are split, resident, codec, weights and batch");
    row("ssd(resident=input)", "did you mean 'inputs'");
    row("ssd(batch=colum)", "did you mean 'column'");
    row("ssd(weights=kv_frist)", "did you mean 'kv_first'");
    row("ssd(codec=)", "names no codec");
    row("ssd(split=load_only,resident=inputs)", "nothing is resident");
    row("ssd(codec=fp8)", "reading inputs cannot pay off");
    row("ssd(split=solved,split=solved)", "'split' is given twice");
  }
  void whatIsWrongIsNamed() {
    QFETCH(const QString, given);
    QFETCH(const QString, says);
    const auto read = parse_decode_offload(given.toStdString());
    QVERIFY(!read.has_value());
    QCOMPARE(read.error().code, ErrorCode::usage);
    QVERIFY2(read.error().message.find(says.toStdString()) != std::string::npos, read.error().message.c_str());
  }
};

KV_TEST_GUILESS_MAIN(DecodeOffloadTextTest)

}  // namespace decode_offload_text_test

#include "decode_offload_test.moc"
