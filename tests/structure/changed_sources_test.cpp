// links: core_base
// What `./run lint` reads, in repositories made for it: cmake/changed_sources.sh.
#include <QProcess>
#include <QProcessEnvironment>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/files.h"
#include "tests/support/test_program.h"

namespace changed_sources_test {

using namespace kvantage;

/// A repository of its own. Each commit is a second later than the one before.
class Repository {
 public:
  Repository() { git({"init", "--quiet", "--initial-branch=main"}); }

  QString git(const QStringList& words) {
    return call("git", QStringList{"-c", "user.name=n", "-c", "user.email=n@localhost"} + words).trimmed();
  }
  void write(const QString& file, const QString& text) {
    const std::filesystem::path path = std::filesystem::path(folder_.path().toStdString()) / file.toStdString();
    std::filesystem::create_directories(path.parent_path());
    if (!write_text_file(path, text.toStdString())) qFatal("%s cannot be written", qPrintable(file));
  }
  /// Of these files, each with a text that no other commit gives it.
  void commit(const QStringList& files) {
    ++commits_;
    for (const QString& file : files) write(file, QString("// %1\n").arg(commits_));
    git({"add", "--all"});
    git({"commit", "--quiet", "--message", QString::number(commits_)});
  }
  /// As a clone knows the main branch of where it is from.
  void set_origin_main(const QString& commit) {
    git({"update-ref", "refs/remotes/origin/main", git({"rev-parse", commit})});
  }

  struct Listed {
    QStringList files;
    QString said;
  };
  Listed listed(const QString& base = {}, const QStringList& most = {}) {
    environment_.insert("KVANTAGE_LINT_BASE", base);
    Listed listed;
    listed.files = call("bash", QStringList{KVANTAGE_SOURCE_DIR "/cmake/changed_sources.sh"} + most, &listed.said)
                       .split('\n', Qt::SkipEmptyParts);
    return listed;
  }

 private:
  QString call(const QString& program, const QStringList& words, QString* said = nullptr) {
    QProcess process;
    process.setProcessEnvironment(environment_);
    process.setWorkingDirectory(folder_.path());
    process.start(program, words);
    const bool ended = process.waitForFinished(60000);
    const QByteArray errors = process.readAllStandardError();
    if (!ended || process.exitStatus() != QProcess::NormalExit || (process.exitCode() != 0 && said != nullptr))
      qFatal("%s: %s", qPrintable(program), errors.constData());
    if (said != nullptr) *said = QString::fromUtf8(errors);
    return QString::fromUtf8(process.readAllStandardOutput());
  }

  QTemporaryDir folder_;
  int commits_ = 0;
  QProcessEnvironment environment_ = [] {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const QString& key : environment.keys())
      if (key.startsWith("GIT_")) environment.remove(key);  // a hook's repository is not the one that is meant
    environment.insert("GIT_CONFIG_GLOBAL", "/dev/null");
    environment.insert("GIT_CONFIG_SYSTEM", "/dev/null");
    return environment;
  }();
};

class ChangedSourcesTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (QStandardPaths::findExecutable("git").isEmpty()) QSKIP("git is not installed");
  }

  void withoutAnOriginItIsTheLastCommit() {
    Repository repository;
    repository.commit({"core/a.cpp"});
    QVERIFY(repository.listed().files.isEmpty());
    QVERIFY(repository.listed().said.startsWith("HEAD~1 is not in this clone"));
    repository.commit({"core/b.cpp", "core/b.h", "tests/b_test.cpp", "gpu/b.cpp", "docs/b.md"});
    QCOMPARE(repository.listed().files, QStringList{"core/b.cpp"});
    QVERIFY(repository.listed().said.startsWith("changed since HEAD~1 ("));
  }

  void aBranchIsReadAsAWholeLastChangesFirst() {
    Repository repository;
    repository.commit({"core/a.cpp", "core/b.cpp", "core/gone.cpp", "ui/same.cpp"});
    repository.set_origin_main("HEAD");
    repository.commit({"core/c.cpp", "ui/same.cpp"});
    repository.commit({"core/b.cpp", "core/gone.cpp"});
    repository.commit({"core/c.cpp", "app/d.cpp"});
    repository.git({"rm", "--quiet", "core/gone.cpp"});
    repository.git({"checkout", "--quiet", "origin/main", "--", "ui/same.cpp"});
    repository.git({"commit", "--quiet", "--message", "one is gone, one is as before"});
    repository.write("core/a.cpp", "// not committed\n");
    const auto listed = repository.listed();
    QCOMPARE(listed.files, (QStringList{"core/a.cpp", "app/d.cpp", "core/c.cpp", "core/b.cpp"}));
    QVERIFY2(listed.said.startsWith("changed since the last commit shared with origin/main ("),
             qPrintable(listed.said));
  }

  // The branch began before the newest commit there, whose changes are not its own.
  void whatOthersChangedMeanwhileIsNotRead() {
    Repository repository;
    repository.commit({"core/a.cpp"});
    repository.commit({"core/theirs.cpp"});
    repository.set_origin_main("HEAD");
    repository.git({"checkout", "--quiet", "-b", "branch", "HEAD~1"});
    repository.commit({"core/mine.cpp"});
    repository.commit({"core/mine_too.cpp"});
    QCOMPARE(repository.listed().files, (QStringList{"core/mine_too.cpp", "core/mine.cpp"}));
  }

  void onTheMainBranchItIsTheLastCommit() {
    Repository repository;
    repository.commit({"core/a.cpp"});
    repository.commit({"core/b.cpp"});
    repository.set_origin_main("HEAD");
    QCOMPARE(repository.listed().files, QStringList{"core/b.cpp"});
    QVERIFY(repository.listed().said.startsWith("changed since HEAD~1 ("));
  }

  void aBaseThatIsGivenCounts() {
    Repository repository;
    for (const char* file : {"core/a.cpp", "core/b.cpp", "core/c.cpp"}) repository.commit({file});
    repository.set_origin_main("HEAD~1");
    QCOMPARE(repository.listed("HEAD~2").files, (QStringList{"core/c.cpp", "core/b.cpp"}));
    QVERIFY(repository.listed("nosuch").files.isEmpty());
    QVERIFY(repository.listed("nosuch").said.startsWith("nosuch is not in this clone"));
  }

  void aHeaderCountsAsTheSourceOfItsName() {
    Repository repository;
    repository.commit({"core/a.cpp", "core/a.h", "core/alone.h", "core/b.cpp", "core/b.h", "tests/b_test.cpp"});
    repository.commit({"core/b.h", "core/alone.h", "tests/b_test.h"});
    repository.commit({"core/a.h"});
    QCOMPARE(repository.listed("HEAD~2").files, (QStringList{"core/a.cpp", "core/b.cpp"}));
    repository.commit({"core/b.cpp", "core/a.h"});  // each is listed once
    repository.git({"rm", "--quiet", "core/a.cpp"});
    repository.git({"commit", "--quiet", "--message", "its header stays"});
    QCOMPARE(repository.listed("HEAD~4").files, QStringList{"core/b.cpp"});
  }

  void theOldestChangesAreLeftOutAndThatIsSaid() {
    Repository repository;
    repository.commit({"core/a.cpp"});
    repository.set_origin_main("HEAD");
    for (const char* file : {"core/b.cpp", "core/c.cpp", "core/d.cpp", "core/b.cpp"}) repository.commit({file});
    const auto two = repository.listed({}, {"2"});
    QCOMPARE(two.files, (QStringList{"core/b.cpp", "core/d.cpp"}));
    QVERIFY2(two.said.contains("1 of 3 changed sources are left out"), qPrintable(two.said));
    const auto three = repository.listed({}, {"3"});
    QCOMPARE(three.files.size(), 3);
    QVERIFY(!three.said.contains("left out"));
  }
};

KV_TEST_GUILESS_MAIN(ChangedSourcesTest)

}  // namespace changed_sources_test

#include "changed_sources_test.moc"
