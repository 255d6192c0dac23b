#include "ui/screenshots.h"

#include <QApplication>
#include <QDialog>
#include <QDir>
#include <QPainter>
#include <QTimer>

#include "ui/main_window.h"

namespace kvantage {
namespace {
constexpr int look_again_ms = 250;
constexpr ThemeKind themes[] = {ThemeKind::light, ThemeKind::dark};

// Dialogs are windows of their own; a picture shows them where they stand over theirs.
QPixmap picture_of(MainWindow& window) {
  QPixmap picture = window.grab();
  QPainter painter(&picture);
  for (QWidget* top : QApplication::topLevelWidgets())
    if (top->isVisible() && top != &window && (qobject_cast<QDialog*>(top) || qobject_cast<QMenu*>(top)))
      painter.drawPixmap(window.mapFromGlobal(top->mapToGlobal(QPoint(0, 0))), top->grab());
  return picture;
}
}  // namespace

Screenshots::Screenshots(MainWindow& window, ScreenshotOptions options)
    : QObject(&window), window_(window), options_(std::move(options)) {
  make_shots();
}

void Screenshots::make_shots() {
  const auto layout = [this](const QString& name) { window_.layouts().apply(name); };
  for (const QString& name : Layouts::built_in())
    shots_.push_back({QStringLiteral("layout ") + name, [layout, name] { layout(name); }, {}});
  for (const DockEntry& entry : dock_registry()) {
    const auto bring_up = [this, layout, id = entry.id] {
      layout(Layouts::built_in().front());
      window_.docks().bring_up(id);
    };
    shots_.push_back({QStringLiteral("dock ") + entry.title, bring_up, {}});
    for (QTabWidget* pages : window_.dock(entry.id)->findChildren<QTabWidget*>())
      for (int i = 1; i < pages->count(); ++i)
        shots_.push_back({QStringLiteral("dock %1 %2").arg(entry.title, pages->tabText(i).remove('&')),
                          [bring_up, pages, i] {
                            bring_up();
                            pages->setCurrentIndex(i);
                          },
                          [pages] { pages->setCurrentIndex(0); }});
  }
  shots_.push_back({QStringLiteral("dialog commands"), [this, layout] {
                      layout(Layouts::built_in().front());
                      window_.palette().open_fresh();
                    },
                    [this] { window_.palette().reject(); }});
  for (int step = 0; step < window_.tour().count(); ++step)
    shots_.push_back({QStringLiteral("tour %1").arg(step + 1), [this, step] {
                        if (step == 0) window_.tour().start();
                        else window_.tour().card().next().click();
                      },
                      [this, last = step + 1 == window_.tour().count()] {
                        if (last) window_.tour().close();
                      }});
  shots_.push_back({QStringLiteral("dialog save layout"), [this] {
                      for (QAction* action : window_.findChildren<QAction*>())
                        if (action->text() == QStringLiteral("&Save as…")) return action->trigger();
                    },
                    [this] {
                      if (auto* dialog = window_.findChild<QDialog*>("layoutName")) dialog->close();
                    }});
  shots_.push_back({QStringLiteral("banner"), [this] {
                      window_.banner().show_message(
                          QStringLiteral("warning"), QStringLiteral("notes.txt: is UTF-16; save it as UTF-8 and open it again"));
                    },
                    [this] { window_.banner().hide(); }});
  shots_.push_back({QStringLiteral("writing 160"), [this] { window_.set_font_size(160); }, [this] { window_.set_font_size(100); }});
}

void Screenshots::start() {
  if (!QDir().mkpath(options_.folder)) {
    emit failed(QStringLiteral("%1: cannot be made; give another folder").arg(options_.folder));
    return;
  }
  wait_for_requests();
}

void Screenshots::wait_for_requests() {
  if (window_.run().served() < options_.requests && waited_ms_ < options_.longest_wait_ms && window_.run().state() != RunState::failed) {
    waited_ms_ += look_again_ms;
    QTimer::singleShot(look_again_ms, this, &Screenshots::wait_for_requests);
    return;
  }
  take_next();
}

void Screenshots::take_next() {
  const std::size_t per_size = shots_.size() * std::size(themes);
  if (next_ == per_size * options_.sizes.size()) {
    emit finished(written_);
    return;
  }
  const std::size_t within = next_ % per_size;
  if (within % shots_.size() == 0) {
    window_.resize(options_.sizes[next_ / per_size]);
    window_.set_theme(themes[within / shots_.size()]);
  }
  shots_[within % shots_.size()].prepare();
  window_.resize(options_.sizes[next_ / per_size]);  // large writing may have made it grow
  QTimer::singleShot(options_.settle_ms, this, &Screenshots::grab);
}

void Screenshots::grab() {
  const std::size_t per_size = shots_.size() * std::size(themes), within = next_ % per_size;
  const QSize size = options_.sizes[next_ / per_size];
  const Shot& shot = shots_[within % shots_.size()];
  const QString theme = themes[within / shots_.size()] == ThemeKind::dark ? QStringLiteral("dark") : QStringLiteral("light");
  const QString name = shot.name.toLower().replace(' ', '-').replace('/', '-');
  const QString path = QDir(options_.folder)
                           .filePath(QStringLiteral("%1x%2-%3-%4.png").arg(size.width()).arg(size.height()).arg(theme, name));
  if (!picture_of(window_).save(path, "PNG")) {
    emit failed(QStringLiteral("%1: cannot be written; give a folder that you may write to").arg(path));
    return;
  }
  written_ << path;
  if (shot.clean) shot.clean();
  ++next_;
  QTimer::singleShot(0, this, &Screenshots::take_next);
}

}  // namespace kvantage
