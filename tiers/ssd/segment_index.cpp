#include "tiers/ssd/segment_index.h"

#include <algorithm>
#include <array>
#include <string>

#include "tiers/ssd/segment_entry.h"

namespace kvantage::inline ssd {
namespace {

constexpr std::int64_t application_id = 0x4b565849;  // "KVXI"
constexpr std::int64_t index_version = 1;

constexpr const char* settings =
    "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
    "PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 128;";
constexpr const char* schema =
    "CREATE TABLE entries (sequence INTEGER PRIMARY KEY, key_high INTEGER NOT NULL, key_low INTEGER NOT NULL,"
    " segment INTEGER NOT NULL, offset INTEGER NOT NULL, bytes INTEGER NOT NULL, header_bytes INTEGER NOT NULL,"
    " entry_checksum INTEGER NOT NULL, header_checksum INTEGER NOT NULL, label TEXT NOT NULL,"
    " row_checksum INTEGER NOT NULL) STRICT;"
    "CREATE TABLE doubts (settled INTEGER NOT NULL) STRICT; INSERT INTO doubts VALUES (0);"
    "PRAGMA application_id = 1263949897; PRAGMA user_version = 1;";
static_assert(application_id == 1263949897 && index_version == 1, "as the schema says");

// SQLite's integers are signed; only the bits matter.
std::int64_t bits(std::uint64_t value) { return static_cast<std::int64_t>(value); }

std::uint64_t row_checksum(const SegmentRow& row) {
  std::vector<std::byte> bytes = encode_store_header(row.header);
  const std::array<std::uint64_t, 2> place{row.extent.segment, row.extent.offset};
  const auto more = std::as_bytes(std::span(place));
  bytes.insert(bytes.end(), more.begin(), more.end());
  return checksum_of(bytes);
}

// The shared wrapper suggests --db, which is another file, and SQLite's text omits which device call failed and whether
// the fault was injected.
Error own(Error error, const std::filesystem::path& directory, DeviceVfs& vfs) {
  const std::string path = (directory / index_file_name).string();
  std::string reason = error.message.substr(0, error.message.find(';'));
  if (reason.starts_with(path)) reason.erase(0, path.size() + 2);
  if (std::string said = vfs.take_refusal(); !said.empty() && error.code != ErrorCode::corrupt) {
    said.resize(std::min(said.size(), said.find(';')));
    if (said.starts_with(directory.string() + "/")) said.erase(0, directory.string().size() + 1);
    reason += ", " + said;
  }
  // The file existed with a valid header: if SQLite cannot read it now, it is damaged.
  if (error.code == ErrorCode::rejected_input || error.code == ErrorCode::internal) error.code = ErrorCode::corrupt;
  return {error.code, path + ": " + reason +
                          (error.code == ErrorCode::no_space ? "; free some space or choose another folder"
                                                             : "; check the device or choose another folder")};
}

// The device's error on the file, with advice.
Error with_mend(Error error) {
  if (error.message.find("; ") == std::string::npos)
    error.message += "; check the device and the rights to the file, or choose another folder";
  return error;
}

}  // namespace

Expected<std::unique_ptr<SegmentIndex>> SegmentIndex::open(const std::filesystem::path& directory,
                                                           std::shared_ptr<FileDevice> device) {
  const std::filesystem::path path = directory / index_file_name;
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown))
    return fail(ErrorCode::rejected_input,
                path.string() +
                    ": a folder has the name of the index; move it away, and the index is rebuilt from the entries");
  {
    // Distinguished here: to SQLite an empty file is a database, and a failing device looks like a bad path.
    auto file = device->open_cached(path, false);
    if (!file && file.error().code != ErrorCode::not_found) return tl::unexpected(with_mend(std::move(file).error()));
    if (file) {
      KV_ASSIGN(const auto size, (*file)->size().map_error(with_mend));
      constexpr std::string_view magic = "SQLite format 3";
      std::array<char, magic.size() + 1> start{};
      // An empty file was created just before the program ended.
      if (size > 0 && size < start.size()) return fail(ErrorCode::corrupt, path.string() + ": too short for an index");
      if (size > 0) KV_TRY((*file)->read(0, std::as_writable_bytes(std::span(start))).map_error(with_mend));
      if (size > 0 && std::string_view(start.data(), magic.size()) != magic)
        return fail(ErrorCode::corrupt, path.string() + ": no index");
    }
  }
  auto vfs = std::make_unique<DeviceVfs>(std::move(device));
  const auto own_error = [&directory, &device_errors = *vfs](Error error) {
    return own(std::move(error), directory, device_errors);
  };
  KV_ASSIGN(auto database, Database::open(path, DatabaseMode::create, vfs->name()).map_error(own_error));
  KV_TRY(database.execute(settings).map_error(own_error));
  KV_ASSIGN(const auto tables, database.integer("SELECT count(*) FROM sqlite_schema").map_error(own_error));
  if (tables != 0) {
    KV_ASSIGN(const auto id, database.integer("PRAGMA application_id").map_error(own_error));
    KV_ASSIGN(const auto version, database.integer("PRAGMA user_version").map_error(own_error));
    if (id != application_id) return fail(ErrorCode::corrupt, path.string() + ": not an index of entries");
    if (version != index_version)
      return fail(ErrorCode::rejected_input, path.string() + ": index format " + std::to_string(version) +
                                                 " is not known to this version; choose another folder");
    KV_TRY(database.refuse_foreign_schema().map_error(own_error));
  }
  std::unique_ptr<SegmentIndex> index(new SegmentIndex(std::move(vfs), std::move(database)));
  index->empty_ = tables == 0;
  if (index->empty_) return index;
  KV_TRY(index->prepare().map_error(own_error));
  return index;
}

