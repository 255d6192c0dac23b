// links: app_wiring
// Which model a window takes over from the one before: one that could not be loaded is left behind with its session.
#include <QtTest>

#include "app/wiring/next_model.h"
#include "tests/support/test_program.h"

namespace next_model_test {

using namespace kvantage;

class NextModelTest : public QObject {
  Q_OBJECT

  static SessionInfo named(const char* name) {
    SessionInfo info;
    info.model_name = name;
    return info;
  }

 private slots:
  void aModelThatFailedToLoadIsLeftBehind() {
    NextModel next("/default");
    using std::filesystem::path;
    QCOMPARE(next.after("/bad", named(""), RunState::failed), path("/default"));  // none was ever loaded
    QCOMPARE(next.after("/good", named("good"), RunState::finished), path("/good"));
    QCOMPARE(next.after("/bad", named(""), RunState::failed), path("/good"));
    QCOMPARE(next.after("/bad again", named(""), RunState::failed), path("/good"));
    QCOMPARE(next.after("/slow", named(""), RunState::loading), path("/slow"));  // it has not failed: still loading
    QCOMPARE(next.after("/bad", named(""), RunState::failed), path("/good"));    // and was never loaded
    QCOMPARE(next.after("/large", named("large"), RunState::failed),
             path("/large"));  // what failed later was not the model
    QCOMPARE(next.after("/bad", named(""), RunState::failed), path("/large"));
  }
};

KV_TEST_APPLESS_MAIN(NextModelTest)

}  // namespace next_model_test

#include "next_model_test.moc"
