#include "ui/runs/model/held_runs_model.h"

#include <algorithm>
#include <set>
#include <utility>

#include "ui/runs/model/held_names.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr int largest_held_color = 999;  // of those that are read

Json held_session(const SessionSettings& settings) { return Json{{"settings", to_json(settings)}}; }

std::string held_database(RunLibrary& library) { return library.database().string(); }

}  // namespace

HeldRunsModel::HeldRunsModel(std::shared_ptr<RunLibrary> library, const FrontierModel& frontier, QObject* parent)
    : QAbstractTableModel(parent), library_(std::move(library)), frontier_(frontier) {
  connect(&frontier_, &FrontierModel::measuredChanged, this, &HeldRunsModel::follow_frontier);
  connect(&frontier_, &FrontierModel::familyChanged, this, &HeldRunsModel::follow_query);
  connect(&frontier_, &FrontierModel::splitChanged, this, &HeldRunsModel::follow_query);
  follow_frontier();
}

HeldRunsModel::~HeldRunsModel() = default;

int HeldRunsModel::row_of(const QString& run_id) const {
  if (run_id.isEmpty()) return -1;
  const auto found = std::ranges::find(held_, run_id, &HeldRun::id);
  return found == held_.end() ? -1 : static_cast<int>(found - held_.begin());
}

int HeldRunsModel::row_of_serial(std::uint64_t serial) const {
  const auto found = std::ranges::find(details_, serial, &Details::serial);
  return found == details_.end() ? -1 : static_cast<int>(found - details_.begin());
}

std::size_t HeldRunsModel::pinned() const {
  return static_cast<std::size_t>(std::ranges::count(held_, false, &HeldRun::ghost));
}

bool HeldRunsModel::is_pinned(const QString& run_id) const {
  const int row = row_of(run_id);
  return row >= 0 && !held_[static_cast<std::size_t>(row)].ghost;
}

int HeldRunsModel::free_color() const {
  std::set<int> taken;
  for (const HeldRun& run : held_) taken.insert(run.color);
  int lowest = 0;
  while (taken.contains(lowest)) ++lowest;
  return lowest;
}

void HeldRunsModel::insert(int row, HeldRun run, Details details) {
  details.serial = ++last_serial_;
  beginInsertRows({}, row, row);
  held_.insert(held_.begin() + row, std::move(run));
  details_.insert(details_.begin() + row, std::move(details));
  endInsertRows();
}

void HeldRunsModel::remove(int row) {
  beginRemoveRows({}, row, row);
  held_.erase(held_.begin() + row);
  details_.erase(details_.begin() + row);
  endRemoveRows();
}

void HeldRunsModel::row_changed(int row, bool kept) {
  emit dataChanged(index(row, 0), index(row, column_count - 1));
  emit heldChanged();
  if (kept && !held_[static_cast<std::size_t>(row)].ghost) emit stateChanged();
}

void HeldRunsModel::pin(const QString& run_id) {
  if (run_id.isEmpty() || is_pinned(run_id)) return;
  if (!library_) {
    emit failed(
        tr("Run %1 is not recorded and cannot be pinned. Start kvantage with --db FILE to record runs.").arg(run_id));
    return;
  }
  if (pinned() >= max_pinned) {
    emit failed(tr("Run %1 was not pinned: %2 runs are pinned to the Frontier already. Unpin one, then pin it.")
                    .arg(run_id)
                    .arg(max_pinned));
    return;
  }
  HeldRun run;
  run.id = run_id;
  run.color = free_color();
  if (const int ghost = row_of(run_id); ghost >= 0) {
    run.color = held_[static_cast<std::size_t>(ghost)].color;
    run.shown = held_[static_cast<std::size_t>(ghost)].shown;
    remove(ghost);
  }
  add_pin(std::move(run), false);
  emit heldChanged();
  emit stateChanged();
}

void HeldRunsModel::add_pin(HeldRun run, bool restored) {
  Details details;
  details.own_name = run.name;
  details.restored = restored;
  if (run.name.isEmpty()) run.name = run.id;  // until its settings are read
  const std::size_t row = pinned();
  insert(static_cast<int>(row), std::move(run), std::move(details));
  read(row);
}

void HeldRunsModel::read(std::size_t row) {
  worker_.run(
      [library = library_, id = from_q(held_[row].id)](const std::atomic<bool>& cancelled) {
        return read_held(*library, id, cancelled);
      },
      [this, serial = details_[row].serial](Expected<HeldReading> reading) { take(serial, std::move(reading)); });
}

