// links: kv_base kv_tiers
// Clusters without a server: slots, buckets, urls of several servers, what nodes say about each other, and lengths of
// parts that fit the allocator.
#include <set>

#include "core/base/random.h"
#include "tests/support/test_program.h"
#include "tests/tiers/tier_testing.h"
#include "tiers/kinds/remote_kind.h"
#include "tiers/remote/redis_allocation.h"
#include "tiers/remote/redis_keys.h"
#include "tiers/remote/redis_slots.h"
#include "tiers/remote/redis_topology.h"

namespace redis_topology_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

RedisReply text(std::string value) {
  RedisReply reply;
  reply.kind = RedisReply::Kind::text;
  reply.text = std::move(value);
  return reply;
}
RedisReply number(std::int64_t value) {
  RedisReply reply;
  reply.kind = RedisReply::Kind::integer;
  reply.integer = value;
  return reply;
}
RedisReply list(std::vector<RedisReply> items) {
  RedisReply reply;
  reply.kind = RedisReply::Kind::list;
  reply.items = std::move(items);
  return reply;
}
RedisReply node(const std::string& host, std::int64_t port) { return list({text(host), number(port), text("id")}); }

const RedisAddress asked{"asked.example", 7000};

}  // namespace

class RedisTopologyTest : public QObject {
  Q_OBJECT

 private slots:
  // Values of the specification (redis.io, "Redis cluster specification") and of CLUSTER KEYSLOT of Redis 7.0.
  void slotsAreThoseOfTheSpecification() {
    QCOMPARE(slot_of("123456789"), 0x31C3);
    QCOMPARE(slot_of("foo"), 12182);
    QCOMPARE(slot_of("{user1000}.following"), slot_of("user1000"));
    QCOMPARE(slot_of("foo{{bar}}zap"), slot_of("{bar"));
    QCOMPARE(slot_of("foo{bar}{zap}"), slot_of("bar"));
    QVERIFY(slot_of("foo{}{bar}") != slot_of("bar"));  // an empty tag is none
  }

  void bucketsShareTheSlotsEvenly() {
    QCOMPARE(bucket_tags("team", RedisKind::server), std::vector<std::string>{"team"});
    QCOMPARE(bucket_tags("team", RedisKind::sentinel), std::vector<std::string>{"team"});
    const auto tags = bucket_tags("team", RedisKind::cluster);
    QCOMPARE(tags.size(), cluster_buckets);
    for (std::size_t i = 0; i < tags.size(); ++i) {
      QCOMPARE(slot_of(tags[i]) / 1024, static_cast<int>(i));
      const RedisKeys keys(tags[i], "scope");
      for (const std::string& key : {keys.index, keys.headers, keys.workbenches, keys.chunk("a:1", 3)})
        QCOMPARE(slot_of(key), slot_of(tags[i]));
    }
    QCOMPARE(bucket_of(*Digest128::from_hex("f0000000000000000000000000000000"), cluster_buckets), std::size_t{15});
    QCOMPARE(bucket_of(*Digest128::from_hex("f0000000000000000000000000000000"), 1), std::size_t{0});
  }

  void urlsNameSeveralServers() {
    const auto cluster = parse_redis_url("rediss-cluster://me:pass@a:1,[::1]:2,c?ca=%2Fx.pem&hosts=10.0.0.1+d");
    QVERIFY2(cluster, cluster ? "" : cluster.error().message.c_str());
    QVERIFY(cluster->tls && cluster->deployment.kind == RedisKind::cluster);
    QVERIFY((cluster->addresses() == std::vector<RedisAddress>{{"a", 1}, {"::1", 2}, {"c", 6379}}));
    QCOMPARE(cluster->password, std::string("pass"));
    QCOMPARE(cluster->authorities, std::string("/x.pem"));
    for (const char* host : {"a", "A.", "::1", "c", "10.0.0.1", "d"}) QVERIFY2(cluster->names_host(host), host);
    for (const char* host : {"", "b", "a.example", "10.0.0.10"}) QVERIFY2(!cluster->names_host(host), host);
    QCOMPARE(cluster->shown(), std::string("rediss-cluster://me@a:1,[::1]:2,c:6379?hosts=10.0.0.1+d"));

    const auto sentinel = parse_redis_url("redis-sentinel://:pass@s1,s2:5/my%2Fmaster/3");
    QVERIFY2(sentinel, sentinel ? "" : sentinel.error().message.c_str());
    QVERIFY((sentinel->addresses() == std::vector<RedisAddress>{{"s1", 26379}, {"s2", 5}}));
    QCOMPARE(sentinel->deployment.master, std::string("my/master"));
    QCOMPARE(sentinel->database, 3);
    for (auto url : {*cluster, *sentinel}) {
      const auto again = parse_redis_url(url.shown());
      url.password.clear();
      url.authorities.clear();
      QVERIFY2(again && *again == url, url.shown().c_str());
    }
  }

