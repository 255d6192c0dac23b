// What this program is: version and commit, its license, and the licenses of everything that ships with it or is linked
// to it.
#pragma once

#include <QDialog>
#include <QString>
#include <functional>
#include <vector>

namespace kvantage {

/// Told by whoever makes the window; an empty version: not known.
struct ProgramFacts {
  QString version, commit;
  bool changed = false;  // built with changes that the commit does not hold
  QString hardware;
  std::function<QString()> device = {};  // what there is of a GPU, or why nothing; asked when the dialog opens
};

/// Something that is not of this program's own text, and under which terms.
struct Component {
  QString name, license, how;  // how: "linked", "compiled in", "fetched at the first start", "shipped"
};
const std::vector<Component>& components();

class AboutDialog : public QDialog {
  Q_OBJECT
 public:
  AboutDialog(const ProgramFacts& facts, QWidget* parent);
  /// Lines for a bug report; hardware and device in English.
  QString facts_text() const { return facts_; }

 private:
  QString facts_;
};

}  // namespace kvantage
