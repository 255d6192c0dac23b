// links: kv_reports
// Pooled quality against sums done by hand.
#include <QtTest>

#include <map>

#include "core/base/json.h"
#include "core/report/sensitivity_table.h"
#include "tests/support/test_program.h"

namespace sensitivity_table_test {

using namespace kvantage;

namespace {

ProfileCell cell(const char* context, const char* family, const char* method, double removed,
                 std::vector<double> scores) {
  ProfileCell result;
  result.context_id = context;
  result.family = family;
  result.point.method = method;
  result.point.removed_fraction = removed;
  result.point.quality = mean_of(scores);
  result.point.n = static_cast<int>(scores.size());
  result.scores = std::move(scores);
  return result;
}

const std::vector<ProfileCell> cells{
    cell("a-0", "a", "none", 0, {1, 1}),       cell("a-1", "a", "none", 0, {1, 0}),
    cell("b-0", "b", "none", 0, {1, 1}),       cell("a-0", "a", "knorm", 0.5, {0, 0}),
    cell("a-1", "a", "knorm", 0.5, {1, 0, 0}), cell("b-0", "b", "knorm", 0.5, {1, 1}),
    cell("a-0", "a", "snapkv", 0.5, {1, 0}),   cell("a-1", "a", "snapkv", 0.5, {0, 0, 0}),
    cell("b-0", "b", "snapkv", 0.5, {1, 1}),   cell("b-0", "b", "snapkv", 0.9, {0.5, 0.25}),
};

/// Score of `better` minus that of `worse`, question by question, and the context each is about.
struct Paired {
  std::vector<double> differences;
  std::vector<std::string> contexts;
};
using Scores = std::map<std::string, std::vector<double>>;  // by context

/// Whether `better` is so by a tenth, and by more than chance (95 %, the same questions of contexts drawn whole).
bool is_better(const Scores& better, const Scores& worse) {
  Paired paired;
  for (const auto& [context, scores] : better)
    for (std::size_t i = 0; i < scores.size(); ++i) {
      paired.differences.push_back(scores[i] - worse.at(context)[i]);
      paired.contexts.push_back(context);
    }
  const auto interval = bootstrap_interval(paired.differences, paired.contexts);
  return mean_of(paired.differences) >= 0.1 && interval && interval->low > 0;
}

/// Where one method is the better one in one family and the worse one in another, at the same removed fraction.
QStringList turns(const std::vector<ProfileCell>& measured) {
  std::map<double, std::map<std::string, std::map<std::string, Scores>>> by;  // fraction, family, method
  for (const ProfileCell& one : measured)
    if (one.point.method != "none")
      by[one.point.removed_fraction][one.family][one.point.method][one.context_id] = one.scores;
  QStringList found;
  for (const auto& [removed, families] : by)
    for (const auto& [here, methods] : families)
      for (const auto& [there, others] : families)
        for (const auto& [a, of_a] : methods)
          for (const auto& [b, of_b] : methods)
            if (a < b && is_better(of_a, of_b) && is_better(others.at(b), others.at(a)))
              found << QString("removed %1: %2 over %3 in %4, %3 over %2 in %5")
                           .arg(removed)
                           .arg(a.c_str(), b.c_str(), here.c_str(), there.c_str());
  return found;
}

}  // namespace

class SensitivityTableTest : public QObject {
  Q_OBJECT
 private slots:
  void questionsArePooledNotMeansOfMeans() {
    const auto pooled = pooled_by_family(cells);
    QCOMPARE(pooled.size(), 7u);
    QCOMPARE(pooled[0].method, std::string("none"));
    QCOMPARE(pooled[0].quality, 0.75);
    QCOMPARE(pooled[1].method, std::string("knorm"));
    QCOMPARE(pooled[1].n, 5u);
    QCOMPARE(pooled[1].quality, 0.2);
    QVERIFY(pooled[1].interval && pooled[1].interval->low <= 0.2 && pooled[1].interval->high >= 0.2);
    QVERIFY(!pooled[3].interval);  // one context only
  }

  void theSpreadIsBetweenFamiliesAtOneFraction() {
    const auto spread = spread_between_families(pooled_by_family(cells), 0.5);
    QCOMPARE(spread.size(), 2u);
    QCOMPARE(spread.at("knorm"), 0.8);
    QCOMPARE(spread.at("snapkv"), 0.8);
  }

  // b-0 is a draw.
  void theBestMethodIsCountedWhereItIsAlone() {
    const auto best = best_method_of_contexts(cells, 0.5);
    QCOMPARE(best, (std::map<std::string, std::size_t>{{"knorm", 1}, {"snapkv", 1}}));
  }

  void theTextHasARowForEachFamilyAndMethod() {
    const QString text = QString::fromStdString(sensitivity_text(cells));
    QVERIFY2(text.contains(QRegularExpression("a +knorm +5 +0\\.200 \\[")), qPrintable(text));
    QVERIFY2(text.contains(QRegularExpression("b +snapkv +2 +1\\.000 +0\\.375")), qPrintable(text));
    QVERIFY2(text.contains("removed 0.50: spread between families, knorm 0.800, snapkv 0.800"), qPrintable(text));
    QVERIFY(!sensitivity_text({}).empty());
  }

  // What the workbench is about: the profile that ships, around half of the tokens removed.
  void shippedContextsDifferInWhatTheyStand() {
    const auto file = read_json_file(std::filesystem::path(KVANTAGE_SOURCE_DIR) / "resources" / "profiles" /
                                     "quickstart.profile.json");
    QVERIFY2(file.has_value(), file ? "" : file.error().message.c_str());
    std::vector<ProfileCell> shipped;
    for (const Json& one : file->at("cells"))
      shipped.push_back(
          cell(one.at("context_id").get<std::string>().c_str(), one.at("family").get<std::string>().c_str(),
               one.at("point").at("method").get<std::string>().c_str(),
               one.at("point").at("removed_fraction").get<double>(), one.at("scores").get<std::vector<double>>()));
    for (const double removed : {0.4, 0.6}) {
      const auto spread = spread_between_families(pooled_by_family(shipped), removed);
      const auto wide = std::ranges::count_if(spread, [](const auto& method) { return method.second >= 0.3; });
      QVERIFY2(wide >= 2, qPrintable(QString("%1 methods at %2").arg(wide).arg(removed)));
    }
    QVERIFY2(!turns(shipped).isEmpty(), "of any two methods the same one is better in every family");
    qInfo("%s", qPrintable(turns(shipped).join('\n')));
    // By one question of sixteen a draw is no win.
    std::vector<ProfileCell> close;
    for (const char* family : {"a", "b"})
      for (const char* context : {"0", "1", "2", "3"})
        for (const char* method : {"knorm", "snapkv"}) {
          std::vector<double> scores(16, 0.5);
          if (*context == '0' && (std::string(family) == "a") == (std::string(method) == "knorm")) scores[0] = 1;
          close.push_back(cell((std::string(family) + context).c_str(), family, method, 0.4, scores));
        }
    QVERIFY(turns(close).isEmpty());
  }
};

KV_TEST_GUILESS_MAIN(SensitivityTableTest)

}  // namespace sensitivity_table_test

#include "sensitivity_table_test.moc"
