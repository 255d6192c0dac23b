#include "ui/ask/ask_model.h"

#include <algorithm>
#include <utility>

#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr double begin_fraction = 0.5;  // what a method removes at first
constexpr qsizetype most_remembered = 20;

/// By the profiles; without one the engine knows, and removes nothing where the method only quantizes.
bool only_quantizes(const Snapshot& snapshot, const std::string& method) {
  bool known = false, removes = false;
  for (const ContextState& context : snapshot.contexts)
    if (context.profile)
      for (const ProfilePoint& point : context.profile->points)
        if (point.method == method) {
          known = true;
          removes = removes || point.removed_fraction > 0;
        }
  return known && !removes;
}

/// As exported tables have it.
QString reused_value(AskReuse reused) {
  switch (reused) {
    case AskReuse::text:
      return QStringLiteral("text");
    case AskReuse::form:
      return QStringLiteral("form");
    case AskReuse::nothing:
      break;
  }
  return QStringLiteral("nothing");
}

}  // namespace

AskModel::AskModel(RunModel& run, Asker* asker, QObject* parent) : QObject(parent), run_(run), asker_(asker) {
  frame_timer_.setInterval(frame_ms);
  connect(&frame_timer_, &QTimer::timeout, this, &AskModel::frame);
  connect(&run_.selection, &Selection::contextChanged, this, [this](const QString& context) {
    if (!context.isEmpty()) set_context(context);
  });
  for (auto signal : {&RunModel::snapshotChanged, &RunModel::infoChanged})
    connect(&run_, signal, this, [this] {
      begin_columns();
      emit choicesChanged();
    });
  connect(&run_, &RunModel::settingsChanged, this, [this] { emit choicesChanged(); });
  begin_columns();
}

AskModel::~AskModel() {
  if (asker_ != nullptr && busy_) asker_->stop_asking();
}

// The full KV cache, two methods of the session beside it, and the full one from the slowest tier.
void AskModel::begin_columns() {
  if (begun_) return;
  const auto snapshot = run_.snapshot();
  if (columns_.empty()) columns_ = {AskColumn{}};
  if (snapshot == nullptr) return;
  begun_ = true;
  if (context_.isEmpty() && !snapshot->contexts.empty()) context_ = contexts().front();
  for (const std::string& method : run_.session().settings().methods) {
    if (method == "none" || method == "auto" || columns_.size() >= 3) continue;
    columns_.push_back({method, only_quantizes(*snapshot, method) ? 0 : begin_fraction, {}});
  }
  if (!snapshot->tiers.empty() && columns_.size() < max_ask_columns)
    columns_.push_back({"none", 0, snapshot->tiers.back().name});
  emit columnsChanged();
}

QStringList AskModel::contexts() const {
  QStringList names;
  if (const auto snapshot = run_.snapshot())
    for (const ContextState& context : snapshot->contexts) names << to_q(context.id);
  names.sort();
  return names;
}

QStringList AskModel::asked_before() const {
  QStringList questions;
  if (own_) return questions;
  const std::string context = from_q(context_);
  for (int row = run_.requests.rowCount() - 1; row >= 0 && questions.size() < most_remembered; --row) {
    const RequestRecord& record = run_.requests.row(row)->record;
    if (record.context_id != context) continue;
    const QString question = to_q(record.question).simplified();
    if (!question.isEmpty() && !questions.contains(question)) questions << question;
  }
  return questions;
}

QStringList AskModel::methods() const {
  QStringList known{QStringLiteral("none")};
  for (const std::string& method : run_.session().settings().methods)
    if (method != "auto" && !known.contains(to_q(method))) known << to_q(method);
  return known;
}

QStringList AskModel::tiers() const {
  QStringList names;
  if (const auto snapshot = run_.snapshot())
    for (const TierState& tier : snapshot->tiers) names << to_q(tier.name);
  return names;
}

void AskModel::set_context(const QString& context) {
  if (!own_ && context == context_) return;
  own_ = false;
  context_ = context;
  emit requestChanged();
}

void AskModel::set_own_text(const QString& text) {
  const QString kept = text.left(max_text);
  if (own_ && kept == own_text_) return;
  own_ = true;
  own_text_ = kept;
  emit requestChanged();
}

void AskModel::set_question(const QString& question) {
  if (question == question_) return;
  question_ = question;
  emit requestChanged();
}

void AskModel::set_column(std::size_t column, const AskColumn& chosen) {
  if (column >= columns_.size() || columns_[column] == chosen) return;
  columns_[column] = chosen;
  emit requestChanged();
}

void AskModel::add_column() {
  if (columns_.size() >= max_ask_columns) return;
  const auto taken = [this](const AskColumn& wanted) { return std::ranges::find(columns_, wanted) != columns_.end(); };
  AskColumn added;
  const QStringList known = methods();
  for (double fraction : {begin_fraction, 0.25, 0.75, 0.9}) {
    if (!taken(added)) break;
    for (const QString& method : known) {
      added = {from_q(method), method == QStringLiteral("none") ? 0 : fraction, {}};
      if (!taken(added)) break;
    }
  }
  columns_.push_back(added);
  emit columnsChanged();
}

