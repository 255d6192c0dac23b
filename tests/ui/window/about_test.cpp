// links: kv_ui
// About is complete: it shows the license of every library that the build files ask for.
#include "ui/window/about_dialog.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QRegularExpression>
#include <QTableWidget>
#include <QTest>
#include <QTranslator>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/text/language.h"

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
      // libpcre2-8 is listed as PCRE2.
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

  void hardwareAndDeviceAreInTheLanguageOfTheWindow() {
    install_plurals();  // and with it what is compiled in
    QTranslator chinese;
    QVERIFY(chinese.load("kvantage_zh_CN", ":/kvantage/translations"));
    QCoreApplication::installTranslator(&chinese);
    const QString device =
        "device tier: off: there is no module libkvantage_gpu.so next to the program; './run --gpu' builds it, or name "
        "it in KVANTAGE_GPU_MODULE";
    AboutDialog dialog({"9.8.7", "abc123", false, "A Processor, 4 cores, 8.00 GiB, Linux 6.1", [&] { return device; }},
                       nullptr);
    dialog.setAttribute(Qt::WA_DeleteOnClose, false);
    const QStringList told = dialog.findChild<QLabel*>("aboutFacts")->text().split('\n');
    QCoreApplication::removeTranslator(&chinese);
    QCOMPARE(told.value(1), QString("A Processor，4 核，8.00 GiB，Linux 6.1"));
    QCOMPARE(told.value(2), QString("设备层级：关闭：程序旁没有模块 libkvantage_gpu.so；可用“./run --gpu”构建，或在 "
                                    "KVANTAGE_GPU_MODULE 中指定"));
    QVERIFY2(dialog.facts_text().endsWith(device), qPrintable(dialog.facts_text()));
  }
};

KV_TEST_PROGRAM(argc, argv) {
  QApplication application(argc, argv);
  AboutTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace about_test

#include "about_test.moc"
