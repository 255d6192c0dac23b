#include "ui/docks/candidate_controls.h"

#include <QGridLayout>
#include <QLabel>
#include <algorithm>

#include "ui/models/words.h"

namespace kvantage {
namespace {

constexpr const char* cleared_property = "kvantage.cleared";  // by the user

template <class Item>
std::vector<Item> both(std::vector<Item> items, const std::vector<Item>& more) {
  items.insert(items.end(), more.begin(), more.end());
  return items;
}

template <class Item>
bool contains(const std::vector<Item>& items, const Item& item) {
  return std::ranges::find(items, item) != items.end();
}

/// `items` without those whose box is not checked, and with those whose box is.
template <class Item>
void take_checked(std::vector<Item>& items, const std::map<Item, QCheckBox*>& boxes) {
  std::erase_if(items, [&](const Item& item) { return boxes.contains(item) && !boxes.at(item)->isChecked(); });
  for (const auto& [item, box] : boxes)
    if (box->isChecked() && !contains(items, item)) items.push_back(item);
}

}  // namespace

CandidateControls::CandidateControls(QWidget* parent)
    : QWidget(parent), method_grid_(new FittingGrid(2, 8)), fraction_grid_(new FittingGrid(3, 8)) {
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setColumnStretch(1, 1);
  grid->addWidget(new QLabel(tr("Methods")), 0, 0, Qt::AlignTop);
  grid->addWidget(method_grid_, 0, 1);
  grid->addWidget(new QLabel(tr("Removed")), 1, 0, Qt::AlignTop);
  grid->addWidget(fraction_grid_, 1, 1);
}

void CandidateControls::show_candidates(const SessionSettings& settings,
                                        const std::vector<std::string>& profiled_methods,
                                        const std::vector<double>& profiled_fractions) {
  const bool methods_changed =
      offer(methods_, both(settings.methods, profiled_methods), [this](const std::string& method) {
        auto* box = new QCheckBox(to_q(method));
        box->setAccessibleName(tr("Method %1").arg(to_q(method)));
        box->setToolTip(method == "none" ? tr("Uncompressed; always a candidate")
                                         : tr("The policy may compress with %1").arg(to_q(method)));
        box->setEnabled(method != "none");
        return box;
      });
  if (methods_changed) method_grid_->set_parts(methods_.in_order);
  const bool fractions_changed =
      offer(fractions_, both(settings.removed_fractions, profiled_fractions), [this](double fraction) {
        auto* box = new QCheckBox(percent_text(fraction));
        box->setAccessibleName(tr("Removed fraction %1").arg(percent_text(fraction)));
        box->setToolTip(tr("The policy may remove %1 of a context's KV entries").arg(percent_text(fraction)));
        return box;
      });
  if (fractions_changed) {
    std::vector<QWidget*> by_size;
    for (const auto& [fraction, box] : fractions_.by_item) by_size.push_back(box);
    fraction_grid_->set_parts(std::move(by_size));
  }
  for (const auto& [method, box] : methods_.by_item)
    box->setChecked(method == "none" || contains(settings.methods, method));
  for (const auto& [fraction, box] : fractions_.by_item)
    box->setChecked(contains(settings.removed_fractions, fraction));
}

SessionSettings CandidateControls::chosen(SessionSettings settings) const {
  take_checked(settings.methods, methods_.by_item);
  take_checked(settings.removed_fractions, fractions_.by_item);
  std::ranges::sort(settings.removed_fractions);
  return settings;
}

/// Returns whether any box came or went.
template <class Item, class Make>
bool CandidateControls::offer(Boxes<Item>& boxes, const std::vector<Item>& items, Make make) {
  bool changed = forget(boxes, items);
  for (const Item& item : items) {
    if (boxes.by_item.contains(item)) continue;
    changed = true;
    QCheckBox* box = boxes.by_item[item] = make(item);
    boxes.in_order.push_back(box);
    connect(box, &QCheckBox::clicked, this, [this, box](bool checked) {
      box->setProperty(cleared_property, !checked);
      emit clicked();
    });
  }
  return changed;
}

template <class Item>
bool CandidateControls::forget(Boxes<Item>& boxes, const std::vector<Item>& wanted) {
  return std::erase_if(boxes.by_item, [&](const auto& known) {
           const auto& [item, box] = known;
           if (contains(wanted, item) || box->property(cleared_property).toBool()) return false;
           std::erase(boxes.in_order, static_cast<QWidget*>(box));
           box->hide();
           box->deleteLater();
           return true;
         }) > 0;
}

}  // namespace kvantage
