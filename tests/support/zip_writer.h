// Zip archives as nobody should send them: what a record holds need not be what the directory says of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kvantage::test {

struct ZipRecord {
  std::string name;
  std::string data;  // as the archive holds it
  std::uint64_t unpacked = 0;
  std::uint16_t method = 0;  // 0: stored, 8: deflated
};

/// Little-endian.
inline std::string zip_number(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

/// The ends of an archive whose directory is `directory`, from `offset` on.
inline std::string zip_end(std::uint64_t records, const std::string& directory, std::uint64_t offset) {
  return "PK\5\6" + std::string(4, '\0') + zip_number(records, 2) + zip_number(records, 2) +
         zip_number(directory.size(), 4) + zip_number(offset, 4) + std::string(2, '\0');
}
/// What is before zip_end() in a large archive, and where torch writes it in any; it is itself at `at`.
inline std::string zip_wide_end(std::uint64_t records, const std::string& directory, std::uint64_t offset,
                                std::uint64_t at) {
  return "PK\6\6" + zip_number(44, 8) + zip_number(0x31e, 2) + zip_number(45, 2) + std::string(8, '\0') +
         zip_number(records, 8) + zip_number(records, 8) + zip_number(directory.size(), 8) + zip_number(offset, 8) +
         "PK\6\7" + std::string(4, '\0') + zip_number(at, 8) + zip_number(1, 4);
}

inline std::string zip_directory_row(const ZipRecord& record, std::uint64_t offset) {
  return "PK\1\2" + zip_number(20, 2) + zip_number(20, 2) + zip_number(0, 2) + zip_number(record.method, 2) +
         std::string(8, '\0') + zip_number(record.data.size(), 4) + zip_number(record.unpacked, 4) +
         zip_number(record.name.size(), 2) + std::string(12, '\0') + zip_number(offset, 4) + record.name;
}

/// Checksums are 0.
inline std::string zip_of(const std::vector<ZipRecord>& records) {
  std::string text, directory;
  for (const ZipRecord& record : records) {
    directory += zip_directory_row(record, text.size());
    text += "PK\3\4" + zip_number(20, 2) + zip_number(0, 2) + zip_number(record.method, 2) + std::string(8, '\0') +
            zip_number(record.data.size(), 4) + zip_number(record.unpacked, 4) + zip_number(record.name.size(), 2) +
            zip_number(0, 2) + record.name + record.data;
  }
  const std::size_t offset = text.size();
  return text + directory + zip_end(records.size(), directory, offset);
}

/// A record of 1 + 258 * `repetitions` zeros, deflated to 13 bits for each repetition.
inline ZipRecord deflated_zeros(const std::string& name, std::uint64_t repetitions) {
  ZipRecord record{name, {}, 1 + 258 * repetitions, 8};
  record.data.reserve(repetitions * 13 / 8 + 8);
  std::uint64_t waiting = 0;
  int bits = 0;
  const auto put = [&](std::uint64_t code, int length) {
    waiting |= code << bits;
    for (bits += length; bits >= 8; bits -= 8, waiting >>= 8) record.data += static_cast<char>(waiting & 0xff);
  };
  put(0b011, 3);                                                  // the last block, with the codes of RFC 1951, 3.2.6
  put(0x0c, 8);                                                   // a zero
  for (std::uint64_t i = 0; i < repetitions; ++i) put(0xa3, 13);  // 258 bytes as the one before
  put(0, 7 + 7);                                                  // the end, and what fills its byte
  return record;
}

}  // namespace kvantage::test
