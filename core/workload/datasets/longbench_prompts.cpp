#include "core/workload/datasets/longbench_prompts.h"

#include <array>

namespace kvantage::inline datasets {
namespace {

#define KV_FROM_PASSAGES \
  "Answer the question based on the given passages. Only give me the answer and do not output any other words."
#define KV_STORY "as concisely as you can, using a single phrase if possible. Do not provide any explanation.\n\n"
#define KV_ARTICLE                                                                                                 \
  "as concisely as you can, using a single phrase or sentence if possible. If the question cannot be answered "    \
  "based on the information in the article, write \"unanswerable\". If the question is a yes/no question, answer " \
  "\"yes\", \"no\", or \"unanswerable\". Do not provide any explanation.\n\n"

constexpr LongbenchPrompt from_passages(std::string_view dataset) {
  return {dataset,
          KV_FROM_PASSAGES "\n\nThe following are given passages.\n",
          "\n\n" KV_FROM_PASSAGES "\n\nQuestion: ",
          "\nAnswer:",
          KV_FROM_PASSAGES "\n\nQuestion: ",
          32};
}

constexpr auto prompts = std::to_array<LongbenchPrompt>({
    {"narrativeqa",
     "You are given a story, which can be either a novel or a movie script, and a question. Answer the "
     "question " KV_STORY "Story: ",
     "\n\nNow, answer the question based on the story " KV_STORY "Question: ", "\n\nAnswer:",
     "Now, answer the question based on the story as concisely", 128},
    {"qasper", "You are given a scientific article and a question. Answer the question " KV_ARTICLE "Article: ",
     "\n\n Answer the question based on the above article " KV_ARTICLE "Question: ", "\n\nAnswer:",
     "Answer the question based on the above article as concisely", 128},
    {"multifieldqa_en", "Read the following text and answer briefly.\n\n",
     "\n\nNow, answer the following question based on the above text, only give me the answer and do not output any "
     "other words.\n\nQuestion: ",
     "\nAnswer:", "Now, answer the following question based on the above text", 64},
    {"multifieldqa_zh", "阅读以下文字并用中文简短回答：\n\n",
     "\n\n现在请基于上面的文章回答下面的问题，只告诉我答案，不要输出任何其他字词。\n\n问题：", "\n回答：",
     "现在请基于上面的文章回答下面的问题", 64},
    from_passages("hotpotqa"),
    from_passages("2wikimqa"),
    from_passages("musique"),
    {"dureader", "请基于给定的文章回答下述问题。\n\n文章：", "\n\n请基于上述文章回答下面的问题。\n\n问题：", "\n回答：",
     "请基于上述文章回答下面的问题。", 128},
    {"gov_report",
     "You are given a report by a government agency. Write a one-page summary of the report.\n\nReport:\n", "",
     "\n\nNow, write a one-page summary of the report.\n\nSummary:", "Now, write a one-page summary of the report.",
     512},
    {"qmsum",
     "You are given a meeting transcript and a query containing a question or instruction. Answer the query in one or "
     "more "
     "sentences.\n\nTranscript:\n",
     "\n\nNow, answer the query based on the above meeting transcript in one or more sentences.\n\nQuery: ",
     "\nAnswer:", "Now, answer the query based on the above meeting transcript", 512},
    {"multi_news", "You are given several news passages. Write a one-page summary of all news. \n\nNews:\n", "",
     "\n\nNow, write a one-page summary of all the news.\n\nSummary:", "Now, write a one-page summary of all the news.",
     512},
    {"vcsum", "下面有一段会议记录，请你阅读后，写一段总结，总结会议的内容。\n会议记录：\n", "", "\n\n会议总结：",
     "会议总结：", 512},
    {"trec", "Please determine the type of the question below. Here are some examples of questions.\n\n", "\n", "",
     "Question: ", 64},
    {"triviaqa",
     "Answer the question based on the given passage. Only give me the answer and do not output any other words. The "
     "following are some examples.\n\n",
     "\n\n", "", "Passage:\n", 32},
    {"samsum", "Summarize the dialogue into a few short sentences. The following are some examples.\n\n", "\n\n", "",
     "Dialogue: ", 128},
    {"lsht", "请判断给定新闻的类别，下面是一些例子。\n\n", "\n", "", "新闻内容：\n", 64},
    {"passage_count",
     "There are some paragraphs below sourced from Wikipedia. Some of them may be duplicates. Please carefully read "
     "these "
     "paragraphs and determine how many unique paragraphs there are after removing duplicates. In other words, how "
     "many "
     "non-repeating paragraphs are there in total?\n\n",
     "",
     "\n\nPlease enter the final count of unique paragraphs after removing duplicates. The output format should only "
     "contain "
     "the number, such as 1, 2, 3, and so on.\n\nThe final answer is: ",
     "Please enter the final count of unique paragraphs after removing duplicates.", 32},
    {"passage_retrieval_en",
     "Here are 30 paragraphs from Wikipedia, along with an abstract. Please determine which paragraph the abstract is "
     "from.\n\n",
     "\n\nThe following is an abstract.\n\n",
     "\n\nPlease enter the number of the paragraph that the abstract is from. The answer format must be like "
     "\"Paragraph 1\", "
     "\"Paragraph 2\", etc.\n\nThe answer is: ",
     "The following is an abstract.\n\n", 32},
    {"passage_retrieval_zh", "以下是若干段落文字，以及其中一个段落的摘要。请确定给定的摘要出自哪一段。\n\n",
     "\n\n下面是一个摘要\n\n", "\n\n请输入摘要所属段落的编号。答案格式必须是\"段落1\"，\"段落2\"等格式\n\n答案是：",
     "下面是一个摘要\n\n", 32},
    {"lcc", "Please complete the code given below. \n", "", "Next line of code:\n", "Next line of code:\n", 64},
    {"repobench-p", "Please complete the code given below. \n", "", "Next line of code:\n", "Next line of code:\n", 64},
});

#undef KV_FROM_PASSAGES
#undef KV_STORY
#undef KV_ARTICLE

}  // namespace

std::span<const LongbenchPrompt> longbench_prompts() { return prompts; }

}  // namespace kvantage::inline datasets
