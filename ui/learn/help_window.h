// The documentation in the program, without a network: guide, glossary, references and a list of all shortcuts.
#pragma once

#include <QDialog>
#include <QLineEdit>
#include <QListWidget>
#include <QTextBrowser>
#include <QUrl>

#include <vector>

namespace kvantage {

/// A page of the documentation: Markdown whose pictures are at most as wide as the view, and whose links to headings
/// work.
class HelpBrowser : public QTextBrowser {
  Q_OBJECT
 public:
  explicit HelpBrowser(QWidget* parent = nullptr);
  /// Read when it is first shown: parsing a long page takes a while, and most windows never show it.
  void set_first_source(const QUrl& page) { first_ = page; }
  /// Scrolls to the heading that a link names ("prefix-hit"); false: there is none.
  bool scroll_to_heading(const QString& anchor);

 protected:
  QVariant loadResource(int type, const QUrl& name) override;
  void doSetSource(const QUrl& name, QTextDocument::ResourceType type) override;
  void showEvent(QShowEvent* event) override;

 private:
  QUrl first_;  // empty: read, or none
};

struct HelpPage {
  QString title, file;  // a name in the folder of the documentation; empty: the list of shortcuts
};

class HelpWindow : public QDialog {
  Q_OBJECT
 public:
  /// folder: holds guide.md and the others; what is missing there is left out. The shortcuts are those of actions of
  /// `window`.
  HelpWindow(const QString& folder, QWidget* window);
  /// "guide.md", "concepts.md"; empty: shortcuts. False: there is no such page.
  bool show_page(const QString& file);
  const HelpBrowser& browser() const { return *browser_; }
  const std::vector<HelpPage>& pages() const { return pages_; }

 private:
  void show_row(int row);
  void find(bool backward);
  static QString search_tip();
  QString shortcuts_html() const;

  QString folder_;
  QWidget* window_;
  std::vector<HelpPage> pages_;
  QListWidget* list_;
  HelpBrowser* browser_;
  QLineEdit* search_;
};

}  // namespace kvantage
