#include "ui/live/tiers/model/tier_reports_model.h"

#include <QRegularExpression>
#include <algorithm>
#include <array>

#include "core/ports/reason_text.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr double mebibyte = 1048576.0;

QPointF point_of(double bytes, double seconds) { return {bytes / mebibyte, seconds * 1e3}; }

QString meaning_in(std::span<const std::pair<const char*, QString>> list, const std::string& reason) {
  for (const auto& [name, meaning] : list)
    if (reason == name) return meaning;
  return {};
}

QString achieved_text(const CopyGauge& copies) {
  return copies.bytes > 0 ? rate_text(copies.bytes_per_second()) : TierReportsModel::tr("none yet");
}
QString against_peak(const CopyGauge& copies) {
  return TierReportsModel::tr("%1 of %2").arg(achieved_text(copies), rate_text(copies.peak_bytes_per_second));
}

// "copies: in 20.1 of 25.0 GB/s, out 22.0 of 25.1 GB/s, 63 % overlapped".
QString copies_text(const DeviceGauges& device) {
  const QString in = against_peak(device.to_device), out = against_peak(device.from_device);
  return device.to_device.bytes + device.from_device.bytes > 0
             ? TierReportsModel::tr("copies: in %1, out %2, %3 overlapped")
                   .arg(in, out, percent_text(device.overlap_share()))
             : TierReportsModel::tr("copies: in %1, out %2").arg(in, out);
}

auto adder(std::vector<TierReportsModel::Counter>& rows, const QString& of) {
  return [&rows, of](const char* what, const QString& reason, const QString& value, const QString& meaning,
                     std::uint64_t count) {
    rows.push_back({of, QString::fromLatin1(what), reason, value, meaning, count});
  };
}

void add_device(std::vector<TierReportsModel::Counter>& rows, const QString& tier, const DeviceGauges& device) {
  const auto add = adder(rows, tier);
  add("device_held_bytes", {}, bytes_text(static_cast<double>(device.held_bytes)),
      TierReportsModel::tr("device memory allocated, in use or not"), device.held_bytes);
  for (const auto& [direction, copies] :
       {std::pair{QStringLiteral("in"), device.to_device}, std::pair{QStringLiteral("out"), device.from_device}}) {
    add("copied_bytes", direction, bytes_text(static_cast<double>(copies.bytes)),
        TierReportsModel::tr("copied between host memory and the device"), copies.bytes);
    add("copy_rate", direction, achieved_text(copies),
        TierReportsModel::tr("copy bandwidth while copies were in flight"),
        static_cast<std::uint64_t>(copies.bytes_per_second()));
    add("copy_rate_peak", direction, rate_text(copies.peak_bytes_per_second),
        TierReportsModel::tr("peak bandwidth of large copies of pinned memory"),
        static_cast<std::uint64_t>(copies.peak_bytes_per_second));
  }
  add("copies_hidden", {}, percent_text(device.overlap_share()),
      TierReportsModel::tr("share of copy time overlapped with work of the tier's threads"),
      static_cast<std::uint64_t>(device.overlap_share() * 100));
}

void add_model_device(std::vector<TierReportsModel::Counter>& rows, const ModelDeviceGauges& device) {
  const auto add = adder(rows, TierReportsModel::tr("Model on the GPU"));
  const auto bytes = [&](const char* what, std::uint64_t count, const QString& meaning) {
    add(what, {}, bytes_text(static_cast<double>(count)), meaning, count);
  };
  const auto rate = [&](const char* what, const QString& text, double per_second, const QString& meaning) {
    add(what, {}, text, meaning, static_cast<std::uint64_t>(per_second));
  };
  const CopyGauge &up = device.uploaded, &down = device.downloaded;
  bytes("cache_held_bytes", device.cache_held_bytes,
        TierReportsModel::tr("KV cache memory in use; shared blocks count once"));
  bytes("cache_total_bytes", device.cache_total_bytes, TierReportsModel::tr("KV cache memory"));
  bytes("uploaded_bytes", up.bytes, TierReportsModel::tr("KV entries of contexts copied to the GPU, in whole blocks"));
  rate("upload_rate", achieved_text(up), up.bytes_per_second(),
       TierReportsModel::tr("copy bandwidth while copies were in flight"));
  rate("upload_rate_peak", rate_text(up.peak_bytes_per_second), up.peak_bytes_per_second,
       TierReportsModel::tr("peak bandwidth of large copies of page-locked memory"));
  add("upload_hidden", {}, percent_text(up.hidden_share()),
      TierReportsModel::tr("share of copy time in which no computation waited for a layer"),
      static_cast<std::uint64_t>(up.hidden_share() * 100));
  bytes("downloaded_bytes", down.bytes,
        TierReportsModel::tr("KV entries computed on the GPU and copied back, in whole blocks"));
  rate("download_rate", achieved_text(down), down.bytes_per_second(),
       TierReportsModel::tr("copy bandwidth while copies were in flight"));
  rate("download_rate_peak", rate_text(down.peak_bytes_per_second), down.peak_bytes_per_second,
       TierReportsModel::tr("peak bandwidth of large copies of page-locked memory"));
}

}  // namespace

