#include "ui/ask/ask_page.h"

#include <QCompleter>
#include <QFileDialog>
#include <QFocusEvent>
#include <QHBoxLayout>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/text/core_text.h"
#include "ui/text/words.h"
#include "ui/widgets/plain_label.h"

namespace kvantage {
namespace {

constexpr int of_attention = -1;       // of the choice what colors the text; else a column
constexpr float least_ground = 0.02F;  // none is struck out: attention removes nothing
constexpr float most_outside = 0.7F;   // of tokens beside the span that the answer attends to

}  // namespace

AskPage::AskPage(RunModel& run, Asker* asker, KeepQuestion keep, ReadingCheck::TextOf text_of, QWidget* parent)
    : QWidget(parent),
      model_(run, asker),
      keep_(std::move(keep)),
      text_of_(std::move(text_of)),
      theme_(theme_of(ThemeKind::light)),
      text_(new QComboBox),
      weights_(new QComboBox),
      question_(new QLineEdit),
      asked_before_(new QStringListModel(this)),
      ask_(new QPushButton(tr("Ask"))),
      stop_(new QPushButton(tr("Stop"))),
      add_(new QPushButton(tr("Add column"))),
      send_(new QPushButton(tr("Send to workload…"))),
      open_file_(new QPushButton(tr("Open file…"))),
      text_pages_(new QTabWidget),
      map_(new TokenMap),
      choices_(new LazyRefresh(*this, [this] { show_choices(); })),
      own_(new OwnTextEdit),
      answers_(new QSplitter(Qt::Horizontal)),
      legend_(new LegendStrip),
      status_(plain_label()) {
  setObjectName("askPage");
  setBackgroundRole(QPalette::Base);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(10, 8, 10, 6);
  column->setSpacing(6);
  column->addWidget(make_form());
  auto* sides = new QSplitter(Qt::Horizontal);
  sides->setHandleWidth(1);
  sides->setChildrenCollapsible(false);
  sides->addWidget(make_text());
  sides->addWidget(make_answers());
  sides->setStretchFactor(0, 2);
  sides->setStretchFactor(1, 3);
  sides->setSizes({460, 760});
  column->addWidget(sides, 1);
  column->addWidget(make_foot());
  connect_model();
  fill_texts();
  make_columns();
  show_request();
  show_work();
}

QWidget* AskPage::make_form() {
  auto* form = new QWidget;
  auto* row = new QHBoxLayout(form);
  row->setContentsMargins(0, 0, 0, 0);
  text_->setAccessibleName(tr("Text"));
  text_->setToolTip(tr("Text to ask about: a context of the workload, or your own"));
  text_->setMinimumContentsLength(14);
  text_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  open_file_->setToolTip(tr("Read your own text from a file. You can also paste it, or drop the file."));
  question_->setAccessibleName(tr("Question"));
  question_->setPlaceholderText(tr("Ask anything about this text"));
  question_->setToolTip(tr("Question to answer from every column; Enter asks it"));
  question_->setClearButtonEnabled(true);
  auto* completer = new QCompleter(asked_before_, this);
  completer->setCaseSensitivity(Qt::CaseInsensitive);
  completer->setFilterMode(Qt::MatchContains);
  question_->setCompleter(completer);
  question_->installEventFilter(this);
  ask_->setDefault(true);
  ask_->setToolTip(tr("Answer the question from every column (Enter)"));
  stop_->setToolTip(tr("Stop answering; what has been answered stays"));
  row->addWidget(text_, 2);
  row->addWidget(open_file_);
  row->addWidget(question_, 5);
  row->addWidget(ask_);
  row->addWidget(stop_);
  return form;
}

QWidget* AskPage::make_text() {
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  auto* text = new QWidget;
  auto* inside = new QVBoxLayout(text);
  inside->setContentsMargins(0, 4, 0, 0);
  weights_->setAccessibleName(tr("Colors of the text"));
  weights_->setToolTip(tr("What colors the text: the attention of the answer, or what a column keeps"));
  inside->addWidget(weights_);
  map_->setAccessibleName(tr("Text"));
  map_->setToolTip(tr("Hover over a token for its numbers; arrow, Home, End and Page keys move between tokens."));
  map_->set_hover_text([this](std::size_t token) { return hover_text(token); });
  inside->addWidget(map_, 1);
  inside->addWidget(legend_);
  install_chart_menu(*map_, {map_, tr("Attention"), [this] { return table(); }});
  own_->setAccessibleName(tr("Your own text"));
  own_->setToolTip(tr("The text that is asked about; paste it, or drop a text file"));
  text_pages_->setDocumentMode(true);
  text_pages_->addTab(text, tr("Text"));
  text_pages_->addTab(own_, tr("My text"));
  column->addWidget(text_pages_, 1);
  return page;
}

QWidget* AskPage::make_answers() {
  answers_->setHandleWidth(1);
  answers_->setChildrenCollapsible(false);
  install_chart_menu(*answers_, {answers_, tr("Answers"), [this] { return table(); }});
  return answers_;
}

QWidget* AskPage::make_foot() {
  auto* foot = new QWidget;
  auto* row = new QHBoxLayout(foot);
  row->setContentsMargins(0, 0, 0, 0);
  add_->setToolTip(tr("Add another way to keep the text, up to four"));
  send_->setToolTip(
      tr("Write the workload with this question, answered by the first column, into a new folder, to be opened"));
  send_->setVisible(static_cast<bool>(keep_));
  status_->setWordWrap(true);
  status_->setAccessibleName(tr("State of the question"));
  row->addWidget(status_, 1);
  row->addWidget(add_);
  row->addWidget(send_);
  return foot;
}

void AskPage::connect_model() {
  connect(text_, &QComboBox::activated, this, [this](int index) {
    const QString context = text_->itemData(index).toString();
    text_pages_->setCurrentIndex(context.isEmpty() ? 1 : 0);
    if (context.isEmpty())
      model_.set_own_text(own_->toPlainText());
    else
      model_.set_context(context);
  });
  connect(own_, &QPlainTextEdit::textChanged, this, [this] { model_.set_own_text(own_->toPlainText()); });
  connect(own_, &OwnTextEdit::refused, this,
          [this](const QString& reason) { emit said(QStringLiteral("warning"), reason); });
  connect(open_file_, &QPushButton::clicked, this, [this] {
    auto* dialog = new QFileDialog(this, tr("Open your own text"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({tr("Texts (*.txt *.md)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, own_, &OwnTextEdit::read_file);
    dialog->open();
  });
  connect(question_, &QLineEdit::textChanged, &model_, &AskModel::set_question);
  connect(question_, &QLineEdit::returnPressed, this, [this] { model_.ask(); });
  connect(ask_, &QPushButton::clicked, &model_, &AskModel::ask);
  connect(stop_, &QPushButton::clicked, &model_, &AskModel::stop);
  connect(add_, &QPushButton::clicked, &model_, &AskModel::add_column);
  connect(send_, &QPushButton::clicked, this, &AskPage::ask_where_to_send);
  connect(weights_, &QComboBox::currentIndexChanged, this, &AskPage::show_weights);
  connect(&model_, &AskModel::choicesChanged, choices_, &LazyRefresh::invalidate);
  connect(&model_, &AskModel::columnsChanged, this, &AskPage::make_columns);
  connect(&model_, &AskModel::requestChanged, this, &AskPage::show_request);
  connect(&model_, &AskModel::resultChanged, this, &AskPage::show_result);
  connect(&model_, &AskModel::answerChanged, this, &AskPage::show_answer);
  connect(&model_, &AskModel::workChanged, this, &AskPage::show_work);
}

// Every request of the session is looked through: once a hand is about to ask, and under no snapshot or key. A list of
// proposals that closes gives the focus back before what was chosen in it is taken: its rows must stay.
bool AskPage::eventFilter(QObject* watched, QEvent* event) {
  if (watched == question_ && event->type() == QEvent::FocusIn &&
      static_cast<QFocusEvent*>(event)->reason() != Qt::PopupFocusReason)
    asked_before_->setStringList(model_.asked_before());
  return QWidget::eventFilter(watched, event);
}

void AskPage::show_choices() {
  fill_texts();
  for (AskColumnView* view : columns_) view->fill();
}

void AskPage::fill_texts() {
  const QStringList contexts = model_.contexts();
  QStringList present;
  for (int i = 1; i < text_->count(); ++i) present << text_->itemText(i);
  if (text_->count() == 0 || present != contexts) {
    const QSignalBlocker quiet(text_);
    text_->clear();
    text_->addItem(tr("My text"), QString());
    for (const QString& context : contexts) text_->addItem(context, context);
  }
  show_request();
}

void AskPage::make_columns() {
  for (AskColumnView* view : columns_) {
    view->hide();
    view->deleteLater();  // one of them may have asked for this
  }
  columns_.clear();
  for (std::size_t column = 0; column < model_.columns().size(); ++column) {
    auto* view = new AskColumnView(model_, column);
    columns_.push_back(view);
    answers_->addWidget(view);
  }
  add_->setEnabled(model_.columns().size() < max_ask_columns);
  show_result();
}

void AskPage::show_request() {
  const int index = model_.is_own() ? 0 : text_->findData(model_.context());
  {
    const QSignalBlocker quiet(text_);
    text_->setCurrentIndex(std::max(0, index));
  }
  if (model_.is_own() && text_pages_->currentIndex() == 0 && model_.shown() == nullptr) text_pages_->setCurrentIndex(1);
  const QString context = model_.is_own() ? QString() : model_.context();
  if (std::exchange(proposed_of_, context) != context && question_->hasFocus())
    asked_before_->setStringList(model_.asked_before());
  show_unasked();
  show_work();
}

// The chosen context, by words, until it is asked about: tokens come with the answer.
void AskPage::show_unasked() {
  if (model_.is_own() || !text_of_) return;
  const AskResult* result = model_.shown();
  if (result != nullptr && to_q(result->request->context) == model_.context()) return;
  if (std::exchange(unasked_, model_.context()) == model_.context()) return;
  shown_tokens_.clear();
  for (const QString& word : to_q(std::string(text_of_(from_q(model_.context())))).split(' '))
    shown_tokens_.push_back(word + ' ');
  map_->set_tokens(shown_tokens_);
  map_->set_weights(std::vector<float>(shown_tokens_.size(), least_ground));
}

void AskPage::show_result() {
  const AskResult* result = model_.shown();
  const bool of_choice = result != nullptr && (model_.is_own() || to_q(result->request->context) == model_.context());
  if (of_choice && !result->attention->densest) brought_ = false;  // another question
  if (of_choice && shown_tokens_ != model_.tokens()) {
    shown_tokens_ = model_.tokens();
    unasked_.clear();
    map_->set_tokens(shown_tokens_);
    text_pages_->setCurrentIndex(0);
  }
  for (std::size_t column = 0; column < columns_.size(); ++column) show_answer(column);
  fill_weights(result);
  show_weights();
  show_work();
}

void AskPage::show_answer(std::size_t column) {
  if (column >= columns_.size()) return;
  const AskResult* result = model_.shown();
  const bool answered = result != nullptr && column < result->answers.size();
  columns_[column]->show_answer(answered ? &result->answers[column] : nullptr, result, theme_);
}

// The list stays as it is while tokens come.
void AskPage::fill_weights(const AskResult* result) {
  QStringList wanted{tr("Attention of the answer")};
  if (result != nullptr)
    for (std::size_t column = 0; column < result->answers.size(); ++column)
      wanted << tr("Kept by column %1: %2").arg(column + 1).arg(AskModel::column_text(result->answers[column].column));
  QStringList present;
  for (int i = 0; i < weights_->count(); ++i) present << weights_->itemText(i);
  if (present == wanted) return;
  const QSignalBlocker quiet(weights_);
  const int chosen = std::max(0, weights_->currentIndex());
  weights_->clear();
  for (int i = 0; i < wanted.size(); ++i) weights_->addItem(wanted[i], i == 0 ? of_attention : i - 1);
  weights_->setCurrentIndex(std::min(chosen, weights_->count() - 1));
}

void AskPage::show_weights() {
  const AskResult* result = model_.shown();
  const std::size_t count = shown_tokens_.size();
  if (result == nullptr || count == 0 || !unasked_.isEmpty()) return;
  std::vector<float> weights(count, least_ground);
  const int chosen = weights_->currentData().toInt();
  std::vector<LegendItem> items;
  const auto add = [&](const QString& text, LegendItem::Sign sign, const QColor& color) {
    items.push_back({QString(), text, QString(), sign, color});
  };
  if (chosen == of_attention) {
    if (const std::vector<float>& attention = result->attention->shares; attention.size() == count) {
      // From the second on: the first token gets attention from everywhere, whatever is asked.
      const float most = *std::max_element(attention.begin() + (count > 1 ? 1 : 0), attention.end());
      for (std::size_t token = 0; token < count && most > 0; ++token) {
        const bool inside = result->attention->densest && token >= result->attention->densest->begin &&
                            token < result->attention->densest->end;
        const float share = std::sqrt(std::min(1.0F, attention[token] / most));
        weights[token] = inside ? 1.0F : std::max(least_ground, most_outside * share);
      }
    }
    add(tr("what the answer attends to most"), LegendItem::Sign::swatch, TokenMap::ground(theme_, 1));
    add(tr("less"), LegendItem::Sign::swatch, TokenMap::ground(theme_, most_outside / 2));
  } else {
    const std::vector<float>& kept = *result->answers[static_cast<std::size_t>(chosen)].kept;
    for (std::size_t token = 0; token < count; ++token) weights[token] = kept.size() == count ? kept[token] : 1.0F;
    add(tr("kept in every layer and KV head"), LegendItem::Sign::swatch, TokenMap::ground(theme_, 1));
    add(tr("struck out: evicted in every head"), LegendItem::Sign::line, theme_.faint);
  }
  map_->set_weights(weights);
  if (chosen == of_attention && result->attention->densest && !std::exchange(brought_, true)) {
    const QRect box = map_->box(result->attention->densest->begin);
    map_->verticalScrollBar()->setValue(map_->verticalScrollBar()->value() + box.top() -
                                        map_->viewport()->height() / 3);
  }
  legend_->set_items(std::move(items));
}

void AskPage::show_work() {
  const QString obstacle = model_.obstacle();
  ask_->setEnabled(obstacle.isEmpty());
  ask_->setVisible(!model_.busy());
  stop_->setVisible(model_.busy());
  send_->setEnabled(!model_.busy() && model_.shown() != nullptr && model_.shown()->complete);
  QString text = model_.busy() ? model_.work() : obstacle;
  const QString error = model_.error();
  if (!model_.busy() && !error.isEmpty()) text = error;
  if (text.isEmpty() && model_.busy()) text = tr("Answering…");
  if (text.isEmpty() && model_.shown() != nullptr && model_.shown()->complete)
    text = tr("Answered. Compute time: %1, between the session's requests.").arg(seconds_text(model_.shown()->seconds));
  status_->setText(text);
}

QString AskPage::hover_text(std::size_t token) const {
  const AskResult* result = model_.shown();
  if (result == nullptr || token >= shown_tokens_.size() || !unasked_.isEmpty()) return {};
  QStringList lines{tr("token %1 “%2”").arg(token).arg(shown_tokens_[token])};
  if (const std::vector<float>& attention = result->attention->shares; token < attention.size())
    lines << tr("attention %1").arg(percent_text(static_cast<double>(attention[token])));
  for (std::size_t column = 0; column < result->answers.size(); ++column)
    if (const std::vector<float>& kept = *result->answers[column].kept; token < kept.size())
      lines << tr("column %1 keeps it in %2").arg(column + 1).arg(percent_text(static_cast<double>(kept[token])));
  return lines.join('\n');
}

ChartTable AskPage::table() const {
  ChartTable table;
  for (QStringList& row : model_.rows()) {
    if (table.header.isEmpty())
      table.header = std::move(row);
    else
      table.rows.append(std::move(row));
  }
  return table;
}

void AskPage::ask_where_to_send() {
  auto* dialog = new QFileDialog(this, tr("Folder for the workload with this question"));
  dialog->setObjectName("sendToWorkloadDialog");
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::Directory);
  dialog->setOption(QFileDialog::ShowDirsOnly);
  connect(dialog, &QFileDialog::fileSelected, this, &AskPage::send_to);
  dialog->open();
}

void AskPage::send_to(const QString& folder) {
  const AskResult* result = model_.shown();
  if (!keep_ || result == nullptr || result->answers.empty()) return;
  const KeptQuestion asked{.context = result->request->context,
                           .text = result->request->text,
                           .question = result->request->question,
                           .answer = from_q(AskModel::answer_text(result->answers.front()).trimmed())};
  const auto written = keep_(asked, folder);
  if (!written) {
    emit said(QStringLiteral("warning"), core_text(written.error().message));
    return;
  }
  emit workloadWritten(*written);
}

void AskPage::set_theme(const Theme& theme) {
  theme_ = theme;
  map_->set_theme(theme);
  show_result();
}

}  // namespace kvantage
