#include "ui/learn/help_window.h"

#include <QAction>
#include <QDesktopServices>
#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollBar>
#include <QShortcut>
#include <QSplitter>
#include <QTextBlock>
#include <QVBoxLayout>
#include <algorithm>
#include <map>

namespace kvantage {
namespace {

/// As documents are linked: "Prefix hit" is "prefix-hit".
QString anchor_of(const QString& heading) {
  QString anchor;
  for (const QChar c : heading.toLower())
    if (c.isLetterOrNumber() || c == '-' || c == '_')
      anchor += c;
    else if (c == ' ')
      anchor += '-';
  return anchor;
}

QString plain_text(const QString& action) {
  QString text = action;
  text.remove(QRegularExpression(QStringLiteral("&(?!&)")));
  if (text.endsWith(QStringLiteral("…"))) text.chop(1);
  return text;
}

}  // namespace

HelpBrowser::HelpBrowser(QWidget* parent) : QTextBrowser(parent) {
  setOpenLinks(false);
  connect(this, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) {
    if (!link.isLocalFile() && !link.scheme().isEmpty()) {
      QDesktopServices::openUrl(link);
      return;
    }
    const QUrl whole = source().resolved(link);
    if (whole.adjusted(QUrl::RemoveFragment) == source().adjusted(QUrl::RemoveFragment)) {
      scroll_to_heading(link.fragment());
    } else if (QFileInfo(whole.toLocalFile()).suffix() == QLatin1String("md")) {
      setSource(whole);
    } else {
      QDesktopServices::openUrl(whole);
    }
  });
}

void HelpBrowser::showEvent(QShowEvent* event) {
  if (!first_.isEmpty()) setSource(QUrl(first_));
  QTextBrowser::showEvent(event);
}

void HelpBrowser::doSetSource(const QUrl& name, QTextDocument::ResourceType type) {
  first_.clear();
  QTextBrowser::doSetSource(name.adjusted(QUrl::RemoveFragment), type);
  if (name.hasFragment()) scroll_to_heading(name.fragment());
}

bool HelpBrowser::scroll_to_heading(const QString& anchor) {
  for (QTextBlock block = document()->begin(); block.isValid(); block = block.next()) {
    if (block.blockFormat().headingLevel() == 0 || anchor_of(block.text()) != anchor) continue;
    QTextCursor cursor(block);
    setTextCursor(cursor);
    verticalScrollBar()->setValue(verticalScrollBar()->value() + cursorRect(cursor).top());
    return true;
  }
  return false;
}

QVariant HelpBrowser::loadResource(int type, const QUrl& name) {
  const QVariant loaded = QTextBrowser::loadResource(type, name);
  if (type != QTextDocument::ImageResource) return loaded;
  QImage image = loaded.value<QImage>();
  if (image.isNull()) image.load(source().resolved(name).toLocalFile());
  const int width = viewport()->width() - 24;
  return image.width() > width && width > 0 ? QVariant(image.scaledToWidth(width, Qt::SmoothTransformation))
                                            : QVariant(image);
}

