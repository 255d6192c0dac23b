// links: kv_base
// A near name is offered, one that is only as long is not, and without a near one all are named.
#include <QtTest>

#include "core/base/did_you_mean.h"
#include "tests/support/test_program.h"

namespace did_you_mean_test {

using namespace kvantage;

class DidYouMeanTest : public QObject {
  Q_OBJECT

 private slots:
  void theNearestNameIsMeant_data() {
    QTest::addColumn<QString>("word");
    QTest::addColumn<QString>("text");
    const auto row = [](const char* word, const char* text) { QTest::newRow(word) << word << text; };
    row("evicpres", "did you mean 'evicpress'?");
    row("evcipress", "did you mean 'evicpress'?");
    row("lur", "did you mean 'lru'?");  // two letters swapped are one mistake
    row("lr", "did you mean 'lru'?");
    row("fullprefil", "did you mean 'full_prefill'?");
    row("foo", "choose one of evicpress, lru, full_prefill");  // three letters apart, as any word of three is
    row("optimal", "choose one of evicpress, lru, full_prefill");
    row("", "choose one of evicpress, lru, full_prefill");
  }
  void theNearestNameIsMeant() {
    QFETCH(QString, word);
    QFETCH(QString, text);
    const std::vector<std::string> names{"evicpress", "lru", "full_prefill"};
    QCOMPARE(QString::fromStdString(did_you_mean(word.toStdString(), names)), text);
  }

  void rowsGiveTheirNames() {
    struct Row {
      std::string name;
    };
    const std::vector<Row> rows{{"ssd"}, {"dram"}};
    QCOMPARE(did_you_mean("drma", rows, {}, &Row::name), std::string("did you mean 'dram'?"));
    QCOMPARE(did_you_mean("tape", rows, "give one that is there", &Row::name), std::string("give one that is there"));
  }

  // Names come from files, too.
  void anEndlessWordIsCompared() {
    const std::vector<std::string> names{"lru"};
    QCOMPARE(did_you_mean(std::string(10'000'000, 'l'), names), std::string("choose one of lru"));
  }
};

KV_TEST_GUILESS_MAIN(DidYouMeanTest)

}  // namespace did_you_mean_test

#include "did_you_mean_test.moc"
