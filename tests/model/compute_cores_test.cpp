// links: kv_experiments
// Threads that compute leave the window a core where there are enough, and stay where they were put.
#include <QtTest>

#include <thread>

#include "core/model/compute_cores.h"
#include "core/model/transformer.h"
#include "tests/support/test_program.h"

namespace compute_cores_test {

using namespace kvantage;

class ComputeCoresTest : public QObject {
  Q_OBJECT

 private slots:
  void chooses_data() {
    QTest::addColumn<QList<int>>("allowed");
    QTest::addColumn<int>("asked");
    QTest::addColumn<bool>("leave_one");
    QTest::addColumn<int>("threads");
    QTest::addColumn<QList<int>>("cores");
    QTest::newRow("all, nobody beside") << QList{0, 1, 2, 3} << 0 << false << 4 << QList<int>{};
    QTest::newRow("a window beside") << QList{0, 1, 2, 3} << 0 << true << 3 << QList{1, 2, 3};
    QTest::newRow("two cores are too few") << QList{0, 1} << 0 << true << 2 << QList<int>{};
    QTest::newRow("one core") << QList{5} << 0 << true << 1 << QList<int>{};
    QTest::newRow("fewer asked for") << QList{0, 1, 2, 3} << 2 << true << 2 << QList{2, 3};
    QTest::newRow("all asked for") << QList{0, 1, 2, 3} << 4 << true << 4 << QList<int>{};
    QTest::newRow("more than there are") << QList{0, 1, 2, 3} << 9 << true << 9 << QList<int>{};
    QTest::newRow("what the process may use") << QList{4, 6, 7} << 0 << true << 2 << QList{6, 7};
  }
  void chooses() {
    QFETCH(QList<int>, allowed);
    QFETCH(int, asked);
    QFETCH(bool, leave_one);
    QFETCH(int, threads);
    QFETCH(QList<int>, cores);
    CoreTopology topology;  // of equal cores with one hardware thread each
    for (const int id : allowed) topology.processors.push_back({id, id, 0, true});
    const ComputeCores chosen = choose_compute_cores(topology, {asked, leave_one, {}});
    QCOMPARE(chosen.threads, threads);
    QCOMPARE((QList<int>{chosen.cores.begin(), chosen.cores.end()}), cores);
  }

  void threadsStayWhereTheyWerePut() {
    const std::vector<int> allowed = allowed_cores();
    if (allowed.size() < 2) QSKIP("one core: there is nothing to choose from");
    const std::vector<int> last{allowed.back()}, both{allowed[allowed.size() - 2], allowed.back()};
    std::thread([&] {  // a thread of its own: its workers are its own, too
      use_compute_cores({2, both});
      const auto cores = cores_of_compute_threads();
      QCOMPARE(cores.size(), std::size_t{2});
      QCOMPARE(cores[0], both);
      QCOMPARE(cores[1], last);
      std::vector<int> inherited;
      std::thread([&] { inherited = allowed_cores(); }).join();
      QCOMPARE(inherited, both);
    })
        .join();
    QCOMPARE(allowed_cores(), allowed);  // nobody else is moved
  }

  void withoutCoresTheSystemPlacesThem() {
    const std::vector<int> allowed = allowed_cores();
    std::thread([&] {
      use_compute_cores({2, {}});
      QCOMPARE(compute_threads(), 2);
      for (const auto& cores : cores_of_compute_threads()) QCOMPARE(cores, allowed);
    }).join();
  }
};

KV_TEST_GUILESS_MAIN(ComputeCoresTest)

}  // namespace compute_cores_test

#include "compute_cores_test.moc"
