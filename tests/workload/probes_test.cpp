// links: kv_base
// Questions made from texts: sentences as a reader sees them, stretches that the text says once, every paragraph's
// share.
#include <QtTest>

#include <cmath>
#include <map>
#include <set>

#include "core/base/random.h"
#include "core/workload/probes.h"
#include "core/workload/sentences.h"
#include "tests/support/test_program.h"

namespace probes_test {

using namespace kvantage;

namespace {

QStringList texts(std::string_view text, const std::vector<TextSpan>& spans) {
  QStringList list;
  for (const TextSpan& span : spans)
    list << QString::fromUtf8(span.of(text).data(), static_cast<qsizetype>(span.size()));
  return list;
}

std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Sentences that differ from each other, in paragraphs of the given numbers of sentences.
std::string numbered_text(const std::vector<int>& paragraphs) {
  static const char* nouns[] = {"river", "miller", "lamp", "harbour", "ledger", "meadow", "clock", "stranger"};
  std::string text;
  int number = 100;
  for (const int sentences : paragraphs) {
    if (!text.empty()) text += "\n\n";
    for (int s = 0; s < sentences; ++s, ++number)
      text += std::string(s > 0 ? " " : "") + "In room " + std::to_string(number) + " the " + nouns[number % 8] +
              " waited " + std::to_string(number * 7) + " days for the morning.";
  }
  return text;
}

QString without_space(QString text) { return text.remove(QRegularExpression("[ \\t\\n\\v\\f\\r]")); }

}  // namespace

class ProbesTest : public QObject {
  Q_OBJECT
 private slots:
  void sentencesEndWhereAReaderEndsThem_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("sentences");
    const auto row = [](const char* name, const char* text, const QStringList& sentences) {
      QTest::newRow(name) << QString::fromUtf8(text) << sentences;
    };
    row("two", "It rained. We left!", {"It rained.", "We left!"});
    row("number with a point", "It took 3.5 seconds. Then 4.", {"It took 3.5 seconds.", "Then 4."});
    row("setting", "cache.port is 8080. server.limit is 7.", {"cache.port is 8080.", "server.limit is 7."});
    row("number before the end", "The badge is 4451. The route is 12.", {"The badge is 4451.", "The route is 12."});
    row("spaced points of the trial model", "The badge is 4451 . The route is 12 .",
        {"The badge is 4451 .", "The route is 12 ."});
    row("titles", "Dr. Holt met Mrs. Crane. They spoke.", {"Dr. Holt met Mrs. Crane.", "They spoke."});
    row("initials", "J. R. Holt wrote it. He left.", {"J. R. Holt wrote it.", "He left."});
    row("letters with points", "Use two, e.g. Paris, in the U.S. today. Then go.",
        {"Use two, e.g. Paris, in the U.S. today.", "Then go."});
    row("quotes", "\"Go!\" he said. (She went.) Gone.", {"\"Go!\"", "he said.", "(She went.)", "Gone."});
    row("several marks", "What?! No... Yes.", {"What?!", "No...", "Yes."});
    row("numbered list", "1. Open the door.\n2. Close it.", {"1. Open the door.", "2. Close it."});
    row("short lines", "# Heading\nA line\nAnother: line", {"# Heading", "A line", "Another: line"});
    row("wrapped lines", "The first line of this paragraph is wrapped by its\nauthor in the middle. And goes on.",
        {"The first line of this paragraph is wrapped by its\nauthor in the middle.", "And goes on."});
    row("paragraphs end sentences", "no full stop\n \t\nnew paragraph", {"no full stop", "new paragraph"});
    row("Chinese", "今天下雨。我们走吧！“好。”他说。", {"今天下雨。", "我们走吧！", "“好。”", "他说。"});
    row("white space", " \n\n \t", {});
    row("nothing", "", {});
  }
  void sentencesEndWhereAReaderEndsThem() {
    QFETCH(QString, text);
    QFETCH(QStringList, sentences);
    const std::string bytes = text.toStdString();
    QCOMPARE(texts(bytes, split_sentences(bytes)), sentences);
  }

