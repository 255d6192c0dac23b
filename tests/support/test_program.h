// A test program holds the test classes of one folder, each a test of its own for ctest: `engine_tests drift_test
// [ARGS]`. A class registers itself under the name of its file; test_program.cpp has the main function that picks one.
#pragma once

#include <QCoreApplication>
#include <QtTest>
#include <string>
#include <string_view>

#include "tests/support/own_time.h"

// A wait for Qt's event loop that succeeds takes no longer for it, and one of 5 s fails on a busy machine.
#undef QTRY_VERIFY
#define QTRY_VERIFY(expr) QTRY_VERIFY_WITH_TIMEOUT((expr), 60000)
#undef QTRY_VERIFY2
#define QTRY_VERIFY2(expr, message) QTRY_VERIFY2_WITH_TIMEOUT((expr), message, 60000)
#undef QTRY_COMPARE
#define QTRY_COMPARE(expr, expected) QTRY_COMPARE_WITH_TIMEOUT((expr), expected, 60000)

// What QCOMPARE prints of a text that differs.
namespace QTest {
template <>
inline char* toString(const std::string& text) {
  return qstrdup(('"' + text + '"').c_str());
}
}  // namespace QTest

namespace kvantage::test {

using TestMain = int (*)(int argc, char** argv);

/// Adds a test to the program it is linked into. `file` is the path of its source: the test is called as that file
/// without folder and ending.
struct RegisteredTest {
  RegisteredTest(std::string_view file, TestMain main);
};

template <class Test, class Application>
int run_test(int argc, char** argv) {
  Application application(argc, argv);
  application.setAttribute(Qt::AA_Use96Dpi, true);
  Test test;
  return QTest::qExec(&test, argc, argv);
}

template <class Test>
int run_test_without_application(int argc, char** argv) {
  Test test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace kvantage::test

// As QTEST_MAIN and its kin, for a program of several tests. Inside the namespace of the test's file.
#define KV_TEST_REGISTER(...) \
  static const ::kvantage::test::RegisteredTest kv_registered_test { __FILE__, __VA_ARGS__ }
#define KV_TEST_MAIN(Test) KV_TEST_REGISTER((&::kvantage::test::run_test<Test, QApplication>));
#define KV_TEST_GUI_MAIN(Test) KV_TEST_REGISTER((&::kvantage::test::run_test<Test, QGuiApplication>));
#define KV_TEST_GUILESS_MAIN(Test) KV_TEST_REGISTER((&::kvantage::test::run_test<Test, QCoreApplication>));
#define KV_TEST_APPLESS_MAIN(Test) KV_TEST_REGISTER((&::kvantage::test::run_test_without_application<Test>));
// A main function of the test's own: KV_TEST_PROGRAM(argc, argv) { ... }
#define KV_TEST_PROGRAM(argc, argv)                  \
  static int kv_test_program(int argc, char** argv); \
  KV_TEST_REGISTER(&kv_test_program);                \
  static int kv_test_program(int argc, char** argv)
