// links: app_wiring
// What a window continues with: the last model and workload where they can still be opened; else what ships, and it
// says so.
#include <QTemporaryDir>
#include <QTest>

#include "app/wiring/resources.h"
#include "app/wiring/resume_last.h"
#include "core/base/files.h"
#include "core/experiments/simulated_session.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace resume_last_test {

using namespace kvantage;
using std::filesystem::path;

class ResumeLastTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  path at(const char* name) const { return path(folder_.path().toStdString()) / name; }
  static SessionOptions shipped() {
    SessionOptions options;
    options.model = default_model_directory();
    options.workload = quickstart_directory();
    return options;
  }
  static bool says(const std::string& said, std::initializer_list<const char*> parts) {
    return std::ranges::all_of(parts, [&](const char* part) { return said.find(part) != std::string::npos; });
  }

 private slots:
  void initTestCase() {
    if (test::model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
  }

  void whatIsStillThereIsUsedAgain() {
    SessionOptions options = shipped();
    options.model = "/nowhere";
    std::filesystem::create_directory(at("texts"));
    QVERIFY(write_text_file(at("texts") / "a.txt",
                            "In May the Aldermans painted their boat green. By June it lay in the harbour of Quimper, "
                            "where Odile Marchand bought it for ninety silver coins. "
                            "Her brother thought that far too much money for a leaking hull. In autumn she sailed it "
                            "round the cape without a single storm.")
                .has_value());
    const std::string said = resume_last(options, test::model_directory(), at("texts"));
    QVERIFY2(said.empty(), said.c_str());
    QCOMPARE(options.model, std::filesystem::absolute(test::model_directory()).lexically_normal());
    QCOMPARE(options.workload, at("texts"));
    QCOMPARE(resume_last(options = shipped(), {}, worked_example_name), std::string());
    QCOMPARE(options.workload, path(worked_example_name));
  }

  void whatIsGoneIsNamedAndWhatShipsIsUsed() {
    SessionOptions options = shipped();
    const path model = options.model, workload = options.workload;
    const std::string said = resume_last(options, at("gone model"), at("gone texts"));
    QVERIFY2(says(said, {"gone model", "the default model is loaded instead", "gone texts",
                         "the quick start is served instead"}),
             said.c_str());
    QCOMPARE(options.model, std::filesystem::absolute(model).lexically_normal());
    QCOMPARE(options.workload, workload);
  }

  void aDamagedModelIsAsGood() {
    std::filesystem::create_directory(at("damaged"));
    QVERIFY(write_text_file(at("damaged") / "config.json", "{\"model_type\": ").has_value());
    SessionOptions options = shipped();
    const std::string said = resume_last(options, at("damaged"), {});
    QVERIFY2(says(said, {"damaged", "the default model is loaded instead"}) && !says(said, {"quick start"}),
             said.c_str());
  }

  void nothingToResumeIsNothingToSay() {
    SessionOptions options = shipped();
    const path workload = options.workload;
    QCOMPARE(resume_last(options, {}, {}), std::string());
    QCOMPARE(options.workload, workload);
  }
};

KV_TEST_GUILESS_MAIN(ResumeLastTest)

}  // namespace resume_last_test

#include "resume_last_test.moc"