QString miss_meaning(const std::string& reason) {
  const std::pair<const char*, QString> list[] = {
      {"absent", TierReportsModel::tr("the cache vanished between lookup and read")},
      {"missing", TierReportsModel::tr("its file, or part of it on the server, is missing")},
      {"truncated", TierReportsModel::tr("the data ends early")},
      {"checksum", TierReportsModel::tr("checksum mismatch")},
      {"device", TierReportsModel::tr("the system reported an error")},
      {"unavailable", TierReportsModel::tr("the server did not respond; the cache is kept")},
      {"replaced", TierReportsModel::tr("another KVantage process replaced it; the new version is read next")},
      {"cancelled", TierReportsModel::tr("canceled before it was read")},
      {"rejected", TierReportsModel::tr("the request was invalid")},
  };
  return meaning_in(list, reason);
}

QString refusal_meaning(const std::string& reason) {
  const std::pair<const char*, QString> list[] = {
      {"no_space", TierReportsModel::tr("over budget, or the device or memory is full")},
      {"io", TierReportsModel::tr("the system or the server reported an error")},
      {"busy",
       TierReportsModel::tr("another process stored a newer version, wrote at the same time, or locked the index")},
      {"cancelled", TierReportsModel::tr("canceled before it was visible")},
      {"rejected_input", TierReportsModel::tr("its length does not match its description")},
  };
  return meaning_in(list, reason);
}

void TierReportsModel::set_reports(const Reports& reports) {
  if (reports == reports_) return;
  reports_ = reports;
  emit changed();
}

void TierReportsModel::set_model_device(const std::optional<ModelDeviceGauges>& gauges) {
  if (gauges == model_device_) return;
  model_device_ = gauges;
  emit changed();
}

std::vector<QString> TierReportsModel::names() const {
  std::vector<QString> names;
  if (reports_)
    for (const TierReport& report : *reports_) names.push_back(to_q(report.description.name));
  return names;
}

const TierReport* TierReportsModel::find(const QString& tier) const {
  if (!reports_) return nullptr;
  const std::string name = from_q(tier);
  const auto found =
      std::ranges::find_if(*reports_, [&](const TierReport& report) { return report.description.name == name; });
  return found == reports_->end() ? nullptr : &*found;
}

TierReportsModel::FitView TierReportsModel::fit_view(const QString& tier) const {
  FitView view;
  const TierReport* report = find(tier);
  if (!report || report->fit.samples == 0) return view;
  double largest = 0;
  for (const FittedLoad& load : report->fit.loads) {
    (load.timing ? view.timings : view.loads).push_back(point_of(load.bytes, load.seconds));
    largest = std::max(largest, load.bytes);
  }
  const TierModel& model = report->fit.model;
  for (const double bytes : {0.0, largest * 1.05}) view.line.push_back(point_of(bytes, model.seconds(bytes, 0)));
  return view;
}

QString TierReportsModel::fit_text(const QString& tier) const {
  const TierReport* report = find(tier);
  if (!report) return tr("not timed yet");
  if (report->fit.samples == 0)
    return report->reachable ? tr("not fitted yet: no loads") : tr("not fitted: unavailable");
  return tr("%1, latency %2")
      .arg(rate_text(report->fit.model.bytes_per_second), seconds_text(report->fit.model.latency_seconds));
}

