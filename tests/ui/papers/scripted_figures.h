// Figures for tests of the window: no process behind them, lines and ends come on the test's word.
#pragma once

#include "ui/papers/model/figure_runner.h"

namespace kvantage {

class ScriptedFigures final : public FigureRunner {
 public:
  void start(const QStringList& arguments) override {
    started << arguments;
    running_ = true;
  }
  void cancel() override { ++cancels; }
  bool running() const override { return running_; }
  QString command(const QStringList& arguments) const override {
    return QStringLiteral("kvantage-cli reproduce ") + arguments.join(' ');
  }

  void say(const char* line) { emit said(line); }
  void end(int exit_code, const QByteArray& output = {}) {
    running_ = false;
    emit ended(exit_code, output);
  }

  QList<QStringList> started;
  int cancels = 0;

 private:
  bool running_ = false;
};

}  // namespace kvantage
