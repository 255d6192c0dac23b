// links: core_store tiers
// The part of the store that keeps uncompressed caches, without a store. Its writes take until the test says so, and
// what waits for a tier waits in virtual time.
#include "core/store/original_archive.h"

#include <QtTest>

#include "tests/support/engine_parts_work.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_executor.h"

namespace original_archive_test {

using namespace kvantage;
using namespace kvantage::test;

struct Archive {
  explicit Archive(bool has_tier = true) {
    auto opened = has_tier ? tier_in_memory("archive", 0, executor) : nullptr;
    tier = opened.get();
    if (tier != nullptr) tier->holds_writes = true;
    originals.emplace(*parts.runtime, *parts.catalog, parts.lender, parts.events, completions, std::move(opened));
    originals->recover();
  }
  /// Computes a context as a miss does. Returns the digest of its cache.
  Digest128 keep(std::size_t context, bool archive = true) {
    Prefilled made = prefilled(parts, context);
    queries = made.queries;
    const Digest128 digest = test::digest_of(made.cache);
    originals->keep(context, std::move(made.cache), std::move(made.queries), archive);
    return digest;
  }
  void take_completions() {
    for (const Completion& completion : completions.poll())
      if (!originals->take(completion)) qFatal("a completion of somebody else");
  }
  void finish_write() {
    tier->finish_held_write();
    take_completions();
  }
  void fail_write() {
    tier->fail_held_write();
    take_completions();
  }
  /// Stored in the archive, not in memory.
  Digest128 store(std::size_t context) {
    const Digest128 digest = keep(context);
    finish_write();
    (void)originals->forget();
    return digest;
  }
  ContextState& state(std::size_t context) { return parts.catalog->state(context); }
  Digest128 key(std::size_t context) { return entry_key({state(context).key}, "none", 0); }
  /// Of the original; nothing where there is none.
  std::optional<Digest128> digest(std::size_t context) {
    const auto original = originals->get(context);
    return original ? std::optional(test::digest_of((*original)->cache)) : std::nullopt;
  }
  /// Why there is no original; nothing where there is one.
  std::optional<ErrorCode> refusal(std::size_t context) {
    const auto original = originals->get(context);
    return original ? std::nullopt : std::optional(original.error().code);
  }
  std::vector<std::string> messages() const {
    std::vector<std::string> texts;
    for (const auto& message : parts.sink.all<events::Message>()) texts.push_back(message.level + ": " + message.text);
    return texts;
  }

  VirtualExecutor executor;
  ModelParts parts{small_workload(3, 8, 3), with_pool(16 << 20)};
  CompletionQueue completions{executor.clock()};
  SwitchableTier* tier = nullptr;
  std::optional<OriginalArchive> originals;
  WindowQueries queries;
};

class OriginalArchiveTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void oneOriginalIsInMemory() {
    Archive archive;
    QVERIFY(!archive.originals->forget() && archive.originals->cached(0) == nullptr);
    const Digest128 digest = archive.keep(0, false);
    QVERIFY(archive.originals->cached(0) != nullptr && archive.originals->cached(1) == nullptr);
    QVERIFY(archive.digest(0) == digest);
    QVERIFY(!archive.state(0).archived && !archive.originals->is_writing());
    (void)archive.keep(1, false);
    QVERIFY(archive.originals->cached(0) == nullptr && archive.originals->cached(1) != nullptr);
    QVERIFY(archive.originals->forget() && archive.originals->cached(1) == nullptr && !archive.originals->forget());
    QVERIFY(archive.refusal(1) == ErrorCode::not_found);
    QCOMPARE(archive.parts.runtime->pool->live_blocks(), std::size_t{0});
  }

  // While it is being written it counts as archived, and is read from the memory that it is written from.
  void aWriteInFlightIsReadFromMemory() {
    Archive archive;
    const Digest128 digest = archive.keep(0);
    QVERIFY(archive.state(0).archived && archive.originals->is_writing());
    QVERIFY(!archive.originals->archived_entry(0));
    QVERIFY(!archive.tier->contains(archive.key(0)));
    (void)archive.originals->forget();
    const auto original = archive.originals->get(0);
    QVERIFY(original.has_value() && *original == archive.originals->cached(0));
    QVERIFY(test::digest_of((*original)->cache) == digest);
    QVERIFY(!archive.queries.empty() && (*original)->observed.queries.layers == archive.queries.layers);
    QCOMPARE(archive.parts.lender.leased_bytes(), std::size_t{0});
    archive.finish_write();
    QVERIFY(archive.state(0).archived && !archive.originals->is_writing());
  }

