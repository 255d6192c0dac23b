#include "ui/pictures/screenshots.h"

#include <QApplication>
#include <QDialog>
#include <QDir>
#include <QMenu>
#include <QPainter>
#include <QRegularExpression>
#include <QScreen>
#include <QTimer>

#include <algorithm>
#include <utility>

#include "ui/look/font_scale.h"
#include "ui/pictures/documentation_scenes.h"

namespace kvantage {
namespace {
constexpr int retry_ms = 250;

// A pointer as a desktop would draw it, its tip at `tip`.
void draw_pointer(QPixmap& picture, QPoint tip) {
  const QPolygon outline({{0, 0}, {0, 17}, {4, 13}, {7, 20}, {10, 19}, {7, 12}, {12, 12}});
  QPainter painter(&picture);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(Qt::white, 1.4));
  painter.setBrush(Qt::black);
  painter.drawPolygon(outline.translated(tip));
}

// Dialogs are windows of their own; a picture shows them where they stand over theirs.
QPixmap picture_of(QMainWindow& window, const Theme& theme) {
  QPixmap picture = window.grab();
  QPainter painter(&picture);
  for (QWidget* top : QApplication::topLevelWidgets())
    if (top->isVisible() && top != &window && (qobject_cast<QDialog*>(top) || qobject_cast<QMenu*>(top))) {
      QRect at(window.mapFromGlobal(top->mapToGlobal(QPoint(0, 0))), top->size());
      // A screen smaller than the window, such as the offscreen one, pushes dialogs aside.
      const bool pushed = !window.screen()->geometry().contains(window.geometry());
      if (pushed && qobject_cast<QDialog*>(top) && !top->windowFlags().testFlag(Qt::FramelessWindowHint))
        at.moveCenter(window.rect().center());
      painter.drawPixmap(at.topLeft(), top->grab());
      painter.setPen(theme.muted);  // the frame that a desktop would draw
      painter.drawRect(at.adjusted(-1, -1, 0, 0));
    }
  return picture;
}
}  // namespace

std::optional<QSize> parse_picture_size(const QString& text) {
  static const QRegularExpression form(QStringLiteral("^([0-9]{3,4})x([0-9]{3,4})$"));
  const QRegularExpressionMatch match = form.match(text);
  if (!match.hasMatch()) return std::nullopt;
  const QSize size(match.captured(1).toInt(), match.captured(2).toInt());
  if (size.width() < 320 || size.height() < 200 || size.width() > 7680 || size.height() > 4320) return std::nullopt;
  return size;
}

Screenshots::Screenshots(const PictureStage& stage, ScreenshotOptions options)
    : QObject(&stage.window),
      stage_(stage),
      window_(stage.window),
      options_(std::move(options)),
      shots_(options_.documentation ? documentation_scenes(stage) : screenshot_scenes(stage)) {
  if (options_.scenes.isEmpty()) {
    std::erase_if(shots_, [](const ScreenshotScene& shot) { return shot.only_when_named; });
    return;
  }
  std::vector<QRegularExpression> wanted;
  for (const QString& wildcard : options_.scenes.split('|', Qt::SkipEmptyParts))
    wanted.push_back(QRegularExpression::fromWildcard(wildcard, Qt::CaseInsensitive));
  std::erase_if(shots_, [&](const ScreenshotScene& shot) {
    return std::ranges::none_of(wanted, [&](const auto& one) { return one.match(shot.name).hasMatch(); });
  });
}

void Screenshots::start() {
  if (shots_.empty()) {
    emit failed(tr("no scene matches %1; use a wildcard such as \"dock*\", \"dialog*\", \"lesson*\" or \"tour*\"")
                    .arg(options_.scenes));
    return;
  }
  if (!QDir().mkpath(options_.folder)) {
    emit failed(tr("%1 cannot be created; use another folder").arg(options_.folder));
    return;
  }
  wait_for_session();
}

bool Screenshots::must_wait() const {
  const RunModel& run = stage_.models.run;
  if (run.state() == RunState::failed || waited_ms_ >= options_.longest_wait_ms) return false;
  return run.state() == RunState::loading || run.served() < options_.requests;
}

