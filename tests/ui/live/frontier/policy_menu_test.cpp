// links: kv_ui
// The menu of policies: which there are, and that it stays open while they are shown and hidden.
#include <QAction>
#include <QTest>
#include <algorithm>

#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/live/frontier/policy_menu.h"

namespace policy_menu_test {

using namespace kvantage;

class PolicyMenuTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

  static void predict(FrontierModel& model) {
    FrontierPrediction prediction;
    prediction.curves.push_back({"evicpress", {{1, {0.9, 0.1}}, {2, {0.95, 0.2}}}});
    prediction.simulated = {{"lru", {0.7, 0.7}, 10, false}, {"lru", {0.6, 0.7}, 10, true}};
    prediction.simulated_known = true;
    model.set_present("evicpress", 1);
    model.set_prediction(prediction);
  }
  static QAction* action_of(const QMenu& menu, const QString& policy) {
    const auto actions = menu.actions();
    const auto found =
        std::ranges::find_if(actions, [&](const QAction* action) { return action->data().toString() == policy; });
    return found == actions.end() ? nullptr : *found;
  }

 private slots:
  void allAreOfferedCurvesFirst() {
    FrontierModel model;
    predict(model);
    const auto choices = policy_choices(model);
    const auto of = [&](const QString& policy) { return *std::ranges::find(choices, policy, &PolicyChoice::policy); };
    QCOMPARE(choices.size(), model.hidden_policies().size() + 2);
    QVERIFY(of("evicpress").present && of("evicpress").shown && of("evicpress").uses_alpha);
    QVERIFY(of("lru").shown && !of("lru").uses_alpha && !of("lru").present);
    QVERIFY(!of("lfu").shown && !of("optimal").shown && of("optimal").uses_alpha);
    bool points = false;
    for (const PolicyChoice& choice : choices) {
      QVERIFY(!points || !choice.uses_alpha);
      points = points || !choice.uses_alpha;
    }
    model.set_hidden("evicpress", true);  // the current one is shown all the same
    const auto after = policy_choices(model);
    QVERIFY(std::ranges::find(after, QString("evicpress"), &PolicyChoice::policy)->shown);
  }

  void theMenuShowsAndHidesAndStaysOpen() {
    FrontierModel model;
    predict(model);
    PolicyMenu menu(model);
    menu.popup({10, 10});
    QTRY_VERIFY(menu.isVisible());
    QVERIFY(action_of(menu, "lru")->isChecked() && !action_of(menu, "lfu")->isChecked());
    QVERIFY(action_of(menu, "evicpress")->isChecked() && !action_of(menu, "evicpress")->isEnabled());
    QTest::mouseClick(&menu, Qt::LeftButton, {}, menu.actionGeometry(action_of(menu, "lru")).center());
    QVERIFY(menu.isVisible() && model.hidden_policies().contains("lru"));
    menu.setActiveAction(action_of(menu, "lfu"));
    QTest::keyClick(&menu, Qt::Key_Space);
    QVERIFY(menu.isVisible() && !model.hidden_policies().contains("lfu"));
    QTest::keyClick(&menu, Qt::Key_Space);
    QVERIFY(model.hidden_policies().contains("lfu"));
    QTest::keyClick(&menu, Qt::Key_Escape);
    QTRY_VERIFY(!menu.isVisible());
    menu.popup({10, 10});
    QVERIFY(!action_of(menu, "lru")->isChecked());  // as it was left
    menu.close();
  }

  void theButtonIsInTheHeadOfTheFrontier() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    auto& page = *window->findChild<FrontierPage*>();
    QVERIFY(page.policies_button().isVisible() && page.policies_button().menu() != nullptr);
    QMenu& menu = *page.policies_button().menu();
    const auto opened = [&menu] {
      emit menu.aboutToShow();
      return action_of(menu, "adaptcache");
    };
    QTRY_VERIFY(opened() != nullptr);  // once its curve is planned
    QAction* hide = opened();
    QVERIFY(hide->isChecked());
    hide->trigger();
    QVERIFY(run_of(*window).frontier.hidden_policies().contains("adaptcache"));
    page.chart().flush();
    const auto& envelopes = page.chart().envelopes();
    QVERIFY(envelopes.contains("evicpress") && envelopes.at("evicpress")->isVisible());
    if (envelopes.contains("adaptcache")) QVERIFY(!envelopes.at("adaptcache")->isVisible());
  }
};

KV_TEST_MAIN(PolicyMenuTest)

}  // namespace policy_menu_test

#include "policy_menu_test.moc"
