// links: kv_base
// Workloads made from the families: what was asked for, the same every time, and nothing that training has seen.
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "core/workload/arrivals.h"
#include "core/workload/families/pieces.h"
#include "core/workload/make_workload.h"
#include "core/workload/presets.h"
#include "tests/support/test_program.h"

namespace make_workload_test {

using namespace kvantage;

namespace {

MakeWorkloadOptions small_options() {
  MakeWorkloadOptions options;
  options.contexts_per_family = 2;
  options.min_tokens = 400;
  options.max_tokens = 600;
  options.profile_questions = 2;
  options.held_out_questions = 3;
  return options;
}

}  // namespace

class MakeWorkloadTest : public QObject {
  Q_OBJECT

 private slots:
  void holdsWhatWasAskedFor() {
    MakeWorkloadOptions options = small_options();
    options.arrivals = {.requests_per_second = 2, .zipf_exponent = 0.7, .requests = 99};
    const auto made = make_workload(options);
    QVERIFY2(made, made ? "" : made.error().message.c_str());
    QCOMPARE(made->contexts.size(), 2 * families().size());
    QCOMPARE(made->arrivals.requests, std::uint64_t{99});
    std::set<std::string> ids;
    std::map<std::string, int> of_family;
    for (const WorkloadContext& context : made->contexts) {
      QVERIFY(ids.insert(context.id).second);
      ++of_family[context.family];
      const std::size_t tokens = count_pieces(context.text);
      QVERIFY2(tokens + 1 >= 400 && tokens <= 600 + 48, qPrintable(QString::number(tokens)));
    }
    for (const Family& family : families()) QCOMPARE(of_family[std::string(family.name)], 2);
    std::map<std::size_t, std::map<QuestionSplit, int>> questions;
    std::set<std::pair<std::size_t, std::string>> distinct;
    for (const WorkloadQuestion& question : made->questions) {
      ++questions[question.context][question.split];
      QVERIFY(distinct.insert({question.context, question.question}).second);
    }
    QCOMPARE(questions.size(), made->contexts.size());
    for (auto& [context, splits] : questions) {
      QCOMPARE(splits[QuestionSplit::profile], 2);
      QCOMPARE(splits[QuestionSplit::held_out], 3);
    }
  }

  void theSameOptionsGiveTheSameWorkload() {
    const auto first = make_workload(small_options());
    QVERIFY(first && make_workload(small_options())->digest() == first->digest());
    MakeWorkloadOptions other = small_options();
    other.seed = 2;
    QVERIFY(make_workload(other)->digest() != first->digest());
  }

  void leavingAFamilyOutChangesNoOther() {
    const auto all = make_workload(small_options());
    MakeWorkloadOptions options = small_options();
    options.families = {"news", "registry"};
    const auto two = make_workload(options);
    QVERIFY(all && two);
    QCOMPARE(two->contexts.size(), std::size_t{4});
    QCOMPARE(two->contexts[0].family, std::string("news"));  // in the order asked for
    std::map<std::string, std::string> texts;
    for (const WorkloadContext& context : all->contexts) texts[context.id] = context.text;
    for (const WorkloadContext& context : two->contexts) QCOMPARE(context.text, texts.at(context.id));
  }

  void noTextWasSeenInTraining() {
    const auto made = make_workload(small_options());
    QVERIFY(made);
    std::set<std::string> trained;
    for (const Family& family : families())
      for (std::uint64_t seed = 0; seed < 40; ++seed) {
        Random random(seed);
        for (const GeneratedQuestion& question : family.generate({.target_tokens = 1000}, random).questions)
          trained.insert(question.question);
      }
    QVERIFY(trained.size() > 2000);
    for (const WorkloadQuestion& question : made->questions)
      QVERIFY2(!trained.contains(question.question), question.question.c_str());
  }

  void mixedContextsAreOneFamilyAfterTheOther() {
    MakeWorkloadOptions options = small_options();
    options.mixes = {"story+registry"};
    options.arrivals.drift = Drift{};
    const auto made = make_workload(options);
    QVERIFY2(made, made ? "" : made.error().message.c_str());
    QCOMPARE(made->contexts.size(), std::size_t{2});  // a mix alone: no other families
    for (const WorkloadContext& context : made->contexts) {
      QCOMPARE(context.family, std::string("story+registry"));
      const std::size_t tokens = count_pieces(context.text);
      QVERIFY2(tokens + 2 >= 400 && tokens <= 600 + 2 * 48, qPrintable(QString::number(tokens)));
    }
    std::map<std::size_t, std::array<int, 3>> counts;  // profile, held out of phase 0, of phase 1
    for (const WorkloadQuestion& question : made->questions) {
      const std::string& text = made->contexts[question.context].text;
      const bool profile = question.split == QuestionSplit::profile;
      ++counts[question.context][profile ? 0U : question.phase == 0 ? 1U : 2U];
      QVERIFY(!profile || question.phase == 0);
      // The second family's questions are the later ones, and its facts are in the second half.
      const bool of_registry = question.question.starts_with("What is the ");
      QCOMPARE(of_registry, question.phase == 1);
      QVERIFY(text.find(question.gold) != std::string::npos);
      if (of_registry) QVERIFY(text.find(question.gold) > text.size() / 4);
    }
    for (const auto& [context, three] : counts) QVERIFY((three == std::array<int, 3>{2, 3, 3}));
  }

