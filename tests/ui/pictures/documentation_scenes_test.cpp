// links: kv_ui
// The pictures of the documents are those that the program takes, each in one theme.
#include "ui/pictures/documentation_scenes.h"

#include <QDir>
#include <QFile>
#include <QSet>
#include <QTest>

#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/pictures/picture_stage.h"

namespace documentation_scenes_test {

using namespace kvantage;

class DocumentationScenesTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

  static QString text_of(const QString& path) {
    QFile file(QDir(KVANTAGE_SOURCE_DIR).filePath(path));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
  }

 private slots:
  void everyPictureHasAScene() {
    ScriptedSession session;
    const WindowOptions options = scripted_.options();
    const auto window = scripted_.loaded(session, options);
    QSet<QString> taken;
    for (const ScreenshotScene& scene : documentation_scenes(picture_stage(*window, options))) {
      QVERIFY2(!taken.contains(scene.name), qPrintable(scene.name));
      taken.insert(scene.name);
      QVERIFY(scene.theme.has_value());
    }
    QSet<QString> shown;
    for (const QString& file : QDir(QStringLiteral(KVANTAGE_SOURCE_DIR "/docs/pictures")).entryList({"*.png"}))
      shown.insert(file.chopped(4));
    QCOMPARE(taken, shown);
    const QString documents = text_of("README.md") + text_of("docs/guide.md");
    for (const QString& name : taken)
      QVERIFY2(documents.contains(QStringLiteral("pictures/%1.png").arg(name)), qPrintable(name));
  }

  // What a scene needs does not come by itself: it waits, and does not take a picture of something else.
  void aSceneWaitsForItsStory() {
    ScriptedSession session;
    const WindowOptions options = scripted_.options();
    const auto window = scripted_.loaded(session, options);
    for (const ScreenshotScene& scene : documentation_scenes(picture_stage(*window, options)))
      if (scene.name == "pipeline" || scene.name == "compare" || scene.name == "lesson") {
        scene.prepare();
        QVERIFY2(scene.ready && !scene.ready(), qPrintable(scene.name));
      }
  }
};

KV_TEST_MAIN(DocumentationScenesTest)

}  // namespace documentation_scenes_test

#include "documentation_scenes_test.moc"