  void whatIsArchivedIsReadAgainWithItsQueries() {
    Archive archive;
    const Digest128 digest = archive.store(0);
    const WindowQueries queries = archive.queries;
    const auto info = archive.originals->archived_entry(0);
    QVERIFY(info.has_value() && info->key == archive.key(0) && info->bytes == archive.tier->used_bytes());
    QVERIFY(EntryLabel::parse(info->label)->context == archive.state(0).key);
    (void)archive.keep(1, false);
    QVERIFY(archive.digest(0) == digest);
    QVERIFY(archive.originals->cached(1) == nullptr);  // at most one in memory
    QVERIFY(archive.originals->cached(0)->observed.queries.layers == queries.layers);
    QVERIFY(!archive.originals->cached(0)->observed.frequencies.empty());
    QVERIFY(!archive.originals->archived_entry(1));
    QVERIFY(archive.parts.sink.count<events::ReadFailed>() == 0 && archive.messages().empty());
  }

  void itIsArchivedOnceAndOnlyWhenAskedTo() {
    Archive archive;
    (void)archive.keep(0, false);
    QCOMPARE(archive.tier->held_writes(), std::size_t{0});
    for (int time = 0; time < 2; ++time) (void)archive.keep(0);
    QCOMPARE(archive.tier->held_writes(), std::size_t{1});
    Completion other;  // of a write that is none of its own
    other.ticket = next_ticket();
    other.last = true;
    QVERIFY(!archive.originals->take(other) && archive.originals->is_writing());
    archive.finish_write();
    QVERIFY(!archive.originals->is_writing());
    (void)archive.keep(0);
    QCOMPARE(archive.tier->held_writes(), std::size_t{0});
  }

  // A full disk refuses every one: the reason is said once, until one is archived again.
  void aFailedWriteIsSaidOnceUntilOneSucceeds() {
    Archive archive;
    (void)archive.keep(0);
    archive.fail_write();
    QVERIFY(!archive.state(0).archived && archive.originals->cached(0) != nullptr);
    (void)archive.keep(1);
    archive.fail_write();
    QCOMPARE(archive.messages().size(), std::size_t{1});
    const std::string said = archive.messages()[0];
    QVERIFY2(said.starts_with("warning: original of context '" + archive.state(0).id + "' not archived: the disk is"),
             said.c_str());
    (void)archive.store(2);
    QCOMPARE(archive.messages().size(), std::size_t{2});
    QCOMPARE(archive.messages()[1], std::string("info: originals are archived again"));
    (void)archive.keep(0);
    archive.fail_write();
    QCOMPARE(archive.messages().size(), std::size_t{3});
  }

  // An absent server is said by whoever watches it, and who canceled a write knows.
  void anAbsentTierAndCanceledWritesAreNotSaid() {
    Archive archive;
    (void)archive.keep(0);
    archive.tier->cancel(archive.tier->held_ticket());
    archive.take_completions();
    QVERIFY(!archive.state(0).archived && !archive.originals->is_writing());
    (void)archive.keep(0);
    archive.tier->away = true;
    archive.fail_write();
    QVERIFY(!archive.state(0).archived && archive.messages().empty());
    archive.tier->away = false;
    (void)archive.keep(0);
    archive.fail_write();
    QCOMPARE(archive.messages().size(), std::size_t{1});
  }

  void whatGoesBeyondTheMemoryForWritesIsNotArchived() {
    Archive archive;
    archive.originals->set_max_bytes_in_flight(1);
    (void)archive.keep(0);
    (void)archive.keep(1);
    QCOMPARE(archive.tier->held_writes(), std::size_t{1});
    QVERIFY(archive.state(0).archived && !archive.state(1).archived);
    QVERIFY(archive.originals->cached(1) != nullptr);
    const auto said = archive.messages();
    QVERIFY(said.size() == 1 && said[0].find("slower than computing") != std::string::npos);
    archive.finish_write();
    (void)archive.keep(1);
    QVERIFY(archive.state(1).archived);
    archive.finish_write();
  }

  void whatThereIsIsFoundAtAStart() {
    Archive archive;
    (void)archive.store(0);
    archive.state(0).archived = false;
    archive.state(1).archived = true;  // of no entry
    (void)archive.keep(2);             // in flight
    archive.originals->recover();
    QVERIFY(archive.state(0).archived && !archive.state(1).archived && archive.state(2).archived);
    archive.finish_write();
  }

