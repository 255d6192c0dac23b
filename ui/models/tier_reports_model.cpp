#include "ui/models/tier_reports_model.h"

#include <algorithm>
#include <array>

#include "ui/models/words.h"

namespace kvantage {
namespace {

constexpr double mebibyte = 1048576.0;

QPointF point_of(double bytes, double seconds) { return {bytes / mebibyte, seconds * 1e3}; }

QString meaning_in(std::span<const std::pair<const char*, const char*>> list, const std::string& reason) {
  for (const auto& [name, meaning] : list)
    if (reason == name) return QString::fromUtf8(meaning);
  return {};
}

QString achieved_text(const CopyGauge& copies) {
  return copies.bytes > 0 ? rate_text(copies.bytes_per_second()) : QStringLiteral("nothing yet");
}
QString against_peak(const char* words, const CopyGauge& copies) {
  return QStringLiteral("%1 %2 of %3")
      .arg(QString::fromLatin1(words), achieved_text(copies), rate_text(copies.peak_bytes_per_second));
}

// "to it 20.1 of 25.0 GB/s, from it 22.0 of 25.1 GB/s, 63 % hidden".
QString copies_text(const DeviceGauges& device) {
  QString text = QStringLiteral("copies ") + against_peak("to it", device.to_device) + QStringLiteral(", ") +
                 against_peak("from it", device.from_device);
  if (device.to_device.bytes + device.from_device.bytes > 0)
    text += QStringLiteral(", %1 hidden").arg(percent_text(device.overlap_share()));
  return text;
}

auto adder(std::vector<TierReportsModel::Counter>& rows, const QString& of) {
  return [&rows, of](const char* what, const QString& reason, const QString& value, const char* meaning,
                     std::uint64_t count) {
    rows.push_back({of, QString::fromLatin1(what), reason, value, QString::fromUtf8(meaning), count});
  };
}

void add_device(std::vector<TierReportsModel::Counter>& rows, const QString& tier, const DeviceGauges& device) {
  const auto add = adder(rows, tier);
  add("device_held_bytes", {}, bytes_text(static_cast<double>(device.held_bytes)),
      "memory taken from the device, in blocks of entries or not", device.held_bytes);
  for (const auto& [direction, copies] : {std::pair{QStringLiteral("to it"), device.to_device},
                                          std::pair{QStringLiteral("from it"), device.from_device}}) {
    add("copied_bytes", direction, bytes_text(static_cast<double>(copies.bytes)),
        "copied between host memory and the device", copies.bytes);
    add("copy_rate", direction, achieved_text(copies), "of those bytes, while a copy was under way",
        static_cast<std::uint64_t>(copies.bytes_per_second()));
    add("copy_rate_peak", direction, rate_text(copies.peak_bytes_per_second), "best of large copies of pinned memory",
        static_cast<std::uint64_t>(copies.peak_bytes_per_second));
  }
  add("copies_hidden", {}, percent_text(device.overlap_share()),
      "share of the copies' time beside which the tier's own threads worked",
      static_cast<std::uint64_t>(device.overlap_share() * 100));
}

void add_model_device(std::vector<TierReportsModel::Counter>& rows, const ModelDeviceGauges& device) {
  const auto add = adder(rows, QStringLiteral("Model on the GPU"));
  const auto bytes = [&](const char* what, std::uint64_t count, const char* meaning) {
    add(what, {}, bytes_text(static_cast<double>(count)), meaning, count);
  };
  const auto rate = [&](const char* what, const QString& text, double per_second, const char* meaning) {
    add(what, {}, text, meaning, static_cast<std::uint64_t>(per_second));
  };
  const CopyGauge &up = device.uploaded, &down = device.downloaded;
  bytes("cache_held_bytes", device.cache_held_bytes,
        "of its memory for KV caches, in blocks that caches hold; what several share counts once");
  bytes("cache_total_bytes", device.cache_total_bytes, "its memory for KV caches");
  bytes("uploaded_bytes", up.bytes, "rows of contexts copied to it, in whole blocks");
  rate("upload_rate", achieved_text(up), up.bytes_per_second(), "of those bytes, while a copy was under way");
  rate("upload_rate_peak", rate_text(up.peak_bytes_per_second), up.peak_bytes_per_second,
       "best of large copies of page-locked memory");
  add("upload_hidden", {}, percent_text(up.hidden_share()),
      "share of the copies' time in which nothing that computes waited for a layer",
      static_cast<std::uint64_t>(up.hidden_share() * 100));
  bytes("downloaded_bytes", down.bytes, "rows computed there and copied back, in whole blocks");
  rate("download_rate", achieved_text(down), down.bytes_per_second(), "of those bytes, while a copy was under way");
  rate("download_rate_peak", rate_text(down.peak_bytes_per_second), down.peak_bytes_per_second,
       "best of large copies of page-locked memory");
}

}  // namespace

QString miss_meaning(const std::string& reason) {
  static constexpr std::array<std::pair<const char*, const char*>, 9> list{{
      {"absent", "the entry was there when it was looked up and gone when it was read"},
      {"missing", "its file, or a part of it on the server, is gone"},
      {"truncated", "it ends early"},
      {"checksum", "the bytes are not those that were written"},
      {"device", "the system reported an error"},
      {"unavailable", "the server did not answer; the entry stays"},
      {"replaced", "another workbench put another version in its place, which stays and is read next"},
      {"cancelled", "given up before it was read"},
      {"rejected", "the request itself was wrong"},
  }};
  return meaning_in(list, reason);
}

QString refusal_meaning(const std::string& reason) {
  static constexpr std::array<std::pair<const char*, const char*>, 5> list{{
      {"no_space", "beyond the budget, or the device or memory is full"},
      {"io", "the system or the server reported an error"},
      {"busy", "another workbench stored a newer version meanwhile"},
      {"cancelled", "given up before it was visible"},
      {"rejected_input", "its length does not fit its description"},
  }};
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
  if (!report) return QStringLiteral("not timed yet");
  if (report->fit.samples == 0)
    return report->reachable ? QStringLiteral("not fitted yet: its first loads will be")
                             : QStringLiteral("not fitted: it does not answer");
  return QStringLiteral("%1, latency %2")
      .arg(rate_text(report->fit.model.bytes_per_second), seconds_text(report->fit.model.latency_seconds));
}

QString TierReportsModel::residual_text(const QString& tier) const {
  const TierReport* report = find(tier);
  if (!report || report->fit.fitted.loads == 0) return QStringLiteral("no live load yet");
  const FitResiduals& residuals = report->fit.fitted;
  return QStringLiteral("%1 %2, off by %3 (median), %4 (p95)")
      .arg(residuals.loads)
      .arg(residuals.loads == 1 ? QStringLiteral("load") : QStringLiteral("loads"))
      .arg(percent_text(residuals.median_fraction), percent_text(residuals.p95_fraction));
}

QString TierReportsModel::badge(const QString& tier) const {
  const TierReport* report = find(tier);
  if (!report) return {};
  QStringList parts;
  const bool told = report->description.note.find("shaped") != std::string::npos;
  if (report->description.shaped && !told) parts << QStringLiteral("shaped");
  if (!report->description.note.empty()) parts << to_q(report->description.note);
  if (report->statistics.device) parts << copies_text(*report->statistics.device);
  if (const std::uint64_t count = misses(tier); count > 0)
    parts
        << QStringLiteral("%1 failed %2").arg(count).arg(count == 1 ? QStringLiteral("read") : QStringLiteral("reads"));
  return parts.join(QStringLiteral("; "));
}

QString TierReportsModel::badge_tip(const QString& tier) const {
  const TierReport* report = find(tier);
  if (!report) return {};
  QString tip = QStringLiteral("%1: %2").arg(tier, to_q(report->description.kind));
  if (!report->description.note.empty()) tip += QStringLiteral("\n") + to_q(report->description.note);
  if (report->description.shaped) tip += QStringLiteral("\nshaped: made slower on purpose");
  if (const auto& device = report->statistics.device)
    tip += QStringLiteral(
               "\n%1 of the device's %2 are held, %3 are free; copies against the best rate measured with pinned "
               "memory; hidden: what the tier's own work went on beside")
               .arg(bytes_text(static_cast<double>(device->held_bytes)),
                    bytes_text(static_cast<double>(device->memory_bytes)),
                    bytes_text(static_cast<double>(device->free_bytes)));
  if (!report->reachable) tip += QStringLiteral("\nIts server does not answer: requests go on without it");
  if (report->statistics.misses.empty()) tip += QStringLiteral("\nno read failed since it was opened");
  for (const auto& [reason, count] : report->statistics.misses)
    tip += QStringLiteral("\nreads failed, %1: %2 (%3)").arg(to_q(reason)).arg(count).arg(miss_meaning(reason));
  for (const auto& [kind, count] : report->statistics.faults_struck)
    tip += QStringLiteral("\nfaults injected, %1: %2").arg(to_q(kind)).arg(count);
  return tip;
}

std::uint64_t TierReportsModel::misses(const QString& tier) const {
  std::uint64_t sum = 0;
  if (const TierReport* report = find(tier))
    for (const auto& [reason, count] : report->statistics.misses) sum += count;
  return sum;
}

QString TierReportsModel::model_device_text() const {
  if (!model_device_) return {};
  const ModelDeviceGauges& device = *model_device_;
  QString text = QStringLiteral("Model on the GPU: caches %1 of %2; copies %3, %4")
                     .arg(bytes_text(static_cast<double>(device.cache_held_bytes)),
                          bytes_text(static_cast<double>(device.cache_total_bytes)),
                          against_peak("to it", device.uploaded), against_peak("from it", device.downloaded));
  if (device.uploaded.bytes > 0)
    text += QStringLiteral(", %1 of those to it hidden").arg(percent_text(device.uploaded.hidden_share()));
  return text;
}

QString TierReportsModel::model_device_tip() const {
  if (!model_device_) return {};
  return QStringLiteral(
             "%1 computes the model.\nCaches: its memory for KV caches, held now of all there is.\nCopies: rows of "
             "contexts to it, computed ones from it, against the "
             "best rate measured with page-locked memory.\nHidden: share of the copies' time in which nothing that "
             "computes waited for a layer.")
      .arg(to_q(model_device_->device));
}

std::vector<TierReportsModel::Counter> TierReportsModel::counters() const {
  std::vector<Counter> rows;
  static const std::vector<TierReport> none;
  for (const TierReport& report : reports_ ? *reports_ : none) {
    const TierStatistics& s = report.statistics;
    const QString tier = to_q(report.description.name);
    const auto add = [&](const char* what, std::uint64_t count, const char* meaning, bool bytes = false) {
      rows.push_back({tier,
                      QString::fromLatin1(what),
                      {},
                      bytes ? bytes_text(static_cast<double>(count)) : QString::number(count),
                      QString::fromUtf8(meaning),
                      count});
    };
    add("reads", s.reads, "whose every part arrived right");
    add("read_bytes", s.read_bytes, "of those reads", true);
    for (const auto& [reason, count] : s.misses)
      rows.push_back(
          {tier, QStringLiteral("failed_reads"), to_q(reason), QString::number(count), miss_meaning(reason), count});
    add("writes", s.writes, "entries that became durable and visible");
    add("written_bytes", s.written_bytes, "of those writes", true);
    for (const auto& [reason, count] : s.failed_writes)
      rows.push_back({tier, QStringLiteral("failed_writes"), to_q(reason), QString::number(count),
                      refusal_meaning(reason), count});
    for (const auto& [kind, count] : s.faults_struck)
      rows.push_back({tier, QStringLiteral("faults_struck"), to_q(kind), QString::number(count),
                      QStringLiteral("faults injected on purpose that met its files"), count});
    add("erased", s.erased, "entries taken out by the policy");
    if (s.dropped) add("dropped", s.dropped, "entries forgotten because they were found bad");
    if (s.scrubbed) add("scrubbed", s.scrubbed, "entries verified in the background");
    if (s.recovered) add("recovered", s.recovered, "entries found when it was opened");
    if (s.appeared) add("appeared", s.appeared, "entries that other workbenches put in");
    if (s.vanished) add("vanished", s.vanished, "entries that others, or the server, took out");
    if (s.swept_files) add("swept_files", s.swept_files, "torn or outdated ones removed at opening");
    if (s.unreadable_files)
      add("unreadable_files", s.unreadable_files, "left alone at opening: the device refused them");
    if (s.overhead_bytes)
      add("overhead_bytes", s.overhead_bytes, "store headers and padding, not counted as used", true);
    if (s.reusable_bytes)
      add("reusable_bytes", s.reusable_bytes,
          s.device ? "taken from the device, in no entry now" : "room in its files that no entry takes now", true);
    if (s.device) add_device(rows, tier, *s.device);
  }
  if (model_device_) add_model_device(rows, *model_device_);
  return rows;
}

}  // namespace kvantage
