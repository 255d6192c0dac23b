#include "ui/window/layout/layout_menu.h"

#include <QCoreApplication>
#include <QFileDialog>
#include <QInputDialog>
#include <QLineEdit>

#include "ui/text/core_text.h"
#include "ui/text/words.h"
#include "ui/widgets/button_tips.h"
#include "ui/widgets/save_question.h"

namespace kvantage {
namespace {

struct LayoutMenuText {
  Q_DECLARE_TR_FUNCTIONS(LayoutMenuText)
};

using Say = std::function<void(const QString& level, const QString& text)>;
QString filter() { return LayoutMenuText::tr("Layouts (*.kvlayout)"); }

QAction* add(QMenu& menu, const QString& text, const QString& tip, const std::function<void()>& run) {
  QAction* action = menu.addAction(text, &menu, run);
  action->setToolTip(tip);
  action->setStatusTip(tip);
  return action;
}

void ask_for_name(QWidget* parent, const QString& title, const std::function<void(const QString&)>& named) {
  auto* dialog = new QInputDialog(parent);
  dialog->setObjectName("layoutName");
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(title);
  dialog->setLabelText(LayoutMenuText::tr("Layout name"));
  dialog->setTextValue(QString());  // makes the line
  if (auto* line = dialog->findChild<QLineEdit*>()) {
    line->setAccessibleName(dialog->labelText());
    line->setToolTip(LayoutMenuText::tr("Name of the layout in the menu; one of the same name is replaced"));
  }
  if (auto* buttons = dialog->findChild<QDialogButtonBox*>()) add_button_tips(*buttons);
  QObject::connect(dialog, &QInputDialog::textValueSelected, parent, [named](const QString& text) {
    if (!text.simplified().isEmpty()) named(text.simplified());
  });
  dialog->open();
}

void ask_for_import(QWidget* parent, const std::function<void(const QString&)>& chosen) {
  auto* dialog = new QFileDialog(parent, LayoutMenuText::tr("Import layout"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setNameFilters({filter(), LayoutMenuText::tr("All files (*)")});
  dialog->setFileMode(QFileDialog::ExistingFile);
  QObject::connect(dialog, &QFileDialog::fileSelected, parent, chosen);
  dialog->open();
}

void fill_layout_menu(QMenu& menu, Layouts& layouts, const Say& say, QWidget* parent) {
  menu.clear();
  const auto offer = [&](const QString& name) {
    const QString title = Layouts::title(name);
    add(menu, QString(title).replace('&', QStringLiteral("&&")),
        LayoutMenuText::tr("Arrange the docks as in “%1”").arg(title), [&layouts, say, name] {
          if (!layouts.apply(name))
            say(QStringLiteral("warning"),
                LayoutMenuText::tr("Layout “%1” cannot be restored. Delete it and save it again.").arg(name));
        });
  };
  for (const QString& name : Layouts::built_in()) offer(name);
  const QStringList saved = layouts.saved();
  if (!saved.isEmpty()) menu.addSeparator();
  for (const QString& name : saved) offer(name);
  menu.addSeparator();
  add(menu, LayoutMenuText::tr("&Save as…"), LayoutMenuText::tr("Save the current dock arrangement under a name"),
      [&layouts, parent] {
        ask_for_name(parent, LayoutMenuText::tr("Save layout"),
                     [&layouts](const QString& name) { layouts.save(name); });
      });
  add(menu, LayoutMenuText::tr("&Export layout…"), LayoutMenuText::tr("Save the current dock arrangement to a file"),
      [&layouts, say, parent] {
        ask_where_to_save(parent,
                          {LayoutMenuText::tr("Export layout"), QStringLiteral("layout.kvlayout"),
                           QStringLiteral("kvlayout"), filter()},
                          [&layouts, say](const QString& path) {
                            const Status written = layouts.export_to(path, QFileInfo(path).completeBaseName());
                            if (!written) say(QStringLiteral("warning"), core_text(written.error().message));
                          });
      });
  add(menu, LayoutMenuText::tr("&Import layout…"), LayoutMenuText::tr("Load a dock arrangement from an exported file"),
      [&layouts, say, parent] {
        ask_for_import(parent, [&layouts, say](const QString& path) {
          const auto name = layouts.import_from(path);
          if (!name) say(QStringLiteral("warning"), core_text(name.error().message));
        });
      });
  if (!saved.isEmpty()) {
    QMenu* remove = menu.addMenu(LayoutMenuText::tr("&Delete layout"));
    for (const QString& name : saved)
      add(*remove, QString(name).replace('&', QStringLiteral("&&")),
          LayoutMenuText::tr("Delete the layout “%1”").arg(name), [&layouts, name] { layouts.remove(name); });
  }
}

}  // namespace

QMenu* make_layout_menu(Layouts& layouts, const Say& say, QWidget* parent) {
  auto* menu = new QMenu(LayoutMenuText::tr("&Layout"), parent);
  menu->setToolTipsVisible(true);
  const auto refill = [menu, &layouts, say, parent] { fill_layout_menu(*menu, layouts, say, parent); };
  QObject::connect(menu, &QMenu::aboutToShow, menu, refill);
  refill();
  return menu;
}

}  // namespace kvantage
