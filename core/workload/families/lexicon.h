// The vocabulary of all synthetic texts. The default model's tokenizer is built from the same lists, so that every word
// here is one token. Words are grouped by their role in a sentence. Held out of training are combinations of words (see
// split.h), never words: the model cannot read an untrained token.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kvantage::inline text_families {

using WordList = std::span<const std::string_view>;

WordList first_names();
WordList last_names();
WordList cities();
WordList colors();
/// Number of object classes (tools, animals, food ...), for few-shot labeling.
inline constexpr std::size_t object_classes = 8;
/// Objects of one class, class_index < object_classes.
WordList objects_of_class(std::size_t class_index);
/// All objects of all classes.
WordList objects();
WordList documents();     // a registry's items about a person: badge, permit ...
WordList deliverables();  // promised in meetings: report, budget ...
WordList departments();
WordList buildings();  // opened, closed or sold in the news
WordList rooms();      // hiding places in stories
WordList labels();
WordList days();
WordList modules();   // first part of a configuration key
WordList settings();  // second part; follows a point, so without a leading space
WordList adjectives();
WordList nouns();  // of filler sentences
WordList past_verbs();
WordList adverbs();
struct NewsVerb {
  std::string_view past;
  std::string_view base;
};
std::span<const NewsVerb> news_verbs();
/// Words of the sentence templates themselves.
WordList function_words();

/// Every piece that may occur in a generated text: words and digits with their leading space, bare digits, settings
/// without a space, punctuation. Each is one token of the default tokenizer. Sorted, without duplicates.
const std::vector<std::string>& lexicon_pieces();

}  // namespace kvantage::inline text_families
