// Figures of the papers in the window's own process, on a thread of theirs.
#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/experiments/experiment_runner.h"
#include "ui/papers/model/figure_runner.h"

namespace kvantage {

class FigureThread final : public FigureRunner {
 public:
  struct Setup {
    QString model;             // empty: the default model
    QString database;          // of runs and profiles; empty: inside the store
    QString store;             // folder in which a figure's temporary store is made; empty: the cache folder
    QStringList reading = {};  // how that model is read: --prompt-form, --max-model-len
    ExperimentRunner::Patience patience = {};  // with a machine that something else uses
  };

  explicit FigureThread(Setup setup, QObject* parent = nullptr);
  /// Cancels what runs and waits for it: as long as the step in hand takes.
  ~FigureThread() override;

  void start(const QStringList& arguments) override;
  void cancel() override { stop_ = true; }
  bool running() const override { return running_; }
  QString command(const QStringList& arguments) const override;

 private:
  QStringList with_model(QStringList words) const;
  void make(QStringList words);
  /// What `--json` prints goes into `output`.
  Status make_one(const std::vector<std::string>& words, std::string& output);
  /// The same of one figure on several models, and their verdicts side by side.
  Status make_on(const std::string& models, const std::vector<std::string>& words, std::string& output);
  void tell(const std::string& line);

  Setup setup_;
  std::thread thread_;
  std::atomic<bool> stop_ = false;
  bool running_ = false;
};

}  // namespace kvantage
