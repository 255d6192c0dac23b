// links: kv_reports profiles
// The database is the user's alone, is a regular file, and its deletion does not go unnoticed.
#include <sys/stat.h>

#include <QTemporaryDir>
#include <QtTest>

#include "profiles/stores.h"
#include "tests/profiles/sample_data.h"
#include "tests/support/test_program.h"

namespace private_database_test {

using namespace kvantage;
using std::filesystem::path;

class PrivateDatabaseTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  path at(const std::string& name) const { return path(folder_.path().toStdString()) / name; }
  static mode_t mode_of(const path& file) {
    struct stat facts {};
    return ::stat(file.c_str(), &facts) == 0 ? facts.st_mode & 07777 : 0;
  }

 private slots:
  void aDatabaseAndItsLogsAreTheUsersAlone() {
    const mode_t before = ::umask(0);
    const auto stores = open_stores(at("made/deep/a.db"), StoreAccess::read_write, machine_clock());
    ::umask(before);
    QVERIFY(stores);
    QVERIFY((*stores)->runs().begin_run("run-1", Json::object()));
    QVERIFY((*stores)->runs().flush());
    for (const char* file : {"a.db", "a.db-wal", "a.db-shm", "a.db-live"})
      QVERIFY2(mode_of(at("made/deep") / file) == 0600, file);
    QVERIFY(mode_of(at("made")) == 0700 && mode_of(at("made/deep")) == 0700);
  }

  void specialFilesAreNoDatabases() {
    QCOMPARE(::mkfifo(at("pipe.db").c_str(), 0600), 0);
    // The log of the kernel says that it is a regular file, and reading it waits for the next line.
    for (const path& special : {at("pipe.db"), path("/dev/zero"), path("/proc/kmsg"), path("/proc/self/mem")})
      for (const StoreAccess access : {StoreAccess::read_only, StoreAccess::read_write}) {
        const auto opened = open_stores(special, access, machine_clock());
        QVERIFY(!opened && opened.error().code == ErrorCode::rejected_input);
        QVERIFY2(opened.error().message.find("choose another --db") != std::string::npos,
                 opened.error().message.c_str());
      }
  }

  // Not even an empty one is made where a link leads.
  void aLinkIsNoDatabase() {
    QVERIFY(open_stores(at("target.db"), StoreAccess::read_write, machine_clock()));
    for (const char* name : {"target.db", "nothing.db"}) {
      const path link = at(std::string("link to ") + name);
      std::filesystem::create_symlink(name, link);  // as `ln -s` makes it beside its target
      for (const StoreAccess access : {StoreAccess::read_only, StoreAccess::read_write}) {
        const auto opened = open_stores(link, access, machine_clock());
        QVERIFY(!opened && opened.error().code == ErrorCode::rejected_input);
        QCOMPARE(opened.error().message, link.string() + ": is a link to " + at(name).string() +
                                             " in place of a database; give that file with --db, or put the file "
                                             "itself there");
      }
    }
    QVERIFY(!std::filesystem::exists(at("nothing.db")));
    QVERIFY(open_stores(at("target.db"), StoreAccess::read_only, machine_clock()));
  }

  void aDeletedDatabaseIsToldOnce() {
    const auto stores = open_stores(at("gone.db"), StoreAccess::read_write, machine_clock());
    QVERIFY(stores);
    RunStore& runs = (*stores)->runs();
    QVERIFY(runs.begin_run("run-1", Json::object()) && !runs.take_trouble());
    std::filesystem::remove(at("gone.db"));
    runs.append(token_event(1));
    (void)runs.flush();
    const auto trouble = runs.take_trouble();
    QVERIFY(trouble && trouble->message.find("gone.db: was deleted or replaced") != std::string::npos);
    runs.append(token_event(2));
    (void)runs.flush();
    QVERIFY(!runs.take_trouble());
  }
};

KV_TEST_GUILESS_MAIN(PrivateDatabaseTest)

}  // namespace private_database_test

#include "private_database_test.moc"
