#include "ui/ask/ask_column_view.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QScrollArea>
#include <QTextCharFormat>
#include <QTextCursor>
#include <QTextDocument>
#include <QVBoxLayout>
#include <cmath>

#include "ui/text/core_text.h"
#include "ui/text/words.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/stacking_row.h"

namespace kvantage {
namespace {

constexpr int most_removed = 99;  // percent

/// Is never so narrow that nothing is seen of its suffix, which Qt leaves out of a spin box's least width.
class ShareBox : public QSpinBox {
 public:
  QSize minimumSizeHint() const override {
    constexpr int least_letters = 6;  // of the suffix
    const QSize number = QSpinBox::minimumSizeHint();
    return {number.width() + fontMetrics().horizontalAdvance(suffix().left(least_letters)), number.height()};
  }
};

QString stage_text(AskStage stage) {
  switch (stage) {
    case AskStage::waiting:
      return AskColumnView::tr("waiting");
    case AskStage::preparing:
      return AskColumnView::tr("compressing");
    case AskStage::loading:
      return AskColumnView::tr("loading");
    case AskStage::prefill:
      return AskColumnView::tr("reading the question");
    case AskStage::decoding:
      return AskColumnView::tr("answering");
    case AskStage::done:
      break;
  }
  return {};
}

/// Mean share of layers and KV heads that keep the span.
double kept_share(const AskAnswer& answer, const AskSpan& span) {
  const std::vector<float>& kept = *answer.kept;
  if (kept.size() < span.end || span.end <= span.begin) return 1;
  double sum = 0;
  for (std::size_t token = span.begin; token < span.end; ++token) sum += static_cast<double>(kept[token]);
  return sum / static_cast<double>(span.end - span.begin);
}

/// Where the text's cache came from, and what of the TTFT that took.
QString source_text(const AskAnswer& answer) {
  const QString seconds = seconds_text(answer.text_seconds);
  if (!answer.column.tier.empty() && answer.bytes_read > 0) return AskColumnView::tr("of it loading %1").arg(seconds);
  switch (answer.reused) {
    case AskReuse::form:
      return answer.text_seconds > 0
                 ? AskColumnView::tr("of it encoding the cache %1; the rest reused from an earlier question")
                       .arg(seconds)
                 : AskColumnView::tr("no prefill of the text: cache reused from an earlier question");
    case AskReuse::text:
      return AskColumnView::tr("of it compressing the text %1; its prefill reused from an earlier question")
          .arg(seconds);
    case AskReuse::nothing:
      break;
  }
  return AskColumnView::tr("of it prefill of the text %1").arg(seconds);
}

}  // namespace

AskColumnView::AskColumnView(AskModel& model, std::size_t column, QWidget* parent)
    : QWidget(parent),
      model_(model),
      column_(column),
      method_(new QComboBox),
      tier_(new QComboBox),
      removed_(new ShareBox),
      remove_(new QToolButton),
      costs_(plain_label()),
      answer_(new QTextBrowser) {
  const QString number = QString::number(column + 1);
  method_->setEditable(true);
  method_->setInsertPolicy(QComboBox::NoInsert);
  method_->setMinimumContentsLength(8);
  method_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  method_->setAccessibleName(tr("Method of column %1").arg(number));
  method_->setToolTip(
      tr("Compression method; none is the full KV cache. You can type a composed one, such as adakv(snapkv)+kivi4."));
  removed_->setRange(0, most_removed);
  removed_->setSuffix(tr(" % removed"));
  removed_->setAccessibleName(tr("Removed share of column %1").arg(number));
  removed_->setToolTip(tr("Removed share of the text's KV entries, in percent"));
  tier_->setMinimumContentsLength(8);
  tier_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  tier_->setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Fixed);  // the least width grows with the letters
  tier_->setAccessibleName(tr("Source of column %1").arg(number));
  tier_->setToolTip(
      tr("Where the cache comes from when the question is asked: a tier it is read from, or prefill of the text"));
  remove_->setText(QStringLiteral("×"));
  remove_->setAutoRaise(true);
  remove_->setFocusPolicy(Qt::TabFocus);
  remove_->setAccessibleName(tr("Remove column %1").arg(number));
  remove_->setToolTip(tr("Remove this column"));
  costs_->setWordWrap(true);
  costs_->setProperty("muted", true);
  costs_->setToolTip(
      tr("TTFT: from the question to the first token, loading or prefill of the text included. A cache that an earlier "
         "question computed is reused without them. Inter-token latency: mean time between tokens. Both are of this "
         "column alone."));
  answer_->setOpenLinks(false);
  answer_->setAccessibleName(tr("Answer of column %1").arg(number));
  answer_->setToolTip(tr("Greedy answer. Bold: from where it parts from the answer of the first column."));

  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(4, 4, 4, 4);
  layout->setSpacing(4);
  auto* first = new QHBoxLayout;
  first->addWidget(method_, 1);
  first->addWidget(remove_);
  layout->addLayout(first);
  auto* second = new StackingRow(6);  // for large text
  second->add(removed_, 1);
  second->add(tier_, 1);
  layout->addWidget(second);
  layout->addWidget(make_answer(), 1);

