#include "core/text/code/code_tree.h"

#include "core/text/code/code_bleu.h"

#ifdef KVANTAGE_CODE_BLEU
#include <tree_sitter/api.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

extern "C" const TSLanguage* tree_sitter_python(void);
#endif

namespace kvantage::inline code_quality {

#ifdef KVANTAGE_CODE_BLEU

namespace {

struct Release {
  void operator()(TSParser* parser) const { ts_parser_delete(parser); }
  void operator()(TSTree* tree) const { ts_tree_delete(tree); }
  void operator()(char* text) const { std::free(text); }
};
using ParserHandle = std::unique_ptr<TSParser, Release>;

/// Null where the library does not know the version of the grammar's tables.
ParserHandle python_parser() {
  ParserHandle parser(ts_parser_new());
  if (!ts_parser_set_language(parser.get(), tree_sitter_python())) parser.reset();
  return parser;
}

constexpr std::array<std::string_view, 4> field_names{"left", "right", "name", "value"};  // by CodeField
constexpr std::array<std::string_view, 5> types_with_fields{"assignment", "augmented_assignment", "default_parameter",
                                                            "for_in_clause", "for_statement"};

/// Copies a tree of tree-sitter: nodes in the order of the text, parents first.
class TreeReader {
 public:
  explicit TreeReader(TSNode root) : cursor_(ts_tree_cursor_new(root)) {}
  TreeReader(const TreeReader&) = delete;
  TreeReader& operator=(const TreeReader&) = delete;
  ~TreeReader() { ts_tree_cursor_delete(&cursor_); }

  CodeTree read() {
    begin_node();
    for (;;) {
      if (ts_tree_cursor_goto_first_child(&cursor_)) {
        if (path_.size() == max_code_depth) return {};
        begin_node();
        continue;
      }
      for (bool beside = false; !beside;) {  // up to a node that has another one beside it
        end_node();
        if (path_.empty()) return std::move(tree_);
        beside = ts_tree_cursor_goto_next_sibling(&cursor_);
        if (!beside) ts_tree_cursor_goto_parent(&cursor_);
      }
      begin_node();
    }
  }

 private:
  struct Open {
    TSNode node;
    std::uint32_t index;
    std::vector<TSNode> fields;  // by CodeField; empty for types that need none
  };

  /// Adds the cursor's node, a child of the last open one.
  void begin_node() {
    const TSNode node = ts_tree_cursor_current_node(&cursor_);
    const TSPoint begin = ts_node_start_point(node), end = ts_node_end_point(node);
    const auto index = static_cast<std::uint32_t>(tree_.nodes.size());
    tree_.nodes.push_back({ts_node_type(node), {begin.row, begin.column}, {end.row, end.column}, {}});
    if (!path_.empty()) {
      const Open& parent = path_.back();
      CodeNode& above = tree_.nodes[parent.index];
      above.children.push_back(index);
      for (std::size_t i = 0; i < parent.fields.size(); ++i)
        if (!ts_node_is_null(parent.fields[i]) && ts_node_eq(parent.fields[i], node)) above.fields[i] = index;
    }
    path_.push_back({node, index, {}});
    if (std::ranges::find(types_with_fields, tree_.nodes[index].type) == types_with_fields.end()) return;
    path_.back().fields.reserve(field_names.size());
    for (const std::string_view name : field_names)
      path_.back().fields.push_back(
          ts_node_child_by_field_name(node, name.data(), static_cast<std::uint32_t>(name.size())));
  }

  void end_node() {
    const Open& done = path_.back();
    if (done.index == 0 || !tree_.nodes[done.index].children.empty()) {
      const std::unique_ptr<char, Release> text(ts_node_string(done.node));
      tree_.subtrees.emplace_back(text.get());
    }
    path_.pop_back();
  }

  TSTreeCursor cursor_;
  std::vector<Open> path_;  // from the root to the cursor
  CodeTree tree_;
};

}  // namespace

Status code_parser_is_there() {
  if (python_parser()) return {};
  return fail(ErrorCode::rejected_input,
              "quality_metric 'code_bleu': the parser of code was built with a grammar that it does not read; build "
              "KVantage again with both from cmake/fetch_tree_sitter.sh");
}

Expected<CodeTree> parse_code(std::string_view code) {
  const ParserHandle parser = python_parser();
  if (!parser) return tl::unexpected(code_parser_is_there().error());
  if (code.size() > max_code_bytes) return CodeTree{};
  const std::unique_ptr<TSTree, Release> tree(
      ts_parser_parse_string(parser.get(), nullptr, code.data(), static_cast<std::uint32_t>(code.size())));
  return TreeReader(ts_tree_root_node(tree.get())).read();
}

#else

Status code_parser_is_there() {
  return fail(ErrorCode::rejected_input,
              "quality_metric 'code_bleu': needs tree-sitter and its grammar of Python, which this build lacks; "
              "'./run build' fetches both, or choose another metric");
}

Expected<CodeTree> parse_code(std::string_view) { return tl::unexpected(code_parser_is_there().error()); }

#endif

}  // namespace kvantage::inline code_quality
