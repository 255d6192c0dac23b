// links: kv_base kv_tiers
// Sealed entries of a remote store: whoever can write to the server, but has no key, can neither make an entry that a
// reader with the key takes, nor pass one off as another.
#include <sys/stat.h>

#include <QFile>

#include "core/base/files.h"
#include "tests/support/test_program.h"
#include "tests/tiers/remote_testing.h"
#include "tiers/remote/sealed_extent.h"

namespace remote_seal_test {

using namespace kvantage;
using namespace kvantage::testing;
using kvantage::test::RedisServer;

namespace {

std::shared_ptr<const SealKey> key_number(unsigned char number) {
  BlockDigest key{};
  key.fill(static_cast<std::byte>(number));
  return std::make_shared<const SealKey>(key);
}

RedisStoreOptions sealed_options(const RedisServer& server, unsigned char key = 1, const std::string& scope = "test") {
  RedisStoreOptions options = options_for(server, scope);
  options.chunk_bytes = 200000;  // no multiple of a block
  options.seal_key = key == 0 ? nullptr : key_number(key);
  return options;
}

/// Somebody who may write to the server, and knows how entries are stored.
class Forger {
 public:
  explicit Forger(const RedisServer& server, const std::string& scope = "test")
      : keys_("kvantage", scope),
        connection_(
            std::move(*RedisConnection::connect(*parse_redis_url(server.url()), {}, {.executor = system_executor()}))) {
  }

  std::string header(const std::string& name) { return get({"HGET", keys_.headers, key_of(name).hex()}); }
  void set_header(const std::string& name, const std::string& value) {
    (void)get({"HSET", keys_.headers, key_of(name).hex(), value});
  }
  std::string index(const std::string& name) { return get({"HGET", keys_.index, key_of(name).hex()}); }
  void set_index(const std::string& name, const std::string& value) {
    (void)get({"HSET", keys_.index, key_of(name).hex(), value});
    (void)get({"INCR", keys_.changes});
  }
  Bytes content(const std::string& name) {
    const RedisVersion version = *RedisVersion::parse(index(name));
    Bytes bytes;
    for (std::uint64_t i = 0; i < version.chunks; ++i) {
      const std::string chunk = get({"GET", chunk_key(name, version, i)});
      const auto* const from = reinterpret_cast<const std::byte*>(chunk.data());
      bytes.insert(bytes.end(), from, from + chunk.size());
    }
    return bytes;
  }
  void set_content(const std::string& name, const Bytes& bytes) {
    const RedisVersion version = *RedisVersion::parse(index(name));
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    for (std::uint64_t i = 0; i < version.chunks; ++i)
      (void)get({"SET", chunk_key(name, version, i), text.substr(i * version.chunk_bytes, version.chunk_bytes)});
  }
  static std::size_t header_bytes(const std::string& value) {
    return store_header_bytes(decode_store_header(std::as_bytes(std::span(value)))->info.label.size());
  }
  /// The header made again with all checksums right, and the seal that followed it.
  static std::string remade(const std::string& value, const std::function<void(StoreHeader&)>& change) {
    StoreHeader header = *decode_store_header(std::as_bytes(std::span(value)));
    const std::size_t length = header_bytes(value);
    change(header);
    const auto bytes = encode_store_header(header);
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()) + value.substr(length);
  }

 private:
  std::string get(std::initializer_list<std::string_view> words) {
    const auto reply = connection_->command(words);
    if (!reply || reply->is_error()) qFatal("%s", reply ? reply->text.c_str() : reply.error().message.c_str());
    return reply->text;
  }
  std::string chunk_key(const std::string& name, const RedisVersion& version, std::uint64_t chunk) const {
    return keys_.chunk(RedisKeys::version(key_of(name), version.sequence), chunk);
  }

  RedisKeys keys_;
  std::unique_ptr<RedisConnection> connection_;
};

}  // namespace

class RemoteSealTest : public QObject {
  Q_OBJECT
  BufferPool pool_{256 << 20};
  QTemporaryDir folder_;

  /// The bytes of an extent, verified by the pieces of `known`: those that the entry's own header would have.
  ReadOutcome part(StorageTier& tier, const std::string& name, const Bytes& known, std::uint64_t offset,
                   std::uint64_t count) {
    return read_extents(tier, pool_, name, {extent_of(known, offset, count)});
  }

