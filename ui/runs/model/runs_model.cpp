#include "ui/runs/model/runs_model.h"

#include <QElapsedTimer>
#include <QSet>
#include <QTimer>
#include <algorithm>
#include <unordered_set>

#include "core/base/units.h"
#include "ui/runs/model/runs_listing.h"
#include "ui/runs/model/runs_row.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr int metrics_slice_ms = 150;  // of one piece of work, so that what the user asks for comes soon

}  // namespace

RunsModel::RunsModel(std::shared_ptr<RunLibrary> library, QObject* parent)
    : QAbstractTableModel(parent), library_(std::move(library)), listing_(std::make_shared<RunsListing>(library_)) {}

RunsModel::~RunsModel() = default;

void RunsModel::refresh() {
  if (!library_) return;
  if (reading_) {
    again_ = true;
    return;
  }
  reading_ = true;
  worker_.run([listing = listing_, present = present_run_](const auto&) { return listing->read(present); },
              [this](Expected<RunsListed> listed) { take(std::move(listed)); });
}

void RunsModel::take(Expected<RunsListed> listed) {
  if (!listed) {
    reading_ = false;
    listed_once_ = true;
    emit failed(core_text(listed.error().message));
    emit refreshed();
    return;
  }
  if (listed->complete) {
    beginResetModel();
    rows_.clear();
    index_.clear();
    endResetModel();
  } else {
    take_away(listed->gone);
  }
  changed_ = std::move(listed->changed);
  arriving_ = std::move(listed->added);
  taken_ = 0;
  if (changed_.size() + arriving_.size() > rows_a_turn) emit filling(filling_ = true);
  take_some();
}

void RunsModel::take_away(const std::vector<std::string>& ids) {
  if (ids.empty()) return;
  const std::unordered_set<std::string_view> away(ids.begin(), ids.end());
  const auto gone = [&](const std::unique_ptr<Row>& row) { return away.contains(row->run.summary.run_id); };
  if (ids.size() > 20) {
    beginResetModel();
    std::erase_if(rows_, gone);
    endResetModel();
  } else {
    for (int i = rowCount() - 1; i >= 0; --i) {
      if (!gone(rows_[static_cast<std::size_t>(i)])) continue;
      beginRemoveRows({}, i, i);
      rows_.erase(rows_.begin() + i);
      endRemoveRows();
    }
  }
  index_.clear();
  for (std::size_t i = 0; i < rows_.size(); ++i) index_[rows_[i]->run.summary.run_id] = static_cast<int>(i);
}

// One turn's share of what was read: the table, its filter and its order follow every row.
void RunsModel::take_some() {
  std::size_t left = rows_a_turn;
  for (; left > 0 && taken_ < changed_.size(); --left) take_changed(changed_[taken_++]);
  const std::size_t begin = taken_ - std::min(taken_, changed_.size()),
                    count = std::min(left, arriving_.size() - begin);
  if (taken_ >= changed_.size() && count > 0) {
    const int first = rowCount();
    beginInsertRows({}, first, first + static_cast<int>(count) - 1);
    for (std::size_t i = begin; i < begin + count; ++i) {
      if (!arriving_[i]->ended()) show_row(*arriving_[i], present_run_);  // another may have begun meanwhile
      index_[arriving_[i]->run.summary.run_id] = rowCount();
      rows_.push_back(std::move(arriving_[i]));
    }
    taken_ += count;
    endInsertRows();
  }
  if (taken_ < changed_.size() + arriving_.size())
    QTimer::singleShot(rest_ms, this, &RunsModel::take_some);
  else
    end_reading();
}

void RunsModel::end_reading() {
  reading_ = false;
  if (std::exchange(filling_, false)) emit filling(false);
  const bool added = !arriving_.empty();
  changed_.clear();
  arriving_.clear();
  if (added) emit choicesChanged();
  listed_once_ = true;
  emit refreshed();
  if (std::exchange(again_, false)) refresh();
  make_figures();
}

void RunsModel::take_changed(ListedRun& run) {
  const auto found = index_.find(run.summary.run_id);
  if (found == index_.end()) return;
  Row& row = *rows_[static_cast<std::size_t>(found->second)];
  RunSummary& before = row.run.summary;
  const RunSummary& now = run.summary;
  if (before.requests == now.requests && before.finished_utc_ns == now.finished_utc_ns &&
      before.outcome == now.outcome && row.run.notes == run.notes)
    return;
  before.requests = now.requests;
  before.finished_utc_ns = now.finished_utc_ns;
  before.outcome = now.outcome;
  row.run.notes = std::move(run.notes);
  show_row(row, present_run_);
  emit dataChanged(index(found->second, 0), index(found->second, column_count - 1));
}

std::size_t RunsModel::missing_figures() const {
  return static_cast<std::size_t>(std::ranges::count_if(rows_, [](const auto& row) { return !row->counted(); }));
}

