// links: kv_base core_text
// The search for added tokens: the longest one at each place, as a plain search finds it, in time that depends on the
// text and not on how many there are.
#include "core/text/added_tokens.h"

#include <QtTest>

#include <algorithm>

#include "core/base/random.h"
#include "tests/support/test_program.h"
#include "tests/text/encoding_time.h"

namespace added_tokens_test {

using namespace kvantage;

namespace {

struct Entry {
  std::string content;
  bool single_word = false, lstrip = false, rstrip = false;
};

struct Section {
  std::size_t begin = 0, end = 0;
  std::string token;  // empty: text between
  bool operator==(const Section&) const = default;
};

Json list_of(const std::vector<Entry>& entries) {
  Json list = Json::array();
  for (const Entry& entry : entries)
    list.push_back({{"id", 0},
                    {"content", entry.content},
                    {"single_word", entry.single_word},
                    {"lstrip", entry.lstrip},
                    {"rstrip", entry.rstrip},
                    {"normalized", false}});
  return list;
}

AddedTokens parsed(const Json& list) {
  const auto model =
      make_token_model({{"type", "BPE"}, {"vocab", {{"z", 0}}}, {"merges", Json::array()}}, "model").value();
  auto added = AddedTokens::parse(list, *model, nullptr, "test");
  if (!added) qFatal("%s", added.error().message.c_str());
  return *std::move(added);
}

std::vector<AddedTokens::Section> as_given(const AddedTokens& added, std::string_view text) {
  EncodingBudget budget(text.size());
  return added.find_as_given(text, budget).value();
}

std::vector<Section> found(const AddedTokens& added, std::string_view text) {
  std::vector<Section> sections;
  for (const AddedTokens::Section& section : as_given(added, text))
    sections.push_back(
        {section.range.begin, section.range.end, section.id ? std::string(added.token(*section.id)) : std::string()});
  return sections;
}

bool is_letter(std::string_view text, std::size_t at) { return text[at] == 'a' || text[at] == 'b'; }

/// Every token is tried at every place of the text, of which only spaces and the letters a and b count.
std::vector<Section> found_plainly(const std::vector<Entry>& entries, std::string_view text) {
  std::vector<Section> sections;
  std::size_t done = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Entry* match = nullptr;
    for (const Entry& entry : entries)
      if (text.substr(at).starts_with(entry.content) && (!match || entry.content.size() > match->content.size()))
        match = &entry;
    if (match == nullptr) {
      ++at;
      continue;
    }
    std::size_t begin = at, end = at + match->content.size();
    at = end;
    if (match->single_word &&
        ((begin > 0 && is_letter(text, begin - 1)) || (end < text.size() && is_letter(text, end))))
      continue;
    if (match->lstrip) {
      while (begin > 0 && text[begin - 1] == ' ') --begin;
      begin = std::max(begin, done);
    }
    while (match->rstrip && end < text.size() && text[end] == ' ') ++end;
    if (done < begin) sections.push_back({done, begin, {}});
    sections.push_back({begin, end, match->content});
    done = end;
  }
  if (done < text.size()) sections.push_back({done, text.size(), {}});
  return sections;
}

std::string random_text(Random& random, std::size_t length) {
  std::string text;
  for (std::size_t i = 0; i < length; ++i) text += "ab-< "[random.below(5)];
  return text;
}

/// So many tokens that share their first bytes, and a text of them.
struct Many {
  Json list = Json::array();
  std::string text;
  explicit Many(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      list.push_back({{"id", i}, {"content", "<|token" + std::to_string(i) + "|>"}, {"special", true}});
    for (std::size_t i = 0; i < count; ++i) text += "<|token" + std::to_string(i * 7919 % count) + "|> <|tok ";
  }
};

}  // namespace

class AddedTokensTest : public QObject {
  Q_OBJECT

