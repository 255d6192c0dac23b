#include "ui/pictures/screenshot_scenes.h"

#include <QApplication>
#include <QDialog>
#include <QDir>
#include <QFileDialog>
#include <QMenu>
#include <QMenuBar>
#include <QProgressDialog>
#include <utility>

#include "ui/charts/chart_table.h"
#include "ui/look/font_scale.h"
#include "ui/pictures/scenes.h"
#include "ui/widgets/save_question.h"

namespace kvantage {

QString ScreenshotScenes::plain_title(QString text) { return text.remove('&').remove(QStringLiteral("…")).trimmed(); }

QString ScreenshotScenes::menu_text(const char* english) {
  for (const char* context : {"kvantage::WindowActions", "LayoutMenuText", "kvantage::ChartHandle"})
    if (QString text = QCoreApplication::translate(context, english); text != QString::fromUtf8(english)) return text;
  return QString::fromUtf8(english);
}

void ScreenshotScenes::trigger(const char* english) {
  for (QAction* action : stage_.window.findChildren<QAction*>())
    if (action->text() == menu_text(english)) return action->trigger();
}

void ScreenshotScenes::close_dialogs() {
  for (QWidget* top : QApplication::topLevelWidgets())
    if (qobject_cast<QDialog*>(top) || qobject_cast<QMenu*>(top)) top->close();
}

std::vector<ScreenshotScene> ScreenshotScenes::all() {
  start_page();
  for (const QString& name : Layouts::built_in()) add(QStringLiteral("layout ") + name, [this, name] { layout(name); });
  for (const DockEntry& entry : dock_registry()) dock(entry);
  for (const ModeEntry& entry : mode_registry()) mode(entry);
  decoding();
  formula();
  frontier();
  alpha_drag();
  runs();
  dialogs();
  figures();  // the live run resumes a moment after the last of them, which menus tolerate
  menus();
  walks();
  presenter();
  messages();
  return std::move(scenes_);
}

// In the banner, and in large text.
void ScreenshotScenes::messages() {
  add(
      QStringLiteral("banner"),
      [this] {
        stage_.banner.show_message(QStringLiteral("warning"),
                                   QStringLiteral("notes.txt: is UTF-16; save it as UTF-8 and open it again"));
      },
      [this] { stage_.banner.dismiss(); });
  add(
      QStringLiteral("banner store"),
      [this] {
        const auto of_program = [](const char* text) { return QCoreApplication::translate("WindowProgram", text); };
        stage_.banner.offer(
            QStringLiteral("info"), of_program("Another process uses this store; this session uses a separate one."),
            {of_program("Retry"), of_program("Reopen this session with the shared store, once it is free"), [] {}});
      },
      [this] { stage_.banner.dismiss(); });
  for (const int percent : {160, 200})
    add(
        QStringLiteral("writing %1").arg(percent),
        [this, percent] {
          overview();
          text_before_ = font_percent();
          stage_.looks.set_font_size(percent);
        },
        [this] { stage_.looks.set_font_size(text_before_); });
}

void ScreenshotScenes::file_dialogs() {
  if (WorkloadOpener* opener = stage_.files.workloads()) {
    add(
        QStringLiteral("dialog open text"), [this] { trigger("Open &text file…"); }, close_dialogs);
    add(
        QStringLiteral("dialog open folder"), [this] { trigger("Open &folder…"); }, close_dialogs);
    if (!stage_.options.samples.empty())  // it is read first
      add(
          QStringLiteral("dialog open workload"), [this, opener] { opener->offer(stage_.options.samples.back().path); },
          close_dialogs, 4);
  }
  if (stage_.files.models()) {
    add(
        QStringLiteral("dialog use my model"), [this] { trigger("&Use my model…"); }, close_dialogs);
    add(
        QStringLiteral("dialog open model"), [this] { trigger("Open &model…"); }, close_dialogs);
    add(
        QStringLiteral("dialog open model file"), [this] { trigger("Open model file (&GGUF)…"); }, close_dialogs);
  }
}

void ScreenshotScenes::dialogs() {
  add(
      QStringLiteral("dialog commands"),
      [this] {
        overview();
        stage_.palette.open_fresh();
      },
      [this] { stage_.palette.reject(); });
  add(
      QStringLiteral("dialog about"), [this] { trigger("&About KVantage…"); }, close_dialogs);
  if (!stage_.options.help_folder.isEmpty())
    add(
        QStringLiteral("dialog help"), [this] { trigger("&Guide"); }, close_dialogs, 2);
  add(
      QStringLiteral("dialog save layout"), [this] { trigger("&Save as…"); }, close_dialogs);
  add(
      QStringLiteral("dialog export charts"), [this] { trigger("Export all &charts…"); }, close_dialogs);
  add(
      QStringLiteral("dialog export charts at work"),
      [this] {
        exported_ = std::make_unique<QTemporaryDir>();
        trigger("Export all &charts…");
        for (QWidget* top : QApplication::topLevelWidgets())
          if (auto* folder = qobject_cast<QFileDialog*>(top); folder && folder->isVisible()) {
            emit folder->fileSelected(exported_->path());
            folder->close();
          }
      },
      [this] {
        if (auto* progress = stage_.window.findChild<QProgressDialog*>())
          emit progress->canceled();  // as its button does
        exported_.reset();
      });
  for (const char* action : {"&Export layout…", "&Import layout…"})
    add(
        QStringLiteral("dialog ") + plain_title(QString::fromUtf8(action)), [this, action] { trigger(action); },
        close_dialogs);
  file_dialogs();
  add(
      QStringLiteral("dialog table"), [this] { act_on_frontier("Show as &table"); }, close_dialogs);
  add(
      QStringLiteral("dialog export chart"), [this] { act_on_frontier("Export &SVG…"); }, close_dialogs);
  add(
      QStringLiteral("dialog picture for a paper"), [this] { act_on_frontier("Export picture, choose &font…"); },
      close_dialogs);
  add(
      QStringLiteral("dialog not saved"),
      [this] { say_not_saved(&stage_.window, QDir::temp().filePath(QStringLiteral("no such folder/Frontier.svg"))); },
      close_dialogs);
}

// Those of the bar, those inside them, and a chart's own.
void ScreenshotScenes::menus() {
  for (QAction* top : stage_.window.menuBar()->actions()) {
    QMenu* menu = top->menu();
    if (!menu) continue;
    const auto open = [this, menu, top] {
      emit menu->aboutToShow();
      menu->popup(stage_.window.menuBar()->mapToGlobal(stage_.window.menuBar()->actionGeometry(top).bottomLeft()));
    };
    add(QStringLiteral("menu ") + plain_title(top->text()), open, [menu] { menu->close(); });
    for (QAction* inner : menu->actions())
      if (QMenu* below = inner->menu())
        add(
            QStringLiteral("menu %1 %2").arg(plain_title(top->text()), plain_title(inner->text())),
            [open, menu, inner, below] {
              open();
              emit below->aboutToShow();
              below->popup(menu->mapToGlobal(menu->actionGeometry(inner).topRight()));
            },
            [menu, below] {
              below->close();
              menu->close();
            });
  }
  add(
      QStringLiteral("menu of a chart"),
      [this] {
        overview();
        auto* menu = new QMenu(&stage_.window);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        add_chart_actions(*menu, charts_of(frontier_chart()).front());
        menu->popup(frontier_chart().mapToGlobal(frontier_chart().rect().center()));
      },
      close_dialogs);
}

std::vector<ScreenshotScene> screenshot_scenes(const PictureStage& stage) {
  auto made = std::make_shared<ScreenshotScenes>(stage);
  std::vector<ScreenshotScene> scenes = made->all();
  for (ScreenshotScene& scene : scenes)  // which ask it for more when they are taken
    scene.prepare = [made, prepare = std::move(scene.prepare)] { prepare(); };
  return scenes;
}

}  // namespace kvantage
