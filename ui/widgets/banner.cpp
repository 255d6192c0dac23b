#include "ui/widgets/banner.h"

#include <QHBoxLayout>
#include <QStyle>
#include <algorithm>

#include "core/base/shown_text.h"
#include "ui/widgets/plain_label.h"

namespace kvantage {
namespace {
int rank(const QString& level) { return level == "error" ? 2 : level == "warning" ? 1 : 0; }

/// Names and paths in a message may be as long as a file says.
QString at_most(const QString& text, int characters) {
  if (text.size() <= characters) return text;
  return QString::fromStdString(message_line(text.toStdString(), static_cast<std::size_t>(characters)));
}

QString general_tip() { return Banner::tr("Message from KVantage; the text can be selected and copied"); }
}  // namespace

Banner::Banner(QWidget* parent)
    : QFrame(parent), label_(plain_label()), button_(new QToolButton), close_(new QToolButton(this)) {
  setObjectName("banner");
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(10, 5, 5, 5);
  label_->setWordWrap(true);
  label_->setAccessibleName(tr("Message"));
  label_->setToolTip(general_tip());
  label_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  row->addWidget(label_, 1);
  button_->setObjectName(QStringLiteral("bannerAction"));
  button_->setProperty("framed", true);
  button_->setFocusPolicy(Qt::NoFocus);
  button_->hide();
  row->addWidget(button_, 0, Qt::AlignTop);
  connect(button_, &QToolButton::clicked, this, [this] {
    const auto act = present_.action.run;
    dismiss();
    if (act) act();
  });
  close_->setText(QStringLiteral("✕"));
  close_->setAccessibleName(tr("Dismiss message"));
  row->addWidget(close_, 0, Qt::AlignTop);
  connect(close_, &QToolButton::clicked, this, &Banner::dismiss);
  going_.setSingleShot(true);
  connect(&going_, &QTimer::timeout, this, [this] { underMouse() ? going_.start(info_ms) : dismiss(); });
  show_waiting();
  hide();
}

void Banner::offer(const QString& level, const QString& text, const BannerAction& action) {
  const Message message{level, text, action};
  if (!isHidden()) {
    if (message == present_) return action.label.isEmpty() ? void() : put(message);
    if (rank(level) < rank(present_.level)) return wait_for_turn(message);
    if (rank(level) > rank(present_.level)) wait_for_turn(present_);
  }
  put(message);
}

void Banner::put(const Message& message) {
  present_ = message;
  const QString shown = at_most(message.text, max_characters);
  const bool is_cut = shown != message.text;
  label_->setText(shown);
  label_->setToolTip(!message.action.details.isEmpty() ? message.action.details
                     : is_cut                          ? at_most(message.text, max_tip_characters)
                                                       : general_tip());
  label_->setAccessibleName(message.level + ": " + shown);
  setAccessibleName(message.level + ": " + shown);
  button_->setText(message.action.label);
  button_->setToolTip(message.action.tip);
  const bool acts = !message.action.label.isEmpty();
  button_->setFocusPolicy(acts ? Qt::TabFocus : Qt::NoFocus);  // the keyboard meets nothing without a name
  button_->setVisible(acts);
  setProperty("level", message.level);
  style()->unpolish(this);
  style()->polish(this);
  show_waiting();
  show();
  if (message.level == "info")
    going_.start(message.action.label.isEmpty() ? info_ms : offer_ms);
  else
    going_.stop();
}

void Banner::wait_for_turn(const Message& message) {
  if (waiting_.contains(message)) return;
  const auto later =
      std::ranges::find_if(waiting_, [&](const Message& other) { return rank(other.level) < rank(message.level); });
  waiting_.insert(later, message);
  if (waiting_.size() > max_waiting) waiting_.removeLast();
  show_waiting();
}

void Banner::dismiss() {
  going_.stop();
  if (waiting_.isEmpty()) return hide();
  put(waiting_.takeFirst());
}

void Banner::withdraw(const QString& text) {
  waiting_.removeIf([&](const Message& message) { return message.text == text; });
  show_waiting();
  if (!isHidden() && present_.text == text) dismiss();
}

void Banner::show_waiting() {
  close_->setText(waiting_.isEmpty() ? QStringLiteral("✕") : QStringLiteral("✕ +%1").arg(waiting_.size()));
  close_->setToolTip(waiting_.isEmpty() ? tr("Dismiss")
                                        : tr("Dismiss and show the next message (%n more)", nullptr,
                                             static_cast<int>(waiting_.size())));
}

}  // namespace kvantage