void Screenshots::wait_for_session() {
  if (must_wait()) {
    waited_ms_ += retry_ms;
    QTimer::singleShot(retry_ms, this, &Screenshots::wait_for_session);
    return;
  }
  percent_before_ = font_percent();
  if (options_.text_percent > 0) stage_.looks.set_font_size(options_.text_percent);
  take_next();
}

void Screenshots::take_next() {
  if (next_ == per_size() * options_.sizes.size()) {
    if (options_.text_percent > 0) stage_.looks.set_font_size(percent_before_);
    emit finished(written_);
    return;
  }
  const std::size_t within = next_ % per_size();
  if (within % shots_.size() == 0) {
    window_.resize(options_.sizes[next_ / per_size()]);
    stage_.looks.set_theme(theme_of_next());
  }
  const ScreenshotScene& shot = shots_[within % shots_.size()];
  if (shot.theme && *shot.theme != theme_of_next()) {
    ++next_;
    QTimer::singleShot(0, this, &Screenshots::take_next);
    return;
  }
  for (int left = Banner::max_waiting; stage_.banner.isVisible() && left >= 0; --left)
    stage_.banner.dismiss();  // of scenes before
  window_.setFocus();         // what was touched last has no ring
  shot.prepare();
  window_.resize(options_.sizes[next_ / per_size()]);     // large text may have made it grow
  const int fresh = within % shots_.size() == 0 ? 3 : 1;  // a new size or theme lays out everything again
  waited_ms_ = 0;
  wait_until_ready(options_.settle_ms * std::max(shot.settles, fresh));
}

void Screenshots::wait_until_ready(int settle_ms) {
  const ScreenshotScene& shot = shots_[next_ % shots_.size()];
  if (!shot.ready || shot.ready()) {
    QTimer::singleShot(settle_ms, this, &Screenshots::grab);
  } else if (waited_ms_ < options_.longest_wait_ms) {
    waited_ms_ += retry_ms;
    QTimer::singleShot(retry_ms, this, [this, settle_ms] { wait_until_ready(settle_ms); });
  } else {
    emit failed(tr("The session does not show what the picture \"%1\" needs; serve the quick start under evicpress")
                    .arg(shot.name));
  }
}

QString Screenshots::path_of(const ScreenshotScene& shot) const {
  QString name = shot.name.toLower().replace(' ', '-').replace('/', '-') + QStringLiteral(".png");
  if (!options_.documentation) {
    const QSize size = options_.sizes[next_ / per_size()];
    const QString text = options_.text_percent > 0 ? QStringLiteral("-%1").arg(options_.text_percent) : QString();
    name = QStringLiteral("%1x%2-%3%4-%5")
               .arg(size.width())
               .arg(size.height())
               .arg(theme_of_next() == ThemeKind::dark ? QStringLiteral("dark") : QStringLiteral("light"), text, name);
  }
  return QDir(options_.folder).filePath(name);
}

void Screenshots::grab() {
  const QSize size = options_.sizes[next_ / per_size()];
  const ScreenshotScene& shot = shots_[next_ % shots_.size()];
  const QString path = path_of(shot);
  for (int turn = 0; turn < 3; ++turn)
    QCoreApplication::sendPostedEvents();  // axes and columns that changed just now are laid out
  if (window_.size() != size && !std::exchange(resized_, true)) {  // small text again, or the whole screen was taken
    window_.resize(size);
    QTimer::singleShot(options_.settle_ms, this, &Screenshots::grab);  // docks share its room again
    return;
  }
  resized_ = false;
  QPixmap picture = picture_of(window_, stage_.looks.theme());
  if (shot.pointer) draw_pointer(picture, shot.pointer());
  if (!picture.save(path, "PNG")) {
    emit failed(tr("%1 cannot be written; use a writable folder").arg(path));
    return;
  }
  written_ << path;
  if (shot.clean) shot.clean();
  ++next_;
  QTimer::singleShot(0, this, &Screenshots::take_next);
}

}  // namespace kvantage