void HeldRunsModel::take(std::uint64_t serial, Expected<HeldReading> reading) {
  const int row = row_of_serial(serial);
  if (row < 0) return;  // unpinned meanwhile
  Details& details = details_[static_cast<std::size_t>(row)];
  if (!reading) {
    if (details.segments) return;  // a later reading of a run that was still recorded: it has what it had
    const bool silent = details.restored && reading.error().code == ErrorCode::not_found;
    remove(row);
    rename();
    emit heldChanged();
    emit stateChanged();
    if (!silent) emit failed(core_text(reading.error().message));
    return;
  }
  details.segments = std::move(reading->segments);
  details.settings = std::move(reading->settings);
  details.notes = std::move(reading->notes);
  details.ended = reading->ended;
  details.drawn_for = 0;
  rename();
  row_changed(row, false);
  draw_points();
}

void HeldRunsModel::unpin(const QString& run_id) {
  if (!is_pinned(run_id)) return;
  remove(row_of(run_id));
  replace_ghosts();  // it may be an earlier run of this window
  rename();
  emit heldChanged();
  emit stateChanged();
}

void HeldRunsModel::set_shown(const QString& run_id, bool visible) {
  if (const int row = row_of(run_id); row >= 0)
    setData(index(row, shown), visible ? Qt::Checked : Qt::Unchecked, Qt::CheckStateRole);
}

void HeldRunsModel::set_name(const QString& run_id, const QString& text) {
  if (const int row = row_of(run_id); row >= 0) setData(index(row, name), text, Qt::EditRole);
}

void HeldRunsModel::set_notes(const QString& run_id, const RunNotes& notes) {
  const int row = row_of(run_id);
  if (row < 0 || details_[static_cast<std::size_t>(row)].notes == notes) return;
  details_[static_cast<std::size_t>(row)].notes = notes;
  emit dataChanged(index(row, 0), index(row, column_count - 1));
}

// Called with every request: compares before it does anything.
void HeldRunsModel::follow_frontier() {
  const RunSegments& now = frontier_.segments();
  bool changed = false;
  if (std::vector<std::uint64_t> earlier = now.earlier_runs(); earlier != earlier_) {
    earlier_ = std::move(earlier);
    replace_ghosts();
    for (std::size_t row = 0; row < held_.size(); ++row)
      if (!held_[row].ghost && details_[row].segments && !details_[row].ended) read(row);  // it may have ended since
    changed = true;
  }
  const bool known = !now.segments().empty();
  if (known != present_.has_value() || (known && !(now.segments().back().settings == *present_))) {
    present_.reset();
    if (known) present_ = now.segments().back().settings;
    changed = true;
  }
  if (!changed) return;
  rename();
  emit heldChanged();
}

void HeldRunsModel::follow_query() {
  ++query_;
  draw_points();
}

void HeldRunsModel::replace_ghosts() {
  const std::vector<RunSegments::Segment>& segments = frontier_.segments().segments();
  std::vector<std::pair<std::uint64_t, const RunSegments::Segment*>> wanted;
  wanted.reserve(earlier_.size());
  for (const std::uint64_t number : earlier_) {
    const auto first = std::ranges::find(segments, number, &RunSegments::Segment::run_number);
    if (first != segments.end() && !is_pinned(first->run)) wanted.emplace_back(number, &*first);
  }
  const auto known = [this](std::size_t row, std::uint64_t number, const QString& run) {
    return held_[row].ghost && details_[row].run_number == number && held_[row].id == run;
  };
  for (std::size_t row = held_.size(); row-- > 0;) {
    const bool stays =
        std::ranges::any_of(wanted, [&](const auto& each) { return known(row, each.first, each.second->run); });
    if (!held_[row].ghost || stays) continue;
    ghost_looks_[{details_[row].run_number, held_[row].id}] = {held_[row].color, held_[row].shown};
    while (ghost_looks_.size() > max_ghost_looks) ghost_looks_.erase(ghost_looks_.begin());  // of the oldest run
    remove(static_cast<int>(row));
  }
  std::shared_ptr<const RunSegments> copy;  // nothing is added to earlier runs any more
  std::size_t row = pinned();
  for (const auto& [number, first] : wanted) {
    if (row < held_.size() && known(row, number, first->run)) {
      ++row;
      continue;
    }
    if (!copy) copy = std::make_shared<const RunSegments>(frontier_.segments());
    HeldRun run;
    run.id = first->run;
    run.name = first->run;
    run.color = free_color();
    if (const auto look = ghost_looks_.find({number, first->run}); look != ghost_looks_.end()) {
      const auto [as_before, was_shown] = look->second;
      if (std::ranges::find(held_, as_before, &HeldRun::color) == held_.end()) run.color = as_before;
      run.shown = was_shown;
    }
    run.ghost = true;
    Details details;
    details.run_number = number;
    details.segments = copy;
    details.settings = held_session(first->settings);
    insert(static_cast<int>(row++), std::move(run), std::move(details));
  }
  draw_points();
}