  connect(method_, &QComboBox::activated, this, &AskColumnView::take);
  connect(method_->lineEdit(), &QLineEdit::editingFinished, this, &AskColumnView::take);
  connect(removed_, &QSpinBox::valueChanged, this, &AskColumnView::take);
  connect(tier_, &QComboBox::activated, this, &AskColumnView::take);
  connect(remove_, &QToolButton::clicked, this, [this] { model_.remove_column(column_); });
  fill();
}

// In a narrow column or in large text the costs are long: they are whole, and scroll with some lines of the answer.
QWidget* AskColumnView::make_answer() {
  answer_->setSizeAdjustPolicy(QAbstractScrollArea::AdjustToContents);  // asks for a few lines, not for a page
  auto* body = new QWidget;
  auto* layout = new QVBoxLayout(body);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  layout->addWidget(costs_);
  layout->addWidget(answer_, 1);
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setFocusPolicy(Qt::NoFocus);
  scroll->setWidgetResizable(true);
  scroll->setWidget(body);
  for (QWidget* ground : {scroll->viewport(), body}) ground->setAutoFillBackground(false);  // that of the page
  return scroll;
}

void AskColumnView::fill() {
  if (column_ >= model_.columns().size()) return;
  filling_ = true;
  const AskColumn& column = model_.columns()[column_];
  const auto items_of = [](const QComboBox& box) {
    QStringList texts;
    for (int i = 0; i < box.count(); ++i) texts << box.itemText(i);
    return texts;
  };
  if (!method_->hasFocus()) {  // else a hand may be typing a method
    if (const QStringList methods = model_.methods(); items_of(*method_) != methods) {
      method_->clear();
      method_->addItems(methods);
    }
    method_->setEditText(to_q(column.method));
  }
  const int removed = static_cast<int>(std::lround(100 * column.removed_fraction));
  if (removed_->value() != removed) removed_->setValue(removed);  // a number that is half typed stays, too
  removed_->setEnabled(column.method != "none");
  QStringList tiers{tr("prefill")};
  for (const QString& tier : model_.tiers()) tiers << tr("from %1").arg(tier);
  if (items_of(*tier_) != tiers) {
    tier_->clear();
    tier_->addItem(tiers.front(), QString());
    for (const QString& tier : model_.tiers()) tier_->addItem(tr("from %1").arg(tier), tier);
  }
  tier_->setCurrentIndex(std::max(0, tier_->findData(to_q(column.tier))));
  remove_->setEnabled(model_.columns().size() > 1);
  filling_ = false;
}

void AskColumnView::take() {
  if (filling_ || column_ >= model_.columns().size()) return;
  AskColumn chosen{from_q(method_->currentText().trimmed()), removed_->value() / 100.0,
                   from_q(tier_->currentData().toString())};
  if (chosen.method.empty()) chosen.method = "none";
  if (chosen.method == "none") chosen.removed_fraction = 0;
  removed_->setEnabled(chosen.method != "none");
  model_.set_column(column_, chosen);
}

