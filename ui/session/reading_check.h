// Whether the model can read what it serves. Where it cannot, curves and points show how soon answers change under
// compression and nothing about their quality: the window says so.
#pragma once

#include <QObject>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "ui/session/run_model.h"

namespace kvantage {

class ReadingCheck : public QObject {
  Q_OBJECT
 public:
  /// The text of a context by its id; empty: not known.
  using TextOf = std::function<std::string_view(const std::string& context_id)>;
  /// Distinct probes whose answers are looked at: before anything is said, and at all.
  static constexpr std::size_t enough_probes = 8, max_probes = 200;
  /// Below: a text is not continued, and answers score at chance.
  static constexpr double min_continued = 0.1, min_above_chance = 0.05;

  ReadingCheck(RunModel& run, TextOf text_of, QObject* parent = nullptr);
  /// One sentence; empty while the model can read, or nothing is known yet.
  QString sentence() const { return sentence_; }

 signals:
  void changed();

 private:
  void look_at_requests();
  void look();

  RunModel& run_;
  TextOf text_of_;
  std::map<std::pair<std::string, std::string>, double> continued_;  // by context and question
  QString sentence_;
};

}  // namespace kvantage
