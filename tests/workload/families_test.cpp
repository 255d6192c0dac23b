// links: kv_base
// The synthetic families, read by somebody who does not know how they are written: every gold answer follows from the
// text by looking for the question's words, no key of a held-out text is ever in a training text, and the same seed
// gives the same text.
#include <QtTest>

#include <algorithm>
#include <map>
#include <set>

#include "core/workload/families/families.h"
#include "core/workload/families/lexicon.h"
#include "core/workload/families/pieces.h"
#include "tests/support/test_program.h"

namespace families_test {

using namespace kvantage;

namespace {

using Words = std::vector<std::string>;

Words words_of(std::string_view text) {
  Words words{""};
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

// A sentence ends with a point or semicolon before a space: the point in "cache.port" ends nothing.
std::vector<Words> sentences_of(const std::string& text) {
  std::vector<Words> sentences;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((text[i] == '.' || text[i] == ';') && (i + 1 == text.size() || text[i + 1] == ' ')) {
      sentences.push_back(words_of(std::string_view(text).substr(begin, i - begin)));
      begin = i + 1;
    }
  return sentences;
}

bool has_run(const Words& sentence, const Words& run) {
  return std::search(sentence.begin(), sentence.end(), run.begin(), run.end()) != sentence.end();
}

std::size_t class_of(const std::string& object) {
  for (std::size_t c = 0; c < object_classes; ++c)
    if (std::ranges::find(objects_of_class(c), object) != objects_of_class(c).end()) return c;
  return object_classes;
}

bool listed(WordList list, const std::string& word) { return std::ranges::find(list, word) != list.end(); }

// Every pair of words that could be a key: full names, colored objects, settings of modules.
std::set<std::string> keys_in(const Words& words) {
  std::set<std::string> keys;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string &a = words[i], &b = words[i + 1];
    if ((listed(first_names(), a) && listed(last_names(), b)) || (listed(colors(), a) && listed(objects(), b)) ||
        (listed(modules(), a) && listed(settings(), b)))
      keys.insert(a + " " + b);
  }
  return keys;
}

// What a question is about: its words without those of the pattern; the two words of a key stay together.
std::vector<Words> key_runs(const std::string& question) {
  static const std::set<std::string> pattern{"What", "Where", "When",  "Who",   "Which",   "is",  "was",
                                             "the",  "a",     "of",    "by",    "in",      "for", "does",
                                             "keep", "fits",  "label", "value", "promised"};
  std::vector<Words> runs;
  for (const std::string& word : words_of(question)) {
    if (pattern.contains(word)) continue;
    if (!runs.empty() && runs.back().size() == 1 && !keys_in({runs.back().front(), word}).empty())
      runs.back().push_back(word);
    else
      runs.push_back({word});
  }
  return runs;
}

std::set<std::string> keys_of(const GeneratedContext& context) {
  std::set<std::string> keys;
  for (const Words& sentence : sentences_of(context.text)) keys.merge(keys_in(sentence));
  for (const GeneratedQuestion& question : context.questions) keys.merge(keys_in(words_of(question.question)));
  return keys;
}

constexpr std::size_t longest_sentence = 24;  // tokens

}  // namespace

class FamiliesTest : public QObject {
  Q_OBJECT

  static void every_family() {
    QTest::addColumn<QString>("name");
    for (const Family& family : families())
      QTest::newRow(std::string(family.name).c_str()) << QString::fromStdString(std::string(family.name));
  }
  static const Family& fetched() {
    QFETCH(QString, name);
    return **find_family(name.toStdString());
  }
  static GeneratedContext make(const Family& family, std::uint64_t seed, const FamilyParams& params) {
    Random random(seed);
    return family.generate(params, random);
  }
  template <class Check>
  static void for_many(const Family& family, const Check& check) {
    for (const KeySplit split : {KeySplit::training, KeySplit::held_out})
      for (const std::size_t tokens : {64, 300, 1000, 2000})
        for (const double filler : {0.0, 0.3, 0.7})
          for (std::uint64_t seed = 0; seed < 6; ++seed) {
            const FamilyParams params{
                .target_tokens = tokens, .filler_fraction = filler, .question_limit = 16, .split = split};
            check(make(family, seed, params), params);
          }
  }

 private slots:
  void theSameSeedGivesTheSameText_data() { every_family(); }
  void theSameSeedGivesTheSameText() {
    const Family& family = fetched();
    std::set<std::string> texts;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const GeneratedContext first = make(family, seed, {}), second = make(family, seed, {});
      QCOMPARE(first.family, std::string(family.name));
      QCOMPARE(first.text, second.text);
      QCOMPARE(first.questions.size(), second.questions.size());
      for (std::size_t i = 0; i < first.questions.size(); ++i) {
        QCOMPARE(first.questions[i].question, second.questions[i].question);
        QCOMPARE(first.questions[i].answer, second.questions[i].answer);
      }
      QVERIFY(texts.insert(first.text).second);
    }
  }