  void withoutADriftMixedContextsAskAboutBoth() {
    MakeWorkloadOptions options = small_options();
    options.families = {"news"};
    options.mixes = {"story+registry"};
    const auto made = make_workload(options);
    QVERIFY2(made, made ? "" : made.error().message.c_str());
    QCOMPARE(made->contexts.size(), std::size_t{4});
    std::map<bool, int> of_registry;
    for (const WorkloadQuestion& question : made->questions) {
      QCOMPARE(question.phase, 0);
      if (question.context >= 2) ++of_registry[question.question.starts_with("What is the ")];
    }
    QCOMPARE(of_registry[true], 4);  // of 2 profile and 3 held-out questions of two contexts
    QCOMPARE(of_registry[false], 6);
  }

  void knobsReachTheFamilies_data() {
    QTest::addColumn<QString>("family");
    QTest::addColumn<int>("knob");
    QTest::newRow("neighbors") << "registry" << 0;
    QTest::newRow("distractors") << "news" << 1;
    QTest::newRow("answer tokens") << "ledger" << 2;
    QTest::newRow("filler") << "meeting" << 3;
  }
  void knobsReachTheFamilies() {
    QFETCH(QString, family);
    QFETCH(int, knob);
    MakeWorkloadOptions options = small_options();
    options.families = {family.toStdString()};
    const auto before = make_workload(options);
    if (knob == 0) options.neighbor_fraction = 0.9;
    if (knob == 1) options.distractor_fraction = 0.9;
    if (knob == 2) options.answer_tokens = 64;
    if (knob == 3) options.filler_fraction = 0.8;
    const auto after = make_workload(options);
    QVERIFY2(before && after, (before ? after : before) ? "" : (before ? after : before).error().message.c_str());
    QVERIFY(before->digest() != after->digest());
  }

  void longAnswersAreNotCutOff() {
    MakeWorkloadOptions options = small_options();
    options.families = {"ledger", "story"};
    const auto made = make_workload(options);
    QVERIFY2(made, made ? "" : made.error().message.c_str());
    for (const WorkloadQuestion& question : made->questions) {
      const int tokens = static_cast<int>(count_pieces(question.gold));
      if (made->contexts[question.context].family == "story")
        QCOMPARE(question.max_answer_tokens, 0);
      else
        QVERIFY(tokens > 200 && question.max_answer_tokens > tokens);
    }
  }

  // The first rows of AzureLLMInferenceTrace_conv.csv: 18:15:46.68059, 50.995169, 51.222467, 51.391017.
  void arrivalsMayBeRecorded() {
    MakeWorkloadOptions options = small_options();
    options.families = {"registry"};
    options.recorded_arrivals = "azure-conversations";
    options.arrivals.requests = 4;
    const auto made = make_workload(options);
    QVERIFY2(made, made ? "" : made.error().message.c_str());
    const std::array seconds{0.0, 4.315, 4.542, 4.71};
    QCOMPARE(made->schedule.size(), seconds.size());
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      QVERIFY(std::abs(made->schedule[i].arrival_seconds - seconds[i]) < 1e-9);
      QVERIFY(!made->schedule[i].context && !made->schedule[i].question);
    }
    QVERIFY(std::abs(made->arrivals.requests_per_second - 3 / 4.71) < 1e-9);
    QCOMPARE(made->arrivals.requests, std::uint64_t{4});
    auto requests = made->requests(0, 1);
    QCOMPARE(requests.size(), seconds.size());
    QVERIFY(std::abs(requests[2].arrival_seconds - 4.542) < 1e-9);
    space_requests(requests, 6 / 4.71, 1);  // twice the rate
    QVERIFY(std::abs(requests[2].arrival_seconds - 4.542 / 2) < 1e-9);
    options.arrivals.requests = 960;
    const auto all = make_workload(options);
    QVERIFY(all && all->schedule.size() == 960);
    QVERIFY(std::abs(all->schedule.back().arrival_seconds - 210.137) < 1e-9);  // 18:19:16.817909
    QVERIFY(std::ranges::is_sorted(all->schedule, {}, &ScheduledRequest::arrival_seconds));
    options.recorded_arrivals = "drawn";
    const auto drawn = make_workload(options);
    QVERIFY(drawn && drawn->schedule.empty() && drawn->arrivals.requests_per_second == 0);
    QVERIFY(drawn->digest() == all->digest());
  }

