// The tier in a bucket of an object store (S3 protocol), shared by many workbenches; tiers/s3/s3_names.h has the names
// of its objects. An entry is one object, and a write makes it visible whole or not at all. Equal entries are equal
// objects: a write that finds its object there (by ETag) sends nothing, and two workbenches that write the same do not
// disturb each other. Another version replaces the object in place, but only the version that this workbench knows
// (If-Match, If-None-Match): where another one has stored another version meanwhile, the write fails (busy). Unlike in
// other stores, a read of the old version that is in flight is a miss then (`replaced`), never mixed bytes.
//
// A read asks for its version alone (If-Match) and for the bytes that it needs (Range), which are verified as they
// arrive. An object that is gone, of another length or corrupt is a miss and invalidates the entry; where another
// version is there now the read is `replaced`, and the next one finds that version. A server that does not respond, or
// refuses, invalidates nothing: reads and writes fail immediately until the watch has reached it again.
//
// The watch lists the bucket every few seconds, so that changes by others become visible. An erased entry is deleted
// unless other workbenches use the store: then it is only forgotten here. One that is corrupt is deleted anyway. With a
// key, entries are sealed (tiers/remote/entry_seal.h), and those without its seal are not used.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <unordered_map>

#include "core/base/executor.h"
#include "core/ports/entry_store.h"
#include "tiers/s3/s3_client.h"
#include "tiers/s3/s3_entry.h"
#include "tiers/s3/s3_link.h"
#include "tiers/s3/s3_names.h"
#include "tiers/s3/s3_xml.h"

namespace kvantage::inline s3 {

struct S3StoreOptions {
  Executor& executor;  // outlives the store
  S3Access access;
  std::string scope = "common";  // entries of other scopes are invisible
  double poll_seconds = 5;       // maximum age of the local view of others' changes, while lists are short
  double lease_seconds = 60;     // a workbench that is silent for so long is gone
  double first_pause_seconds = 0.5, longest_pause_seconds = 30;  // between two attempts to reach the server
  GiveUp give_up{};                                              // polled while opening
  std::shared_ptr<const SealKey> seal_key{};                     // null: entries are not sealed
};

class S3Store final : public EntryStore {
 public:
  S3Store(std::string name, S3StoreOptions options);
  ~S3Store() override;

  TierDescription describe() const override;
  /// An unreachable server is not an error: the store opens empty and fills once it is reachable; one that is slow
  /// opens with what it has answered in the limits of connecting and answering together, and the rest follows.
  /// unauthorized when the server refuses the keys; rejected_input when it refuses otherwise (bucket, region,
  /// certificate), when entries are sealed and there is no key, and when this program was built without S3; cancelled.
  Expected<RecoveredEntries> recover() override;
  Expected<std::shared_ptr<StoredEntry>> put(const EntryInfo& info, std::span<const std::byte> bytes,
                                             const std::atomic<bool>& cancelled) override;
  TransferStatus read(const StoredEntry& entry, ReadSink& sink) override;
  TransferStatus verify(const StoredEntry& entry) override;
  void settle() override;
  std::uint64_t unsealed_entries() const override { return unsealed_; }
  bool reachable() const override { return link_.up(); }
  void watch(StoreChanges& changes) override;
  void end_watch() override;

 private:
  using Client = std::unique_ptr<S3Client>;
  const Clock& clock() const { return options_.executor.clock(); }
  std::string path_of(const std::string& name) const { return s3_escaped(name, true); }
  Expected<S3Client*> ready(Client& slot) const;
  // s3_store.cpp: writing and deleting
  Expected<std::string> write(S3Client& client, S3Request request, const Digest128& key, const std::string& expected,
                              const GiveUp& give_up);
  Status empty_trash(S3Client& client, const GiveUp& give_up);
  Status remove(S3Client& client, std::span<const S3Trash::Item> items, const GiveUp& give_up);
  Expected<bool> others_live(S3Client& client, const GiveUp& give_up);
  // s3_read.cpp: reading
  class EntryRead;
  Expected<bool> replaced(const S3Entry& entry, const GiveUp& give_up);
  Expected<bool> sync(S3Client& client, const Digest128& key, const std::string& etag, const GiveUp& give_up);
  // s3_watch.cpp: changes by others
  Expected<std::vector<ListedObject>> list(S3Client& client, const std::string& folder, const GiveUp& give_up) const;
  Status renew_lease(S3Client& client, const GiveUp& give_up);
  Status look(S3Client& client, StoreChanges& changes, const GiveUp& give_up);
  void watch_loop(StoreChanges& changes);
  Status tend(StoreChanges& changes, const GiveUp& give_up);

  const std::string name_;
  const S3StoreOptions options_;
  const S3Names names_;
  const std::string workbench_;  // this one's name among the workbenches sharing the store
  S3Link link_;
  std::shared_ptr<S3Versions> versions_ = std::make_shared<S3Versions>();
  std::shared_ptr<S3Trash> trash_ = std::make_shared<S3Trash>();
  Client reader_, writer_, watcher_;  // of the threads; before the watch runs, the last one is recover()'s
  /// When each other workbench was first seen as it is now, in seconds. Of the writing thread.
  std::unordered_map<std::string, std::pair<std::string, double>> workbenches_;
  double lease_due_seconds_ = 0;
  std::atomic<bool> answered_{false};  // once
  bool conditional_ = true;            // writes, as far as the server knows conditions; of the writing thread
  std::atomic<std::uint64_t> unsealed_{0};
  std::atomic<StoreChanges*> changes_{nullptr};
  std::atomic<bool> stopping_{false};
  std::unique_ptr<Executor::Thread> watch_;
};

}  // namespace kvantage::inline s3