  void badUrlsNameTheirFault_data() {
    QTest::addColumn<QString>("url");
    QTest::addColumn<QString>("reason");
    QTest::newRow("no name") << "redis-sentinel://a"
                             << "which server the Sentinels watch";
    QTest::newRow("a database") << "redis-cluster://a/1"
                                << "only database 0";
    QTest::newRow("an empty host") << "redis-cluster://a,,b"
                                   << "no host";
    QTest::newRow("hosts of one server") << "redis://a?hosts=b"
                                         << "is not a parameter";
    QTest::newRow("an empty list of hosts") << "redis-cluster://a?hosts="
                                            << "no list of hosts";
    QTest::newRow("two hosts of one server") << "redis://a,b"
                                             << "is not a host name";
    QTest::newRow("too many") << "redis-cluster://a" + QString(",a").repeated(64) << "more than 64";
  }
  void badUrlsNameTheirFault() {
    QFETCH(QString, url);
    QFETCH(QString, reason);
    const auto parsed = parse_redis_url(url.toStdString());
    QVERIFY(!parsed && parsed.error().code == ErrorCode::usage);
    QVERIFY2(QString::fromStdString(parsed.error().message).contains(reason), parsed.error().message.c_str());
  }

  void tiersOnAClusterAreWrittenWithCommas() {
    const auto tiers = parse_tiers(
        "dram=8MiB,remote=4GiB,url=redis-cluster://u:p@a:1,b:2,c?hosts=d+e,prefix=team,pool=1GiB,"
        "url=redis-sentinel://s1:1,s2/kv");
    QVERIFY2(tiers, tiers ? "" : tiers.error().message.c_str());
    QCOMPARE(tiers->size(), std::size_t{3});
    QCOMPARE((*tiers)[1].option("prefix"), std::string("team"));
    QCOMPARE(server_url((*tiers)[1])->addresses().size(), std::size_t{3});
    QCOMPARE(server_url((*tiers)[2])->deployment.master, std::string("kv"));
    // Every host is one to agree to, at any port; not the password.
    const auto servers = place_of(kind_of((*tiers)[1])).servers((*tiers)[1]);
    std::set<std::string> hosts;
    for (const ServerAddress& server : servers) {
      QCOMPARE(server.port, 0);
      hosts.insert(server.host);
    }
    QVERIFY((hosts == std::set<std::string>{"a", "b", "c", "d", "e"}));
    const std::string recorded = recorded_form((*tiers)[1]).option("url");
    QCOMPARE(recorded, std::string("redis-cluster://u@a:1,b:2,c:6379?hosts=d+e"));
    const auto wrong = parse_tier_option("remote=1GiB,url=rediss-cluster://u:hush@a:1,b:2?ca=hush.pem,speed=3");
    QVERIFY(!wrong && wrong.error().message.find("hush") == std::string::npos);
  }

  void slotsOfAReplyAreRead() {
    RedisReply nowhere = node("", 7003);
    nowhere.items[0].kind = RedisReply::Kind::nil;
    const auto ranges = parse_cluster_slots(
        list({list({number(0), number(100), node("a", 1), node("b", 2)}), list({number(101), number(16383), nowhere}),
              list({number(5), number(6), node("?", 4)})}),
        asked);
    QVERIFY2(ranges, ranges ? "" : ranges.error().message.c_str());
    QCOMPARE(ranges->size(), std::size_t{2});  // a node without known address holds nothing for us
    QVERIFY(((*ranges)[0].master == RedisAddress{"a", 1}));
    QVERIFY(((*ranges)[0].replicas == std::vector<RedisAddress>{{"b", 2}}));
    QVERIFY(((*ranges)[1].master == RedisAddress{"asked.example", 7003}));
    QCOMPARE((*ranges)[1].last, 16383);
  }

  void whatIsNoReplyOfSlotsIsRefused_data() {
    QTest::addColumn<int>("row");
    for (int i = 0; i < 9; ++i) QTest::addRow("reply %d", i) << i;
  }
  void whatIsNoReplyOfSlotsIsRefused() {
    QFETCH(int, row);
    const auto one = [](std::int64_t first, std::int64_t last, RedisReply of) {
      return list({list({number(first), number(last), std::move(of)})});
    };
    std::vector<RedisReply> many(70000, node("a", 1));
    many.insert(many.begin(), {number(0), number(1)});
    const std::vector<RedisReply> replies{text("OK"),
                                          one(-1, 5, node("a", 1)),
                                          one(0, 16384, node("a", 1)),
                                          one(6, 5, node("a", 1)),
                                          one(0, 5, node("a", 65536)),
                                          one(0, 5, node("a", -1)),
                                          one(0, 5, node("a b", 1)),
                                          list({list({number(0)})}),
                                          list({list(std::move(many))})};
    const auto ranges = parse_cluster_slots(replies[static_cast<std::size_t>(row)], asked);
    QVERIFY(!ranges && ranges.error().code == ErrorCode::rejected_input);
  }

