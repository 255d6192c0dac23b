// Pictures of every dock and dialog of a window, light and dark, in several sizes: for the documents, and for eyes that
// look for what is cut off. The window is real and so is what it shows.
#pragma once

#include <QObject>
#include <QSize>
#include <QStringList>
#include <optional>
#include <vector>

#include "ui/look/theme.h"
#include "ui/pictures/picture_stage.h"
#include "ui/pictures/screenshot_scenes.h"

namespace kvantage {

struct ScreenshotOptions {
  QString folder;
  std::vector<QSize> sizes = {{1280, 800}, {2560, 1440}};
  std::uint64_t requests = 60;    // served before the first picture; never before the session has loaded
  int longest_wait_ms = 180'000;  // for them; then pictures are taken of what there is. Also for a scene to be ready
  int settle_ms = 500;            // from a change to its picture
  QString scenes = {};  // only those whose name one of these wildcards matches: "lesson*|tour 1"; empty: all but
                        // animations
  std::vector<ThemeKind> themes = {ThemeKind::light, ThemeKind::dark};
  bool documentation = false;  // the scenes of documentation_scenes.h, as NAME.png, each in its own theme
  int text_percent = 0;        // size of text, of the system's; afterwards it is as before. 0: as the window has it
};

/// "1280x800"; nothing for another text, and for sizes below 320x200 or above 7680x4320.
std::optional<QSize> parse_picture_size(const QString& text);

class Screenshots : public QObject {
  Q_OBJECT
 public:
  Screenshots(const PictureStage& stage, ScreenshotOptions options);
  void start();
  const QStringList& written() const { return written_; }

 signals:
  void finished(const QStringList& written);
  void failed(const QString& reason);

 private:
  bool must_wait() const;
  void wait_for_session();
  void take_next();
  void wait_until_ready(int settle_ms);
  void grab();
  QString path_of(const ScreenshotScene& shot) const;
  ThemeKind theme_of_next() const { return options_.themes[next_ % per_size() / shots_.size()]; }
  std::size_t per_size() const { return shots_.size() * options_.themes.size(); }
  const PictureStage stage_;
  QMainWindow& window_;
  ScreenshotOptions options_;
  std::vector<ScreenshotScene> shots_;  // of one size and theme
  std::size_t next_ = 0;
  bool resized_ = false;  // the window, for the present picture
  int waited_ms_ = 0, percent_before_ = 0;
  QStringList written_;
};

}  // namespace kvantage