QString TierReportsModel::residual_text(const QString& tier) const {
  const TierReport* report = find(tier);
  if (!report || report->fit.fitted.loads == 0) return tr("no live loads yet");
  const FitResiduals& residuals = report->fit.fitted;
  return tr("%n load(s), residual %1 (median), %2 (p95)", nullptr, static_cast<int>(residuals.loads))
      .arg(percent_text(residuals.median_fraction), percent_text(residuals.p95_fraction));
}

namespace {

/// Earlier versions recorded "shaped: " where a tier was throttled.
QString note_of(const TierDescription& description) {
  return to_q(description.note).replace(QRegularExpression(QStringLiteral("^shaped: ")), QStringLiteral("throttled: "));
}

/// Without what the tool tip is for.
QString shorter(QString note) { return note.remove(QStringLiteral(", registered buffers")); }

}  // namespace

QString TierReportsModel::badge(const QString& tier) const {
  const TierReport* report = find(tier);
  if (!report) return {};
  QStringList parts;
  const QString note = note_of(report->description);
  if (report->description.throttled && !note.contains(QLatin1String("throttled")))
    parts << provenance_text(Provenance::throttled);
  if (!note.isEmpty()) parts << core_text(shorter(note));
  if (report->statistics.device) parts << copies_text(*report->statistics.device);
  if (const std::uint64_t count = misses(tier); count > 0)
    parts << tr("%n failed read(s)", nullptr, static_cast<int>(count));
  return parts.join(QStringLiteral("; "));
}

QString TierReportsModel::badge_tip(const QString& tier) const {
  const TierReport* report = find(tier);
  if (!report) return {};
  QString tip = QStringLiteral("%1: %2").arg(tier, core_text(report->description.kind));
  if (!report->description.note.empty()) tip += '\n' + core_text(note_of(report->description));
  if (report->description.throttled) tip += '\n' + provenance_tip(Provenance::throttled);
  if (const auto& device = report->statistics.device)
    tip += '\n' + tr("%1 of %2 device memory allocated, %3 free. Copies: achieved of peak bandwidth with pinned "
                     "memory. Overlapped: share of copy time hidden by the tier's own work.")
                      .arg(bytes_text(static_cast<double>(device->held_bytes)),
                           bytes_text(static_cast<double>(device->memory_bytes)),
                           bytes_text(static_cast<double>(device->free_bytes)));
  if (!report->reachable) tip += '\n' + tr("Its server does not respond; requests are served without it");
  const auto failed = failed_reads(report->statistics.misses);
  if (failed.empty()) tip += '\n' + tr("no failed reads since it was opened");
  for (const auto& [reason, count] : failed)
    tip +=
        '\n' + tr("failed reads, %1: %2 (%3)").arg(core_text(reason_text(reason))).arg(count).arg(miss_meaning(reason));
  for (const auto& [kind, count] : report->statistics.injected_faults)
    tip += '\n' + tr("injected faults, %1: %2").arg(to_q(kind)).arg(count);
  return tip;
}

std::uint64_t TierReportsModel::misses(const QString& tier) const {
  std::uint64_t sum = 0;
  if (const TierReport* report = find(tier))
    for (const auto& [reason, count] : failed_reads(report->statistics.misses)) sum += count;
  return sum;
}

QString TierReportsModel::model_device_text() const {
  if (!model_device_) return {};
  const ModelDeviceGauges& device = *model_device_;
  const QString text = tr("Model on the GPU: KV caches %1 of %2; copies: in %3, out %4")
                           .arg(bytes_text(static_cast<double>(device.cache_held_bytes)),
                                bytes_text(static_cast<double>(device.cache_total_bytes)),
                                against_peak(device.uploaded), against_peak(device.downloaded));
  return device.uploaded.bytes == 0
             ? text
             : tr("%1, %2 of uploads overlapped").arg(text, percent_text(device.uploaded.hidden_share()));
}

