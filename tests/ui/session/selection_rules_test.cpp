// links: kv_ui
// What one choice does to another: the single context and request, the brushed sets, and what a new run or another
// moment of a recorded one leaves of them.
#include <QSignalSpy>
#include <QTest>
#include <set>

#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_session.h"
#include "ui/session/run_model.h"
#include "ui/session/selection.h"

namespace selection_rules_test {

using namespace kvantage;

class SelectionRulesTest : public QObject {
  Q_OBJECT

 private slots:
  void aContextChosenElsewhereLetsItsRequestGo() {
    Selection selection;
    QSignalSpy contexts(&selection, &Selection::contextChanged), requests(&selection, &Selection::requestChanged);
    selection.choose_request(7, "a");
    QCOMPARE(selection.context(), QString("a"));
    QCOMPARE(selection.request(), 7u);
    selection.choose_context("a");
    QCOMPARE(selection.request(), 7u);
    selection.choose_context("b");
    QCOMPARE(selection.request(), 0u);
    QCOMPARE(contexts.size(), 2);
    QCOMPARE(requests.size(), 2);
    selection.choose_family("news");
    QVERIFY(selection.clear());
    QCOMPARE(selection.context(), QString());
    QCOMPARE(selection.family(), QString("news"));  // a filter that is seen elsewhere: cleared by the next Esc
    QVERIFY(selection.clear());
    QCOMPARE(selection.family(), QString());
    QVERIFY(!selection.clear());
  }

  void severalContextsAreChosenBesideOne() {
    Selection selection;
    QSignalSpy several(&selection, &Selection::contextsChanged), one(&selection, &Selection::contextChanged);
    QVERIFY(selection.chosen_contexts().empty());
    selection.choose_contexts({});
    QCOMPARE(several.size(), 0);
    selection.choose_context("a");
    selection.choose_contexts({"b", "c"});
    QCOMPARE(several.size(), 1);
    QCOMPARE(selection.chosen_contexts(), (std::set<QString>{"b", "c"}));
    QCOMPARE(selection.context(), QString("a"));
    selection.choose_contexts({"c", "b"});  // the same ones
    QCOMPARE(several.size(), 1);
    selection.choose_contexts({"b"});
    QCOMPARE(several.size(), 2);

    // A single one clears the set, even where it was the chosen one before; none does not.
    QCOMPARE(one.size(), 1);
    selection.choose_context("a");
    QCOMPARE(several.size(), 3);
    QVERIFY(selection.chosen_contexts().empty());
    QCOMPARE(one.size(), 1);
    selection.choose_contexts({"b", "c"});
    selection.choose_context({});
    QCOMPARE(selection.chosen_contexts().size(), std::size_t{2});
    selection.choose_request(7, "d");
    QVERIFY(selection.chosen_contexts().empty());
  }

  void theSetIsClearedWithTheContextAndBeforeTheFamily() {
    Selection selection;
    selection.choose_family("news");
    selection.choose_context("a");
    selection.choose_contexts({"b", "c"});
    QVERIFY(selection.clear());
    QVERIFY(selection.context().isEmpty() && selection.chosen_contexts().empty());
    QCOMPARE(selection.family(), QString("news"));
    selection.choose_contexts({"b"});  // a set alone is something to clear as well
    QVERIFY(selection.clear());
    QVERIFY(selection.chosen_contexts().empty());
    QCOMPARE(selection.family(), QString("news"));
    QVERIFY(selection.clear());
    QVERIFY(!selection.clear());
  }

  void aNewRunHasOtherRequests() {
    ScriptedSession session;
    RunModel run(session);
    run.selection.choose_request(3, "story-1");
    run.selection.choose_requests({3, 4});
    run.selection.choose_contexts({"story-1", "news-1"});
    session.emit_event(events::RunStarted{"run-2", to_json(session.settings())});
    run.tick();
    QCOMPARE(run.selection.request(), 0u);
    QVERIFY(run.selection.chosen_requests().empty());
    QCOMPARE(run.selection.context(), QString("story-1"));
    QCOMPARE(run.selection.chosen_contexts().size(), std::size_t{2});
  }

  // A jump in a recorded run, with a context or without: requests are deselected, contexts never.
  void aJumpForgetsRequestsAlone() {
    for (const char* context : {"", "story-1"}) {
      ScriptedSession session;
      RunModel run(session);
      session.set_state(RunState::ready);
      run.tick();
      const auto choose = [&run, context] {
        run.selection.choose_request(3, context);
        run.selection.choose_requests({3, 4});
        run.selection.choose_contexts({"story-1", "news-1"});
      };
      const auto forgotten = [&run, context] {
        return run.selection.request() == 0 && run.selection.chosen_requests().empty() &&
               run.selection.context() == context && run.selection.chosen_contexts().size() == 2;
      };
      choose();
      run.stash();
      QVERIFY(forgotten());
      choose();
      run.rebuild({}, 0, true);
      QVERIFY(forgotten());
      choose();
      run.unstash();
      QVERIFY(forgotten());
    }
  }
};

KV_TEST_MAIN(SelectionRulesTest)

}  // namespace selection_rules_test

#include "selection_rules_test.moc"
