// What would have to change for one alternative of the chosen context to be chosen: by itself, and as found by planning
// again on a thread of its own.
#pragma once

#include <QObject>
#include <QStringList>
#include <memory>
#include <optional>
#include <vector>

#include "core/policy/explain/win_search.h"
#include "ui/live/decisions/model/decision_model.h"
#include "ui/session/latest_job.h"

namespace kvantage {

class CounterfactualModel : public QObject {
  Q_OBJECT
 public:
  enum class State { none, searching, complete };

  explicit CounterfactualModel(const DecisionModel& decision, QObject* parent = nullptr);
  /// About the split with this id (configuration_id); any other id clears.
  void ask(const QString& id);
  void clear();
  /// Nobody looks: a search is given up, and begins again when somebody does.
  void set_active(bool active);

  State state() const { return state_; }
  /// Empty: nothing was asked.
  const QString& id() const { return id_; }
  const std::vector<Turning>& wins() const { return wins_; }
  /// Of what was asked; empty: nothing was.
  QString title() const;
  QStringList sentences() const;

 signals:
  void changed();

 private:
  void follow();
  void search();
  void take(std::uint64_t number, std::vector<Turning> wins, bool complete);
  bool is_outdated() const;
  QString alone_text() const;
  QString displaced_text() const;

  const DecisionModel& decision_;
  QString id_, context_;
  std::optional<UtilitySplit> split_;         // as of the latest answer that has it
  std::shared_ptr<const Snapshot> searched_;  // what the search plans
  std::string policy_;                        // of that
  State state_ = State::none;
  std::vector<Turning> wins_;
  bool active_ = true;
  std::uint64_t number_ = 0;  // of the latest search
  LatestJob job_;             // last: its thread ends before anything that it posts to
};

}  // namespace kvantage