 private slots:
  void initTestCase() {
    if (const QString missing = RedisServer::missing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
  }

  void whoHasTheKeyReadsEveryPart() {
    RedisServer server;
    const auto one = open_remote(sealed_options(server)), other = open_remote(sealed_options(server));
    const auto bytes = random_bytes(1, 1000003);
    QVERIFY(write_entry(*one, "entry", bytes));
    QVERIFY(eventually([&] { return other->contains(key_of("entry")); }));
    QVERIFY(read_entry(*other, pool_, "entry", *bytes).extents[0] == *bytes);
    for (const std::uint64_t offset :
         std::initializer_list<std::uint64_t>{0, 1, 65535, 65536, 65537, 199999, 200000, 983040, 1000002})
      for (const std::uint64_t count :
           std::initializer_list<std::uint64_t>{1, 2, 65535, 65536, 65537, 131072, 300000, 1000003}) {
        if (offset + count > bytes->size()) continue;
        const ReadOutcome outcome = part(*other, "entry", *bytes, offset, count);
        QVERIFY2(outcome.ok() && std::equal(outcome.extents[0].begin(), outcome.extents[0].end(),
                                            bytes->begin() + static_cast<std::ptrdiff_t>(offset)),
                 qPrintable(QStringLiteral("%1 + %2").arg(offset).arg(count)));
      }
    std::vector<ReadExtent> extents;  // as layers of an entry are read
    for (std::uint64_t at = 0; at < bytes->size(); at += 90001)
      extents.push_back(extent_of(*bytes, at, std::min<std::uint64_t>(90001, bytes->size() - at)));
    const ReadOutcome outcome = read_extents(*other, pool_, "entry", extents);
    QVERIFY(outcome.ok());
    QCOMPARE(outcome.extents.size(), extents.size());
    QCOMPARE(other->statistics().unsealed, std::uint64_t{0});
    QVERIFY(write_entry(*other, "entry", bytes));  // the same bytes under the same seal: they are there
    QCOMPARE(chunk_keys(server).size(), 6);
  }

  // Checksums are made right after each change: whoever can write can compute them.
  void aForgedHeaderIsNotUsed_data() {
    QTest::addColumn<QString>("how");
    for (const char* how : {"other bytes", "another entry's", "a label", "stripped", "cut", "longer", "another version",
                            "another tag", "moved to another scope", "under another key"})
      QTest::newRow(how) << how;
  }
  void aForgedHeaderIsNotUsed() {
    QFETCH(QString, how);
    RedisServer server;
    const auto bytes = random_bytes(1, 300000), others = random_bytes(2, 300000);
    {
      const auto tier = open_remote(sealed_options(server, how == "under another key" ? 2 : 1));
      QVERIFY(write_entry(*tier, "entry", bytes) && write_entry(*tier, "another", others));
    }
    Forger forger(server);
    const std::string value = forger.header("entry");
    const std::size_t length = Forger::header_bytes(value);
    std::string forged = value, scope = "test";
    if (how == "other bytes") {
      forger.set_content("entry", *others);
      forged = Forger::remade(value, [&](StoreHeader& header) {
        header.entry_checksum = checksum_of(*others);
        header.header_checksum = checksum_of(std::span(*others).first(header.info.header_bytes));
      });
    } else if (how == "another entry's") {
      forger.set_content("entry", *others);
      const std::uint64_t sequence = RedisVersion::parse(forger.index("entry"))->sequence;
      forged = Forger::remade(forger.header("another"), [&](StoreHeader& header) {
        header.info.key = key_of("entry");
        header.sequence = sequence;
      });
    } else if (how == "a label") {
      forged = Forger::remade(value, [](StoreHeader& header) { header.info.label[0] = 'E'; });
    } else if (how == "stripped") {
      forged = value.substr(0, length);
    } else if (how == "cut") {
      forged = value.substr(0, value.size() - 32);
    } else if (how == "longer") {
      forged = value + value.substr(value.size() - 32);
    } else if (how == "another version") {
      ++forged[length + 8];
    } else if (how == "another tag") {
      forged[length + 16] = static_cast<char>(forged[length + 16] ^ 1);
    } else if (how == "moved to another scope") {
      scope = "archive";
      Forger there(server, scope);
      there.set_header("entry", value);
      there.set_index("entry", forger.index("entry"));
      there.set_content("entry", *bytes);
    }
    if (scope == "test") forger.set_header("entry", forged);
    const auto reader = open_remote(sealed_options(server, 1, scope));
    QVERIFY(!reader->contains(key_of("entry")));
    QCOMPARE(reader->statistics().unsealed, std::uint64_t{how == "under another key" ? 2U : 1U});
    QCOMPARE(reader->contains(key_of("another")), how != "under another key" && scope == "test");
    // It is a miss, and is stored again.
    QVERIFY(write_entry(*reader, "entry", bytes));
    QVERIFY(read_entry(*reader, pool_, "entry", *bytes).extents.at(0) == *bytes);
  }

  void everyBitOfHeaderAndSealCounts() {
    const auto key = key_number(1);
    const auto bytes = random_bytes(1, 100000);
    const StoreHeader header{info_of("entry", *bytes), 7, checksum_of(*bytes),
                             checksum_of(std::span(*bytes).first(4096))};
    const Bytes encoded = encode_store_header(header);
    const Bytes seal = key->encode("place", encoded, seal_of(*bytes));
    QVERIFY(key->decode("place", encoded, seal, bytes->size()) == std::optional(seal_of(*bytes)));
    QVERIFY(!key->decode("places", encoded, seal, bytes->size()));
    QVERIFY(!key->decode("place", encoded, seal, bytes->size() + 65536));
    QVERIFY(!key_number(2)->decode("place", encoded, seal, bytes->size()));
    for (std::size_t bit = 0; bit < 8 * seal.size(); ++bit) {
      Bytes changed = seal;
      changed[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
      QVERIFY2(!key->decode("place", encoded, changed, bytes->size()), qPrintable(QString::number(bit)));
    }
    for (std::size_t at = 0; at < encoded.size(); ++at) {
      Bytes changed = encoded;
      changed[at] ^= std::byte{16};
      QVERIFY2(!key->decode("place", changed, seal, bytes->size()), qPrintable(QString::number(at)));
    }
  }

  // On the way or on the server, while header and seal stay; the reader's own checksums fit the forged bytes.
  void forgedBytesAreNotServed_data() {
    QTest::addColumn<std::uint64_t>("flipped");
    QTest::addColumn<std::uint64_t>("offset");
    QTest::addColumn<std::uint64_t>("count");
    const auto row = [](const char* name, std::uint64_t flipped, std::uint64_t offset, std::uint64_t count) {
      QTest::newRow(name) << flipped << offset << count;
    };
    row("within", 100000, 90000, 30000);
    row("first byte", 70000, 70000, 50000);
    row("last byte", 119999, 70000, 50000);
    row("a whole block", 65536, 65536, 65536);
    row("the last block", 299999, 280000, 20000);
    row("beside it, in its block", 66000, 70000, 10);  // what cannot be verified is not served
  }
  void forgedBytesAreNotServed() {
    QFETCH(std::uint64_t, flipped);
    QFETCH(std::uint64_t, offset);
    QFETCH(std::uint64_t, count);
    RedisServer server;
    const auto tier = open_remote(sealed_options(server));
    const auto bytes = random_bytes(1, 300000);
    QVERIFY(write_entry(*tier, "entry", bytes));
    Forger forger(server);
    Bytes forged = forger.content("entry");
    QVERIFY(forged == *bytes);
    forged[flipped] ^= std::byte{1};
    forger.set_content("entry", forged);
    const ReadOutcome outcome = part(*tier, "entry", forged, offset, count);
    QVERIFY(!outcome.ok());
    QCOMPARE(outcome.code(), ErrorCode::corrupt);
    QCOMPARE(misses(*tier, "checksum"), std::uint64_t{1});
    QVERIFY(eventually([&] { return !tier->contains(key_of("entry")); }));
  }

  void aStoreWithSealsIsNotOpenedWithoutAKey() {
    RedisServer server;
    {
      const auto tier = open_remote(sealed_options(server));
      QVERIFY(write_entry(*tier, "entry", random_bytes(1, 1000)));
    }
    const auto opened =
        QueuedTier::open(std::make_unique<RedisStore>("remote", sealed_options(server, 0)), 0, 0, system_executor());
    QVERIFY(!opened.has_value());
    QCOMPARE(opened.error().code, ErrorCode::rejected_input);
    QVERIFY2(opened.error().message.find("are sealed; add seal_key_file=FILE") != std::string::npos,
             opened.error().message.c_str());
    QVERIFY(open_remote(sealed_options(server))->contains(key_of("entry")));
  }

  void withAndWithoutAKeyNeitherUsesTheOthersEntries() {
    RedisServer server;
    const auto plain = open_remote(sealed_options(server, 0)), sealed = open_remote(sealed_options(server));
    const auto bytes = random_bytes(1, 300000), others = random_bytes(2, 300000);
    QVERIFY(write_entry(*plain, "plain", bytes));
    QVERIFY(write_entry(*sealed, "sealed", others));
    QVERIFY(eventually([&] { return plain->statistics().unsealed == 1 && sealed->statistics().unsealed == 1; }));
    QVERIFY(plain->contains(key_of("plain")) && !plain->contains(key_of("sealed")));
    QVERIFY(sealed->contains(key_of("sealed")) && !sealed->contains(key_of("plain")));
    // The one with the key stores the other's entry for itself, and the other has it no more.
    QVERIFY(write_entry(*sealed, "plain", bytes));
    QVERIFY(read_entry(*sealed, pool_, "plain", *bytes).extents.at(0) == *bytes);
    QVERIFY(eventually([&] { return !plain->contains(key_of("plain")); }));
    QCOMPARE(plain->statistics().unsealed, std::uint64_t{2});
    QVERIFY(read_entry(*sealed, pool_, "plain", *bytes).ok());
  }

  void keyFilesArePrivateAndWhole_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("mode");
    QTest::addColumn<QString>("why");
    const QByteArray key(64, 'a');
    QTest::newRow("a key") << key << 0600 << "";
    QTest::newRow("a key and a line end") << key + '\n' << 0600 << "";
    QTest::newRow("only to be read") << key.toUpper() << 0400 << "";
    QTest::newRow("for everybody") << key << 0644 << "others may read or write this key";
    QTest::newRow("for a group") << key << 0660 << "others may read or write this key";
    QTest::newRow("short") << key.left(63) << 0600 << "is not a key of 64 hexadecimal digits";
    QTest::newRow("long") << key + "aa" << 0600 << "is not a key of 64 hexadecimal digits";
    QTest::newRow("another secret") << QByteArray("redis://host PASSWORD") << 0600
                                    << "is not a key of 64 hexadecimal digits";
    QTest::newRow("empty") << QByteArray() << 0600 << "is not a key of 64 hexadecimal digits";
    QTest::newRow("large") << QByteArray(100000, 'a') << 0600 << "is larger than 64 KiB";
    QTest::newRow("none") << QByteArray() << -1 << "the file does not exist";
    QTest::newRow("a pipe") << QByteArray() << -2 << "is not a file";
  }
  void keyFilesArePrivateAndWhole() {
    QFETCH(QByteArray, text);
    QFETCH(int, mode);
    QFETCH(QString, why);
    const QString path = folder_.filePath("seal.key");
    QFile::remove(path);
    if (mode == -2) {
      QVERIFY(::mkfifo(path.toLocal8Bit().constData(), 0600) == 0);
    } else if (mode >= 0) {
      QVERIFY(write_text_file(path.toStdString(), text.toStdString()));
      QVERIFY(::chmod(path.toLocal8Bit().constData(), static_cast<mode_t>(mode)) == 0);
    }
    const auto config = parse_tier_option("remote=1GiB,url=redis://127.0.0.1:1,seal_key_file=" + path.toStdString());
    QVERIFY2(config, config ? "" : config.error().message.c_str());
    QVERIFY(!recorded_form(*config).options.contains("seal_key_file"));
    const auto tier = open_here(*config);  // before anything is sent
    QCOMPARE(tier.has_value(), why.isEmpty());
    if (why.isEmpty()) return;
    QCOMPARE(tier.error().code, ErrorCode::rejected_input);
    const QString message = QString::fromStdString(tier.error().message);
    QVERIFY2(message.contains(why) && message.startsWith("tier remote: " + path), qPrintable(message));
    QVERIFY(!message.contains("PASSWORD"));
  }
};

KV_TEST_GUILESS_MAIN(RemoteSealTest)

}  // namespace remote_seal_test

#include "remote_seal_test.moc"
