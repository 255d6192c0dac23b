// What Ask holds: a text, a question about it, up to four ways to keep the text, and the answers as they come: of the
// newest result it takes what is new. Knows no widget.
#pragma once

#include <QObject>
#include <QStringList>
#include <QTimer>
#include <optional>
#include <vector>

#include "core/ports/asker.h"
#include "ui/session/run_model.h"

namespace kvantage {

class AskModel : public QObject {
  Q_OBJECT
 public:
  static constexpr int frame_ms = 30;
  static constexpr qsizetype max_text = 4 << 20;  // characters of a text of the user's own

  /// asker: null where no engine can be asked; else it outlives the model.
  AskModel(RunModel& run, Asker* asker, QObject* parent = nullptr);
  ~AskModel() override;

  /// One of the workload's contexts, in place of the own text; it follows the selection of the other views.
  void set_context(const QString& context);
  void set_own_text(const QString& text);
  void set_question(const QString& question);
  void set_column(std::size_t column, const AskColumn& chosen);
  /// A further one, another than those that are there; nothing beyond max_ask_columns.
  void add_column();
  /// Nothing where it is the only one.
  void remove_column(std::size_t column);
  /// Asks again; what was in flight is dropped.
  void ask();
  /// What has been answered by then stays.
  void stop();

  bool is_own() const { return own_; }
  QString context() const { return context_; }
  const QString& own_text() const { return own_text_; }
  const QString& question() const { return question_; }
  const std::vector<AskColumn>& columns() const { return columns_; }
  QStringList contexts() const;
  /// Questions that requests of the session asked about the chosen context, the newest first.
  QStringList asked_before() const;
  /// "none" first, then those of the session's settings.
  QStringList methods() const;
  QStringList tiers() const;

  bool busy() const { return busy_; }
  /// Why nothing can be asked now, and what to do about it; empty: ask() asks.
  QString obstacle() const;
  /// Of the newest request, while it is worked on.
  QString work() const { return work_; }
  QString error() const;
  /// What is shown; null before the first.
  const AskResult* shown() const { return shown_ && shown_->text ? &*shown_ : nullptr; }
  const std::vector<QString>& tokens() const { return tokens_; }
  /// "snapkv, 50 % removed, from ssd".
  static QString column_text(const AskColumn& column);
  static QString answer_text(const AskAnswer& answer);
  /// Seconds between tokens, mean; below 0: fewer than two.
  static double inter_token_seconds(const AskAnswer& answer);
  /// Header and a row per column of the result.
  std::vector<QStringList> rows() const;

 signals:
  void requestChanged();
  void columnsChanged();
  void choicesChanged();  // contexts, methods or tiers
  void resultChanged();
  /// Tokens, stage or costs of one column; nothing else of the result.
  void answerChanged(std::size_t column);
  void workChanged();

 private:
  void begin_columns();
  void frame();
  void take(AskResult change);

  RunModel& run_;
  Asker* asker_;
  QTimer frame_timer_;
  bool own_ = false, busy_ = false, begun_ = false;
  QString context_, own_text_, question_, work_;
  std::vector<AskColumn> columns_;
  std::uint64_t ticket_ = 0;
  std::optional<AskResult> shown_;
  std::vector<QString> tokens_;
};

}  // namespace kvantage