void AskModel::remove_column(std::size_t column) {
  if (columns_.size() < 2 || column >= columns_.size()) return;
  columns_.erase(columns_.begin() + static_cast<std::ptrdiff_t>(column));
  emit columnsChanged();
}

QString AskModel::obstacle() const {
  if (asker_ == nullptr) return tr("No engine can be asked in this window. Open a workload to ask about it.");
  if (!run_.snapshot()) return tr("The model is still loading.");
  if (own_ && own_text_.trimmed().isEmpty()) return tr("Paste or drop a text first.");
  if (!own_ && context_.isEmpty()) return tr("Select a text first.");
  if (question_.trimmed().isEmpty()) return tr("Type a question first.");
  return {};
}

void AskModel::ask() {
  if (!obstacle().isEmpty()) return;
  AskRequest request;
  if (own_)
    request.text = from_q(own_text_);
  else
    request.context = from_q(context_);
  request.question = from_q(question_.trimmed());
  request.columns = columns_;
  ticket_ = asker_->ask(request);
  busy_ = true;
  frame_timer_.start();
  emit workChanged();
}

void AskModel::stop() {
  if (!busy_) return;
  asker_->stop_asking();
  frame();
  busy_ = false;
  work_.clear();
  frame_timer_.stop();
  emit workChanged();
}

void AskModel::frame() {
  if (auto change = asker_->asked_since(shown_ ? seen_of(*shown_) : AskSeen{}); change && change->ticket == ticket_)
    take(*std::move(change));
  const bool was_busy = busy_;
  busy_ = !(shown_ && shown_->ticket == ticket_ && shown_->complete);
  const QString work = busy_ ? core_text(asker_->ask_work()) : QString();
  if (std::exchange(work_, work) != work || busy_ != was_busy) emit workChanged();
  if (!busy_) frame_timer_.stop();
}

void AskModel::take(AskResult change) {
  const bool same_text = shown_ && shown_->text == change.text;
  // Beyond tokens, stages and costs, which change token by token.
  bool all_changes = !same_text || !continues(*shown_, change) || shown_->complete != change.complete ||
                     shown_->error != change.error || !(shown_->attention == change.attention) ||
                     shown_->answers.size() != change.answers.size();
  std::vector<std::size_t> changed;
  for (std::size_t column = 0; !all_changes && column < change.answers.size(); ++column) {
    const AskAnswer &before = shown_->answers[column], &now = change.answers[column];
    all_changes = !(before.kept == now.kept);
    if (now.stage != before.stage || now.first + now.tokens.size() != before.tokens.size() ||
        now.bytes != before.bytes || now.note != before.note)
      changed.push_back(column);
  }
  if (shown_)
    add_change(*shown_, std::move(change));
  else
    shown_ = std::move(change);
  if (!same_text) {
    tokens_.clear();
    if (shown_->text) {
      tokens_.reserve(shown_->text->tokens.size());
      for (const std::string& token : shown_->text->tokens) tokens_.push_back(to_q(token));
    }
  }
  if (all_changes) {
    emit resultChanged();
    return;
  }
  for (const std::size_t column : changed) emit answerChanged(column);
}

QString AskModel::error() const { return shown_ && !shown_->error.empty() ? core_text(shown_->error) : QString(); }

QString AskModel::column_text(const AskColumn& column) {
  const QString form =
      column.method == "none" ? tr("full KV cache") : configuration_text(column.method, column.removed_fraction);
  return column.tier.empty() ? form : tr("%1, from %2").arg(form, to_q(column.tier));
}

QString AskModel::answer_text(const AskAnswer& answer) {
  std::string text;
  for (const AskToken& token : answer.tokens) text += token.text;
  return to_q(text);
}

double AskModel::inter_token_seconds(const AskAnswer& answer) {
  if (answer.tokens.size() < 2) return -1;
  return (answer.tokens.back().seconds - answer.tokens.front().seconds) / static_cast<double>(answer.tokens.size() - 1);
}

std::vector<QStringList> AskModel::rows() const {
  std::vector<QStringList> rows{
      {QStringLiteral("method"), QStringLiteral("removed_fraction"), QStringLiteral("tier"),
       QStringLiteral("ttft_seconds"), QStringLiteral("text_seconds"), QStringLiteral("inter_token_seconds"),
       QStringLiteral("bytes"), QStringLiteral("bytes_read"), QStringLiteral("reused"), QStringLiteral("answer_tokens"),
       QStringLiteral("ended"), QStringLiteral("parts_at"), QStringLiteral("answer")}};
  if (shown() == nullptr) return rows;
  const auto number = [](double value) { return value < 0 ? QString() : QString::number(value, 'g', 9); };
  for (const AskAnswer& answer : shown_->answers)
    rows.push_back({to_q(answer.column.method), number(answer.column.removed_fraction), to_q(answer.column.tier),
                    number(answer.ttft_seconds > 0 ? answer.ttft_seconds : -1), number(answer.text_seconds),
                    number(inter_token_seconds(answer)), QString::number(answer.bytes),
                    QString::number(answer.bytes_read), reused_value(answer.reused),
                    QString::number(answer.tokens.size()),
                    answer.ended ? QStringLiteral("true") : QStringLiteral("false"),
                    answer.parts_at ? QString::number(*answer.parts_at) : QString(), answer_text(answer)});
  return rows;
}

}  // namespace kvantage
