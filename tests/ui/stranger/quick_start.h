// What the program opens by itself, for a person with a method file: the quick start on the default model.
#pragma once

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "app/wiring/method_files.h"
#include "app/wiring/session_setup.h"
#include "core/compress/method.h"
#include "core/policy/utility.h"
#include "tests/support/test_model.h"
#include "tests/ui/window/window_parts.h"
#include "ui/text/words.h"

namespace kvantage::test {

/// In the order in which they must outlive each other.
struct QuickStart {
  QTemporaryDir folder;
  LiveSession session;
  std::unique_ptr<MainWindow> window;

  QString open() {
    SessionOptions options;
    options.model = model_directory();
    options.workload = source_directory() / "sample_workloads" / "quickstart";
    options.store = folder.filePath("store").toStdString();
    options.database = folder.filePath("runs.db").toStdString();
    options.endless = true;
    options.displayed = true;
    auto opened = open_session(options, {});
    if (!opened) return to_q(opened.error().message);
    session = std::move(*opened);
    WindowOptions with;
    with.settings_file = folder.filePath("window.ini");
    with.methods.read = [](const QString& text) -> Expected<QString> {
      KV_ASSIGN(const auto method, parse_method(text.toStdString()));
      return to_q(method->text());
    };
    with.methods.read_file = [](const QString& path) -> Expected<MethodOffer::Known> {
      KV_ASSIGN(const auto file, open_method_file(path.toStdString(), true));
      return MethodOffer::Known{to_q(file.name), to_q(file.summary)};
    };
    window = std::make_unique<MainWindow>(*session.engine, with);
    window->show();
    return {};
  }

  /// A context whose profile has both methods at each removed fraction of the candidates; empty: none yet.
  QString profiled_with(const std::string& one, const std::string& other) const {
    const auto snapshot = run_of(*window).snapshot();
    if (!snapshot) return {};
    const std::vector<double> fractions = settings_of(*window).committed().removed_fractions;
    for (const ContextState& context : snapshot->contexts)
      if (std::ranges::all_of(fractions, [&](double removed) {
            return find_point(context, one, removed) != nullptr && find_point(context, other, removed) != nullptr;
          }))
        return to_q(context.id);
    return {};
  }

  /// Of requests that were served with this method as the only candidate.
  bool has_point_of(const std::string& method) const {
    return std::ranges::any_of(run_of(*window).frontier.measured(), [&](const MeasuredPoint& point) {
      return point.ttft.n > 0 && point.settings.split('\n').contains("methods: " + to_q(method));
    });
  }
};

/// Seconds of each step, for people: `what` took as long as since the one before.
class Lap {
 public:
  Lap() { timer_.start(); }
  void step(const char* what) {
    const double now = static_cast<double>(timer_.elapsed()) / 1e3;
    qInfo("%5.1f s  %s (after %.1f s)", now - before_, what, now);
    before_ = now;
  }

 private:
  QElapsedTimer timer_;
  double before_ = 0;
};

}  // namespace kvantage::test