  void lengthsAreAsAskedFor_data() { every_family(); }
  void lengthsAreAsAskedFor() {
    const Family& family = fetched();
    for_many(family, [&](const GeneratedContext& context, const FamilyParams& params) {
      const std::size_t tokens = count_pieces(context.text);
      QVERIFY2(
          tokens + 1 >= params.target_tokens,
          qPrintable(QString("%1 of %2, filler %3").arg(tokens).arg(params.target_tokens).arg(params.filler_fraction)));
      QVERIFY2(tokens <= params.target_tokens + 2 * longest_sentence,
               qPrintable(QString("%1 of %2").arg(tokens).arg(params.target_tokens)));
      QVERIFY(context.questions.size() <= params.question_limit);
    });
  }

  void everyPieceIsAWordOfTheLexicon_data() { every_family(); }
  void everyPieceIsAWordOfTheLexicon() {
    const std::set<std::string> known(lexicon_pieces().begin(), lexicon_pieces().end());
    for_many(fetched(), [&](const GeneratedContext& context, const FamilyParams&) {
      std::vector<std::string> texts{context.text};
      for (const GeneratedQuestion& question : context.questions) {
        texts.push_back(question.question);
        texts.push_back(question.answer);
      }
      for (const std::string& text : texts) {
        const std::string spaced = " " + text;
        std::string together;
        for (const std::string_view piece : split_pieces(spaced)) {
          QVERIFY2(known.contains(std::string(piece)), std::string(piece).c_str());
          together += piece;
        }
        QCOMPARE(together, spaced);
        QCOMPARE(split_pieces(text).size(), count_pieces(text));
      }
    });
  }

  void answersFollowFromTheText_data() { every_family(); }
  void answersFollowFromTheText() {
    std::size_t asked = 0;
    for_many(fetched(), [&](const GeneratedContext& context, const FamilyParams&) {
      const std::vector<Words> sentences = sentences_of(context.text);
      std::set<std::string> distinct;
      for (const GeneratedQuestion& question : context.questions) {
        ++asked;
        const QByteArray shown = QByteArray::fromStdString(question.question + " -> " + question.answer);
        QVERIFY2(distinct.insert(question.question).second, shown);
        const Words answer = words_of(question.answer);
        QVERIFY2(!answer.empty(), shown);
        std::size_t found = 0;
        if (context.family == "fewshot") {  // any shown object of the same class has the answer as its label
          const Words object = words_of(question.question);
          const std::size_t wanted = class_of(object.back());
          QVERIFY2(wanted < object_classes, shown);
          for (std::size_t i = 0; i + 1 < sentences.size(); ++i) {
            if (sentences[i].front() != "Input") continue;
            QVERIFY2(!(sentences[i].size() == 3 && sentences[i][1] == object[object.size() - 2] &&
                       sentences[i][2] == object.back()),
                     shown);
            if (class_of(sentences[i].back()) != wanted) continue;
            ++found;
            QVERIFY2(has_run(sentences[i + 1], answer), shown);
          }
        } else if (context.family == "ledger") {  // the asked entries, each once, in their order
          const Words words = words_of(question.question);
          QCOMPARE(words.size(), 6u);  // Please list all from A B
          Words copied, next{words[4], words[5]};
          const Words vault{"the", "vault"};
          for (const Words& sentence : sentences) {
            if (sentence.size() != 7 || sentence[2] != "paid" || sentence[0] != next[0] || sentence[1] != next[1])
              continue;
            ++found;
            copied.insert(copied.end(), sentence.begin(), sentence.end());
            next = {sentence[5], sentence[6]};
            if (next == vault) break;
          }
          QVERIFY2(next == vault && copied == answer, shown);
        } else {
          for (const Words& sentence : sentences) {
            const std::vector<Words> runs = key_runs(question.question);
            if (!std::ranges::all_of(runs, [&](const Words& run) { return has_run(sentence, run); })) continue;
            ++found;
            QVERIFY2(has_run(sentence, answer), shown);  // and no sentence says otherwise
          }
        }
        QVERIFY2(found > 0, shown);
      }
    });
    QVERIFY(asked > 500);
  }

  // 512 tokens of text have room for no such answer: three quarters of its one chain then.
  void longAnswersAreAsLongAsAskedFor() {
    const Family& family = **find_family("ledger");
    for (const std::size_t tokens : {512, 1024, 2048})
      for (const double filler : {0.0, 0.3})
        for (const std::size_t wanted : {100, 512}) {
          FamilyParams params{
              .target_tokens = tokens, .filler_fraction = filler, .question_limit = 8, .split = KeySplit::held_out};
          params.answer_tokens = wanted;
          const GeneratedContext context = make(family, 3, params);
          QVERIFY(!context.questions.empty());
          const std::size_t text_length = count_pieces(context.text);
          for (const GeneratedQuestion& question : context.questions) {
            const std::size_t length = count_pieces(" " + question.answer);
            QVERIFY2(length < wanted + wanted / 4 + longest_sentence, qPrintable(QString::number(length)));
            QVERIFY2(length >= wanted || (text_length < 2 * wanted && 4 * length > text_length),
                     qPrintable(QString("%1 of %2 in %3").arg(length).arg(wanted).arg(text_length)));
          }
        }
  }

