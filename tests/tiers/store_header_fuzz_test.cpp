// links: kv_base kv_tiers
// Random damage to the headers in a store's files, with the checksum made to fit again for half of them: each is read
// as one that an entry can have, or refused; and a segment is scanned to its end without a step outside it.
// KVANTAGE_FUZZ_EXECUTIONS and KVANTAGE_FUZZ_SEED as in trace_trace_fuzz_test.
#include <QtTest>

#include <cstring>

#include "core/base/digest.h"
#include "tests/support/damage.h"
#include "tests/support/test_program.h"
#include "tiers/mapped_memory.h"
#include "tiers/ssd/segment_entry.h"
#include "tiers/ssd/segment_scan.h"

namespace store_header_fuzz_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

using Bytes = std::vector<std::byte>;

StoreHeader random_header(Random& random, std::uint64_t max_entry_bytes) {
  StoreHeader header;
  header.info.bytes = 1 + random.below(max_entry_bytes);
  header.info.header_bytes = random.below(std::min<std::uint64_t>(header.info.bytes, 1 << 28) + 1);
  header.info.key = {random.next(), random.next()};
  header.info.label = std::string(random.below(3) == 0 ? random.below(9000) : random.below(40), 'l');
  header.sequence = random.next();
  header.entry_checksum = random.next();
  header.header_checksum = random.next();
  return header;
}

bool same(const StoreHeader& a, const StoreHeader& b) {
  return a.info.key == b.info.key && a.info.bytes == b.info.bytes && a.info.header_bytes == b.info.header_bytes &&
         a.info.label == b.info.label && a.sequence == b.sequence && a.entry_checksum == b.entry_checksum &&
         a.header_checksum == b.header_checksum;
}

/// Most hits are in the fields, which are the first 80 bytes.
void damage(std::span<std::byte> bytes, Random& random) {
  for (std::uint64_t hits = 1 + random.below(4); hits > 0; --hits) {
    const std::size_t at = random.below(random.below(4) == 0 ? bytes.size() : std::min<std::size_t>(bytes.size(), 80));
    if (random.below(2) == 0) {
      bytes[at] ^= static_cast<std::byte>(1 << random.below(8));
    } else {  // a number at a limit
      static constexpr std::uint64_t numbers[] = {0,    1,          ~0ULL,     1ULL << 32, (1ULL << 42) + 1,
                                                  4096, 1ULL << 20, 0x7fffffff};
      const std::uint64_t number = numbers[random.below(std::size(numbers))];
      std::memcpy(bytes.data() + at, &number, std::min<std::size_t>(sizeof number, bytes.size() - at));
    }
  }
}

/// Over everything but the last 8 bytes of a header of this length.
void seal(std::span<std::byte> header) {
  const std::uint64_t checksum = checksum_of(header.first(header.size() - sizeof(std::uint64_t)));
  std::memcpy(header.data() + header.size() - sizeof checksum, &checksum, sizeof checksum);
}

}  // namespace

class StoreHeaderFuzzTest : public QObject {
  Q_OBJECT

 private slots:
  void aDamagedHeaderIsReadOrRefused() {
    const std::uint64_t executions = fuzz_executions(default_tries(100'000)),
                        seed = fuzz_number("KVANTAGE_FUZZ_SEED", 1);
    std::uint64_t read = 0, refused = 0;
    for (std::uint64_t i = 0; i < executions; ++i) {
      Random random(derive_seed(seed, i));
      const StoreHeader header = random_header(random, 1ULL << 40);
      Bytes bytes = encode_store_header(header);
      damage(bytes, random);
      if (random.below(2) == 0) seal(bytes);
      if (random.below(8) == 0) bytes.resize(random.below(bytes.size()));
      const auto decoded = decode_store_header(bytes);
      const auto told = [&](const std::string& what) { return "try " + std::to_string(i) + ": " + what; };
      if (!decoded) {
        ++refused;
        const Error& error = decoded.error();
        QVERIFY2(error.code == ErrorCode::corrupt || error.code == ErrorCode::rejected_input,
                 told(error.message).c_str());
        continue;
      }
      ++read;
      QVERIFY2(plausible(*decoded) && decoded->info.label.size() <= max_label_bytes, told("not plausible").c_str());
      const auto again = decode_store_header(encode_store_header(*decoded));
      QVERIFY2(again && same(*again, *decoded), told("reads back otherwise").c_str());
    }
    qInfo("store headers: %llu read, %llu refused", static_cast<unsigned long long>(read),
          static_cast<unsigned long long>(refused));
    QVERIFY(executions < 1000 || (read > executions / 10 && refused > executions / 10));
  }

  void aDamagedSegmentIsScannedToItsEnd() {
    const std::uint64_t executions = fuzz_executions(default_tries(4'000)), seed = fuzz_number("KVANTAGE_FUZZ_SEED", 1);
    std::uint64_t found_entries = 0, refused = 0;
    for (std::uint64_t i = 0; i < executions; ++i) {
      Random random(derive_seed(seed, i));
      Bytes segment;
      for (std::uint64_t entries = 1 + random.below(6); entries > 0; --entries) {
        const StoreHeader header = random_header(random, 20'000);
        const std::size_t at = segment.size();
        segment.resize(at + SegmentEntry::bytes_on_disk(header));
        Bytes bytes = encode_store_header(header);
        if (random.below(2) == 0) damage(bytes, random);
        if (random.below(2) == 0) seal(bytes);
        std::ranges::copy(bytes, segment.begin() + static_cast<std::ptrdiff_t>(at));
      }
      if (random.below(3) == 0) segment.resize(random.below(segment.size() + 1));
      const auto told = [&](const std::string& what) { return "try " + std::to_string(i) + ": " + what; };
      const std::uint64_t begin = round_down_to_page(random.below(4) == 0 ? random.below(segment.size() + 1) : 0);
      std::uint64_t after = begin;  // the end of what was found last
      std::string wrong;
      const ReadSegment read = [&](std::uint64_t offset, std::span<std::byte> target) -> Status {
        if (offset < begin || offset % page_bytes != 0 || target.size() % page_bytes != 0 ||
            offset + target.size() > segment.size())
          wrong = "reads " + std::to_string(target.size()) + " bytes at " + std::to_string(offset);
        else
          std::memcpy(target.data(), segment.data() + offset, target.size());
        return {};
      };
      const NextData no_holes = [](std::uint64_t offset) { return offset; };
      const Status scanned = scan_segment(
          begin, segment.size(), read, no_holes, [&](StoreHeader header, std::uint64_t offset) -> Expected<bool> {
            ++found_entries;
            const std::uint64_t end = offset + SegmentEntry::bytes_on_disk(header);
            if (!plausible(header) || offset < after || end > segment.size())
              wrong = "finds an entry at " + std::to_string(offset) + " that cannot be there";
            const bool there = random.below(4) > 0;
            after = there ? end : offset + page_bytes;
            return there;
          });
      QVERIFY2(wrong.empty(), told(wrong).c_str());
      if (scanned) continue;
      ++refused;
      QVERIFY2(scanned.error().code == ErrorCode::rejected_input, told(scanned.error().message).c_str());
    }
    qInfo("segments: %llu entries found, %llu of another version", static_cast<unsigned long long>(found_entries),
          static_cast<unsigned long long>(refused));
    QVERIFY(found_entries > executions);
  }
};

KV_TEST_PROGRAM(argc, argv) {
  lift_time_limit_of_long_runs();
  QTEST_SET_MAIN_SOURCE_PATH
  StoreHeaderFuzzTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace store_header_fuzz_test

#include "store_header_fuzz_test.moc"