  void aDriftMayHaveMoreQuestionsThanCameBefore() {
    MakeWorkloadOptions options = small_options();
    options.mixes = {"story+registry"};
    options.arrivals.drift = Drift{};
    options.drifted_questions = 7;
    const auto made = make_workload(options);
    QVERIFY2(made, made ? "" : made.error().message.c_str());
    std::map<std::size_t, std::array<int, 3>> counts;  // profile, before, after
    for (const WorkloadQuestion& question : made->questions)
      ++counts[question.context][question.split == QuestionSplit::profile ? 0U : question.phase == 0 ? 1U : 2U];
    QCOMPARE(counts.size(), std::size_t{2});
    for (const auto& [context, count] : counts) QVERIFY((count == std::array{2, 3, 7}));
  }

  // Of one family: so many questions as its text has beside the others, about what it mentions first.
  void aFamilyAloneMayDriftToo() {
    MakeWorkloadOptions options = small_options();
    options.families = {"registry", "story"};
    options.contexts_per_family = 4;
    options.arrivals.drift = Drift{};
    options.drifted_questions = 4;
    const auto made = make_workload(options);
    QVERIFY2(made, made ? "" : made.error().message.c_str());
    std::map<std::size_t, std::array<int, 3>> counts;  // profile, before, after
    std::array<double, 2> places{}, numbers{};         // of answers in registries, by phase
    for (const WorkloadQuestion& question : made->questions) {
      ++counts[question.context][question.split == QuestionSplit::profile ? 0U : question.phase == 0 ? 1U : 2U];
      QVERIFY(question.split == QuestionSplit::held_out || question.phase == 0);
      const WorkloadContext& context = made->contexts[question.context];
      if (context.family != "registry") continue;
      const auto phase = static_cast<std::size_t>(question.phase);
      places[phase] += static_cast<double>(context.text.find(question.gold));
      ++numbers[phase];
    }
    QCOMPARE(counts.size(), std::size_t{8});
    for (const auto& [context, count] : counts) {
      QVERIFY(count[0] == 2 && count[1] == 3);
      // A story of 400 tokens has eight questions.
      QVERIFY(made->contexts[context].family == "registry" ? count[2] == 4 : count[2] >= 3 && count[2] <= 4);
    }
    QVERIFY(places[1] / numbers[1] < 0.7 * places[0] / numbers[0]);
    // The texts are those of a workload without a drift.
    options.arrivals.drift.reset();
    options.drifted_questions = 0;
    const auto without = make_workload(options);
    QVERIFY(without && without->contexts.size() == made->contexts.size());
    for (std::size_t c = 0; c < made->contexts.size(); ++c) QCOMPARE(made->contexts[c].text, without->contexts[c].text);
  }

  // Thirty questions for profiles, thirty for evaluation, and up to thirty for a drift.
  void theLargePresetHasThreeSplits() {
    const auto preset = find_workload_preset("sensitivity-large");
    QVERIFY(preset && (*preset)->options.arrivals.drift);
    MakeWorkloadOptions options = (*preset)->options;
    options.contexts_per_family = 2;
    const auto made = make_workload(options);
    QVERIFY2(made, made ? "" : made.error().message.c_str());
    QCOMPARE((*preset)->options.families.size(), std::size_t{9});
    QCOMPARE((*preset)->options.contexts_per_family, std::size_t{20});
    std::map<std::size_t, std::array<int, 3>> counts;
    for (const WorkloadQuestion& question : made->questions)
      ++counts[question.context][question.split == QuestionSplit::profile ? 0U : question.phase == 0 ? 1U : 2U];
    QCOMPARE(counts.size(), std::size_t{18});
    for (const auto& [context, count] : counts) {
      QVERIFY2(count[0] == 30 && count[1] == 30 && count[2] <= 30, made->contexts[context].id.c_str());
      if (made->contexts[context].family == "registry") QCOMPARE(count[2], 30);
    }
  }

