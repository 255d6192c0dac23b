// links: kv_experiments
// How much memory a model may take inside a control group.
#include <QTemporaryDir>
#include <QTest>

#include <fstream>

#include "core/model/memory.h"
#include "tests/support/test_program.h"

namespace memory_test {

using namespace kvantage;

class MemoryTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::filesystem::path path() const { return folder_.path().toStdString(); }
  void write(const char* name, const char* text) const { std::ofstream(path() / name) << text; }

 private slots:
  void init() {
    for (const auto& entry : std::filesystem::directory_iterator(path())) std::filesystem::remove(entry.path());
  }

  void theMachineSaysSomething() { QVERIFY(available_memory_bytes() > 0); }

  void withoutFilesOrLimitThereIsNoAllowance() {
    QVERIFY(!control_group_allowance(path()));
    write("memory.max", "max\n");
    write("memory.current", "1000\n");
    QVERIFY(!control_group_allowance(path()));
  }

  void pageCacheCountsAsFree() {
    write("memory.max", "10000\n");
    write("memory.current", "9000\n");
    QCOMPARE(control_group_allowance(path()).value(), std::uint64_t{1000});
    write("memory.stat", "anon 2500\nfile 6500\nshmem 500\ninactive_anon 2500\nactive_file 2000\ninactive_file 4000\n");
    QCOMPARE(control_group_allowance(path()).value(), std::uint64_t{7000});
  }

  void numbersThatDoNotFitTogetherGiveNoMoreThanTheLimit() {
    write("memory.max", "10000\n");
    write("memory.current", "3000\n");
    write("memory.stat", "active_file 5000\n");
    QCOMPARE(control_group_allowance(path()).value(), std::uint64_t{10000});
    write("memory.current", "12000\n");
    write("memory.stat", "");
    QCOMPARE(control_group_allowance(path()).value(), std::uint64_t{0});
  }
};

KV_TEST_GUILESS_MAIN(MemoryTest)

}  // namespace memory_test

#include "memory_test.moc"