HelpWindow::HelpWindow(const QString& folder, QWidget* window)
    : QDialog(window),
      folder_(folder),
      window_(window),
      list_(new QListWidget),
      browser_(new HelpBrowser),
      search_(new QLineEdit) {
  // Pages are longer than the window. A bar that appears late leaves the page laid out for the width without it.
  browser_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
  browser_->setAccessibleName(tr("Help page"));
  browser_->setToolTip(tr("Text of the page; Tab moves between its links, Enter follows one"));
  setObjectName(QStringLiteral("helpWindow"));
  setWindowTitle(tr("KVantage help"));
  resize(980, 680);
  for (const HelpPage& page :
       {HelpPage{tr("Guide"), QStringLiteral("guide.md")}, HelpPage{tr("Glossary"), QStringLiteral("concepts.md")},
        HelpPage{tr("Your own texts and data"), QStringLiteral("own-text-and-import.md")},
        HelpPage{tr("Models"), QStringLiteral("models.md")}, HelpPage{tr("Policies"), QStringLiteral("policies.md")},
        HelpPage{tr("Methods"), QStringLiteral("methods.md")}, HelpPage{tr("Codecs"), QStringLiteral("codecs.md")},
        HelpPage{tr("Metrics"), QStringLiteral("metrics.md")}, HelpPage{tr("Quality"), QStringLiteral("quality.md")},
        HelpPage{tr("Faults"), QStringLiteral("faults.md")}, HelpPage{tr("Command line"), QStringLiteral("cli.md")},
        HelpPage{tr("All pages"), QStringLiteral("index.md")}})
    if (QFileInfo::exists(QDir(folder_).filePath(page.file))) pages_.push_back(page);
  pages_.push_back({tr("Keyboard shortcuts"), {}});

  auto* column = new QVBoxLayout(this);
  auto* bar = new QHBoxLayout;
  auto* back = new QPushButton(tr("Back"));
  back->setToolTip(tr("Back (Alt+Left)"));
  back->setAutoDefault(false);
  back->setEnabled(false);
  connect(browser_, &QTextBrowser::backwardAvailable, back, &QPushButton::setEnabled);
  connect(back, &QPushButton::clicked, browser_, &QTextBrowser::backward);
  search_->setPlaceholderText(tr("Find in this page"));
  search_->setAccessibleName(tr("Find in this page"));
  search_->setToolTip(search_tip());
  search_->setClearButtonEnabled(true);
  connect(search_, &QLineEdit::returnPressed, this, [this] { find(false); });
  connect(new QShortcut(QKeySequence::Find, this), &QShortcut::activated, search_, [this] {
    search_->setFocus();
    search_->selectAll();
  });
  connect(new QShortcut(QKeySequence(QStringLiteral("Shift+Return")), search_), &QShortcut::activated, this,
          [this] { find(true); });
  bar->addWidget(back);
  bar->addStretch(1);
  bar->addWidget(search_, 1);
  column->addLayout(bar);
  auto* split = new QSplitter;
  list_->setAccessibleName(tr("Pages"));
  list_->setToolTip(tr("Pages of the help; arrow keys show them"));
  for (const HelpPage& page : pages_) list_->addItem(page.title);
  split->addWidget(list_);
  split->addWidget(browser_);
  split->setStretchFactor(1, 1);
  split->setSizes({200, 760});
  column->addWidget(split, 1);
  connect(list_, &QListWidget::currentRowChanged, this, &HelpWindow::show_row);
  list_->setCurrentRow(0);
}

bool HelpWindow::show_page(const QString& file) {
  const auto found = std::ranges::find(pages_, file, &HelpPage::file);
  if (found == pages_.end()) return false;
  const int row = static_cast<int>(found - pages_.begin());
  if (list_->currentRow() == row)
    show_row(row);
  else
    list_->setCurrentRow(row);
  return true;
}

void HelpWindow::show_row(int row) {
  if (row < 0) return;
  const HelpPage& page = pages_[static_cast<std::size_t>(row)];
  if (page.file.isEmpty())
    browser_->setHtml(shortcuts_html());
  else
    browser_->setSource(QUrl::fromLocalFile(QDir(folder_).filePath(page.file)));
}

void HelpWindow::find(bool backward) {
  const QTextDocument::FindFlags flags = backward ? QTextDocument::FindBackward : QTextDocument::FindFlags();
  bool found = browser_->find(search_->text(), flags);
  if (!found) {
    browser_->moveCursor(backward ? QTextCursor::End : QTextCursor::Start);  // once around
    found = browser_->find(search_->text(), flags);
  }
  search_->setToolTip(found || search_->text().isEmpty() ? search_tip() : tr("Not found in this page"));
}

QString HelpWindow::search_tip() { return tr("Enter finds the next place, Shift+Enter the one before"); }

QString HelpWindow::shortcuts_html() const {
  std::map<QString, QString> rows;  // by what they do
  for (const QAction* action : window_->findChildren<QAction*>())
    if (!action->shortcut().isEmpty() && !action->text().isEmpty())
      rows.emplace(plain_text(action->text()), action->shortcut().toString(QKeySequence::NativeText));
  QString html = QStringLiteral("<h2>%1</h2><table cellpadding='4'>").arg(tr("Keyboard shortcuts").toHtmlEscaped());
  for (const auto& [what, key] : rows)
    html += QStringLiteral("<tr><td><b>%1</b>&nbsp;&nbsp;</td><td>%2</td></tr>")
                .arg(key.toHtmlEscaped(), what.toHtmlEscaped());
  return html + QStringLiteral("</table>");
}

}  // namespace kvantage
