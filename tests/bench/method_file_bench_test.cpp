// links: app_wiring core_compress
// Methods of files take at most twice as long as the program's own: scoring and ranking a layer of the default model's
// shape, a process and a copy of the inputs included. The fastest of many calls, as other work only adds.
#include <QtTest>

#include <algorithm>

#include "app/wiring/method_files.h"
#include "core/base/clock.h"
#include "tests/compress/random_context.h"
#include "tests/support/method_files.h"
#include "tests/support/test_program.h"

namespace method_file_bench_test {

using namespace kvantage;
using namespace kvantage::test;

class MethodFileBenchTest : public QObject {
  Q_OBJECT

 private slots:
  void takesAtMostTwiceAsLong_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("own");
    QTest::newRow("knorm") << "script_knorm"
                           << "knorm";
    QTest::newRow("keydiff") << "script_keydiff"
                             << "keydiff";
    QTest::newRow("snapkv") << "script_snapkv"
                            << "snapkv";
  }
  void takesAtMostTwiceAsLong() {
    QFETCH(const QString, file);
    QFETCH(const QString, own);
    constexpr int calls = 200;
    const RandomContext context({1, 2, 64, KvType::bf16}, 2560, 64);
    const auto by_file = method_of(open_method_file(golden_method_file(file.toStdString())).value().name);
    const auto built_in = method_of(own.toStdString());
    const SystemClock clock;
    const auto seconds = [&](const Method& method) {
      LayerScores scores;
      const double begun = clock.seconds();
      if (const Status scored = method.score_layer(context.cache, context.observed, scores); !scored)
        qFatal("%s", scored.error().message.c_str());
      return clock.seconds() - begun;
    };
    double ours = 1e9, theirs = 1e9;
    // Two threads that have begun on one core stay there for many calls.
    for (int round = 0; round < 5 && (round < 2 || theirs > 2 * ours); ++round) {
      QTest::qWait(round * 100);
      for (int i = 0; i < calls; ++i) {
        ours = std::min(ours, seconds(*built_in));
        theirs = std::min(theirs, seconds(*by_file));
      }
    }
    qInfo("%s: %.3f ms, of a file %.3f ms", qPrintable(own), ours * 1e3, theirs * 1e3);
    QVERIFY2(theirs <= 2 * ours, qPrintable(QString::number(theirs / ours)));
  }
};

KV_TEST_GUILESS_MAIN(MethodFileBenchTest)

}  // namespace method_file_bench_test

#include "method_file_bench_test.moc"
