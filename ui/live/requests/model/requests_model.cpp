#include "ui/live/requests/model/requests_model.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "core/ports/reason_text.h"
#include "core/report/serving_ways.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr std::size_t kept_request_rows = 20'000;  // older rows leave the view; the journal has them all
constexpr std::size_t rows_dropped_at_once = 100;  // a thousand take a frame of the window's

double quality_of(const RequestRecord& record, const std::string& metric) {
  const auto found = record.quality.find(metric);
  return found == record.quality.end() ? -1 : found->second;
}

QString one_line(const std::string& text) { return to_q(text).simplified(); }

QString way_text(const RequestRecord& record) {
  const std::string_view way = serving_way(record);
  return way == "load_recompute" ? RequestsModel::tr("load, recompute") : core_text(serving_way_text(way));
}

QString way_tip(const RequestRecord& record) {
  const ComputeOrLoadRecord& met = record.compute_or_load;
  QStringList lines{core_text(serving_way_text(serving_way(record)))};
  if (met.used())
    lines << RequestsModel::tr("%1 of %2 tokens computed").arg(met.computed_tokens).arg(record.context_tokens);
  if (met.tokens_from_inputs > 0) lines << recomputed_text(met);
  if (const double predicted = predicted_service_seconds(record); predicted >= 0)
    lines << RequestsModel::tr("TTFT predicted %1, measured %2")
                 .arg(seconds_text(predicted), seconds_text(record.timing.ttft_service_seconds));
  if (met.used())
    lines << RequestsModel::tr("predicted with loading only: %1").arg(seconds_text(met.load_alone_seconds));
  return lines.join('\n');
}

QString ttft_tip(const RequestRecord& r) {
  return RequestsModel::tr(
             "%1 (%2)\nlookup %3\nload %4\nunpack %5\ncontext prefill %6\nquestion prefill %7\nqueueing "
             "before service %8")
      .arg(seconds_text(r.timing.ttft_service_seconds), provenance_text(r.provenance),
           seconds_text(r.timing.lookup_seconds), seconds_text(r.timing.load_seconds),
           seconds_text(r.timing.decode_seconds), seconds_text(r.timing.context_prefill_seconds),
           seconds_text(r.timing.question_prefill_seconds), seconds_text(r.timing.queue_seconds));
}

QString tip_of(const RequestsModel::Row& row, int column) {
  const RequestRecord& r = row.record;
  switch (column) {
    case RequestsModel::ttft:
    case RequestsModel::where_time_went:
      return row.running ? RequestsModel::tr("running") : ttft_tip(r);
    case RequestsModel::source:
      return r.miss_reason.empty() ? RequestsModel::tr("%1 loaded").arg(bytes_text(static_cast<double>(r.bytes_loaded)))
                                   : RequestsModel::tr("miss: %1").arg(core_text(reason_text(r.miss_reason)));
    case RequestsModel::way:
    case RequestsModel::predicted:
      return row.running || r.cancelled ? QString() : way_tip(r);
    case RequestsModel::peak_kv:
      return row.running ? QString() : decoding_text(r.decoding);
    case RequestsModel::question:
      return to_q(r.question);
    case RequestsModel::answer:
      return to_q(r.answer);
    default:
      return {};
  }
}

}  // namespace

RequestsModel::RequestsModel(QObject* parent) : QAbstractTableModel(parent) {}

void RequestsModel::set_quality_metric(const std::string& metric) {
  if (metric == metric_) return;
  metric_ = metric;
  if (!rows_.empty()) emit dataChanged(index(0, quality), index(rowCount() - 1, quality));
  emit headerDataChanged(Qt::Horizontal, quality, quality);
}

void RequestsModel::clear() {
  beginResetModel();
  rows_.clear();
  arriving_.clear();
  touched_.clear();
  position_.clear();
  removed_ = 0;
  finished_ = 0;
  endResetModel();
}

void RequestsModel::begin_fill(std::uint64_t finished_before) {
  tell();
  beginResetModel();
  filling_ = true;
  rows_.clear();
  position_.clear();
  recent_seconds_.clear();
  removed_ = 0;
  finished_ = finished_before;
}

void RequestsModel::end_fill() {
  filling_ = false;
  endResetModel();
}

void RequestsModel::swap_content(RequestsModel& other) {
  tell();
  beginResetModel();
  std::swap(rows_, other.rows_);
  std::swap(position_, other.position_);
  std::swap(removed_, other.removed_);
  std::swap(finished_, other.finished_);
  std::swap(metric_, other.metric_);
  std::swap(recent_seconds_, other.recent_seconds_);
  std::swap(bar_seconds_, other.bar_seconds_);
  endResetModel();
  emit headerDataChanged(Qt::Horizontal, quality, quality);
}

