// links: kv_base
// What no caller handles is one line on stderr and exit code 1, on any thread.
#include <QtTest>

#include <algorithm>
#include <functional>
#include <new>
#include <stdexcept>
#include <thread>

#include "core/base/executor.h"
#include "core/base/last_line.h"
#include "tests/support/child_process.h"
#include "tests/support/test_program.h"

namespace last_line_test {

using namespace kvantage;
using namespace kvantage::test;

class LastLineTest : public QObject {
  Q_OBJECT

  static bool is_one_line(const ChildEnd& end, const char* reason) {
    return end.exit_code == 1 && end.error.starts_with("error: ") && end.error.ends_with("\n") &&
           std::ranges::count(end.error, '\n') == 1 && end.error.find(reason) != std::string::npos;
  }

 private slots:
  void exceptionsOfThreadsAreOneLine() {
    const ChildEnd memory = in_child([] {
      install_last_line();
      std::thread([] { throw std::bad_alloc(); }).join();
    });
    QVERIFY2(is_one_line(memory, "out of memory; close"), memory.error.c_str());
    const ChildEnd other = in_child([] {
      install_last_line();
      const auto thread =
          system_executor().start("worker", ThreadPriority::window, [] { throw std::runtime_error("two\nlines"); });
    });
    QVERIFY2(is_one_line(other, "two\\nlines"), other.error.c_str());
    const ChildEnd unknown = in_child([] {
      install_last_line();
      std::thread([] { throw 7; }).join();
    });
    QVERIFY2(is_one_line(unknown, "of no known kind"), unknown.error.c_str());
  }

  void exceptionsThatMayNotLeaveAreOneLine() {
    const ChildEnd end = in_child([] {
      install_last_line();
      const std::function<void()> throwing = [] { throw std::runtime_error("late"); };
      [&]() noexcept { throwing(); }();
    });
    QVERIFY2(is_one_line(end, "late"), end.error.c_str());
  }

  void caughtExceptionsAreOneLine() {
    const ChildEnd end = in_child([] {
      try {
        throw std::bad_alloc();
      } catch (...) {
        end_with_current_exception();
      }
    });
    QVERIFY2(is_one_line(end, "out of memory"), end.error.c_str());
  }
};

KV_TEST_GUILESS_MAIN(LastLineTest)

}  // namespace last_line_test

#include "last_line_test.moc"