  void whatOthersPutIsFoundWhenTheTierResponds() {
    Archive archive;
    QVERIFY(!archive.originals->sync());
    const SerializedEntry entry = entry_of(archive.parts, 1, {.tier = 0});
    archive.tier->write_by_others({entry.info, entry.bytes});
    archive.tier->away = true;
    QVERIFY(!archive.originals->sync() && !archive.state(1).archived);
    archive.tier->away = false;
    QVERIFY(archive.originals->sync());
    QVERIFY(archive.state(1).archived && !archive.state(0).archived);
    QVERIFY(!archive.originals->sync());
    QVERIFY(archive.originals->archived_entry(1) && archive.digest(1));
    archive.tier->away = true;
    QVERIFY(!archive.originals->archived_entry(1));
  }

  void whatIsGoneIsNotArchived() {
    Archive archive;
    (void)archive.store(0);
    must(archive.tier->erase(archive.key(0)));
    QVERIFY(!archive.originals->archived_entry(0));
    QVERIFY(archive.refusal(0) == ErrorCode::not_found && !archive.state(0).archived);
    QCOMPARE(archive.parts.sink.count<events::ReadFailed>(), std::size_t{0});  // nothing was read
  }

  void aDamagedOriginalIsErased() {
    Archive archive;
    archive.tier->write_by_others(damaged(entry_of(archive.parts, 0, {.tier = 0})));
    QVERIFY(archive.originals->sync() && archive.state(0).archived);
    QVERIFY(archive.refusal(0) == ErrorCode::corrupt);
    QVERIFY(!archive.state(0).archived && !archive.tier->contains(archive.key(0)) && !archive.originals->cached(0));
    const auto failed = archive.parts.sink.all<events::ReadFailed>();
    QCOMPARE(failed.size(), std::size_t{1});
    QVERIFY(failed[0].context == archive.state(0).key && failed[0].tier == "archive" && failed[0].dropped);
    const Digest128 digest = archive.keep(0);  // it is computed again, and archived again
    archive.finish_write();
    (void)archive.originals->forget();
    QVERIFY(archive.digest(0) == digest);
  }

  // Its tier did not respond: it may be found there again.
  void anOriginalOutOfReachStaysWhereItIs() {
    for (const char* reason : {unavailable_reason, replaced_reason}) {
      Archive archive;
      const Digest128 digest = archive.store(0);
      archive.tier->read_failure = reason;
      QVERIFY(!archive.digest(0));
      QVERIFY(!archive.state(0).archived && archive.tier->contains(archive.key(0)));
      QCOMPARE(archive.parts.sink.count<events::ReadFailed>(), std::size_t{1});
      archive.tier->read_failure.clear();
      QVERIFY(archive.originals->sync() && archive.state(0).archived);
      QVERIFY(archive.digest(0) == digest);
    }
  }

  // No memory to read it into says nothing about it.
  void whereMemoryIsShortTheOriginalStaysArchived() {
    Archive archive;
    const Digest128 digest = archive.store(0);
    {
      const HeldBlocks held(*archive.parts.runtime->pool);
      QVERIFY(archive.refusal(0) == ErrorCode::no_space);
    }
    QVERIFY(archive.state(0).archived && archive.tier->contains(archive.key(0)));
    const auto failed = archive.parts.sink.all<events::ReadFailed>();
    QVERIFY(failed.size() == 1 && !failed[0].dropped);
    QCOMPARE(archive.parts.lender.leased_bytes(), std::size_t{0});
    QVERIFY(archive.digest(0) == digest);
  }

  void withoutAnArchiveOnlyMemoryKeepsThem() {
    Archive archive(false);
    const Digest128 digest = archive.keep(0);
    QVERIFY(archive.originals->tier() == nullptr && !archive.state(0).archived && !archive.originals->is_writing());
    QVERIFY(!archive.originals->archived_entry(0) && !archive.originals->sync());
    QVERIFY(archive.digest(0) == digest);
    (void)archive.originals->forget();
    QVERIFY(archive.refusal(0) == ErrorCode::not_found);
    QVERIFY(archive.messages().empty());
  }
};

KV_TEST_GUILESS_MAIN(OriginalArchiveTest)

}  // namespace original_archive_test

#include "original_archive_test.moc"
