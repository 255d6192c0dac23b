// The words that all synthetic texts are made of. The tokenizer of the default model is built from the same
// lists, so that every word here is one token. Words are grouped by the part they play in a sentence; what is
// held out of training are combinations of words (see split.h), never words: an untrained token can not be read.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kvantage {

using WordList = std::span<const std::string_view>;

WordList first_names();
WordList last_names();
WordList cities();
WordList colours();
/// Number of classes that objects fall into (tools, animals, food ...), for few-shot labelling.
inline constexpr std::size_t object_classes = 8;
/// Objects of one class, class_index < object_classes.
WordList objects_of_class(std::size_t class_index);
/// All objects of all classes.
WordList objects();
WordList documents();     // what a registry keeps of a person: badge, permit ...
WordList deliverables();  // what people promise in meetings: report, budget ...
WordList departments();
WordList buildings();  // what is opened, closed, sold in the news
WordList rooms();      // where stories hide things
WordList labels();
WordList days();
WordList modules();   // first part of a configuration key
WordList settings();  // second part; written right after a point, so without a space before it
WordList adjectives();
WordList nouns();  // of filler sentences
WordList past_verbs();
WordList adverbs();
struct NewsVerb {
  std::string_view past;
  std::string_view base;
};
std::span<const NewsVerb> news_verbs();
/// Words of the sentence patterns themselves.
WordList function_words();

/// Every piece that may occur in a generated text: words and digits with their leading space, bare digits,
/// settings without a space, punctuation. Each is one token of the default tokenizer. Sorted, without repeats.
const std::vector<std::string>& lexicon_pieces();

}  // namespace kvantage
