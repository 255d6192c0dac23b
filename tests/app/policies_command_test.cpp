// links: kv_reports kv_cli_program
// `policies` lists what the program has, and what it prints can be given to --policy.
#include <QtTest>

#include <algorithm>

#include "core/base/json.h"
#include "core/policy/policy.h"
#include "core/policy/policy_info.h"
#include "tests/support/command_line.h"
#include "tests/support/forked_command_line.h"
#include "tests/support/test_program.h"

namespace policies_command_test {

using namespace kvantage;
using namespace kvantage::test;

class PoliciesCommandTest : public QObject {
  Q_OBJECT
 private slots:
  void listsEveryPolicyInAFormThatIsUnderstood() {
    const Answer answer = call_forked({"policies", "--json"});
    QVERIFY2(answer.exit_code == 0, answer.text().constData());
    const Json listed = Json::parse(answer.out.toStdString());
    QCOMPARE(listed.size(), policy_infos().size());
    // Lines are wrapped; a form after its commas.
    const auto bare = [](const QString& text) { return QString(text).remove(QRegularExpression("\\s")); };
    const QString table = bare(call_forked({"policies"}).out), whole = bare(call_forked({"policies", "--details"}).out);
    for (const Json& one : listed) {
      for (const char* field : {"name", "form", "summary", "source", "parameters"}) {
        const QString value = bare(QString::fromStdString(one.at(field).get<std::string>()));
        QVERIFY(!value.isEmpty() || field == std::string("parameters"));
        QVERIFY2(whole.contains(value), field);
      }
      for (const char* field : {"name", "summary"})
        QVERIFY2(table.contains(bare(QString::fromStdString(one.at(field).get<std::string>()))), field);
      std::string form = one.at("form").get<std::string>();
      if (const auto at = form.find("METHOD,REMOVED_FRACTION"); at != std::string::npos)
        form.replace(at, std::string("METHOD,REMOVED_FRACTION").size(), "knorm,0.5");
      if (const auto at = form.find("EXPRESSION"); at != std::string::npos)
        form.replace(at, std::string("EXPRESSION").size(), "quality");
      QVERIFY2(make_policy(form).has_value(), form.c_str());
    }
  }

  void theQuantitiesOfAFormulaAreListed() {
    const Json listed = Json::parse(call_forked({"policies", "--json"}).out.toStdString());
    const auto formula = std::ranges::find_if(listed, [](const Json& one) { return one.at("name") == "formula"; });
    if (formula == listed.end()) QSKIP("this build has no muParser");
    const QString details = call_forked({"policies", "--details"}).out;
    QCOMPARE(formula->at("quantities").size(), std::size_t{12});
    for (const Json& quantity : formula->at("quantities"))
      for (const char* field : {"name", "unit"})
        QVERIFY2(details.contains(QString::fromStdString(quantity.at(field).get<std::string>())), field);
    QVERIFY(details.contains("min(a,b,...)"));
    const Answer refused = call_forked({"run", "/nowhere", "--policy", "lru,formula((alpha*qualty-ttft)*frequency)"});
    QVERIFY2(refused.exit_code == 2 && refused.error_lines().size() == 1, refused.text().constData());
    QVERIFY2(refused.error.contains("character 8: unknown name 'qualty'; did you mean 'quality'?"),
             refused.text().constData());
  }

  // Before the workload is looked for.
  void formsThatNoMethodCanMakeAreRefused() {
    for (const char* text : {"fixed(kivi4,0.5)", "fixed(none,0.5)", "important_fraction(kept=1e-300)"}) {
      const Answer answer = call_forked({"run", "/nowhere", "--policy", QString("lru,") + text});
      QVERIFY2(answer.exit_code == 2 && answer.error_lines().size() == 1, answer.text().constData());
      QVERIFY2(answer.error.startsWith(QString("error: policy '%1': ").arg(text)) && answer.error.contains("; "),
               answer.text().constData());
    }
  }
};

KV_TEST_GUILESS_MAIN(PoliciesCommandTest)

}  // namespace policies_command_test

#include "policies_command_test.moc"
