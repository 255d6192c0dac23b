#include "ui/models/tier_counter_names.h"

#include <QCoreApplication>
#include <algorithm>
#include <span>
#include <utility>

namespace kvantage {
namespace {

struct TierCounterNames {
  Q_DECLARE_TR_FUNCTIONS(TierCounterNames)
};

using CounterName = std::pair<QString, QString>;

QString name_in(std::span<const CounterName> names, const QString& id) {
  const auto found = std::ranges::find(names, id, &CounterName::first);
  return found != names.end() ? found->second : id;
}

}  // namespace

// Asked for again each time: the window's language is known only then.
QString counter_name(const QString& id) {
  const CounterName names[] = {
      {QStringLiteral("reads"), TierCounterNames::tr("Reads")},
      {QStringLiteral("read_bytes"), TierCounterNames::tr("Bytes read")},
      {QStringLiteral("failed_reads"), TierCounterNames::tr("Failed reads")},
      {QStringLiteral("writes"), TierCounterNames::tr("Writes")},
      {QStringLiteral("written_bytes"), TierCounterNames::tr("Bytes written")},
      {QStringLiteral("failed_writes"), TierCounterNames::tr("Failed writes")},
      {QStringLiteral("faults_struck"), TierCounterNames::tr("Injected faults")},
      {QStringLiteral("erased"), TierCounterNames::tr("Erased caches")},
      {QStringLiteral("dropped"), TierCounterNames::tr("Corrupt caches dropped")},
      {QStringLiteral("scrubbed"), TierCounterNames::tr("Caches verified")},
      {QStringLiteral("recovered"), TierCounterNames::tr("Caches recovered")},
      {QStringLiteral("appeared"), TierCounterNames::tr("Added by others")},
      {QStringLiteral("vanished"), TierCounterNames::tr("Removed by others")},
      {QStringLiteral("unsealed"), TierCounterNames::tr("Seals that do not fit")},
      {QStringLiteral("swept_files"), TierCounterNames::tr("Files removed at opening")},
      {QStringLiteral("unreadable_files"), TierCounterNames::tr("Files skipped at opening")},
      {QStringLiteral("overhead_bytes"), TierCounterNames::tr("Headers and padding")},
      {QStringLiteral("reusable_bytes"), TierCounterNames::tr("Free space")},
      {QStringLiteral("device_held_bytes"), TierCounterNames::tr("Device memory allocated")},
      {QStringLiteral("copied_bytes"), TierCounterNames::tr("Bytes copied")},
      {QStringLiteral("copy_rate"), TierCounterNames::tr("Copy bandwidth")},
      {QStringLiteral("copy_rate_peak"), TierCounterNames::tr("Peak copy bandwidth")},
      {QStringLiteral("copies_hidden"), TierCounterNames::tr("Copies overlapped")},
      {QStringLiteral("cache_held_bytes"), TierCounterNames::tr("KV cache in use")},
      {QStringLiteral("cache_total_bytes"), TierCounterNames::tr("KV cache memory")},
      {QStringLiteral("uploaded_bytes"), TierCounterNames::tr("Bytes uploaded")},
      {QStringLiteral("upload_rate"), TierCounterNames::tr("Upload bandwidth")},
      {QStringLiteral("upload_rate_peak"), TierCounterNames::tr("Peak upload bandwidth")},
      {QStringLiteral("upload_hidden"), TierCounterNames::tr("Uploads overlapped")},
      {QStringLiteral("downloaded_bytes"), TierCounterNames::tr("Bytes downloaded")},
      {QStringLiteral("download_rate"), TierCounterNames::tr("Download bandwidth")},
      {QStringLiteral("download_rate_peak"), TierCounterNames::tr("Peak download bandwidth")},
  };
  return name_in(names, id);
}

QString counter_reason(const QString& id) {
  const CounterName names[] = {
      {QStringLiteral("no_space"), TierCounterNames::tr("full")},
      {QStringLiteral("io"), TierCounterNames::tr("I/O error")},
      {QStringLiteral("busy"), TierCounterNames::tr("newer version stored")},
      {QStringLiteral("rejected_input"), TierCounterNames::tr("wrong length")},
      {QStringLiteral("absent"), TierCounterNames::tr("vanished")},
      {QStringLiteral("missing"), TierCounterNames::tr("file missing")},
      {QStringLiteral("truncated"), TierCounterNames::tr("ends early")},
      {QStringLiteral("checksum"), TierCounterNames::tr("checksum mismatch")},
      {QStringLiteral("device"), TierCounterNames::tr("device error")},
      {QStringLiteral("unavailable"), TierCounterNames::tr("server unavailable")},
      {QStringLiteral("replaced"), TierCounterNames::tr("replaced by another process")},
      {QStringLiteral("cancelled"), TierCounterNames::tr("canceled")},
      {QStringLiteral("rejected"), TierCounterNames::tr("invalid request")},
      {QStringLiteral("in"), TierCounterNames::tr("to the device")},
      {QStringLiteral("out"), TierCounterNames::tr("from the device")},
      {QStringLiteral("flip_on_read"), TierCounterNames::tr("bit flips while reading")},
      {QStringLiteral("flip_on_write"), TierCounterNames::tr("bit flips while writing")},
      {QStringLiteral("torn_write"), TierCounterNames::tr("torn writes")},
      {QStringLiteral("short_read"), TierCounterNames::tr("short reads")},
      {QStringLiteral("read_error"), TierCounterNames::tr("read errors")},
      {QStringLiteral("write_error"), TierCounterNames::tr("write errors")},
      {QStringLiteral("sync_error"), TierCounterNames::tr("flush errors")},
      {QStringLiteral("lost_sync"), TierCounterNames::tr("lost flushes")},
      {QStringLiteral("delay_on_read"), TierCounterNames::tr("delayed reads")},
  };
  return name_in(names, id);
}

}  // namespace kvantage