QString TierReportsModel::model_device_tip() const {
  if (!model_device_) return {};
  return tr("The model runs on %1.\nKV caches: GPU memory in use of the memory reserved for KV caches.\nCopies: KV "
            "entries uploaded and downloaded, achieved of peak bandwidth with page-locked memory.\nOverlapped: share "
            "of copy time in which no computation waited for a layer.")
      .arg(to_q(model_device_->device));
}

std::vector<TierReportsModel::Counter> TierReportsModel::counters() const {
  std::vector<Counter> rows;
  static const std::vector<TierReport> none;
  for (const TierReport& report : reports_ ? *reports_ : none) {
    const TierStatistics& s = report.statistics;
    const QString tier = to_q(report.description.name);
    const auto add = [&](const char* what, std::uint64_t count, const QString& meaning, bool bytes = false) {
      rows.push_back({tier,
                      QString::fromLatin1(what),
                      {},
                      bytes ? bytes_text(static_cast<double>(count)) : QString::number(count),
                      meaning,
                      count});
    };
    add("reads", s.reads, TierReportsModel::tr("successful, verified reads"));
    add("read_bytes", s.read_bytes, TierReportsModel::tr("bytes of those reads"), true);
    for (const auto& [reason, count] : s.misses)
      rows.push_back(
          {tier, QStringLiteral("failed_reads"), to_q(reason), QString::number(count), miss_meaning(reason), count});
    add("writes", s.writes, TierReportsModel::tr("caches written and visible"));
    add("written_bytes", s.written_bytes, TierReportsModel::tr("bytes of those writes"), true);
    for (const auto& [reason, count] : s.failed_writes)
      rows.push_back({tier, QStringLiteral("failed_writes"), to_q(reason), QString::number(count),
                      refusal_meaning(reason), count});
    for (const auto& [kind, count] : s.injected_faults)
      rows.push_back({tier, QStringLiteral("faults_struck"), to_q(kind), QString::number(count),
                      tr("injected faults that affected its files"), count});
    add("erased", s.erased, TierReportsModel::tr("caches removed by the policy"));
    if (s.dropped) add("dropped", s.dropped, TierReportsModel::tr("corrupt caches dropped"));
    if (s.scrubbed) add("scrubbed", s.scrubbed, TierReportsModel::tr("caches verified in the background"));
    if (s.recovered) add("recovered", s.recovered, TierReportsModel::tr("caches recovered when the tier was opened"));
    if (s.appeared) add("appeared", s.appeared, TierReportsModel::tr("caches added by other processes"));
    if (s.vanished)
      add("vanished", s.vanished, TierReportsModel::tr("caches removed by other processes or the server"));
    if (s.unsealed)
      add("unsealed", s.unsealed, TierReportsModel::tr("caches on the server whose seal does not fit, not used"));
    if (s.swept_files)
      add("swept_files", s.swept_files,
          TierReportsModel::tr("torn or outdated files removed when the tier was opened"));
    if (s.unreadable_files)
      add("unreadable_files", s.unreadable_files,
          s.unreadable.empty()
              ? TierReportsModel::tr("files skipped when the tier was opened")
              : TierReportsModel::tr("files skipped when the tier was opened: %1").arg(core_text(s.unreadable)));
    if (s.overhead_bytes)
      add("overhead_bytes", s.overhead_bytes, TierReportsModel::tr("headers and padding, not counted as used"), true);
    if (s.reusable_bytes)
      add("reusable_bytes", s.reusable_bytes,
          s.device ? TierReportsModel::tr("device memory allocated but free")
                   : TierReportsModel::tr("free space in its files"),
          true);
    if (s.storage) {
      add("occupied_bytes", s.storage->occupied_bytes,
          TierReportsModel::tr(
              "disk blocks of its folder, or server memory (MEMORY USAGE) of the caches measured so far"),
          true);
      add("occupied_entry_bytes", s.storage->entry_bytes,
          TierReportsModel::tr("bytes of the same caches, as counted here"), true);
    }
    if (s.device) add_device(rows, tier, *s.device);
  }
  if (model_device_) add_model_device(rows, *model_device_);
  return rows;
}

}  // namespace kvantage