int RequestsModel::index_of(std::uint64_t request) const {
  const auto found = position_.find(request);
  return found == position_.end() || found->second < removed_ ? -1 : static_cast<int>(found->second - removed_);
}

RequestsModel::Row& RequestsModel::row_at(int row) {
  const auto place = static_cast<std::size_t>(row);
  return place < rows_.size() ? rows_[place] : arriving_[place - rows_.size()];
}

void RequestsModel::append(Row row) {
  position_[row.record.id] = removed_ + rows_.size() + arriving_.size();
  arriving_.push_back(std::move(row));
  if (!batching_ || arriving_.size() >= rows_dropped_at_once) tell();
}

void RequestsModel::touch(int row, bool whole) {
  if (filling_) return;
  touched_[removed_ + static_cast<std::uint64_t>(row)] |= whole;
  if (!batching_) tell();
}

void RequestsModel::end_batch() {
  batching_ = false;
  tell();
}

void RequestsModel::tell() {
  const std::uint64_t known = removed_ + rows_.size();
  if (!arriving_.empty()) {
    if (rows_.size() + arriving_.size() > kept_request_rows) {
      const std::size_t dropped = std::min(rows_.size(), std::max(rows_dropped_at_once, arriving_.size()));
      if (!filling_) beginRemoveRows({}, 0, static_cast<int>(dropped) - 1);
      for (std::size_t i = 0; i < dropped; ++i) position_.erase(rows_[i].record.id);
      rows_.erase(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(dropped));
      removed_ += dropped;
      if (!filling_) endRemoveRows();
    }
    const int first = rowCount();
    if (!filling_) beginInsertRows({}, first, first + static_cast<int>(arriving_.size()) - 1);
    std::ranges::move(arriving_, std::back_inserter(rows_));
    arriving_.clear();
    if (!filling_) endInsertRows();
  }
  for (const auto& [position, whole] : std::exchange(touched_, {})) {
    if (position < removed_) continue;
    const int row = static_cast<int>(position - removed_);
    if (position < known)
      emit dataChanged(index(row, whole ? 0 : answer), index(row, whole ? column_count - 1 : answer));
    emit rowChanged(row);
  }
}

void RequestsModel::request_started(const events::RequestStarted& event) {
  if (index_of(event.id) >= 0) return;
  Row row;
  row.record.id = event.id;
  row.record.context_id = event.context_id;
  row.record.family = event.family;
  row.record.question = event.question;
  append(std::move(row));
}

void RequestsModel::token_emitted(const events::TokenEmitted& event) {
  const int row = index_of(event.request);
  if (row < 0 || !row_at(row).running) return;
  row_at(row).record.answer += event.text;
  touch(row, false);
}

void RequestsModel::request_finished(const RequestRecord& record) {
  int row = index_of(record.id);
  if (row < 0) {
    append(Row{record, false});
    row = index_of(record.id);
  } else {
    row_at(row) = Row{record, false};
  }
  if (!record.cancelled) {
    ++finished_;
    update_bar_scale(record.timing.ttft_service_seconds);
  }
  touch(row, true);
}

void RequestsModel::update_bar_scale(double seconds) {
  recent_seconds_.push_back(seconds);
  if (recent_seconds_.size() > 200) recent_seconds_.pop_front();
  if (finished_ > 20 && finished_ % 20 != 0) return;  // a scale that jitters cannot be read
  std::vector<double> sorted(recent_seconds_.begin(), recent_seconds_.end());
  const auto rank = static_cast<std::ptrdiff_t>(static_cast<double>(sorted.size() - 1) * 0.95);
  std::nth_element(sorted.begin(), sorted.begin() + rank, sorted.end());
  const double scale = std::max(sorted[static_cast<std::size_t>(rank)], 1e-6);
  if (std::abs(scale - bar_seconds_) < 0.05 * bar_seconds_) return;
  bar_seconds_ = scale;
  if (!filling_) emit barScaleChanged();
}

const RequestsModel::Row* RequestsModel::row(int at) const {
  return at < 0 || at >= rowCount() ? nullptr : &rows_[static_cast<std::size_t>(at)];
}

const RequestsModel::Row* RequestsModel::find(std::uint64_t request) const { return row(index_of(request)); }

QString RequestsModel::segment_name(Segment segment) {
  static const char* const names[] = {QT_TR_NOOP("lookup"), QT_TR_NOOP("load"), QT_TR_NOOP("unpack"),
                                      QT_TR_NOOP("context prefill"), QT_TR_NOOP("question prefill")};
  return tr(names[segment]);
}