  // Bytes of a reply of Redis 7.0, changed at random: whatever is accepted is possible. tests/fuzz has more of it.
  void damagedRepliesNameNothingImpossible() {
    const std::string whole =
        "*2\r\n*4\r\n:0\r\n:8191\r\n*4\r\n$9\r\n127.0.0.1\r\n:7000\r\n$2\r\nid\r\n*0\r\n*3\r\n$1\r\na\r\n:7003\r\n$"
        "2\r\n"
        "id\r\n*3\r\n:8192\r\n:16383\r\n*3\r\n$-1\r\n:7001\r\n$2\r\nid\r\n";
    const std::string moved = "MOVED 3999 127.0.0.1:6381", letters = "0123456789:-$*?, \r\nab[]";
    Random random(11);
    const auto damaged = [&](std::string text) {
      for (std::uint64_t change = 1 + random.below(4); change > 0; --change)
        text[random.below(text.size())] = letters[random.below(letters.size())];
      return text;
    };
    const auto possible = [](const RedisAddress& address) {
      return is_host_name(address.host) && address.port > 0 && address.port < 65536;
    };
    int accepted = 0, refused = 0;
    for (int i = 0; i < 20000; ++i) {
      if (const auto redirect = parse_redirect(damaged(moved), asked))
        QVERIFY(possible(redirect->to) && redirect->slot >= 0 && redirect->slot < slot_count);
      ReplyParser parser;
      const auto fed = parser.feed(damaged(whole));
      const auto reply = fed ? parser.next() : Expected<std::optional<RedisReply>>(std::nullopt);
      if (!reply || !*reply) continue;
      const auto ranges = parse_cluster_slots(**reply, asked);
      ++(ranges ? accepted : refused);
      if (!ranges) continue;
      for (const SlotRange& range : *ranges) {
        QVERIFY(range.first >= 0 && range.first <= range.last && range.last < slot_count);
        QVERIFY(possible(range.master));
        for (const RedisAddress& replica : range.replicas) QVERIFY(possible(replica));
      }
    }
    QVERIFY2(accepted > 100 && refused > 100, qPrintable(QString("%1 %2").arg(accepted).arg(refused)));
  }

  void redirectionsAreRead() {
    const auto moved = parse_redirect("MOVED 3999 10.0.0.1:6381", asked);
    QVERIFY(moved && moved->for_good && moved->slot == 3999);
    QVERIFY((moved->to == RedisAddress{"10.0.0.1", 6381}));
    const auto ask = parse_redirect("ASK 16383 ::1:6381", asked);
    QVERIFY(ask && !ask->for_good);
    QVERIFY((ask->to == RedisAddress{"::1", 6381}));
    QVERIFY((parse_redirect("MOVED 1 :7001", asked)->to == RedisAddress{"asked.example", 7001}));
    for (const char* refusal : {"MOVED", "MOVED ", "MOVED 1", "MOVED 16384 a:1", "MOVED -1 a:1", "MOVED 1 a:0",
                                "MOVED 1 a:65536", "MOVED 1 a", "MOVED x a:1", "ASK 1 a b:1", "ERR no"})
      QVERIFY2(!parse_redirect(refusal, asked), refusal);
    QVERIFY(parse_master_address(list({text("10.0.0.1"), text("6379")})).value() ==
            std::optional(RedisAddress{"10.0.0.1", 6379}));
    QVERIFY(!parse_master_address(RedisReply{}).value());
    QVERIFY(!parse_master_address(list({text("a"), text("0")})));
    QVERIFY(!parse_master_address(list({text("a")})));
  }

  // Sizes of jemalloc(3): four between two powers of two, 16 bytes apart up to 128.
  void sizesAreThoseOfTheAllocator() {
    for (const auto& [value, taken] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{{1, 16},
                                                                                           {5, 32},
                                                                                           {116, 128},
                                                                                           {117, 160},
                                                                                           {148, 160},
                                                                                           {4084, 4096},
                                                                                           {4085, 5120},
                                                                                           {(1 << 20) - 12, 1 << 20},
                                                                                           {1 << 20, 5 << 18}})
      QCOMPARE(allocated_bytes(value), taken);
  }

  void partsFitTheAllocator() {
    Random random(7);
    for (int i = 0; i < 20000; ++i) {
      const std::uint64_t bytes = (std::uint64_t{256} << 10) + random.below(std::uint64_t{80} << 20);
      const std::uint64_t chunk = fitting_chunk_bytes(bytes), whole = bytes / chunk, rest = bytes % chunk;
      QVERIFY(chunk < max_chunk_bytes && chunk >= max_chunk_bytes / 4 - 64);
      const std::uint64_t taken = whole * allocated_bytes(chunk) + (rest == 0 ? 0 : allocated_bytes(rest));
      QVERIFY2(static_cast<double>(taken) <= 1.03 * static_cast<double>(bytes), qPrintable(QString::number(bytes)));
      QVERIFY(whole + 1 <= max_chunks);
    }
  }
};

KV_TEST_APPLESS_MAIN(RedisTopologyTest)

}  // namespace redis_topology_test

#include "redis_topology_test.moc"