void AskColumnView::show_answer(const AskAnswer* answer, const AskResult* result, const Theme& theme) {
  if (answer == nullptr) {
    costs_->clear();
    answer_->clear();
    written_ = {};
    return;
  }
  costs_->setText(costs_of(*answer, result));
  write_answer(*answer, result, theme);
}

QString AskColumnView::costs_of(const AskAnswer& answer, const AskResult* result) const {
  QStringList facts;
  if (const QString stage = stage_text(answer.stage); !stage.isEmpty()) facts << stage;
  if (answer.ttft_seconds > 0) facts << tr("TTFT %1").arg(seconds_text(answer.ttft_seconds)) << source_text(answer);
  if (const double gap = AskModel::inter_token_seconds(answer); gap >= 0)
    facts << tr("inter-token latency %1").arg(seconds_text(gap));
  if (answer.bytes > 0)
    facts << (answer.bytes_read > 0
                  ? tr("%1, %2 read from %3")
                        .arg(bytes_text(static_cast<double>(answer.bytes)),
                             bytes_text(static_cast<double>(answer.bytes_read)), to_q(answer.column.tier))
                  : bytes_text(static_cast<double>(answer.bytes)));
  if (result != nullptr && result->attention->densest)
    facts << tr("keeps %1 of what the answer attends to")
                 .arg(percent_text(kept_share(answer, *result->attention->densest)));
  if (answer.stage == AskStage::done && answer.parts_at)
    facts << tr("parts from the first answer at token %1").arg(*answer.parts_at + 1);
  else if (answer.stage == AskStage::done && column_ > 0)
    facts << tr("same answer as the first");
  if (!answer.note.empty()) facts << core_text(answer.note);
  return facts.join(QStringLiteral(" · "));
}

// Tokens from where the answer parts are bold and in another color.
void AskColumnView::write_answer(const AskAnswer& answer, const AskResult* result, const Theme& theme) {
  const std::uint64_t ticket = result != nullptr ? result->ticket : 0, begun = result != nullptr ? result->begun : 0;
  const bool finished = answer.stage == AskStage::done;
  if (written_.ticket != ticket || written_.begun != begun || written_.parting != theme.error ||
      written_.tokens > answer.tokens.size() || (written_.finished && written_.tokens != answer.tokens.size())) {
    answer_->clear();
    written_ = {.ticket = ticket, .begun = begun, .parting = theme.error};
  }
  if (written_.finished || (written_.tokens == answer.tokens.size() && !finished)) return;
  QTextCharFormat parting, remark;
  parting.setFontWeight(QFont::Bold);
  parting.setForeground(theme.error);
  remark.setFontItalic(true);
  QTextCursor cursor(answer_->document());
  cursor.beginEditBlock();
  if (written_.tokens > 0) {  // its text may have grown
    cursor.setPosition(written_.last_token);
    cursor.movePosition(QTextCursor::End, QTextCursor::KeepAnchor);
    cursor.removeSelectedText();
    --written_.tokens;
  }
  for (; written_.tokens < answer.tokens.size(); ++written_.tokens) {
    const bool parts = answer.parts_at && written_.tokens >= *answer.parts_at;
    written_.last_token = cursor.position();
    cursor.insertText(to_q(answer.tokens[written_.tokens].text).replace(QLatin1Char('\n'), QChar(QChar::LineSeparator)),
                      parts ? parting : QTextCharFormat());
  }
  if (finished && answer_->toPlainText().trimmed().isEmpty())
    cursor.insertText(tr("empty"), remark);
  else if (finished && !answer.ended)
    cursor.insertText(QStringLiteral(" ") + tr("… cut at the maximum answer length"), remark);
  cursor.endEditBlock();
  written_.finished = finished;
}

}  // namespace kvantage
