// links: kv_base
// Files and folders that the program makes are the user's alone, and nothing but a regular file is read or replaced.
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <cerrno>
#include <map>

#include "core/base/file_lines.h"
#include "core/base/files.h"
#include "core/base/folders.h"
#include "core/base/json.h"
#include "core/base/mapped_file.h"
#include "tests/support/test_program.h"

namespace private_files_test {

using namespace kvantage;
using std::filesystem::path;

namespace {

mode_t mode_of(const path& file) {
  struct stat facts {};
  return ::lstat(file.c_str(), &facts) == 0 ? facts.st_mode & 07777 : 0;
}

/// A umask for a while.
struct Umask {
  mode_t before;
  explicit Umask(mode_t mask) : before(::umask(mask)) {}
  ~Umask() { ::umask(before); }
};

/// Variables for a while; an empty text unsets one.
struct Variables {
  std::map<QByteArray, QByteArray> before;
  void set(const char* name, const QByteArray& value) {
    before.emplace(name, qgetenv(name));
    if (value.isEmpty())
      qunsetenv(name);
    else
      qputenv(name, value);
  }
  ~Variables() {
    for (const auto& [name, value] : before)
      value.isEmpty() ? qunsetenv(name.constData()) : qputenv(name.constData(), value);
  }
};

}  // namespace

class PrivateFilesTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  path at(const std::string& name) const { return path(folder_.path().toStdString()) / name; }

 private slots:
  void whatIsWrittenIsTheUsersAlone_data() {
    QTest::addColumn<int>("mask");
    for (const int mask : {0, 022, 077, 0277}) QTest::addRow("%03o", static_cast<unsigned>(mask)) << mask;
  }

  void whatIsWrittenIsTheUsersAlone() {
    QFETCH(int, mask);
    const std::string name = "umask" + std::to_string(mask);
    {
      const Umask open(static_cast<mode_t>(mask));
      QVERIFY(make_writable_folder(at(name) / "a" / "b"));
      QVERIFY(write_text_file(at(name) / "a" / "b" / "text", "private"));
    }
    for (const path& made : {at(name), at(name) / "a", at(name) / "a" / "b"}) QCOMPARE(mode_of(made), mode_t{0700});
    QCOMPARE(mode_of(at(name) / "a" / "b" / "text"), mode_t{0600});
  }

  void foldersOfTheUserKeepTheirMode() {
    std::filesystem::create_directories(at("shared"));
    QCOMPARE(::chmod(at("shared").c_str(), 0755), 0);
    QVERIFY(make_writable_folder(at("shared")));
    QVERIFY(make_writable_folder(at("shared") / "mine/"));
    QCOMPARE(mode_of(at("shared")), mode_t{0755});
    QCOMPARE(mode_of(at("shared") / "mine"), mode_t{0700});
    QVERIFY(write_text_file(at("file"), ""));
    QVERIFY(!make_writable_folder(at("file") / "below"));
    QVERIFY(!make_writable_folder(at("file")));
  }

  void aPreparedLinkIsNotFollowed() {
    QVERIFY(write_text_file(at("victim"), "untouched"));
    std::filesystem::create_symlink(at("victim"), at("out.part" + std::to_string(::getpid())));
    std::filesystem::create_symlink(at("victim"), at("link"));
    QVERIFY(write_text_file(at("out"), "new"));
    QVERIFY(write_text_file(at("link"), "new"));  // the link is replaced
    QCOMPARE(read_text_file(at("victim")).value(), std::string("untouched"));
    QCOMPARE(read_text_file(at("out")).value(), std::string("new"));
    path made, other;
    QVERIFY(create_unique_file(at("unique"), made) && create_unique_file(at("unique"), other));
    QVERIFY(made != other);
    const auto folder = make_temporary_folder("kvantage-test");
    QVERIFY(folder && mode_of(*folder) == 0700);
    std::filesystem::remove_all(*folder);
  }

  // An optional file that is such a link is refused by whoever reads it, not left out.
  void aLinkThatLeadsNowhereIsThere() {
    std::filesystem::create_symlink(at("nothing"), at("dangling"));
    std::filesystem::create_symlink(at("loop"), at("loop"));
    QVERIFY(is_there(at("dangling")) && is_there(at("loop")) && is_there(folder_.path().toStdString()));
    QVERIFY(!is_there(at("nothing")) && !is_there(at("nothing/below")) && !is_there(""));
    QVERIFY(!is_there(at(std::string(300, 'a'))));
    for (const char* name : {"dangling", "loop"}) {
      const auto read = read_text_file(at(name));
      QVERIFY(!read && read.error().code == ErrorCode::rejected_input);
    }
    const Status written = write_text_file("/", "text");  // where a file system is mounted
    QVERIFY(!written && written.error().code == ErrorCode::rejected_input);
  }

