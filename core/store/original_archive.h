// Uncompressed caches of contexts: the most recent one in memory, and all of them in the archive, written in the
// background. Compressed entries are built from these.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "core/request/load_task.h"
#include "core/runtime/event_bus.h"
#include "core/store/serialized_entry.h"

namespace kvantage::inline store {

class OriginalArchive {
 public:
  /// archive: unlimited; null: only what is in memory can be compressed. completions: of its writes, handed to take().
  OriginalArchive(ModelRuntime& runtime, Catalog& catalog, BufferLender& lender, EventBus& events,
                  CompletionQueue& completions, std::unique_ptr<StorageTier> archive)
      : runtime_(runtime),
        catalog_(catalog),
        lender_(lender),
        events_(events),
        completions_(completions),
        entries_(runtime, catalog),
        archive_(std::move(archive)) {}

  /// Of the bytes in memory on their way to the archive: beyond that, originals are not archived.
  void set_max_bytes_in_flight(std::uint64_t bytes) { max_bytes_in_flight_ = bytes; }

  StorageTier* tier() { return archive_.get(); }
  /// After a start: registers the originals in the archive.
  void recover();
  /// The same for those that other processes added. True when anything changed.
  bool sync();

  /// Keeps a computed cache in memory for the following actions, and archives it if requested. Both have the rows that
  /// later tokens see (core/runtime/windowed_rows.h). inputs: of its layers, if they were recorded.
  void keep(std::size_t context, KvCache cache, WindowQueries queries, bool archive,
            std::shared_ptr<const LayerInputs> inputs = {});
  /// The original of a context: from memory, else read from the archive. not_found if neither has it, `cancelled` when
  /// stop() returns true while it is read.
  Expected<Original*> get(std::size_t context, const std::function<bool()>& stop = {});
  /// The one in memory, or null.
  const Original* cached(std::size_t context) const {
    return original_ != nullptr && original_context_ == context ? original_.get() : nullptr;
  }
  /// Frees the original in memory; false if there was none.
  bool forget() { return std::exchange(original_, nullptr) != nullptr; }
  /// The archived entry, to be read in parts; nothing while it is being written, or if it is gone.
  std::optional<EntryInfo> archived_entry(std::size_t context) const;

  /// Handles the completion of a write; false: it is not the archive's.
  bool take(const Completion& completion);
  bool is_writing() const { return !writes_.empty(); }

 private:
  struct Write {
    std::size_t context = 0;
    SerializedEntry entry;
  };
  void look();
  Digest128 key(std::size_t context) const;
  const Write* write_of(std::size_t context) const;
  std::uint64_t bytes_on_their_way() const;
  void archive(std::size_t context);
  Expected<std::unique_ptr<LoadTask>> load_of(std::size_t context);
  void note_failed_read(std::size_t context, const ReadFailure& failure);
  void say_refusal(const std::string& id, const Error& error);

  ModelRuntime& runtime_;
  Catalog& catalog_;
  BufferLender& lender_;
  EventBus& events_;
  CompletionQueue& completions_;
  EntryMaker entries_;
  std::unique_ptr<StorageTier> archive_;
  std::uint64_t seen_generation_ = 0;
  std::map<Ticket, Write> writes_;
  std::uint64_t max_bytes_in_flight_ = std::uint64_t{256} << 20;
  std::optional<ErrorCode> refusal_;  // why originals are currently not archived, as reported
  std::size_t original_context_ = 0;
  std::unique_ptr<Original> original_;
};

}  // namespace kvantage::inline store
