#include "ui/live/tiers/model/tier_counter_names.h"

#include <QCoreApplication>
#include <algorithm>
#include <span>
#include <utility>

namespace kvantage {
namespace {

using CounterName = std::pair<const char*, const char*>;  // identifier, English name

constexpr CounterName counters[] = {
    {"reads", QT_TRANSLATE_NOOP("TierCounterNames", "Reads")},
    {"read_bytes", QT_TRANSLATE_NOOP("TierCounterNames", "Bytes read")},
    {"failed_reads", QT_TRANSLATE_NOOP("TierCounterNames", "Failed reads")},
    {"writes", QT_TRANSLATE_NOOP("TierCounterNames", "Writes")},
    {"written_bytes", QT_TRANSLATE_NOOP("TierCounterNames", "Bytes written")},
    {"failed_writes", QT_TRANSLATE_NOOP("TierCounterNames", "Failed writes")},
    {"faults_struck", QT_TRANSLATE_NOOP("TierCounterNames", "Injected faults")},
    {"erased", QT_TRANSLATE_NOOP("TierCounterNames", "Erased caches")},
    {"dropped", QT_TRANSLATE_NOOP("TierCounterNames", "Corrupt caches dropped")},
    {"scrubbed", QT_TRANSLATE_NOOP("TierCounterNames", "Caches verified")},
    {"recovered", QT_TRANSLATE_NOOP("TierCounterNames", "Caches recovered")},
    {"appeared", QT_TRANSLATE_NOOP("TierCounterNames", "Added by others")},
    {"vanished", QT_TRANSLATE_NOOP("TierCounterNames", "Removed by others")},
    {"unsealed", QT_TRANSLATE_NOOP("TierCounterNames", "Invalid seals")},
    {"swept_files", QT_TRANSLATE_NOOP("TierCounterNames", "Files removed at opening")},
    {"unreadable_files", QT_TRANSLATE_NOOP("TierCounterNames", "Files skipped at opening")},
    {"overhead_bytes", QT_TRANSLATE_NOOP("TierCounterNames", "Headers and padding")},
    {"reusable_bytes", QT_TRANSLATE_NOOP("TierCounterNames", "Free space")},
    {"occupied_bytes", QT_TRANSLATE_NOOP("TierCounterNames", "Occupied storage")},
    {"occupied_entry_bytes", QT_TRANSLATE_NOOP("TierCounterNames", "Caches in it")},
    {"device_held_bytes", QT_TRANSLATE_NOOP("TierCounterNames", "Device memory allocated")},
    {"copied_bytes", QT_TRANSLATE_NOOP("TierCounterNames", "Bytes copied")},
    {"copy_rate", QT_TRANSLATE_NOOP("TierCounterNames", "Copy bandwidth")},
    {"copy_rate_peak", QT_TRANSLATE_NOOP("TierCounterNames", "Peak copy bandwidth")},
    {"copies_hidden", QT_TRANSLATE_NOOP("TierCounterNames", "Copies overlapped")},
    {"cache_held_bytes", QT_TRANSLATE_NOOP("TierCounterNames", "KV cache in use")},
    {"cache_total_bytes", QT_TRANSLATE_NOOP("TierCounterNames", "KV cache memory")},
    {"uploaded_bytes", QT_TRANSLATE_NOOP("TierCounterNames", "Bytes uploaded")},
    {"upload_rate", QT_TRANSLATE_NOOP("TierCounterNames", "Upload bandwidth")},
    {"upload_rate_peak", QT_TRANSLATE_NOOP("TierCounterNames", "Peak upload bandwidth")},
    {"upload_hidden", QT_TRANSLATE_NOOP("TierCounterNames", "Uploads overlapped")},
    {"downloaded_bytes", QT_TRANSLATE_NOOP("TierCounterNames", "Bytes downloaded")},
    {"download_rate", QT_TRANSLATE_NOOP("TierCounterNames", "Download bandwidth")},
    {"download_rate_peak", QT_TRANSLATE_NOOP("TierCounterNames", "Peak download bandwidth")},
};

constexpr CounterName reasons[] = {
    {"no_space", QT_TRANSLATE_NOOP("TierCounterNames", "full")},
    {"io", QT_TRANSLATE_NOOP("TierCounterNames", "I/O error")},
    {"busy", QT_TRANSLATE_NOOP("TierCounterNames", "conflict with another process")},
    {"rejected_input", QT_TRANSLATE_NOOP("TierCounterNames", "wrong length")},
    {"absent", QT_TRANSLATE_NOOP("TierCounterNames", "vanished")},
    {"missing", QT_TRANSLATE_NOOP("TierCounterNames", "file missing")},
    {"truncated", QT_TRANSLATE_NOOP("TierCounterNames", "ends early")},
    {"checksum", QT_TRANSLATE_NOOP("TierCounterNames", "checksum mismatch")},
    {"device", QT_TRANSLATE_NOOP("TierCounterNames", "device error")},
    {"unavailable", QT_TRANSLATE_NOOP("TierCounterNames", "server unavailable")},
    {"replaced", QT_TRANSLATE_NOOP("TierCounterNames", "replaced by another process")},
    {"cancelled", QT_TRANSLATE_NOOP("TierCounterNames", "canceled")},
    {"rejected", QT_TRANSLATE_NOOP("TierCounterNames", "invalid request")},
    {"in", QT_TRANSLATE_NOOP("TierCounterNames", "to the device")},
    {"out", QT_TRANSLATE_NOOP("TierCounterNames", "from the device")},
    {"flip_on_read", QT_TRANSLATE_NOOP("TierCounterNames", "bit flips while reading")},
    {"flip_on_write", QT_TRANSLATE_NOOP("TierCounterNames", "bit flips while writing")},
    {"torn_write", QT_TRANSLATE_NOOP("TierCounterNames", "torn writes")},
    {"short_read", QT_TRANSLATE_NOOP("TierCounterNames", "short reads")},
    {"read_error", QT_TRANSLATE_NOOP("TierCounterNames", "read errors")},
    {"write_error", QT_TRANSLATE_NOOP("TierCounterNames", "write errors")},
    {"sync_error", QT_TRANSLATE_NOOP("TierCounterNames", "flush errors")},
    {"lost_sync", QT_TRANSLATE_NOOP("TierCounterNames", "lost flushes")},
    {"delay_on_read", QT_TRANSLATE_NOOP("TierCounterNames", "delayed reads")},
};

QString name_in(std::span<const CounterName> names, const QString& id) {
  const auto found =
      std::ranges::find_if(names, [&](const CounterName& name) { return id == QLatin1String(name.first); });
  return found != names.end() ? QCoreApplication::translate("TierCounterNames", found->second) : id;
}

}  // namespace

QString counter_name(const QString& id) { return name_in(counters, id); }

QString counter_reason(const QString& id) { return name_in(reasons, id); }

}  // namespace kvantage
