// links: kv_reports kv_cli_program
// The policy of `run` without --policy is the session's.
#include "app/cli/run/starting_policy.h"

#include <QTemporaryDir>
#include <QtTest>

#include "core/base/files.h"
#include "tests/support/test_program.h"

namespace starting_policy_test {

namespace fs = std::filesystem;
using kvantage::write_text_file;
using kvantage::cli::starting_policy;

class StartingPolicyTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  std::string policy_of(const char* session) const {
    const fs::path file = fs::path(folder_.path().toStdString()) / "session.json";
    if (!write_text_file(file, session)) qFatal("it cannot be written");
    return starting_policy(file.parent_path());
  }

 private slots:
  void initTestCase() { qputenv("KVANTAGE_CACHE", folder_.filePath("cache").toUtf8()); }

  // What the papers' claims are held against, also where the workload is made first.
  void aPapersRegimeHasItsRule() {
    QCOMPARE(starting_policy("evicpress-regime"), std::string("evicpress(quality=raw)"));
    QCOMPARE(starting_policy("authors-simulator"), std::string("evicpress(quality=raw)"));
    QCOMPARE(starting_policy("adaptcache-regime"), std::string("adaptcache(pool=paper)"));
    QCOMPARE(starting_policy("quickstart"), std::string("evicpress"));
  }

  void aFolderHasThatOfItsSession() {
    QCOMPARE(policy_of(R"json({"policy": "fixed(keydiff,0.5)"})json"), std::string("fixed(keydiff,0.5)"));
    for (const char* without : {"{}", "[]", "{", R"({"policy": 3})", R"({"policy": ""})", R"({"policy": "nosuch"})"})
      QVERIFY2(policy_of(without).empty(), without);
    QVERIFY(starting_policy("no-such-workload").empty());
    QVERIFY(starting_policy(folder_.filePath("session.json").toStdString()).empty());  // a text of one's own
  }
};

KV_TEST_GUILESS_MAIN(StartingPolicyTest)

}  // namespace starting_policy_test

#include "starting_policy_test.moc"