Status SegmentIndex::remove(const std::filesystem::path& directory, FileDevice& device) {
  for (const char* suffix :
       {"", "-wal", "-journal"}) {  // a log without its database is not an index; the reverse is an old one
    const Status removed = device.remove(directory / (std::string(index_file_name) + suffix));
    if (!removed && removed.error().code != ErrorCode::not_found) return removed;
  }
  return device.sync_directory(directory);
}

Status SegmentIndex::prepare() {
  KV_ASSIGN(auto insert, database_.prepare("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  KV_ASSIGN(auto erase, database_.prepare("DELETE FROM entries WHERE sequence = ?"));
  insert_.emplace(std::move(insert));
  erase_.emplace(std::move(erase));
  return {};
}

Expected<std::vector<SegmentRow>> SegmentIndex::rows() {
  auto rows = read_rows();
  if (!rows) return tl::unexpected(own(std::move(rows).error(), directory(), *vfs_));
  return rows;
}

Expected<std::vector<SegmentRow>> SegmentIndex::read_rows() {
  KV_ASSIGN(auto select, database_.prepare("SELECT * FROM entries ORDER BY segment, offset, sequence"));
  std::vector<SegmentRow> rows;
  for (;;) {
    KV_ASSIGN(const auto more, select.step());
    if (!more) return rows;
    SegmentRow row;
    const auto number = [&select](int column) { return static_cast<std::uint64_t>(select.integer(column)); };
    row.header.sequence = number(0);
    row.header.info.key = {number(1), number(2)};
    row.extent.segment = static_cast<std::uint32_t>(number(3));
    row.extent.offset = number(4);
    row.header.info.bytes = number(5);
    row.header.info.header_bytes = number(6);
    row.header.entry_checksum = number(7);
    row.header.header_checksum = number(8);
    row.header.info.label = select.text(9);
    if (!plausible(row.header) || row.header.info.label.size() > max_label_bytes || row.extent.segment != number(3) ||
        row_checksum(row) != number(10))
      return fail(ErrorCode::corrupt, database_.name() + ": a row fails its checksum");
    row.extent.bytes = SegmentEntry::bytes_on_disk(row.header);
    rows.push_back(std::move(row));
  }
}

Status SegmentIndex::create(std::span<const SegmentRow> rows) {
  const auto make = [&]() -> Status {
    KV_ASSIGN(auto transaction, Transaction::begin(database_));
    KV_TRY(database_.execute(schema));
    KV_TRY(prepare());
    KV_TRY(insert_rows(rows));
    return transaction.commit();
  };
  if (const Status made = make(); !made) {
    insert_.reset();
    erase_.reset();
    return tl::unexpected(own(made.error(), directory(), *vfs_));
  }
  empty_ = false;
  return {};
}

Status SegmentIndex::apply(std::span<const SegmentRow> rows, std::span<const std::uint64_t> removed_sequences) {
  const Status done = write_rows(rows, removed_sequences);
  in_doubt_ = !done;
  if (!done) return tl::unexpected(own(done.error(), directory(), *vfs_));
  return {};
}

Status SegmentIndex::write_rows(std::span<const SegmentRow> rows, std::span<const std::uint64_t> removed_sequences) {
  KV_ASSIGN(auto transaction, Transaction::begin(database_));
  // Replaces the failed commit in the log, even if nothing else changes.
  if (in_doubt_) KV_TRY(database_.execute("UPDATE doubts SET settled = settled + 1"));
  for (const std::uint64_t sequence : removed_sequences) {
    erase_->bind(1, bits(sequence));
    KV_TRY(erase_->run());
  }
  KV_TRY(insert_rows(rows));
  return transaction.commit();
}

Status SegmentIndex::insert_rows(std::span<const SegmentRow> rows) {
  for (const SegmentRow& row : rows) {
    const EntryInfo& info = row.header.info;
    insert_->bind(1, bits(row.header.sequence)).bind(2, bits(info.key.high)).bind(3, bits(info.key.low));
    insert_->bind(4, std::int64_t{row.extent.segment}).bind(5, bits(row.extent.offset)).bind(6, bits(info.bytes));
    insert_->bind(7, bits(info.header_bytes)).bind(8, bits(row.header.entry_checksum));
    insert_->bind(9, bits(row.header.header_checksum)).bind(10, info.label).bind(11, bits(row_checksum(row)));
    KV_TRY(insert_->run());
  }
  return {};
}

}  // namespace kvantage::inline ssd
