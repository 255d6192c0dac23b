// What the policy may choose from: a box for each method and each removed fraction that the settings name or a profile
// knows, and fields that add others.
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QWidget>
#include <map>
#include <string>
#include <vector>

#include "core/ports/session.h"
#include "ui/widgets/fitting_grid.h"
#include "ui/window/method_offer.h"

namespace kvantage {

class CandidateControls : public QWidget {
  Q_OBJECT
 public:
  explicit CandidateControls(MethodOffer offer, QWidget* parent = nullptr);
  /// Checks the candidates of `settings`; offers also what profiles know. Boxes of anything else go, as they would
  /// offer what this session never profiled, but for those that the user cleared, who may want them back.
  void show_candidates(const SessionSettings& settings, const std::vector<std::string>& profiled_methods,
                       const std::vector<double>& profiled_fractions);
  /// One more that may be added, first in the list; of one that is there the summary is replaced.
  void offer_method(const QString& text, const QString& summary);
  /// `settings` with the candidates that are checked: in the order of before, new methods last, fractions by size.
  SessionSettings chosen(SessionSettings settings) const;

 signals:
  void clicked();
  void methodAdded(const QString& canonical_text);
  void fractionAdded(double fraction);

 private:
  template <class Item>
  struct Boxes {
    std::map<Item, QCheckBox*> by_item;
    std::vector<QWidget*> in_order;  // as they became known
  };
  template <class Item, class Make>
  bool offer(Boxes<Item>& boxes, const std::vector<Item>& items, Make make);
  template <class Item>
  static bool forget(Boxes<Item>& boxes, const std::vector<Item>& wanted);

  void build_adders();
  void add_method(const QString& text);
  void add_fraction();
  void say(const QString& problem);

  MethodOffer offer_;
  FittingGrid *method_grid_, *fraction_grid_;
  QComboBox* method_adder_;
  QLineEdit* fraction_adder_;
  QLabel* problem_;
  Boxes<std::string> methods_;
  Boxes<double> fractions_;
};

}  // namespace kvantage