void HeldRunsModel::draw_points() {
  struct Wanted {
    std::uint64_t serial = 0;
    std::shared_ptr<const RunSegments> segments;
    SegmentQuery query;
  };
  using Drawn = std::vector<std::pair<std::uint64_t, std::vector<MeasuredPoint>>>;
  std::vector<Wanted> wanted;
  wanted.reserve(details_.size());
  for (std::size_t row = 0; row < details_.size(); ++row) {
    Details& details = details_[row];
    if (!details.segments || std::exchange(details.drawn_for, query_) == query_) continue;
    SegmentQuery query{frontier_.family(), frontier_.split(), {}};
    if (held_[row].ghost) query.run = details.run_number;
    wanted.push_back({details.serial, details.segments, std::move(query)});
  }
  if (wanted.empty()) return;
  worker_.run(
      [wanted = std::move(wanted)](const std::atomic<bool>& cancelled) {
        Drawn drawn;
        drawn.reserve(wanted.size());
        for (const Wanted& each : wanted) {
          if (cancelled) break;
          drawn.emplace_back(each.serial, held_points(*each.segments, each.query, cancelled));
        }
        return drawn;
      },
      [this, query = query_](Drawn&& drawn) {
        if (query != query_) return;  // newer ones come
        for (auto& [serial, points] : drawn)
          if (const int row = row_of_serial(serial); row >= 0)
            held_[static_cast<std::size_t>(row)].points = std::move(points);
        emit heldChanged();
      });
}

void HeldRunsModel::rename() {
  const Json present = present_ ? held_session(*present_) : Json();
  std::vector<Json> settings;
  std::vector<std::size_t> rows;
  settings.reserve(held_.size());
  rows.reserve(held_.size());
  for (std::size_t row = 0; row < held_.size(); ++row) {
    if (details_[row].settings.is_null()) continue;
    settings.push_back(details_[row].settings);
    rows.push_back(row);
  }
  const std::vector<QString> names = held_names(settings, present);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Details& details = details_[rows[i]];
    held_[rows[i]].name = details.own_name.isEmpty() ? names[i] : details.own_name;
    details.differs = held_difference(details.settings, present);
    if (details.differs.isEmpty() && present_) details.differs = tr("nothing");
  }
  if (!held_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, column_count - 1));
}

Json HeldRunsModel::state() const {
  Json state = kept_;
  if (!library_) return state;
  Json pins = Json::array();
  for (std::size_t row = 0; row < pinned(); ++row) {
    const HeldRun& run = held_[row];
    Json pin{{"run", from_q(run.id)}, {"color", run.color}, {"shown", run.shown}};
    if (!details_[row].own_name.isEmpty()) pin["name"] = from_q(details_[row].own_name);
    pins.push_back(std::move(pin));
  }
  state[held_database(*library_)] = std::move(pins);
  return state;
}

void HeldRunsModel::restore(const Json& state) {
  if (!state.is_object()) return;
  kept_ = state;
  if (!library_) return;
  const Json pins = state.value(held_database(*library_), Json());
  if (!pins.is_array()) return;
  for (const Json& pin : pins) {
    if (!pin.is_object() || pinned() >= max_pinned) continue;
    const Json id = pin.value("run", Json()), number = pin.value("color", Json()), eye = pin.value("shown", Json()),
               text = pin.value("name", Json());
    HeldRun run;
    if (id.is_string()) run.id = to_q(id.get<std::string>());
    if (run.id.isEmpty() || row_of(run.id) >= 0) continue;
    const std::int64_t kept = number.is_number_integer() ? number.get<std::int64_t>() : -1;
    const bool usable =
        kept >= 0 && kept <= largest_held_color &&
        std::ranges::none_of(held_, [kept](const HeldRun& each) { return each.color == static_cast<int>(kept); });
    run.color = usable ? static_cast<int>(kept) : free_color();
    run.shown = !eye.is_boolean() || eye.get<bool>();
    if (text.is_string()) run.name = to_q(text.get<std::string>()).simplified();
    add_pin(std::move(run), true);
  }
  emit heldChanged();
}

}  // namespace kvantage
