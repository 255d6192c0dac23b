// Figures by the installed command line, as a child process that ends with the window.
#pragma once

#include <QProcess>
#include <QTimer>

#include "ui/models/figure_runner.h"

namespace kvantage {

class FigureCommand final : public FigureRunner {
  Q_OBJECT
 public:
  struct Setup {
    QString program;          // kvantage-cli
    QString model, database;  // empty: the command's own
    QString store;            // where its temporary store is made; empty: no store is named
  };
  /// Longest wait for an interrupted command to end by itself: it finishes the step in hand and writes what is
  /// recorded.
  static constexpr int patience_ms = 20'000;

  explicit FigureCommand(Setup setup, QObject* parent = nullptr);
  /// Interrupts what runs, waits a short while, then kills it.
  ~FigureCommand() override;

  void start(const QStringList& arguments) override;
  void cancel() override;
  bool running() const override { return process_.state() != QProcess::NotRunning; }
  QString command(const QStringList& arguments) const override;
  qint64 process_id() const { return process_.processId(); }
  /// Where the command keeps its stores while it runs.
  QString temporary_store() const;

 private:
  void read_lines();
  void finish(int exit_code, const QString& trouble);
  void clean_up();

  Setup setup_;
  QProcess process_;
  QTimer patience_;
  QByteArray unread_, output_;
  qint64 last_process_ = 0;
  bool killed_ = false;
};

}  // namespace kvantage
