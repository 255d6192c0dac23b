// links: kv_base
// Workloads made from the families: what was asked for, the same every time, and nothing that training has seen.
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <map>
#include <set>

#include "core/workload/families/pieces.h"
#include "core/workload/make_workload.h"

using namespace kvantage;

namespace {

MakeWorkloadOptions small_options() {
  MakeWorkloadOptions options;
  options.contexts_per_family = 2;
  options.least_tokens = 400;
  options.most_tokens = 600;
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
        for (const GeneratedQuestion& question : family.generate({.target_tokens = 1000}, random).questions) trained.insert(question.question);
      }
    QVERIFY(trained.size() > 2000);
    for (const WorkloadQuestion& question : made->questions) QVERIFY2(!trained.contains(question.question), question.question.c_str());
  }

  // The profile that ships is found by the digest of these texts.
  void theQuickStartIsWhatItsCommandMakes() {
    const std::filesystem::path folder = std::filesystem::path(KVANTAGE_SOURCE_DIR) / "sample_workloads" / "quickstart";
    const auto shipped = read_workload(folder);
    QVERIFY2(shipped, shipped ? "" : shipped.error().message.c_str());
    MakeWorkloadOptions options;
    const QStringList words = QString::fromStdString(shipped->made_by).split(' ');
    const auto value = [&](const char* name) {
      const qsizetype at = words.indexOf(name);
      return at < 0 || at + 1 >= words.size() ? QString() : words[at + 1];
    };
    options.name = value("--name").toStdString();
    options.seed = value("--seed").toULongLong();
    for (const QString& family : value("--families").split(',')) options.families.push_back(family.toStdString());
    options.contexts_per_family = value("--contexts-per-family").toULongLong();
    options.least_tokens = value("--least-tokens").toULongLong();
    options.most_tokens = value("--most-tokens").toULongLong();
    options.filler_fraction = value("--filler").toDouble();
    options.profile_questions = value("--profile-questions").toULongLong();
    options.held_out_questions = value("--held-out-questions").toULongLong();
    options.arrivals = {.requests_per_second = value("--rate").toDouble(),
                        .zipf_exponent = value("--zipf").toDouble(),
                        .requests = value("--requests").toULongLong()};
    const auto made = make_workload(options);
    QVERIFY2(made, made ? "" : made.error().message.c_str());
    QVERIFY(made->digest() == shipped->digest());
    QVERIFY(made->requests(0, 3).size() == shipped->requests(0, 3).size());
    QVERIFY(shipped->contexts.size() >= 24 && shipped->arrivals.requests >= 200);
  }

  void settingsThatCannotBeMetAreRefused_data() {
    QTest::addColumn<int>("which");
    QTest::addColumn<QString>("part");
    const char* parts[] = {"contexts", "questions", "tokens", "tokens", "filler", "filler", "'poem'", "questions",
                           "requests_per_second", "zipf_exponent", "requests"};
    for (int i = 0; i < 11; ++i) QTest::addRow("%d %s", i, parts[i]) << i << parts[i];
  }
  void settingsThatCannotBeMetAreRefused() {
    QFETCH(int, which);
    QFETCH(QString, part);
    MakeWorkloadOptions options = small_options();
    const std::vector<std::function<void()>> spoil{
        [&] { options.contexts_per_family = 0; },
        [&] { options.held_out_questions = 0; },
        [&] { options.least_tokens = 31; },
        [&] { options.most_tokens = options.least_tokens - 1; },
        [&] { options.filler_fraction = 0.96; },
        [&] { options.filler_fraction = std::nan(""); },
        [&] { options.families = {"registry", "poem"}; },
        [&] { options.held_out_questions = 5000; },
        [&] { options.arrivals.requests_per_second = -1; },
        [&] { options.arrivals.zipf_exponent = std::nan(""); },
        [&] { options.arrivals.requests = 0; }};
    spoil[static_cast<std::size_t>(which)]();
    const auto made = make_workload(options);
    QVERIFY(!made);
    QCOMPARE(made.error().code, ErrorCode::usage);
    const QString message = QString::fromStdString(made.error().message);
    QVERIFY2(message.contains(part) && !message.contains('\n'), qPrintable(message));
  }
};

QTEST_GUILESS_MAIN(MakeWorkloadTest)
#include "make_workload_test.moc"
