// links: kv_ui
// About: what is said there is whole. Every library that the build files ask for has its license told.
#include "ui/about_dialog.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QRegularExpression>
#include <QTableWidget>
#include <QTest>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "tests/support/test_program.h"
#include "tests/ui/scripted_window.h"

namespace about_test {

using namespace kvantage;
namespace fs = std::filesystem;

class AboutTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

  // Names as CMake knows them.
  static std::set<std::string> asked_for() {
    std::set<std::string> names;
    const std::regex package("find_package\\(([A-Za-z0-9_-]+)"),
        module("pkg_check_modules\\([A-Z0-9_]+ REQUIRED IMPORTED_TARGET ([A-Za-z0-9_-]+)"),
        fetched("add_library\\(kvantage::([a-z]+) ALIAS");
    for (const char* folder : {"core", "tiers", "profiles", "ui", "app", "cmake"})
      for (const auto& entry : fs::recursive_directory_iterator(fs::path(KVANTAGE_SOURCE_DIR) / folder)) {
        if (entry.path().filename() != "CMakeLists.txt" && entry.path().extension() != ".cmake") continue;
        std::ifstream stream(entry.path());
        const std::string text((std::istreambuf_iterator<char>(stream)), {});
        for (const std::regex& form : {package, module, fetched})
          for (std::sregex_iterator at(text.begin(), text.end(), form), end; at != end; ++at) names.insert((*at)[1]);
      }
    names.erase("PkgConfig");  // tools of the build, nothing of them is in the program
    names.erase("Threads");
    return names;
  }

 private slots:
  void everyLibraryHasItsLicenseTold() {
    const std::set<std::string> names = asked_for();
    QVERIFY2(names.size() >= 10, qPrintable(QString::number(names.size())));
    for (const std::string& name : names) {
      // libpcre2-8 is told of as PCRE2.
      QString looked_for = QString::fromStdString(name);
      looked_for.remove(QRegularExpression("^lib|-[0-9]+$"));
      bool told = false;
      for (const Component& part : components())
        told = told || QString(part.name).remove(QChar(0x20)).contains(looked_for, Qt::CaseInsensitive);
      QVERIFY2(told, name.c_str());
    }
    for (const Component& part : components())
      QVERIFY2(!part.license.isEmpty() && !part.how.isEmpty(), qPrintable(part.name));
  }

  void helpOpensItWithVersionAndCommit() {
    ScriptedSession session;
    WindowOptions options = scripted_.options();
    options.program = {"9.8.7", "abc123", true, "4 cores",
                       [] { return QStringLiteral("device tier: off: for a reason"); }};
    MainWindow window(session, options);
    window.show();
    for (QAction* action : window.actions())
      if (action->text() == QStringLiteral("&About KVantage…")) action->trigger();
    auto* dialog = window.findChild<AboutDialog*>();
    QVERIFY(dialog && dialog->isVisible());
    const QString told = dialog->findChild<QLabel*>("aboutFacts")->text();
    for (const char* part :
         {"9.8.7", "abc123 with local changes", "4 cores", "device tier: off: for a reason", qVersion()})
      QVERIFY2(told.contains(part), qPrintable(told));
    QCOMPARE(dialog->findChild<QTableWidget*>()->rowCount(), static_cast<int>(components().size()));
    QTest::keyClick(dialog, Qt::Key_Escape);
    QTRY_VERIFY(!window.findChild<AboutDialog*>());
  }
};

KV_TEST_PROGRAM(argc, argv) {
  QApplication application(argc, argv);
  AboutTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace about_test

#include "about_test.moc"