  // Neither text nor question of the other splits depends on the third one, in any family.
  void aThirdSplitLeavesTheOthersAsTheyWere() {
    MakeWorkloadOptions options = (*find_workload_preset("sensitivity-large"))->options;
    options.contexts_per_family = 2;
    const auto made = make_workload(options);
    options.arrivals.drift.reset();
    options.drifted_questions = 0;
    const auto without = make_workload(options);
    QVERIFY(made && without && made->contexts.size() == without->contexts.size());
    for (std::size_t c = 0; c < made->contexts.size(); ++c) QCOMPARE(made->contexts[c].text, without->contexts[c].text);
    std::size_t place = 0, drifted = 0;
    std::set<std::pair<std::size_t, std::string>> seen;
    for (const WorkloadQuestion& one : made->questions) {
      QVERIFY(seen.emplace(one.context, one.question).second);
      if (one.phase == 1 && ++drifted > 0) continue;
      const WorkloadQuestion& other = without->questions.at(place++);
      QVERIFY(one.question == other.question && one.context == other.context && one.split == other.split);
    }
    QVERIFY(place == without->questions.size() && drifted > 90);
  }

  void presetsCanBeMade() {
    std::set<std::string> names;
    for (const WorkloadPreset& preset : workload_presets()) {
      QVERIFY(names.insert(preset.options.name).second);
      QVERIFY(find_workload_preset(preset.options.name));
      QVERIFY(preset.options.description.find('\n') == std::string::npos && !preset.session.tiers.empty());
      const auto made = make_workload(preset.options);
      QVERIFY2(made, made ? "" : made.error().message.c_str());
      QCOMPARE(made->requests(0, 1).size(), static_cast<std::size_t>(preset.options.arrivals.requests));
    }
    const auto unknown = find_workload_preset("long-tale");
    QVERIFY(!unknown && unknown.error().message.find("'long-tail'") != std::string::npos);
  }

  void settingsThatCannotBeMetAreRefused_data() {
    QTest::addColumn<int>("which");
    QTest::addColumn<QString>("part");
    const char* parts[] = {"contexts",
                           "questions",
                           "tokens",
                           "tokens",
                           "filler",
                           "filler",
                           "'poem'",
                           "questions",
                           "requests_per_second",
                           "zipf_exponent",
                           "requests",
                           "distractor",
                           "neighbor",
                           "answer",
                           "two families",
                           "'poem'",
                           "twice",
                           "drift",
                           "'drift.end'",
                           "'bursts.factor'",
                           "contradict",
                           "contradict",
                           "nothing drifts",
                           "'azure'",
                           "960 arrival times are recorded, not 961"};
    for (int i = 0; i < 25; ++i) QTest::addRow("%d %s", i, parts[i]) << i << parts[i];
  }
  void settingsThatCannotBeMetAreRefused() {
    QFETCH(int, which);
    QFETCH(QString, part);
    MakeWorkloadOptions options = small_options();
    const std::vector<std::function<void()>> spoil{
        [&] { options.contexts_per_family = 0; },
        [&] { options.held_out_questions = 0; },
        [&] { options.min_tokens = 31; },
        [&] { options.max_tokens = options.min_tokens - 1; },
        [&] { options.filler_fraction = 0.96; },
        [&] { options.filler_fraction = std::nan(""); },
        [&] {
          options.families = {"registry", "poem"};
        },
        [&] { options.held_out_questions = 5000; },
        [&] { options.arrivals.requests_per_second = -1; },
        [&] { options.arrivals.zipf_exponent = std::nan(""); },
        [&] { options.arrivals.requests = 0; },
        [&] { options.distractor_fraction = -0.1; },
        [&] { options.neighbor_fraction = std::nan(""); },
        [&] { options.answer_tokens = 0; },
        [&] { options.mixes = {"story"}; },
        [&] { options.mixes = {"story+poem"}; },
        [&] {
          options.families = {"story", "story"};
        },
        [&] { options.arrivals.drift = Drift{}; },
        [&] { options.mixes = {"story+registry"}, options.arrivals.drift = Drift{.begin = 0.6, .end = 0.5}; },
        [&] { options.arrivals.bursts = Bursts{.factor = 0.5}; },
        [&] { options.mixes = {"fewshot+fewshot"}; },
        [&] {
          options.mixes = {"story+registry", "poem+poem"};
        },
        [&] { options.drifted_questions = 4; },
        [&] { options.recorded_arrivals = "azure"; },
        [&] { options.recorded_arrivals = "azure-conversations", options.arrivals.requests = 961; }};
    spoil[static_cast<std::size_t>(which)]();
    const auto made = make_workload(options);
    QVERIFY(!made);
    QCOMPARE(made.error().code, ErrorCode::usage);
    const QString message = QString::fromStdString(made.error().message);
    QVERIFY2(message.contains(part) && !message.contains('\n'), qPrintable(message));
  }
};

KV_TEST_GUILESS_MAIN(MakeWorkloadTest)

}  // namespace make_workload_test

#include "make_workload_test.moc"