 private slots:
  void theLongestTokenIsFoundAsByAPlainSearch() {
    Random random(11);
    std::size_t tokens = 0;
    for (int round = 0; round < 3000; ++round) {
      std::vector<Entry> entries;
      const std::size_t count = 1 + random.below(12);
      for (std::size_t i = 0; i < count; ++i) {
        Entry entry{.content = random_text(random, 1 + random.below(5)),
                    .single_word = random.below(4) == 0,
                    .lstrip = random.below(4) == 0,
                    .rstrip = random.below(4) == 0};
        if (std::ranges::find(entries, entry.content, &Entry::content) == entries.end()) entries.push_back(entry);
      }
      const AddedTokens added = parsed(list_of(entries));
      for (int i = 0; i < 5; ++i) {
        const std::string text = random_text(random, random.below(40));
        const auto sections = found(added, text);
        QVERIFY2(sections == found_plainly(entries, text), (list_of(entries).dump() + " in '" + text + "'").c_str());
        tokens += static_cast<std::size_t>(
            std::ranges::count_if(sections, [](const Section& s) { return !s.token.empty(); }));
      }
    }
    QVERIFY(tokens > 10000);
  }

  void everyByteMayBeginAToken() {
    const AddedTokens added = parsed(list_of({{"é"}, {"\x7F"}, {"éa"}, {"\U0001F999"}}));
    const auto sections = found(added, "xéaé\x7F\U0001F999");
    QCOMPARE(sections.size(), std::size_t{5});
    QCOMPARE(sections[1].token, std::string("éa"));
    QCOMPARE(sections[2].token, std::string("é"));
    QCOMPARE(sections[4].token, std::string("\U0001F999"));
  }

  // Each of ten times as many may take ten times as long, with room for caches; a search through all takes a hundred.
  void loadingAndSearchingTakeTimeInProportion() {
    const Many few(3000), many(30000);
    const AddedTokens among_few = parsed(few.list), among_many = parsed(many.list);
    const auto times_as_long = [](const auto& large, const auto& small) {
      return test::best_cpu_seconds(large) / std::max(test::best_cpu_seconds(small), 1e-4);
    };
    const double loading = times_as_long([&] { (void)parsed(many.list); }, [&] { (void)parsed(few.list); });
    const double searching =
        times_as_long([&] { (void)as_given(among_many, many.text); }, [&] { (void)as_given(among_few, few.text); });
    qInfo("ten times as many: loading %.1f times, searching %.1f times", loading, searching);
    QVERIFY2(loading < 40 && searching < 40, qPrintable(QString("%1, %2").arg(loading).arg(searching)));
    std::size_t tokens = 0;
    for (const auto& section : as_given(among_many, many.text)) tokens += section.id ? 1 : 0;
    QCOMPARE(tokens, std::size_t{30000});
  }

  // Spellings that have all but their last byte in common with each part of the text.
  void aSearchThatTakesTooLongIsAnError() {
    const std::string shared(999, 'a');
    const AddedTokens added = parsed(list_of({{shared + "b"}, {shared + "c"}}));
    QCOMPARE(found(added, shared + "c").size(), std::size_t{1});
    const std::string text(200'000, 'a');
    EncodingBudget budget(text.size());
    const auto sections = added.find_as_given(text, budget);
    QVERIFY(!sections);
    QVERIFY2(sections.error().message.starts_with("test: added_tokens: "), sections.error().message.c_str());
  }

  // Tokens of space that absorb the space around them: each would pass over all of it.
  void absorbedSpaceIsPassedOverOnce() {
    const AddedTokens added = parsed(list_of({{.content = " ", .lstrip = true, .rstrip = true}}));
    const auto seconds = [&](std::size_t spaces) {
      return test::best_cpu_seconds([&] { (void)as_given(added, std::string(spaces, ' ')); });
    };
    const double growth = seconds(200'000) / std::max(seconds(20'000), 1e-4);
    QVERIFY2(growth < 40, qPrintable(QString::number(growth)));
  }
};

KV_TEST_GUILESS_MAIN(AddedTokensTest)

}  // namespace added_tokens_test

#include "added_tokens_test.moc"