  // The knobs change what they say.
  void moreNeighborsShareMoreWords() {
    const Family& family = **find_family("registry");
    const auto shared = [&](double fraction) {
      std::map<std::string, int> words;
      for (std::uint64_t seed = 0; seed < 5; ++seed) {
        FamilyParams params{
            .target_tokens = 1000, .filler_fraction = 0, .question_limit = 16, .split = KeySplit::training};
        params.neighbor_fraction = fraction;
        for (const std::string& key : keys_of(make(family, seed, params)))
          for (const std::string& word : words_of(key)) ++words[std::to_string(seed) + word];
      }
      return static_cast<double>(std::ranges::count_if(words, [](const auto& entry) { return entry.second > 1; }));
    };
    QVERIFY2(shared(0.8) > 1.1 * shared(0.0), qPrintable(QString("%1, %2").arg(shared(0.8)).arg(shared(0.0))));
  }

  void distractorsAreInTheNewsAndNeverAskedFor() {
    const Family& family = **find_family("news");
    const auto people = [&](double fraction) {
      FamilyParams params{
          .target_tokens = 2000, .filler_fraction = 0, .question_limit = 1000, .split = KeySplit::training};
      params.distractor_fraction = fraction;
      const GeneratedContext context = make(family, 1, params);
      std::set<std::string> in_text, asked;
      for (const Words& sentence : sentences_of(context.text)) in_text.merge(keys_in(sentence));
      for (const GeneratedQuestion& question : context.questions) asked.merge(keys_in(words_of(question.question)));
      return std::pair(in_text.size(), asked.size());
    };
    QCOMPARE(people(0).first, people(0).second);
    const auto [told, asked] = people(0.5);
    QVERIFY2(asked * 10 < told * 7 && asked * 10 > told * 3, qPrintable(QString("%1 of %2").arg(asked).arg(told)));
  }

  // Not by asking split.h: by what the texts contain.
  void heldOutKeysAreNeverTrainedOn_data() { every_family(); }
  void heldOutKeysAreNeverTrainedOn() {
    const Family& family = fetched();
    std::set<std::string> keys[2];
    for (const KeySplit split : {KeySplit::training, KeySplit::held_out})
      for (std::uint64_t seed = 0; seed < 60; ++seed)
        keys[split == KeySplit::held_out].merge(keys_of(
            make(family, seed, {.target_tokens = 1000, .filler_fraction = 0.3, .question_limit = 16, .split = split})));
    QVERIFY2(keys[0].size() > 200 && keys[1].size() > 40,
             qPrintable(QString("%1 and %2").arg(keys[0].size()).arg(keys[1].size())));
    for (const std::string& key : keys[1]) QVERIFY2(!keys[0].contains(key), key.c_str());
  }

  void oneKeyInTenIsHeldOut() {
    for (const auto& [first, second] :
         {std::pair{first_names(), last_names()}, {colors(), objects()}, {modules(), settings()}}) {
      double held_out = 0;
      for (const std::string_view a : first)
        for (const std::string_view b : second) held_out += split_of_pair(a, b) == KeySplit::held_out ? 1 : 0;
      const double pairs = static_cast<double>(first.size() * second.size());
      QVERIFY2(std::abs(held_out / pairs - 0.1) < 5 * std::sqrt(0.09 / pairs),
               qPrintable(QString::number(held_out / pairs)));
    }
  }

  void fewerNamesAreTheFirstOfTheLists() {
    for (const char* name : {"registry"}) {
      const Family& family = **find_family(name);
      for (const double share : {0.05, 0.2}) {
        std::set<std::string> allowed;
        for (const WordList list : {first_names(), last_names()})
          for (std::size_t i = 0;
               i < std::max<std::size_t>(1, static_cast<std::size_t>(share * static_cast<double>(list.size()))); ++i)
            allowed.insert(std::string(list[i]));
        for (std::uint64_t seed = 0; seed < 10; ++seed) {
          FamilyParams params{
              .target_tokens = 300, .filler_fraction = 0, .question_limit = 16, .split = KeySplit::training};
          params.name_share = share;
          for (const std::string& key : keys_of(make(family, seed, params))) {
            const Words pair = words_of(key);
            QVERIFY2(allowed.contains(pair[0]) && allowed.contains(pair[1]), key.c_str());
          }
        }
      }
    }
  }

  void theListsHoldNoWordTwice() {
    for (const WordList list :
         {first_names(), last_names(), cities(), colors(), objects(), documents(), deliverables(), buildings(), rooms(),
          labels(), days(), modules(), settings(), adjectives(), nouns(), past_verbs(), adverbs()}) {
      QVERIFY(!list.empty());
      QCOMPARE(std::set<std::string_view>(list.begin(), list.end()).size(), list.size());
    }
  }

  void anUnknownFamilyIsRefusedWithTheNames() {
    const auto family = find_family("poem");
    QVERIFY(!family);
    QCOMPARE(family.error().code, ErrorCode::usage);
    for (const Family& known : families()) QVERIFY(family.error().message.find(known.name) != std::string::npos);
  }
};

KV_TEST_GUILESS_MAIN(FamiliesTest)

}  // namespace families_test

#include "families_test.moc"
