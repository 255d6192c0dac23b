#include "ui/learn/learn_page.h"

#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QUrl>

#include "ui/learn/help_window.h"
#include "ui/widgets/plain_label.h"

namespace kvantage {
namespace {

constexpr int least_width = 260;  // of the cards

QLabel* heading(const QString& text) {
  auto* label = plain_label(text);
  label->setProperty("heading", true);
  return label;
}

}  // namespace

LearnPage::LearnPage(const QString& help_folder, QWidget* parent)
    : QWidget(parent), cards_(new QVBoxLayout), pages_(new QTabWidget) {
  setBackgroundRole(QPalette::Base);
  auto* row = new QHBoxLayout(this);
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setFocusPolicy(Qt::NoFocus);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* column = new QWidget;
  auto* whole = new QVBoxLayout(column);
  whole->addLayout(cards_);
  whole->addStretch(1);
  scroll->setWidget(column);
  row->addWidget(scroll, 2);
  pages_->setDocumentMode(true);
  pages_->setAccessibleName(tr("Documentation"));
  for (const auto& [title, file] :
       {std::pair{tr("Guide"), QStringLiteral("guide.md")}, std::pair{tr("Glossary"), QStringLiteral("concepts.md")},
        std::pair{tr("Metrics"), QStringLiteral("metrics.md")}}) {
    const QString path = QDir(help_folder).filePath(file);
    if (help_folder.isEmpty() || !QFileInfo::exists(path)) continue;
    auto* browser = new HelpBrowser;
    browser->setAccessibleName(title);
    browser->setToolTip(tr("Text of the documentation; Tab moves between its links, Enter follows one"));
    browser->set_first_source(QUrl::fromLocalFile(path));
    pages_->addTab(browser, title);
  }
  row->addWidget(pages_, 3);
  pages_->setVisible(pages_->count() > 0);
  scroll->setMinimumWidth(least_width);
}

void LearnPage::set_theme(const Theme&) { update(); }

void LearnPage::offer(const std::function<void()>& tour, const std::vector<Lesson>& lessons,
                      const std::function<void(const QString& path)>& begin,
                      const std::function<void(const QString& path)>& print) {
  const auto add = [this](const QString& title, const QString& about, const char* picture,
                          const std::function<void()>& act) {
    auto* card =
        new StartCard(title, about, QIcon(QStringLiteral(":/kvantage/start/%1.svg").arg(QLatin1String(picture))));
    connect(card, &StartCard::clicked, this, act);
    cards_->addWidget(card);
    return card;
  };
  cards_->addWidget(heading(tr("Tour")));
  tour_card_ = add(tr("Guided tour"), tr("Five steps, from α to a changed Frontier"), "startTour", tour);
  if (lessons.empty()) return;
  cards_->addSpacing(8);
  cards_->addWidget(heading(tr("Lessons")));
  for (const Lesson& lesson : lessons) {
    lesson_cards_.push_back(
        add(lesson.title, lesson.about, "startGuide", [begin, path = lesson.path] { begin(path); }));
    if (!print) continue;
    auto* button = new QPushButton(tr("Print handout…"));
    button->setFlat(true);
    button->setAccessibleName(tr("Print handout of “%1”").arg(lesson.title));
    button->setToolTip(tr("Printable lesson with its steps, lines to fill in, and the answers, as PDF or HTML"));
    connect(button, &QPushButton::clicked, this, [print, path = lesson.path] { print(path); });
    cards_->addWidget(button, 0, Qt::AlignRight);
    print_buttons_.push_back(button);
  }
}

}  // namespace kvantage
