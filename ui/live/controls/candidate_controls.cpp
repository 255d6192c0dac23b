#include "ui/live/controls/candidate_controls.h"

#include <QCompleter>
#include <QGridLayout>
#include <QLocale>
#include <algorithm>

#include "ui/text/core_text.h"
#include "ui/text/words.h"

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

CandidateControls::CandidateControls(MethodOffer offer, QWidget* parent)
    : QWidget(parent),
      offer_(std::move(offer)),
      method_grid_(new FittingGrid(2, 8)),
      fraction_grid_(new FittingGrid(3, 8)),
      method_adder_(new QComboBox),
      fraction_adder_(new QLineEdit),
      problem_(new QLabel) {
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setColumnStretch(1, 1);
  grid->addWidget(new QLabel(tr("Methods")), 0, 0, Qt::AlignTop);
  grid->addWidget(method_grid_, 0, 1);
  grid->addWidget(method_adder_, 1, 1);
  grid->addWidget(new QLabel(tr("Removed")), 2, 0, Qt::AlignTop);
  grid->addWidget(fraction_grid_, 2, 1);
  grid->addWidget(fraction_adder_, 3, 1);
  grid->addWidget(problem_, 4, 0, 1, 2);
  build_adders();
}

void CandidateControls::build_adders() {
  method_adder_->setEditable(true);
  method_adder_->setInsertPolicy(QComboBox::NoInsert);
  method_adder_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  method_adder_->setMinimumContentsLength(8);
  method_adder_->setAccessibleName(tr("Add a method"));
  method_adder_->setToolTip(
      tr("A method for the policy to choose, alone or combined:\nsnapkv, kivi4, adakv(snapkv)+kivi4. Its quality is "
         "measured first. Enter adds it."));
  for (const MethodOffer::Known& method : offer_.known) {
    method_adder_->addItem(method.text);
    method_adder_->setItemData(method_adder_->count() - 1, method.summary, Qt::ToolTipRole);
  }
  method_adder_->setCurrentIndex(-1);
  method_adder_->lineEdit()->setPlaceholderText(tr("Add a method"));
  method_adder_->completer()->setCompletionMode(QCompleter::PopupCompletion);
  method_adder_->completer()->setFilterMode(Qt::MatchContains);
  method_adder_->setVisible(static_cast<bool>(offer_.read));
  connect(method_adder_->lineEdit(), &QLineEdit::returnPressed, this,
          [this] { add_method(method_adder_->currentText()); });
  connect(method_adder_, &QComboBox::textActivated, this, &CandidateControls::add_method);
  fraction_adder_->setPlaceholderText(tr("Add a fraction, e.g. 30 %"));
  fraction_adder_->setAccessibleName(tr("Add a removed fraction"));
  fraction_adder_->setToolTip(tr("A share of a context's KV entries that the policy may remove. Enter adds it."));
  connect(fraction_adder_, &QLineEdit::returnPressed, this, &CandidateControls::add_fraction);
  problem_->setWordWrap(true);
  problem_->setTextFormat(Qt::PlainText);
  problem_->hide();
  for (QLineEdit* field : {method_adder_->lineEdit(), fraction_adder_})
    connect(field, &QLineEdit::textEdited, problem_, &QWidget::hide);
}

void CandidateControls::offer_method(const QString& text, const QString& summary) {
  if (method_adder_->findText(text) < 0) {
    method_adder_->insertItem(0, text);
    method_adder_->setCurrentIndex(-1);
    method_adder_->clearEditText();
  }
  method_adder_->setItemData(method_adder_->findText(text), summary, Qt::ToolTipRole);
}

void CandidateControls::say(const QString& problem) {
  problem_->setText(problem);
  problem_->setVisible(!problem.isEmpty());
}

void CandidateControls::add_method(const QString& text) {
  if (text.trimmed().isEmpty() || !offer_.read) return;
  const auto method = offer_.read(text.trimmed());
  if (!method) return say(core_text(method.error().message));
  say({});
  method_adder_->setCurrentIndex(-1);
  method_adder_->clearEditText();
  emit methodAdded(*method);
}

void CandidateControls::add_fraction() {
  QString text = fraction_adder_->text().trimmed();
  const bool percent = text.endsWith('%');
  if (percent) text.chop(1);
  bool is_number = false;
  double fraction = QLocale().toDouble(text.trimmed(), &is_number);
  if (percent || fraction >= 1) fraction /= 100;
  if (!is_number || fraction <= 0 || fraction >= 1)
    return say(tr("A removed fraction is more than 0 % and less than 100 %, e.g. 30 %."));
  say({});
  fraction_adder_->clear();
  emit fractionAdded(fraction);
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
