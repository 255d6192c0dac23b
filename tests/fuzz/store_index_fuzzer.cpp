// links: tiers_ssd tiers
// The index of a store that somebody changed, with a log and a journal beside it, over its segments: changed bytes of
// an index of this program. What is found and fits its checksum is what was stored, and no other file is touched.
// An input is the number of changes, for each its place (3 bytes), its length (1 byte) and its bytes; then what lies
// beside the index, with record separators (0x1E) between: its log, its journal.
#include <atomic>
#include <filesystem>

#include "core/base/files.h"
#include "core/base/folders.h"
#include "tests/fuzz/fuzzing.h"
#include "tiers/posix_device.h"
#include "tiers/ssd/ssd_tier.h"

namespace {

using namespace kvantage;
namespace fs = std::filesystem;

constexpr std::uint64_t entries = 3, entry_bytes = 5000;

std::shared_ptr<FileDevice> device() {
  return std::make_shared<PosixDevice>(PosixDevice::Options{.bypass_page_cache = false, .note = {}});
}

EntryInfo info_of(std::uint64_t number) {
  return {digest_of(std::to_string(number)), entry_bytes + number, entry_bytes, "entry " + std::to_string(number)};
}

struct Place {
  test::MemoryFolder folder;
  fs::path store = folder.path() / "store", neighbor = folder.path() / "precious";
  std::string index, segment;  // of this program
  fs::path segment_file;

  Place() {
    {
      auto made = SsdStore::open("ssd", store, device());
      test::must_hold(made && (*made)->recover().has_value(), "a store can be made");
      const std::atomic<bool> cancelled{false};
      for (std::uint64_t i = 0; i < entries; ++i)
        test::must_hold(
            (*made)
                ->put(info_of(i), std::vector<std::byte>(info_of(i).bytes, static_cast<std::byte>(i)), cancelled)
                .has_value(),
            "an entry can be stored");
    }
    std::error_code ignored;
    for (const fs::path& file : entries_of(store, ignored))
      if (parse_segment_file_name(file.filename().string())) segment_file = file;
    index = read_text_file(store / index_file_name).value_or("");
    segment = read_text_file(segment_file).value_or("");
    test::must_hold(!index.empty() && !segment.empty() && write_text_file(neighbor, "precious").has_value(),
                    "files can be written");
  }
};

const Place& place() {
  static const Place made;
  return made;
}

void put_file(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

void use() {
  auto store = SsdStore::open("ssd", place().store, device());
  if (!store) return test::check_file_refusal(store.error());
  const auto recovered = (*store)->recover();
  if (!recovered) return test::check_file_refusal(recovered.error());
  for (const auto& entry : recovered->entries) {
    if (!(*store)->verify(*entry)) continue;
    bool known = false;
    for (std::uint64_t i = 0; i < entries; ++i)
      known = known || (entry->info().key == info_of(i).key && entry->info().bytes == info_of(i).bytes);
    test::must_hold(known, "an entry that verifies is one that was stored");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Place& at = place();
  std::error_code ignored;
  fs::remove_all(at.store, ignored);
  fs::create_directories(at.store, ignored);
  put_file(at.segment_file, at.segment);
  put_file(at.store / index_file_name, test::changed(at.index, data, size));
  const auto beside = test::sections_of(test::text_of(data, size));
  if (!beside[0].empty()) put_file(at.store / (std::string(index_file_name) + "-wal"), beside[0]);
  if (beside.size() > 1 && !beside[1].empty())
    put_file(at.store / (std::string(index_file_name) + "-journal"), beside[1]);
  use();
  use();  // whatever was mended stays so
  test::must_hold(read_text_file(at.neighbor).value_or("") == "precious", "other files stay as they are");
  for (const fs::path& file : entries_of(at.folder.path(), ignored))
    test::must_hold(file == at.neighbor || file == at.store, "no file is made elsewhere");
  return 0;
}