// The newest first: they are looked at first.
void RunsModel::make_figures() {
  if (counting_) return;
  struct Wanted {
    MadeMetrics metrics;
    bool ended = false;
  };
  std::vector<Wanted> wanted;
  constexpr std::size_t at_once = 200;
  for (auto each = rows_.rbegin(); each != rows_.rend() && wanted.size() < at_once; ++each) {
    const Row* row = each->get();
    if (row->counted()) continue;
    wanted.push_back({{row->run.summary.run_id, row->metrics.value_or(RunMetrics(row->run.summary.settings)),
                       row->place, row->run.summary.requests, row->moves.value_or(std::vector<RunMove>())},
                      row->ended()});
  }
  if (wanted.empty()) return;
  counting_ = true;
  worker_.run(
      [library = library_, wanted = std::move(wanted)](const std::atomic<bool>& cancelled) {
        std::vector<MadeMetrics> made;
        QElapsedTimer timer;
        timer.start();
        for (const Wanted& one : wanted) {
          if (cancelled || timer.elapsed() > metrics_slice_ms) break;
          MadeMetrics metrics = one.metrics;
          // A journal that cannot be read has no metrics, and is not read again for them.
          if (const auto after = library->records_after(metrics.run_id, metrics.place)) {
            for (const RequestRecord& record : after->records) metrics.metrics.add(record);
            metrics.place = after->place;
            if (const auto changes = library->read(metrics.run_id, run_move_types()))
              metrics.moves = run_moves(changes->events);
            Json kept = metrics.metrics.to_json(metrics.place);
            kept[moves_field] = run_moves_json(metrics.moves);
            if (one.ended && !cancelled) (void)library->save_metrics(metrics.run_id, kept);
          }
          made.push_back(std::move(metrics));
        }
        return made;
      },
      [this](std::vector<MadeMetrics> made) { take_figures(std::move(made)); });
}

void RunsModel::take_figures(std::vector<MadeMetrics> made) {
  counting_ = false;
  for (MadeMetrics& metrics : made) {
    const auto found = index_.find(metrics.run_id);
    if (found == index_.end()) continue;
    Row& row = *rows_[static_cast<std::size_t>(found->second)];
    row.metrics = std::move(metrics.metrics);
    row.place = metrics.place;
    row.counted_requests = metrics.counted_requests;
    row.moves = std::move(metrics.moves);
    show_row(row, present_run_);
    emit dataChanged(index(found->second, moved), index(found->second, quality));
  }
  if (!made.empty()) make_figures();
}

void RunsModel::set_present_run(const QString& run_id) {
  if (run_id == present_run_) return;
  const QString before = std::exchange(present_run_, run_id);
  for (const QString& id : {before, run_id})
    if (const int at = row_of(id); at >= 0) {
      show_row(*rows_[static_cast<std::size_t>(at)], present_run_);
      emit dataChanged(index(at, state), index(at, state));
    }
}

const RunsModel::Row* RunsModel::row(int at) const {
  return at < 0 || at >= rowCount() ? nullptr : rows_[static_cast<std::size_t>(at)].get();
}

int RunsModel::row_of(const QString& run_id) const {
  const auto found = index_.find(from_q(run_id));
  return found == index_.end() ? -1 : found->second;
}

QStringList RunsModel::workloads() const {
  QSet<QString> names;
  for (const auto& row : rows_)
    if (!row->workload.isEmpty()) names.insert(row->workload);
  QStringList list(names.begin(), names.end());
  list.sort();
  return list;
}

QStringList RunsModel::policies() const {
  QSet<QString> names;
  for (const auto& row : rows_)
    if (const QString& name = row->cells[policy]; !name.isEmpty()) names.insert(name);
  QStringList list(names.begin(), names.end());
  list.sort();
  return list;
}

void RunsModel::remove(const QStringList& run_ids) {
  if (!library_) return;
  std::vector<std::string> ids;
  for (const QString& id : run_ids)
    if (id != present_run_) ids.push_back(from_q(id));
  if (ids.size() < static_cast<std::size_t>(run_ids.size()))
    emit failed(tr("Run %1 is still being recorded and was not deleted. Stop it, start another run, then delete it.")
                    .arg(present_run_));
  if (ids.empty()) return;
  worker_.run(
      [library = library_, ids = std::move(ids)](const std::atomic<bool>& cancelled) -> Status {
        for (const std::string& id : ids) {
          if (cancelled) break;
          KV_TRY(library->remove(id));
        }
        return {};
      },
      [this](const Status& removed) {
        if (!removed) emit failed(core_text(removed.error().message));
        refresh();
      });
}

Qt::ItemFlags RunsModel::flags(const QModelIndex& at) const {
  const Qt::ItemFlags flags = QAbstractTableModel::flags(at);
  return at.isValid() && (at.column() == tags || at.column() == notes) ? flags | Qt::ItemIsEditable : flags;
}

bool RunsModel::setData(const QModelIndex& at, const QVariant& value, int role) {
  if (role != Qt::EditRole || !row(at.row()) || (at.column() != tags && at.column() != notes)) return false;
  Row& changed = *rows_[static_cast<std::size_t>(at.row())];
  RunNotes written = changed.run.notes;
  if (at.column() == notes) {
    written.text = from_q(value.toString().trimmed());
  } else {
    written.tags.clear();
    const QStringList words = value.toString().split(',', Qt::SkipEmptyParts);
    for (const QString& word : words)
      if (const std::string tag = from_q(word.simplified());
          !tag.empty() && std::ranges::find(written.tags, tag) == written.tags.end())
        written.tags.push_back(tag);
  }
  if (written == changed.run.notes) return true;
  changed.run.notes = written;
  show_row(changed, present_run_);
  emit dataChanged(at, at);
  worker_.run(
      [library = library_, listing = listing_, id = changed.run.summary.run_id, written](const auto&) {
        Status saved = library->save_notes(id, written);
        if (!saved) listing->doubt(id);
        return saved;
      },
      [this](const Status& saved) {
        if (saved) return;
        emit failed(core_text(saved.error().message));
        refresh();  // shows what is there
      });
  return true;
}

int RunsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}
int RunsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int{column_count}; }

}  // namespace kvantage