  void specialFilesAreRefusedAtOnce() {
    QCOMPARE(::mkfifo(at("pipe").c_str(), 0600), 0);
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string name = at("socket").string();
    QVERIFY(name.size() < sizeof address.sun_path);
    std::copy(name.begin(), name.end(), address.sun_path);
    QCOMPARE(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    for (const path& special : {at("pipe"), at("socket"), path("/dev/zero"), path(folder_.path().toStdString())}) {
      const auto read = read_text_file(special);
      QVERIFY2(!read && read.error().code == ErrorCode::rejected_input, special.c_str());
      QVERIFY2(read.error().message.ends_with("a file was expected; give a file"), read.error().message.c_str());
      QVERIFY(!read_json_file(special) && !MappedFile::open(special));
    }
    QVERIFY(write_text_file("/dev/null", "text"));
    QVERIFY(std::filesystem::is_character_file("/dev/null"));
    for (const path& special : {at("pipe"), at("socket")}) {
      const Status written = write_text_file(special, "text");
      QVERIFY2(!written && written.error().code == ErrorCode::rejected_input, special.c_str());
      QVERIFY(std::filesystem::exists(special) && !std::filesystem::is_regular_file(special));
    }
    ::close(socket);
  }

  void aFileHasALimitThatTheErrorNames() {
    QVERIFY(write_text_file(at("long"), std::string(1001, 'x')));
    QCOMPARE(read_text_file(at("long"), 1001).value().size(), std::size_t{1001});
    const auto read = read_text_file(at("long"), 1000);
    QVERIFY(!read && read.error().message.find("larger than 1000 bytes") != std::string::npos);
    QCOMPARE(::truncate(at("long").c_str(), static_cast<off_t>(max_json_file_bytes) + 1), 0);
    const auto json = read_json_file(at("long"));
    QVERIFY(!json && json.error().message.find("larger than 256 MiB") != std::string::npos);
    QVERIFY(!read_text_file("/proc/self/status").value().empty());  // says 0 bytes
  }

  // The log of the kernel says that it is a regular file, and waits for the next line. Who may not read it is refused
  // at once; nobody waits.
  void aFileThatWaitsForMoreIsRefused() {
    const Error waits = cannot_read_file("/proc/kmsg", EAGAIN).value();
    QCOMPARE(waits.code, ErrorCode::rejected_input);
    QCOMPARE(waits.message,
             std::string("/proc/kmsg: is a file of the system that waits for more, a file was expected; give a file"));
    QVERIFY(cannot_read_file("x", EIO).value().message.starts_with("x: cannot be read ("));
    QElapsedTimer timer;
    timer.start();
    const auto text = read_text_file("/proc/kmsg");
    QVERIFY(!text && text.error().code == ErrorCode::rejected_input);
    QVERIFY2(text.error().message.find('\n') == std::string::npos, text.error().message.c_str());
    auto lines = FileLines::open("/proc/kmsg", 1 << 20);
    Status read;
    while (lines && read) {
      const auto line = lines->next();
      read = line ? Status() : Status(tl::unexpected(line.error()));
      if (line && !*line) break;
    }
    QVERIFY(!lines || !read);
    QVERIFY2(timer.elapsed() < 5000, std::to_string(timer.elapsed()).c_str());
  }

  void withoutAHomeNothingIsWrittenToASharedFolder() {
    Variables variables;
    for (const char* name : {"KVANTAGE_CACHE", "XDG_CACHE_HOME", "HOME", "XDG_RUNTIME_DIR"}) variables.set(name, "");
    const auto none = [] {
      const Status made = make_writable_folder(cache_directory() / "stores");
      return !made && made.error().code == ErrorCode::rejected_input &&
             made.error().message.find("set HOME") != std::string::npos;
    };
    QVERIFY(none());
    QVERIFY(make_writable_folder(at("runtime")));
    variables.set("XDG_RUNTIME_DIR", QByteArray::fromStdString(at("runtime").string()));
    QCOMPARE(cache_directory().string(), (at("runtime") / "kvantage").string());
    QCOMPARE(::chmod(at("runtime").c_str(), 0755), 0);  // others may look into it
    QVERIFY(none());
    variables.set("XDG_RUNTIME_DIR", "runtime");
    QVERIFY(none());
    variables.set("HOME", "home");  // would be another folder wherever the program is started
    variables.set("XDG_CACHE_HOME", "cache");
    QVERIFY(home_directory().empty());
    QVERIFY(none());
    variables.set("HOME", "/home/somebody");
    QCOMPARE(home_directory(), std::string("/home/somebody"));
    QCOMPARE(cache_directory().string(), std::string("/home/somebody/.cache/kvantage"));
    variables.set("XDG_CACHE_HOME", "/cache");
    QCOMPARE(cache_directory().string(), std::string("/cache/kvantage"));
  }
};

KV_TEST_GUILESS_MAIN(PrivateFilesTest)

}  // namespace private_files_test

#include "private_files_test.moc"
