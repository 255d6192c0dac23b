// links: kv_ui_models
// Sensitivity: drops, where the view begins, and what a curve is seen against.
#include <QTest>
#include <memory>
#include <optional>

#include "tests/support/test_program.h"
#include "ui/live/contexts/model/sensitivity_model.h"
#include "ui/text/words.h"

namespace sensitivity_model_test {

using namespace kvantage;

namespace {

ContextState context_of(std::uint64_t key, const std::string& family, double base, double at_half) {
  ContextState context;
  context.key = {key, 0};
  context.id = family + std::to_string(key);
  context.family = family;
  context.tokens = 100;
  context.full_bytes = 1000;
  auto profile = std::make_shared<ContextProfile>();
  profile->points = {{"none", 0, base, base, base, 4, 1000, 100},
                     {"snapkv", 0.5, at_half, at_half, at_half, 4, 500, 50}};
  context.profile = profile;
  return context;
}

}  // namespace

class SensitivityModelTest : public QObject {
  Q_OBJECT

 private slots:
  void dropIsRelativeToTheUncompressedQuality() {
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->contexts = {context_of(1, "a", 0.8, 0.4), context_of(2, "a", 0.5, 0.5), context_of(3, "b", 0.0, 0.0),
                          context_of(4, "b", 1.0, 0.25)};
    snapshot->contexts[0].placement = {0, "snapkv", 0.5};
    SensitivityModel model;
    model.set_snapshot(snapshot);
    model.set_selection("snapkv", 0.5);
    QCOMPARE(model.profiled(), 4);
    QCOMPARE(model.without_base_quality(), 1);  // a quality of zero has no drop and is not drawn as none
    QVERIFY(!model.behind());
    // A candidate that was added just now, of which nothing is drawn yet.
    int changes = 0;
    const auto counted = QObject::connect(&model, &SensitivityModel::changed, &model, [&changes] { ++changes; });
    model.set_candidates({"snapkv"});
    QCOMPARE(changes, 0);
    model.set_candidates({"snapkv", "own"});
    QCOMPARE(changes, 1);
    QCOMPARE(model.behind(), std::optional(SensitivityModel::Behind{"own", 0}));
    // It stands until the last context has it.
    auto measured = std::make_shared<Snapshot>(*snapshot);
    const auto measure = [&](std::size_t context) {
      auto profile = std::make_shared<ContextProfile>(*measured->contexts[context].profile);
      profile->points.push_back({.method = "own", .removed_fraction = 0.5, .quality = 0.5});
      measured->contexts[context].profile = profile;
    };
    for (std::size_t context = 0; context < 3; ++context) measure(context);
    model.set_snapshot(std::make_shared<Snapshot>(*measured));
    QCOMPARE(model.behind(), std::optional(SensitivityModel::Behind{"own", 3}));
    measure(3);
    model.set_snapshot(std::make_shared<Snapshot>(*measured));
    QVERIFY(!model.behind());
    model.set_snapshot(snapshot);
    QCOMPARE(model.behind(), std::optional(SensitivityModel::Behind{"own", 0}));
    model.set_candidates({"snapkv"});
    QVERIFY(!model.behind());
    QObject::disconnect(counted);
    const auto families = model.distributions();
    QCOMPARE(families.size(), 2u);
    QCOMPARE(families[0].median, 0.25);  // drops 0.5 and 0
    QCOMPARE(families[1].contexts, 1);
    QCOMPARE(families[1].median, 0.75);
    const auto rows = model.heat_rows();
    QCOMPARE(rows.front().context, QString("b4"));
    QVERIFY(!rows.back().at_selected);
    model.set_context("a1");
    bool marked = false;
    for (const auto& curve : model.curves())
      for (const auto& point : curve.points)
        marked = marked || (point.chosen && point.removed_fraction == 0.5 && point.kept_bytes == 500);
    QVERIFY(marked);
  }

  // The heat map outlines placements: it begins with the method of most of them, and a user's choice stays.
  void sensitivityBeginsWithTheMethodOfThePlan() {
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->contexts = {context_of(1, "a", 0.8, 0.4), context_of(2, "a", 0.5, 0.5), context_of(3, "a", 0.5, 0.5)};
    for (ContextState& context : snapshot->contexts) {
      auto profile = std::make_shared<ContextProfile>(*context.profile);
      for (const ProfilePoint& point : context.profile->points)
        if (point.removed_fraction > 0) {
          profile->points.push_back(point);
          profile->points.back().method = "knorm";
        }
      context.profile = profile;
    }
    SensitivityModel model;
    model.set_snapshot(snapshot);
    const QString first = model.method(), other = first == "knorm" ? "snapkv" : "knorm";
    auto planned = std::make_shared<Snapshot>(*snapshot);
    planned->contexts[0].placement = planned->contexts[1].placement = {0, other.toStdString(), 0.5};
    model.set_snapshot(planned);
    QCOMPARE(model.method(), other);
    model.set_selection(first, 0.5);
    model.set_snapshot(std::make_shared<Snapshot>(*planned));
    QCOMPARE(model.method(), first);
  }

  void aCurveIsSeenAgainstUncompressedReuseAndChance() {
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->contexts = {context_of(1, "a", 0.8, 0.4), context_of(2, "a", 0.5, 0.5)};
    auto profile = std::make_shared<ContextProfile>(*snapshot->contexts[0].profile);
    profile->chance = {0.05, 0.02, 0.09, 12};
    snapshot->contexts[0].profile = profile;
    SensitivityModel model;
    model.set_snapshot(snapshot);
    model.set_context("a1");
    QCOMPARE(model.baselines().uncompressed->mean, 0.8);
    QCOMPARE(model.baselines().uncompressed->n, 4);
    QCOMPARE(model.baselines().chance->mean, 0.05);
    QCOMPARE(model.baselines().chance->high, 0.09);
    model.set_context("a2");
    QVERIFY(model.baselines().uncompressed && !model.baselines().chance);  // not known is not nothing
    QVERIFY(!SensitivityModel().baselines().uncompressed);
  }
};

KV_TEST_GUILESS_MAIN(SensitivityModelTest)

}  // namespace sensitivity_model_test

#include "sensitivity_model_test.moc"
