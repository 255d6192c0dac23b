// links: kv_base
// A mapped file that becomes shorter while it is read ends the program with one line, not by a signal.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <thread>

#include "core/base/files.h"
#include "core/base/mapped_file.h"
#include "tests/support/child_process.h"
#include "tests/support/test_program.h"

namespace mapped_file_test {

using namespace kvantage;
using namespace kvantage::test;

constexpr std::size_t size = 1 << 20;

class MappedFileTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  std::filesystem::path file(const char* name) const {
    const std::filesystem::path path = std::filesystem::path(folder_.path().toStdString()) / name;
    if (!write_text_file(path, std::string(size, 'x'))) qFatal("cannot write");
    return path;
  }
  static bool is_one_line(const ChildEnd& end, const std::string& name) {
    return end.exit_code == 1 && std::ranges::count(end.error, '\n') == 1 &&
           end.error.find(name + ": became shorter or unreadable while it was read; restore") != std::string::npos;
  }
  static void read_last(const MappedFile& file) {
    const volatile std::byte* bytes = file.bytes().data();
    (void)bytes[size - 1];
  }

 private slots:
  void lostPagesAreOneLine() {
    const auto path = file("first.bin"), other = file("second.bin");
    for (const bool in_thread : {false, true}) {
      file("first.bin");
      const ChildEnd end = in_child([&] {
        const auto mapped = MappedFile::open(path).value(), second = MappedFile::open(other).value();
        read_last(*mapped);
        if (::truncate(path.c_str(), 4096) != 0) ::_exit(9);
        read_last(*second);
        if (in_thread)
          std::thread([&] { read_last(*mapped); }).join();
        else
          read_last(*mapped);
      });
      QVERIFY2(is_one_line(end, "first.bin"), end.error.c_str());
    }
  }

  // A region whose place another file has taken is that file's.
  void regionsAreUsedAgain() {
    const auto path = file("old.bin"), next = file("new.bin");
    const ChildEnd end = in_child([&] {
      for (int i = 0; i < 100; ++i) (void)MappedFile::open(path).value();
      const auto mapped = MappedFile::open(next).value();
      if (::truncate(next.c_str(), 4096) != 0) ::_exit(9);
      read_last(*mapped);
    });
    QVERIFY2(is_one_line(end, "new.bin"), end.error.c_str());
  }

  // What a library mapped, such as the -shm file of a database.
  void filesThatOthersMappedAreOneLine() {
    const auto own = file("own.bin");
    const ChildEnd end = in_child([&] {
      watch_lost_pages();
      const int descriptor = ::open(own.c_str(), O_RDWR);
      void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
      if (memory == MAP_FAILED || ::ftruncate(descriptor, 4096) != 0) ::_exit(9);
      (void)static_cast<const volatile char*>(memory)[size - 1];
    });
    QCOMPARE(end.exit_code, 1);
    QVERIFY2(
        end.error.find("a mapped file became shorter") != std::string::npos && std::ranges::count(end.error, '\n') == 1,
        end.error.c_str());
  }

  void otherSignalsEndAsBefore() {
    const auto path = file("mapped.bin");
    const ChildEnd end = in_child([&] {
      ::signal(SIGBUS, SIG_DFL);
      const auto mapped = MappedFile::open(path).value();
      ::raise(SIGBUS);
      ::raise(SIGBUS);  // the first has put the handler of before in place
    });
    QCOMPARE(end.exit_code, -1);
    QCOMPARE(end.error, std::string());
  }

  void emptyFilesAreRefused() {
    const auto path = file("empty.bin");
    QVERIFY(write_text_file(path, ""));
    QVERIFY(!MappedFile::open(path));
    QVERIFY(!MappedFile::open(path.string() + "/below"));
  }
};

KV_TEST_GUILESS_MAIN(MappedFileTest)

}  // namespace mapped_file_test

#include "mapped_file_test.moc"
