// links: profiles
// Databases of runs and profiles that somebody made, with a journal and a log beside them: changed bytes of a database
// of this program. What is read is read, what cannot be read is refused in one line, and no other file is touched.
// An input is the number of changes, for each its place (3 bytes), its length (1 byte) and its bytes; then what lies
// beside the database, with record separators (0x1E) between: its journal, its log.
#include <filesystem>

#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/folders.h"
#include "profiles/stores.h"
#include "tests/fuzz/fuzzing.h"

namespace {

using namespace kvantage;

struct Place {
  test::MemoryFolder folder;
  std::filesystem::path database = folder.path() / "runs.db", neighbor = folder.path() / "precious";
  std::string whole;  // a database of this program

  Place() {
    {
      const auto stores = open_stores(database, StoreAccess::read_write, machine_clock());
      test::must_hold(stores && (*stores)->runs().begin_run("r1", Json{{"policy", "lru"}}) &&
                          (*stores)->runs().finish_run("r1", "completed") &&
                          (*stores)->profiles().save_value("key", Json{{"a", 1}}),
                      "a database can be made");
    }
    whole = read_text_file(database).value_or("");
    test::must_hold(!whole.empty() && write_text_file(neighbor, "precious").has_value(), "files can be written");
  }
};

const Place& place() {
  static const Place made;
  return made;
}

template <class Result>
void check(const Result& result) {
  if (!result) test::check_file_refusal(result.error());
}

void use(StoreAccess access) {
  const auto stores = open_stores(place().database, access, machine_clock());
  check(stores);
  if (!stores) return;
  const auto runs = (*stores)->runs().runs();
  check(runs);
  if (runs)
    for (const RunSummary& run : *runs) check((*stores)->runs().events(run.run_id));
  check((*stores)->profiles().load_profiles({}));
  check((*stores)->profiles().load_value("key"));
  if (access == StoreAccess::read_write) check((*stores)->profiles().save_value("key", Json{{"a", 2}}));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Place& at = place();
  std::error_code ignored;
  for (const char* suffix : {"-journal", "-wal", "-shm", "-live"})
    std::filesystem::remove_all(at.database.string() + suffix, ignored);
  std::ofstream(at.database, std::ios::binary | std::ios::trunc) << test::changed(at.whole, data, size);
  const auto beside = test::sections_of(test::text_of(data, size));
  if (!beside[0].empty()) std::ofstream(at.database.string() + "-journal", std::ios::binary) << beside[0];
  if (beside.size() > 1 && !beside[1].empty())
    std::ofstream(at.database.string() + "-wal", std::ios::binary) << beside[1];
  use(StoreAccess::read_only);
  use(StoreAccess::read_write);
  test::must_hold(read_text_file(at.neighbor).value_or("") == "precious", "other files stay as they are");
  for (const std::filesystem::path& file : entries_of(at.folder.path(), ignored))
    test::must_hold(file == at.neighbor || file.string().starts_with(at.database.string()),
                    "no file is made elsewhere");
  return 0;
}