  void wordsAreRunsOrChineseCharacters_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("words");
    QTest::newRow("spaces") << "a bc, 10 000." << QStringList{"a", "bc,", "10", "000."};
    QTest::newRow("Chinese") << QString::fromUtf8("2012年，铜仁市增长25.8%。")
                             << QStringList{"2012", "年，", "铜", "仁", "市", "增", "长", "25.8%。"};
    QTest::newRow("accents") << QString::fromUtf8("né à")
                             << QStringList{QString::fromUtf8("né"), QString::fromUtf8("à")};
  }
  void wordsAreRunsOrChineseCharacters() {
    QFETCH(QString, text);
    QFETCH(QStringList, words);
    const std::string bytes = text.toStdString();
    QCOMPARE(texts(bytes, split_words(bytes, {0, bytes.size(), 0})), words);
  }

  void probesAreBeginningsAndWholeSentencesThatOccurOnce_data() {
    QTest::addColumn<QString>("text");
    QTest::newRow("paragraphs") << QString::fromStdString(numbered_text({5, 9, 3, 20}));
    QTest::newRow("one paragraph") << QString::fromStdString(numbered_text({40}));
    QString chinese;
    for (int i = 0; i < 30; ++i)
      chinese += QString::fromUtf8("第%1个仓库在城市的北边，里面有%2箱苹果。").arg(i).arg(i * 37);
    QTest::newRow("Chinese") << chinese;
    QString repeated = "The same words stand here again and again.";
    for (int i = 0; i < 20; ++i)
      repeated += QString(" The same words stand here again and again. Only line %1 is another one here.").arg(i);
    QTest::newRow("repeated sentences") << repeated;
  }
  void probesAreBeginningsAndWholeSentencesThatOccurOnce() {
    QFETCH(QString, text);
    const std::string bytes = text.toStdString();
    const QStringList sentences = texts(bytes, split_sentences(bytes));
    const std::vector<Probe> probes = make_probes(bytes, {});
    QCOMPARE(probes.size(), std::size_t{16});
    std::set<std::string> stretches;
    std::map<std::pair<QuestionSplit, ProbeKind>, int> counts;
    for (const Probe& probe : probes) {
      QCOMPARE(occurrences(bytes, probe.stretch), std::size_t{1});
      QVERIFY(stretches.insert(probe.stretch).second);
      ++counts[{probe.split, probe.kind}];
      const QString stretch = QString::fromStdString(probe.stretch);
      if (probe.kind == ProbeKind::repeat_next) {
        QVERIFY2(sentences.contains(stretch) && stretch != sentences.back(), probe.stretch.c_str());
        continue;
      }
      int begun = 0;
      for (const QString& sentence : sentences) begun += sentence.startsWith(stretch) && sentence != stretch ? 1 : 0;
      QCOMPARE(begun, 1);
    }
    // Half of either kind for either split.
    for (const QuestionSplit split : {QuestionSplit::profile, QuestionSplit::held_out}) {
      const int continued = counts[{split, ProbeKind::continue_sentence}],
                repeat = counts[{split, ProbeKind::repeat_next}];
      QCOMPARE(continued + repeat, 8);
      QVERIFY2(std::abs(continued - repeat) <= 2, qPrintable(QString("%1 and %2").arg(continued).arg(repeat)));
    }
  }

  void everyParagraphGetsItsShare() {
    // Rounded down or up, for many texts: the number of sentences of a paragraph over all, times the probes.
    Random random(7);
    for (int round = 0; round < 200; ++round) {
      std::vector<int> sizes;
      int total = 0;
      while (total < 30) total += sizes.emplace_back(1 + static_cast<int>(random.below(8)));
      const std::string text = numbered_text(sizes);
      const std::vector<TextSpan> paragraphs = split_paragraphs(text);
      QCOMPARE(paragraphs.size(), sizes.size());
      std::vector<int> probes(sizes.size(), 0);
      for (const Probe& probe : make_probes(text, {.profile = 8, .held_out = 6})) {
        const std::size_t at = text.find(probe.stretch);
        for (const TextSpan& paragraph : paragraphs)
          if (at >= paragraph.begin && at < paragraph.end) ++probes[paragraph.paragraph];
      }
      for (std::size_t p = 0; p < sizes.size(); ++p) {
        const double share = 14.0 * sizes[p] / total;
        // The last sentence of the text has no next one and may have to hand its turn on.
        const int slack = p + 1 == sizes.size() ? 0 : 1;
        QVERIFY2(probes[p] >= std::floor(share) && probes[p] <= std::ceil(share) + slack,
                 qPrintable(QString("round %1: paragraph %2 of %3 sentences has %4 probes, share %5")
                                .arg(round)
                                .arg(p)
                                .arg(sizes[p])
                                .arg(probes[p])
                                .arg(share)));
      }
    }
  }

  void theSameTextGivesTheSameProbes() {
    const std::string text = numbered_text({4, 4});
    const std::vector<Probe> probes = make_probes(text, {.profile = 2, .held_out = 2});
    const std::vector<Probe> again = make_probes(std::string(text), {.profile = 2, .held_out = 2});
    QCOMPARE(probes.size(), std::size_t{4});
    for (std::size_t i = 0; i < probes.size(); ++i) {
      QCOMPARE(probes[i].stretch, again[i].stretch);
      QCOMPARE(probes[i].split, again[i].split);
    }
    // Pinned: another processor or compiler must choose these too, or its profiles would be of other questions.
    QStringList stretches;
    for (const Probe& probe : probes) stretches << QString::fromStdString(probe.stretch);
    QCOMPARE(stretches.join("|"),
             QString("In room 101 the meadow waited|In room 103 the stranger waited 721 days for the morning.|"
                     "In room 104 the river waited 728 days for the morning.|In room 105 the miller waited"));
  }

  void aHalfDoesNotEndWithinANumber() {
    std::string text;
    for (int i = 0; i < 40; ++i)
      text += "The town of Alton counts " + std::to_string(10 + i) + " 000 souls and no more. ";
    int checked = 0;
    for (const Probe& probe : make_probes(text, {.profile = 20, .held_out = 20})) {
      if (probe.kind != ProbeKind::continue_sentence) continue;
      ++checked;
      QVERIFY2(QString::fromStdString(probe.stretch).contains(" 000"), probe.stretch.c_str());
    }
    QVERIFY(checked >= 10);
  }

  void oddTextsGiveSomethingOrAReason_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("some");
    QString line, run, chinese;
    for (int i = 0; i < 400; ++i) line += QString("word%1 ").arg(i);
    for (int i = 0; i < 400; ++i) run += QString::number(i);
    for (int i = 0; i < 300; ++i) chinese += QChar(0x4e00 + i * 7);
    QTest::newRow("one giant line") << line << true;
    QTest::newRow("Chinese without marks") << chinese << true;
    QTest::newRow("one long sentence")
        << "The old miller walked slowly to the market and sold seven baskets of apples there." << true;
    QTest::newRow("two short sentences") << "The dog sat down. The cat ran away." << true;
    QTest::newRow("one word") << "word" << false;
    QTest::newRow("five words") << "only five words are here" << false;
    QTest::newRow("a run without a gap") << run << false;
    QTest::newRow("nothing but repeats") << QString("a b c d. ").repeated(100) << false;
    QTest::newRow("white space") << " \n " << false;
  }
  void oddTextsGiveSomethingOrAReason() {
    QFETCH(QString, text);
    QFETCH(bool, some);
    Workload workload;
    workload.contexts.push_back({"odd", "text", text.toStdString()});
    const auto added = add_missing_probes(workload, {});
    QCOMPARE(added.has_value(), some);
    if (!some) {
      QCOMPARE(added.error().code, ErrorCode::rejected_input);
      QVERIFY(QString::fromStdString(added.error().message).contains("context 'odd' has no questions"));
      return;
    }
    std::set<QuestionSplit> splits;
    for (const WorkloadQuestion& question : workload.questions) {
      splits.insert(question.split);
      QVERIFY(question.gold.empty());
      QCOMPARE(occurrences(text.toStdString(), question.question), std::size_t{1});
    }
    QCOMPARE(splits.size(), std::size_t{2});
    QVERIFY(workload.questions.size() <= 16);
  }

  void onlyWhatIsMissingIsMade() {
    Workload workload;
    const std::string text = numbered_text({6, 6});
    for (const char* id : {"none", "profile only", "held out only", "both"})
      workload.contexts.push_back({id, "text", text + " " + id + "."});
    workload.questions = {{1, "P?", "p", QuestionSplit::profile},
                          {2, "H?", "h", QuestionSplit::held_out},
                          {3, "P?", "p", QuestionSplit::profile},
                          {3, "H?", "h", QuestionSplit::held_out}};
    QVERIFY(lacks_questions(workload));
    const auto added = add_missing_probes(workload, {.profile = 3, .held_out = 2});
    QVERIFY2(added, added ? "" : added.error().message.c_str());
    QCOMPARE(*added, std::size_t{3 + 2 + 3});
    std::map<std::pair<std::size_t, QuestionSplit>, int> counts;
    for (std::size_t q = 4; q < workload.questions.size(); ++q)
      ++counts[{workload.questions[q].context, workload.questions[q].split}];
    QCOMPARE((counts[{0, QuestionSplit::profile}]), 3);
    QCOMPARE((counts[{0, QuestionSplit::held_out}]), 2);
    QCOMPARE((counts[{1, QuestionSplit::held_out}]), 0);  // only profiled: nobody asks for it
    QCOMPARE((counts[{2, QuestionSplit::profile}]), 3);
    QVERIFY(!lacks_questions(workload));
    QCOMPARE(add_missing_probes(workload, {}).value(), std::size_t{0});
  }

  void aWordingHoldsTheStretch() {
    const std::vector<Probe> probes = make_probes(numbered_text({8}), {});
    QStringList first_words;
    for (const Probe& probe : probes) {
      QCOMPARE(worded(probe, ProbeWording::bare), probe.stretch);
      const std::string instructed = worded(probe, ProbeWording::instructed);
      QVERIFY(instructed.ends_with(": " + probe.stretch));
      first_words << QString::fromStdString(instructed).section(' ', 0, 0);
    }
    first_words.removeDuplicates();
    QCOMPARE(first_words.size(), 2);
  }

  void anyBytesAreCutIntoSpansInOrder() {
    Random random(11);
    const std::string pieces[] = {"a",    "Z",    "7",        ".",  ". ", "!",   "\n",
                                  "\n\n", " ",    "\t",       "\r", "。", "！",  "中",
                                  "é",    "\xff", "\xe4\xb8", "\"", "Dr", "1. ", std::string(50, 'x')};
    for (int round = 0; round < 3000; ++round) {
      std::string text;
      for (std::uint64_t n = random.below(60); n > 0; --n) text += pieces[random.below(std::size(pieces))];
      std::string joined, whole;
      std::size_t end = 0, paragraph = 0;
      for (const TextSpan& span : split_sentences(text)) {
        QVERIFY(span.begin >= end && span.end > span.begin && span.end <= text.size());
        QVERIFY(span.paragraph >= paragraph);
        end = span.end;
        paragraph = span.paragraph;
        joined += span.of(text);
        std::size_t word_end = span.begin;
        for (const TextSpan& word : split_words(text, span)) {
          QVERIFY(word.begin >= word_end && word.end > word.begin && word.end <= span.end);
          word_end = word.end;
        }
      }
      // Nothing but white space is left out.
      QCOMPARE(without_space(QString::fromLatin1(joined.data(), static_cast<qsizetype>(joined.size()))),
               without_space(QString::fromLatin1(text.data(), static_cast<qsizetype>(text.size()))));
      for (const Probe& probe : make_probes(text, {.profile = 2, .held_out = 2}))
        QCOMPARE(occurrences(text, probe.stretch), std::size_t{1});
    }
  }
};

KV_TEST_GUILESS_MAIN(ProbesTest)

}  // namespace probes_test

#include "probes_test.moc"
