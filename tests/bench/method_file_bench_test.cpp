// links: app_wiring core_compress
// Methods of files take at most twice as long as the program's own at small shapes: scoring and ranking a layer, a
// process and a copy of the inputs included. Layers are of the default model's shape, 4 KV heads of 32, and of larger
// models'. The fastest of many calls in several rounds, as other work only adds.
#include <QtTest>

#include <algorithm>
#include <utility>

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
    QTest::addColumn<QString>("own");
    QTest::addColumn<int>("kv_heads");
    QTest::addColumn<int>("head_dim");
    for (const auto& [kv_heads, head_dim] : {std::pair{4, 32}, std::pair{2, 64}, std::pair{8, 128}})
      for (const char* own : {"knorm", "keydiff", "snapkv"})
        QTest::addRow("%s, %d x %d", own, kv_heads, head_dim) << own << kv_heads << head_dim;
  }
  void takesAtMostTwiceAsLong() {
    QFETCH(const QString, own);
    QFETCH(const int, kv_heads);
    QFETCH(const int, head_dim);
    const double bound = kv_heads * head_dim > 128 ? 2.5 : 2;
    constexpr int rounds = 8, calls = 60, tokens = 2560;
    const RandomContext context({1, kv_heads, head_dim, KvType::bf16}, tokens, 64);
    const auto by_file = method_of(open_method_file(golden_method_file("script_" + own.toStdString())).value().name);
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
    for (int round = 0; round < rounds && (round < 2 || theirs > bound * ours); ++round) {
      QTest::qWait(round * 100);
      for (int i = 0; i < calls; ++i) {
        ours = std::min(ours, seconds(*built_in));
        theirs = std::min(theirs, seconds(*by_file));
      }
    }
    qInfo("%s, %d KV heads of %d: %.3f ms, of a file %.3f ms (x %.2f)", qPrintable(own), kv_heads, head_dim, ours * 1e3,
          theirs * 1e3, theirs / ours);
    QVERIFY2(theirs <= bound * ours, qPrintable(QString::number(theirs / ours)));
  }
};

KV_TEST_GUILESS_MAIN(MethodFileBenchTest)

}  // namespace method_file_bench_test

#include "method_file_bench_test.moc"
