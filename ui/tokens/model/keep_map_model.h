// What the keep map shows: which tokens of the chosen context a method keeps, by layer and KV head or summed over them,
// and what is answered from them. Changes of a hand that moves become one request per frame; the newest is shown. Knows
// no widget.
#pragma once

#include <QObject>
#include <QStringList>
#include <QTimer>
#include <memory>
#include <vector>

#include "core/ports/inspector.h"
#include "ui/session/run_model.h"

namespace kvantage {

class KeepMapModel : public QObject {
  Q_OBJECT
 public:
  static constexpr int all = -1;  // layers, heads
  static constexpr int frame_ms = 30;
  static constexpr double max_removed = 0.99;

  /// inspector: null where no engine can be asked; else it outlives the model.
  KeepMapModel(RunModel& run, Inspector* inspector, QObject* parent = nullptr);
  ~KeepMapModel() override;

  /// While inactive, requests nothing, and the engine frees the memory.
  void set_active(bool active);
  void set_methods(const QStringList& methods);  // one or two
  void set_removed_fraction(double fraction);
  /// As the context's questions count; `all`: none is asked.
  void set_question(int question);
  /// What is summed over; `all` for either.
  void set_view(int layer, int kv_head);

  QString context() const;
  QStringList contexts() const;       // of the run, by name
  QStringList known_methods() const;  // to choose from, those of the run's settings first
  const QStringList& methods() const { return methods_; }
  double removed_fraction() const { return removed_fraction_; }
  int question() const { return question_; }
  int layer() const { return layer_; }
  int kv_head() const { return kv_head_; }

  /// What is shown; null before the first.
  const KeepMapResult* shown() const { return shown_ && shown_->context ? shown_.get() : nullptr; }
  /// Of the shown context.
  const std::vector<QString>& tokens() const { return tokens_; }
  /// Whether no method of what is shown removes tokens, whatever fraction is asked for.
  bool only_encodes() const;
  /// Of each token of form `form`: share of the summed KV heads that keep it, 0 to 1, and its mean score over them.
  const std::vector<float>& kept_shares(std::size_t form) const { return sums_[form].shares; }
  const std::vector<float>& scores(std::size_t form) const { return sums_[form].scores; }
  std::size_t form_count() const { return sums_.size(); }
  int summed_heads() const;
  /// Share of tokens that a layer's head keeps.
  double kept_share_of(std::size_t form, int layer, int kv_head) const;
  /// The same of every head, [layers][kv_heads].
  std::vector<double> kept_shares_of_heads(std::size_t form) const;
  /// While a recorded run is shown: that this is computed now, and on what. Empty for the live run.
  QString provenance_text() const;
  /// "token 17 "apple" ...": what a token is, where it is kept and what it scores.
  QString hover_text(std::size_t form, std::size_t token) const;
  /// "snapkv keeps 50 % of KV entries (3.1 MiB of 6.0 MiB)".
  QString form_text(std::size_t form) const;
  /// Header and one row per token: token, position, and of each method kept heads, kept share and score.
  std::vector<QStringList> rows() const;
  /// The shown result is that of the present request, answers included.
  bool complete() const { return shown_ && shown_->ticket == ticket_ && shown_->complete && !dirty_; }
  QString work() const { return work_; }
  /// Why there is nothing to see and what to do about it; empty where there is.
  QString empty_text() const;
  QString error() const;
  std::uint64_t requests() const { return ticket_; }

 signals:
  void requestChanged();
  void resultChanged();  // other tokens, forms or answers
  void viewChanged();    // other sums of the same
  void workChanged();
  void contextsChanged();

 private:
  struct Sums {
    std::vector<float> shares, scores;
  };
  void update_request();
  void frame();
  void take(std::shared_ptr<const KeepMapResult> result);
  void sum();
  void choose_method();
  QString missing_text() const;

  RunModel& run_;
  Inspector* inspector_;
  QTimer frame_timer_;
  QStringList methods_;
  double removed_fraction_ = 0.5;
  int question_ = 0, layer_ = all, kv_head_ = all;
  bool active_ = false, dirty_ = false;
  std::uint64_t ticket_ = 0;
  std::shared_ptr<const KeepMapResult> shown_;
  std::vector<QString> tokens_;
  std::vector<Sums> sums_;
  QString work_;
  std::size_t known_contexts_ = 0;
  bool replayed_ = false;  // a recorded run is shown
  QString missing_;        // what was said of the chosen context's text
};

}  // namespace kvantage
