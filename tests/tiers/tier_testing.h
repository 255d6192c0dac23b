// What tests of tiers share: entries with known bytes, reads that wait, a folder that goes away.
#pragma once

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "tiers/buffer_pool.h"
#include "tiers/kinds/tier_place.h"
#include "tiers/kinds/tier_text.h"
#include "tiers/queued_tier.h"
#include "tiers/ssd/segment_entry.h"

namespace kvantage::testing {

using Bytes = std::vector<std::byte>;

/// Waits until it holds; generous, for machines are noisy.
inline bool eventually(const std::function<bool()>& holds, int milliseconds = 60000) {
  QElapsedTimer timer;
  for (timer.start(); timer.elapsed() < milliseconds; QTest::qSleep(2))
    if (holds()) return true;
  return holds();
}

inline std::shared_ptr<const Bytes> random_bytes(std::uint64_t seed, std::size_t count) {
  auto bytes = std::make_shared<Bytes>(count);
  Random random(seed);
  for (std::size_t at = 0; at < count; at += 8) {
    const std::uint64_t word = random.next();
    std::memcpy(bytes->data() + at, &word, std::min<std::size_t>(8, count - at));
  }
  return bytes;
}

inline Digest128 key_of(const std::string& name) { return digest_of(name); }

inline EntryInfo info_of(const std::string& name, const Bytes& bytes, std::uint64_t header_bytes = 4096) {
  return {key_of(name), bytes.size(), std::min<std::uint64_t>(header_bytes, bytes.size()), name};
}

/// One extent with pieces of `piece_bytes` whose checksums are those of `bytes`.
inline ReadExtent extent_of(const Bytes& bytes, std::uint64_t offset, std::uint64_t count,
                            std::uint64_t piece_bytes = 10000) {
  ReadExtent extent{offset, count, {}};
  for (std::uint64_t at = offset; at < offset + count; at += piece_bytes) {
    const std::uint64_t step = std::min(piece_bytes, offset + count - at);
    extent.pieces.push_back({at, step, checksum_of(std::span(bytes).subspan(at, step))});
  }
  return extent;
}

inline Status write_entry(StorageTier& tier, const std::string& name, std::shared_ptr<const Bytes> bytes) {
  CompletionQueue queue(tier.executor().clock());
  EntryInfo info = info_of(name, *bytes);
  const Ticket ticket = tier.submit_write(std::move(info), std::move(bytes), queue);
  auto done = queue.wait(60);
  if (done.size() != 1 || done[0].ticket != ticket || !done[0].last)
    return fail(ErrorCode::internal, "test: no single completion for a write");
  return done[0].status;
}

struct ReadOutcome {
  std::vector<Status> statuses;
  std::vector<Bytes> extents;  // empty where the status is an error
  double device_seconds = 0;
  bool ok() const {
    return !statuses.empty() &&
           std::all_of(statuses.begin(), statuses.end(), [](const Status& s) { return s.has_value(); });
  }
  ErrorCode code() const {
    for (const Status& status : statuses)
      if (!status) return status.error().code;
    return ErrorCode::internal;
  }
};

inline std::vector<std::unique_ptr<LeasedBuffer>> lease_all(BufferLender& pool,
                                                            const std::vector<ReadExtent>& extents) {
  std::vector<std::unique_ptr<LeasedBuffer>> buffers;
  for (const ReadExtent& extent : extents) {
    auto buffer = pool.lease(std::max<std::uint64_t>(extent.bytes, 1));
    buffers.push_back(buffer ? std::move(*buffer) : nullptr);
  }
  return buffers;
}

/// Waits for every completion of one ticket; checks their order.
inline ReadOutcome collect(CompletionQueue& queue, const std::vector<ReadExtent>& extents) {
  ReadOutcome outcome;
  bool last = false;
  while (!last) {
    auto done = queue.wait(60);
    if (done.empty()) break;
    for (Completion& completion : done) {
      if (completion.index != outcome.statuses.size() || last)
        qFatal("completions out of order: %zu instead of %zu", completion.index, outcome.statuses.size());
      last = completion.last;
      outcome.statuses.push_back(completion.status);
      outcome.device_seconds += completion.device_seconds;
      Bytes bytes;
      if (completion.status) {
        const auto got = completion.buffer->bytes().first(extents[completion.index].bytes);
        bytes.assign(got.begin(), got.end());
      } else if (completion.buffer != nullptr) {
        qFatal("a failed read handed out a buffer");
      }
      outcome.extents.push_back(std::move(bytes));
    }
  }
  return outcome;
}

inline ReadOutcome read_extents(StorageTier& tier, BufferLender& pool, const std::string& name,
                                const std::vector<ReadExtent>& extents) {
  CompletionQueue queue(tier.executor().clock());
  tier.submit_read(key_of(name), extents, lease_all(pool, extents), queue);
  return collect(queue, extents);
}

/// The whole entry as one verified extent.
inline ReadOutcome read_entry(StorageTier& tier, BufferLender& pool, const std::string& name, const Bytes& expected) {
  return read_extents(tier, pool, name, {extent_of(expected, 0, expected.size())});
}

inline TierConfig in_folder(const std::filesystem::path& folder, TierBudget budget = {}) {
  return {.name = "ssd", .budget = budget, .options = {{"path", folder.string()}}};
}

inline OpenedTier open_here(const TierConfig& config) { return open_tier(config, {.executor = system_executor()}); }

inline std::unique_ptr<StorageTier> open_or_fail(const TierConfig& config,
                                                 const OpenTierOptions& options = {.executor = system_executor()}) {
  auto tier = open_tier(config, options);
  if (!tier) qFatal("%s", tier.error().message.c_str());
  return std::move(*tier);
}

inline std::vector<std::filesystem::path> segment_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& item : std::filesystem::directory_iterator(folder))
    if (parse_segment_file_name(item.path().filename().string())) files.push_back(item.path());
  std::sort(files.begin(), files.end());
  return files;
}

inline std::uint64_t misses(const StorageTier& tier, const char* reason) {
  const auto counted = tier.statistics().misses;
  const auto found = counted.find(reason);
  return found == counted.end() ? 0 : found->second;
}

/// Bytes of all segment files in a folder.
inline std::uint64_t segment_bytes(const std::filesystem::path& folder) {
  std::uint64_t total = 0;
  for (const auto& file : segment_files(folder)) {
    std::error_code gone;  // a tier in use gives segments back
    if (const auto bytes = std::filesystem::file_size(file, gone); !gone) total += bytes;
  }
  return total;
}

/// What the files should be long: entries, what belongs to them, and room to use again.
inline std::uint64_t accounted_bytes(const StorageTier& tier) {
  const TierStatistics statistics = tier.statistics();
  return tier.used_bytes() + statistics.overhead_bytes + statistics.reusable_bytes;
}

}  // namespace kvantage::testing
