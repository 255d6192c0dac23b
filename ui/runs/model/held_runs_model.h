// The runs that the Frontier draws beside the present one: up to max_pinned pinned by the user, read from the database
// in the background, and the runs of this window before the last Start, as ghosts. Pins with their names, colors and
// eyes are a Json value that the caller keeps. A color is the smallest free one when a run comes, and stays.
#pragma once

#include <QAbstractTableModel>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/ports/run_library.h"
#include "ui/live/frontier/model/frontier_model.h"
#include "ui/live/frontier/model/held_run.h"
#include "ui/runs/model/held_reading.h"
#include "ui/session/background_worker.h"

namespace kvantage {

class HeldRunsModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  /// shown is checkable, name editable; an empty name is made from what differs again.
  enum Column { shown, color, name, differs, column_count };
  enum Role { run_id_role = Qt::UserRole + 1, color_role, ghost_role };
  static constexpr std::size_t max_pinned = 30;
  static constexpr std::size_t max_ghost_looks = 4 * FrontierModel::max_points;

  /// `library` null: nothing can be pinned. `frontier` outlives this: it has the ghosts, the present settings, the
  /// family and the split that points follow.
  HeldRunsModel(std::shared_ptr<RunLibrary> library, const FrontierModel& frontier, QObject* parent = nullptr);
  ~HeldRunsModel() override;

  /// Pinned ones in the order of their pinning, then ghosts, oldest first. A run without points is still being read, or
  /// has no scored request of the family.
  const std::vector<HeldRun>& held() const { return held_; }
  bool can_pin() const { return library_ != nullptr; }
  bool is_pinned(const QString& run_id) const;
  /// failed() when it cannot be read or max_pinned are. A ghost keeps its color and eye.
  void pin(const QString& run_id);
  void unpin(const QString& run_id);
  void set_shown(const QString& run_id, bool visible);
  /// The user's own name; empty: one is made.
  void set_name(const QString& run_id, const QString& text);
  /// They were edited.
  void set_notes(const QString& run_id, const RunNotes& notes);

  /// {database: [{"run", "color", "shown", "name"}]}; pins of other databases as restore() got them.
  Json state() const;
  /// Before anything is pinned. What is not valid, and runs that are gone, are left out.
  void restore(const Json& state);
  bool idle() const { return worker_.idle(); }
  /// Colors and eyes of ghosts that are not shown now.
  std::size_t ghost_looks() const { return ghost_looks_.size(); }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;

 signals:
  void heldChanged();
  /// Of what state() has.
  void stateChanged();
  void failed(const QString& message);

 private:
  /// Beside held_, row by row.
  struct Details {
    std::uint64_t serial = 0;
    std::uint64_t run_number = 0;  // of a ghost, in its segments
    std::shared_ptr<const RunSegments> segments;
    Json settings;  // null: not known yet
    QString own_name, differs;
    RunNotes notes;
    std::uint64_t drawn_for = 0;  // the query that its points answer, or soon will
    bool ended = true, restored = false;
  };
  int row_of(const QString& run_id) const;
  int row_of_serial(std::uint64_t serial) const;
  std::size_t pinned() const;
  int free_color() const;
  void insert(int row, HeldRun run, Details details);
  void remove(int row);
  /// With its own name, if it has any.
  void add_pin(HeldRun run, bool restored);
  void read(std::size_t row);
  void take(std::uint64_t serial, Expected<HeldReading> reading);
  void follow_frontier();
  void follow_query();
  void replace_ghosts();
  void draw_points();
  void rename();
  void row_changed(int row, bool kept);
  QString tip(std::size_t row) const;

  std::shared_ptr<RunLibrary> library_;
  const FrontierModel& frontier_;
  std::vector<HeldRun> held_;
  std::vector<Details> details_;
  std::vector<std::uint64_t> earlier_;  // run numbers of the ghosts, those that are pinned included
  std::optional<SessionSettings> present_;
  Json kept_ = Json::object();  // of other databases
  std::uint64_t last_serial_ = 0, query_ = 1;
  std::map<std::pair<std::uint64_t, QString>, std::pair<int, bool>> ghost_looks_;  // color and eye, after a replay
  BackgroundWorker worker_;  // last: what it hands over ends before the rest goes
};

}  // namespace kvantage