QString RequestsModel::segment_column(Segment segment) {
  static const char* const names[] = {"lookup", "load", "unpack", "context_prefill", "question_prefill"};
  return QString::fromLatin1(names[segment]) + QStringLiteral("_seconds");
}

int RequestsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int RequestsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int{column_count}; }

QVariant RequestsModel::sort_value(const RequestRecord& r, const QModelIndex& at) const {
  switch (at.column()) {
    case number:
      return static_cast<qulonglong>(r.id);
    case ttft:
    case where_time_went:
      return r.timing.ttft_service_seconds;
    case quality:
      return quality_of(r, metric_);
    case predicted:
      return predicted_service_seconds(r);
    case inter_token:
      return r.timing.mean_itl_seconds;
    case peak_kv:
      return static_cast<qulonglong>(r.decoding.peak_bytes);
    default:
      return data(at, Qt::DisplayRole);
  }
}

QVariant RequestsModel::data(const QModelIndex& at, int role) const {
  const Row* row = this->row(at.row());
  if (!row) return {};
  const RequestRecord& r = row->record;
  if (role == segments_role) {
    const RequestTiming& t = r.timing;
    return QVariantList{t.lookup_seconds, t.load_seconds, t.decode_seconds, t.context_prefill_seconds,
                        t.question_prefill_seconds};
  }
  if (role == bar_role) return bar_seconds_;
  if (role == context_role) return to_q(r.context_id);
  if (role == running_role) return row->running;
  if (role == Qt::TextAlignmentRole) {
    const bool figure = at.column() == number || at.column() == ttft || at.column() == quality ||
                        at.column() == inter_token || at.column() == peak_kv || at.column() == predicted;
    return static_cast<int>((figure ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  }
  if (role == sort_role) return sort_value(r, at);
  if (role == Qt::ToolTipRole) return tip_of(*row, at.column());
  if (role != Qt::DisplayRole) return {};
  switch (at.column()) {
    case number:
      return QString::number(r.id);
    case context:
      return to_q(r.context_id);
    case family:
      return to_q(r.family);
    case source:
      return row->running ? QStringLiteral("…") : r.cancelled ? tr("canceled") : core_text(r.source);
    case way:
      return row->running || r.cancelled ? QString() : way_text(r);
    case method:
      return row->running ? QString() : configuration_short(r.method, r.removed_fraction);
    case ttft:
      return row->running ? QString() : seconds_text(r.timing.ttft_service_seconds);
    case quality:
      return row->running ? QString() : quality_text(quality_of(r, metric_));
    case predicted:
      return row->running || r.cancelled || predicted_service_seconds(r) < 0
                 ? QString()
                 : seconds_text(predicted_service_seconds(r));
    case inter_token:
      return row->running || r.answer_tokens < 2 ? QString() : seconds_text(r.timing.mean_itl_seconds);
    case peak_kv:
      return row->running || r.decoding.peak_bytes == 0 ? QString()
                                                        : bytes_text(static_cast<double>(r.decoding.peak_bytes));
    case question:
      return one_line(r.question);
    case answer:
      return one_line(r.answer);
    default:
      return {};
  }
}

QVariant RequestsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::ToolTipRole) {
    switch (section) {
      case source:
        return tr("Tier that served the context; prefill: the context was recomputed");
      case way:
        return tr("How the context came to the request: load, recompute, both at once (hybrid prefill), or prefill");
      case method:
        return tr("Compression method and removed share of KV entries");
      case ttft:
        return tr("Time to first token without queueing (measured; throttled tiers are marked)");
      case predicted:
        return tr("Time to first token without queueing that serving or the plan predicted; empty: no prediction");
      case where_time_went:
        return tr("Lookup, load, unpack, context prefill and question prefill; full length is the 95th percentile");
      case quality:
        return tr("%1 of the answer versus the reference answer, 0 to 1 (measured)").arg(to_q(metric_));
      case inter_token:
        return tr("Mean time between two tokens of the answer (measured); empty below two tokens");
      case peak_kv:
        return tr("Most memory that the request's KV cache held while it decoded");
      default:
        return {};
    }
  }
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case number:
      return QStringLiteral("#");
    case context:
      return tr("Context");
    case family:
      return tr("Family");
    case source:
      return tr("From");
    case way:
      return tr("Way");
    case method:
      return tr("Method, removed");
    case ttft:
      return tr("TTFT");
    case predicted:
      return tr("Predicted");
    case where_time_went:
      return tr("TTFT breakdown");
    case quality:
      return to_q(metric_);
    case inter_token:
      return tr("Inter-token latency");
    case peak_kv:
      return tr("Peak KV");
    case question:
      return tr("Question");
    case answer:
      return tr("Answer");
    default:
      return {};
  }
}

}  // namespace kvantage
