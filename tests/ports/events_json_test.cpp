// links: kv_reports
// Events, records and settings survive JSON in both directions, and damaged JSON is an error, never a crash.
#include <QtTest>
#include <cmath>
#include <set>

#include "core/base/random.h"
#include "core/ports/events.h"
#include "core/ports/session.h"
#include "tests/support/test_program.h"

namespace events_json_test {

using namespace kvantage;

namespace {

Digest128 digest(std::uint64_t n) { return {0xfedcba9876543210ULL + n, n}; }

PlacementAction some_action() {
  return {.context = digest(9),
          .kind = ActionKind::demote,
          .from = {0, "none", 0},
          .to = {1, "adakv(snapkv)+kivi4", 0.1},
          .bytes_before = 0xffffffffffffffffULL,
          .bytes_after = 4096,
          .utility_drop = 1.0 / 3,
          .reason = "least utility drop \"0.012\"; next best: évincer"};
}

RequestRecord some_record() {
  RequestRecord record;
  record.id = 77;
  record.context = digest(3);
  record.context_id = "c03";
  record.family = "letters";
  record.question = "where?";
  record.answer = "in\nhere\x01";
  record.reference_answer = "here";
  record.gold = "здесь";
  record.held_out = false;
  record.in_profile = true;
  record.policy = "evicpress";
  record.alpha = 0.1;
  record.source = "ssd";
  record.method = "snapkv";
  record.removed_fraction = 0.7;
  record.context_tokens = 1024;
  record.kept_tokens = 307;
  record.prefix_hit_tokens = 1000;
  record.question_tokens = 12;
  record.answer_tokens = 5;
  record.bytes_loaded = 1ULL << 60;
  record.timing = {1e-9, 2e-300, 0.3, 4, 5, 6, 7, 8, 9, 1.0 / 7};
  record.timing.prefetch_seconds = 0.03;
  record.timing.measuring_seconds = 0.007;
  record.timing.token_gaps_seconds = {0.001, 1.0 / 3};
  record.timing.shared_prefill = SharedPrefill{.context = {2, 0.25, 1.0 / 3}, .question = {7, 0.5, 0.125}};
  record.compute_or_load = {512, 488, 0.11, 0.22, 0.12};
  record.decoding = {
      {4000, 0.03, {2, 9, 70, 0.004}, 6, 4096}, "knorm(budget=25%)", "no", 250, 3 << 20, 2 << 20, 0.5, 0.01};
  record.decoding.offload =
      OffloadRecord{"ssd(split=load_only)", "no", 9000, 0.1, 7, 1792, 4200, 1 << 20, 2 << 20, 0.7, 0.6, 0.5, 0.05, 640};
  record.decoding.speculation = SpeculationRecord{"lookup(n=2)", "no", 5, 24, 9};
  record.quality = {{"exact_match", 1}, {"token_f1", 2.0 / 3}};
  record.quality_uncompressed = {{"exact_match", 1}};
  record.quality_chance = {{"exact_match", 0.01}};
  record.predicted_quality = 0.5;
  record.predicted_ttft_seconds = 0.02;
  record.miss_reason = "corrupt";
  record.provenance = Provenance::throttled;
  record.cancelled = true;
  return record;
}

/// One of every type, in the order of EventPayload, no field at its default.
std::vector<EventPayload> one_of_each() {
  ContextProfile profile{{{"none", 0, 1, 0.9, 1, 8, 123456, 1024}, {"knorm", 0.9, 0.25, 0.1, 0.4, 8, 12345, 103}},
                         {0.02, 0.01, 0.03, 8}};
  RecordedContext context;
  context.key = digest(6);
  context.id = "c06";
  context.family = "facts";
  context.tokens = 512;
  context.full_bytes = 99;
  context.windowed_bytes = 33;
  context.frequency = 1.5;
  context.last_access = 7;
  context.stored_bytes = 50;
  context.archived = true;
  context.profile = profile;
  context.placement = {0, "knorm", 0.5};
  return {
      events::RunStarted{"run-1", Json{{"policy", "lru"}, {"list", {1, 2.5, nullptr}}}},
      events::RunFinished{"run-1", "stopped", 200},
      events::RequestStarted{5, "c01", "facts", "who?"},
      events::TokenEmitted{5, "tok"},
      events::RequestFinished{some_record()},
      events::ContextComputed{digest(1), "c01", 512, 99, 0.25, false},
      events::ContextProfiled{digest(2), "c02", "facts", profile, 1.5, true, true},
      events::PlanMade{"evicpress", 0.5, 0.9, 0.01, -3.25, 12, 0.004},
      events::PlacementCommitted{some_action(), "c09", 0.5},
      events::PlacementFailed{some_action(), "c09", "disk full", {0, "knorm", 0.5}},
      events::ReadFailed{digest(4), "ssd", "checksum", false},
      events::TierOccupancy{"dram", 10, 20, {{"none", 4}, {"snapkv", 6}}},
      events::TierFitted{"ssd", {0.001, 2e9, 1e-7, 1e-5}, 40, true},
      events::TierCounted{"ssd",
                          "file system",
                          "O_DIRECT",
                          3,
                          4096,
                          2,
                          8192,
                          1,
                          {{"checksum", 2}},
                          {{"no_space", 1}},
                          9,
                          0.04,
                          0.2,
                          {{"flip_on_read", 3}}},
      events::SettingChanged{"alpha", 1.0, Json{{"x", 2}}},
      events::Progress{"profiling", 3, 24},
      events::Message{"warning", "slow disk"},
      events::DriftDetected{digest(5), "c05", 0.4, 0.9, 6, 4},
      events::EngineCounted{9, 5, 1, 2, 0.5, 0.01, 0.02, 3, 2, 1, 4,
                            ModelDeviceGauges{"H100", 10, 20, {2, 4096, 0.5, 0.25, 2e10}, {3, 8192, 0.75, 0.7, 3e10}}},
      events::SnapshotTaken{
          "start",
          0.5,
          {{"ssd", 4096, {0.001, 2e9, 1e-7, 1e-5}, true}},
          {0.1, 0.2, 0.3},
          {0.4, 0.5, 6},
          {{.method = "kivi4", .seconds_per_token = 1e-6, .overlapped_layers = 2, .encoded = EncodedSize{64, 96.5}}},
          {context},
          HybridServing{{"none"}, 256, 6, 1e-10, false}},
      events::CostsFitted{{{0.001, 2e9, 1e-7, 1e-5}}, {0.1, 0.2, 0.3}, {0.4, 0.5, 6}},
      events::CacheCompacted{5, "c01", 128, 3, 40, 0.002},
      events::PoolSampled{{2048,
                           37,
                           4,
                           32768,
                           32,
                           2,
                           1 << 20,
                           17,
                           {{500, 0.25, {1, 8, 40, 0.5}, 9, 4096}, 1},
                           900,
                           80,
                           700,
                           800,
                           {{300, 0.5, {3, 2, 20, 0.25}, 5, 2048}, 2},
                           0.004}}};
}

Event wrap(EventPayload payload) { return {42, 1'790'000'000'000'000'000, -5, std::move(payload)}; }

/// Replaces, drops or adds one random thing somewhere in the tree.
void damage(Json& json, Random& random) {
  static const std::vector<Json> values{nullptr,
                                        true,
                                        -1,
                                        1e300,
                                        0.5,
                                        "",
                                        "text",
                                        Json::array(),
                                        Json::object(),
                                        18446744073709551615ULL,
                                        Json::array({1, "x"})};
  if (!json.is_structured() || json.empty() || random.below(6) == 0) {
    json = values[random.below(values.size())];
    return;
  }
  auto child = json.begin();
  std::advance(child, static_cast<std::ptrdiff_t>(random.below(json.size())));
  const auto what = random.below(8);
  if (what == 0) {
    json.erase(child);
  } else if (what == 1 && json.is_object()) {
    json["surplus"] = 1;
  } else {
    damage(*child, random);
  }
}

}  // namespace

class EventsJsonTest : public QObject {
  Q_OBJECT
 private slots:
  void everyEventSurvivesTheRoundTrip_data() {
    QTest::addColumn<int>("index");
    const auto all = one_of_each();
    QCOMPARE(all.size(), std::variant_size_v<EventPayload>);
    for (std::size_t i = 0; i < all.size(); ++i) {
      QCOMPARE(all[i].index(), i);
      QTest::newRow(event_type(all[i])) << static_cast<int>(i);
    }
  }
  void everyEventSurvivesTheRoundTrip() {
    QFETCH(int, index);
    const Event event = wrap(one_of_each()[static_cast<std::size_t>(index)]);
    const std::string text = to_json(event).dump();
    const auto back = event_from_json(*parse_json(text, "test"));
    QVERIFY2(back.has_value(), back ? "" : back.error().message.c_str());
    QCOMPARE(back->payload.index(), event.payload.index());
    QCOMPARE(back->sequence, event.sequence);
    QCOMPARE(back->utc_ns, event.utc_ns);
    QCOMPARE(back->monotonic_ns, event.monotonic_ns);
    QCOMPARE(to_json(*back).dump(), text);
  }
  void typeNamesAreDistinct() {
    std::set<std::string> names;
    for (const auto& payload : one_of_each()) names.insert(event_type(payload));
    QCOMPARE(names.size(), std::variant_size_v<EventPayload>);
    QVERIFY(names.contains("request.finished"));
    QVERIFY(names.contains("placement.committed"));
  }
  // Journals of before a field was there are read still.
  void fieldsThatCameLaterMayBeAbsent() {
    Json json = to_json(wrap(events::RequestFinished{some_record()}));
    for (const char* field : {"quality_uncompressed", "quality_chance", "in_profile"})
      QCOMPARE(json["data"]["record"].erase(field), std::size_t{1});
    for (const char* field : {"blocks_freed", "score_buffer_bytes"})
      QCOMPARE(json["data"]["record"]["decoding"].erase(field), std::size_t{1});
    for (const char* field : {"measuring_seconds", "prefetch_seconds", "token_gaps_seconds"})
      QCOMPARE(json["data"]["record"]["timing"].erase(field), std::size_t{1});
    const auto back = event_from_json(json);
    QVERIFY2(back.has_value(), back ? "" : back.error().message.c_str());
    QVERIFY(std::get<events::RequestFinished>(back->payload).record.quality_chance.empty());
    QVERIFY(!std::get<events::RequestFinished>(back->payload).record.in_profile);
    json["data"]["record"].erase("quality");
    QVERIFY(!event_from_json(json));
  }
  void everyFieldOfARecordIsWritten() {
    const auto back = request_record_from_json(*parse_json(to_json(some_record()).dump(), "test"));
    QVERIFY(back.has_value());
    const RequestRecord wanted = some_record();
    QCOMPARE(back->context, wanted.context);
    QCOMPARE(back->answer, wanted.answer);
    QCOMPARE(back->gold, wanted.gold);
    QCOMPARE(back->bytes_loaded, wanted.bytes_loaded);
    QCOMPARE(back->timing.lookup_seconds, wanted.timing.lookup_seconds);
    QCOMPARE(back->timing.e2e_seconds, wanted.timing.e2e_seconds);
    QCOMPARE(back->quality, wanted.quality);
    QCOMPARE(back->provenance, wanted.provenance);
    QCOMPARE(back->cancelled, wanted.cancelled);
    QCOMPARE(to_json(RequestRecord{}).size(), to_json(wanted).size());
    const Json defaults = to_json(RequestRecord{});
    const Json set = to_json(wanted);
    for (const auto& [key, value] : defaults.items()) QVERIFY2(set.at(key) != value, key.c_str());
  }
  // Files name a provenance as they always have, whatever it is called here and in whichever order these stand.
  void everyProvenanceIsReadByItsName() {
    const std::vector<std::pair<Provenance, std::string>> names{{Provenance::measured, "measured"},
                                                                {Provenance::throttled, "shaped"},
                                                                {Provenance::simulated, "modelled"},
                                                                {Provenance::predicted, "predicted"},
                                                                {Provenance::imported, "imported"}};
    for (const auto& [provenance, name] : names) {
      RequestRecord record = some_record();
      record.provenance = provenance;
      Json json = to_json(record);
      QCOMPARE(json.at("provenance").get<std::string>(), name);
      QCOMPARE(std::string(to_string(provenance)), name);
      const auto back = request_record_from_json(json);
      QVERIFY2(back.has_value(), name.c_str());
      QVERIFY(back->provenance == provenance);
    }
  }
  void aTokenThatEndsInMidLetterIsStillJson() {
    const Json json = to_json(wrap(events::TokenEmitted{1, "\xd0 \xe2\x82 ok \xf0\x9f\x98\x80 \xed\xa0\x80"}));
    const auto back = event_from_json(*parse_json(json.dump(), "test"));
    QVERIFY(back.has_value());
    QCOMPARE(
        std::get<events::TokenEmitted>(back->payload).text,
        std::string("\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd ok \xf0\x9f\x98\x80 \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"));
  }
  void aNumberThatJsonCannotHoldComesBackAsNaN() {
    events::PlanMade plan;
    plan.total_utility = std::nan("");
    const auto back = event_from_json(*parse_json(to_json(wrap(plan)).dump(), "test"));
    QVERIFY(back.has_value());
    QVERIFY(std::isnan(std::get<events::PlanMade>(back->payload).total_utility));
  }
  void damageIsRefusedByName_data() {
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("value");  // JSON, or empty to remove
    QTest::addColumn<QString>("mentions");
    QTest::newRow("unknown field") << "/data/record/removd_fraction"
                                   << "0"
                                   << "did you mean 'removed_fraction'";
    QTest::newRow("missing field") << "/data/record/answer"
                                   << ""
                                   << "'answer' is missing";
    QTest::newRow("wrong type") << "/data/record/timing/load_seconds"
                                << "\"1\""
                                << "load_seconds";
    QTest::newRow("half a count") << "/data/record/kept_tokens"
                                  << "1.5"
                                  << "kept_tokens";
    QTest::newRow("negative count") << "/data/record/bytes_loaded"
                                    << "-1"
                                    << "bytes_loaded";
    QTest::newRow("count too large") << "/data/record/kept_tokens"
                                     << "4294967296"
                                     << "kept_tokens";
    QTest::newRow("bad digest") << "/data/record/context"
                                << "\"xyz\""
                                << "context";
    QTest::newRow("unknown provenance") << "/data/record/provenance"
                                        << "\"guessed\""
                                        << "measured, shaped";
    QTest::newRow("unknown type") << "/type"
                                  << "\"request.done\""
                                  << "request.done";
    QTest::newRow("no data") << "/data"
                             << ""
                             << "'data' is missing";
  }
  void damageIsRefusedByName() {
    QFETCH(QString, pointer);
    QFETCH(QString, value);
    QFETCH(QString, mentions);
    Json json = to_json(wrap(events::RequestFinished{some_record()}));
    const Json::json_pointer at(pointer.toStdString());
    if (value.isEmpty())
      json[at.parent_pointer()].erase(at.back());
    else
      json[at] = Json::parse(value.toStdString());
    const auto back = event_from_json(json);
    QVERIFY(!back.has_value());
    QCOMPARE(back.error().code, ErrorCode::rejected_input);
    QVERIFY2(back.error().message.find(mentions.toStdString()) != std::string::npos, back.error().message.c_str());
    QVERIFY(back.error().message.find('\n') == std::string::npos);
  }
  void fuzzedEventsNeverCrash() {
    Random random(7);
    const auto all = one_of_each();
    int accepted = 0, refused = 0;
    for (int i = 0; i < 20'000; ++i) {
      Json json = to_json(wrap(all[random.below(all.size())]));
      for (auto n = random.below(3) + 1; n > 0; --n) damage(json, random);
      const auto back = event_from_json(json);
      if (back)
        QVERIFY(!to_json(*back).dump().empty());
      else
        QVERIFY(!back.error().message.empty());
      ++(back ? accepted : refused);
    }
    QVERIFY(refused > 10 * accepted / 4);
    QVERIFY(accepted > 0);
  }
  void fuzzedTextNeverCrashes() {
    Random random(8);
    const auto all = one_of_each();
    for (int i = 0; i < 20'000; ++i) {
      std::string text = to_json(wrap(all[random.below(all.size())])).dump();
      for (auto n = random.below(4) + 1; n > 0; --n) text[random.below(text.size())] = static_cast<char>(random.next());
      if (const auto json = parse_json(text, "fuzz")) static_cast<void>(event_from_json(*json));
    }
  }
};

KV_TEST_GUILESS_MAIN(EventsJsonTest)

}  // namespace events_json_test

#include "events_json_test.moc"
