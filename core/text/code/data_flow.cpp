#include "core/text/code/data_flow.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace kvantage::inline code_quality {
namespace {

/// A leaf of the tree: its number in the text, and its text.
struct FlowToken {
  std::size_t at = 0;
  std::string text;
};
using FlowTokens = std::map<std::pair<CodePlace, CodePlace>, FlowToken>;  // by begin and end; the last of equal ones

/// A flow with names, before variables are numbered.
struct NamedFlow {
  std::string name;
  std::size_t at = 0;  // number of its token
  FlowKind kind = FlowKind::comes_from;
  std::vector<std::string> from_names = {};
  std::vector<std::size_t> from = {};  // numbers of tokens
};
using NamedFlows = std::vector<NamedFlow>;
/// Where each variable got its value: numbers of tokens.
using VariableStates = std::map<std::string, std::vector<std::size_t>>;

/// Strings are read as a whole.
bool is_leaf(const CodeNode& node) {
  return node.type != "comment" && (node.children.empty() || node.type == "string");
}

/// A line of code, cut at characters whose numbers are those of bytes.
struct CodeLine {
  std::string_view text;
  std::vector<std::size_t> characters;  // bytes at which they begin

  std::string_view cut(std::size_t begin, std::size_t end) const {
    const auto byte_of = [&](std::size_t i) { return i < characters.size() ? characters[i] : text.size(); };
    return begin < end ? text.substr(byte_of(begin), byte_of(end) - byte_of(begin)) : std::string_view();
  }
};

std::vector<CodeLine> lines_of(std::string_view code) {
  std::vector<CodeLine> lines;
  lines.reserve(static_cast<std::size_t>(std::ranges::count(code, '\n')) + 1);
  for (std::size_t begin = 0; begin <= code.size();) {
    const std::size_t end = std::min(code.find('\n', begin), code.size());
    CodeLine& line = lines.emplace_back();
    line.text = code.substr(begin, end - begin);
    line.characters.reserve(line.text.size());
    for (std::size_t at = 0; at < line.text.size(); ++at)
      if ((static_cast<unsigned char>(line.text[at]) & 0xC0) != 0x80) line.characters.push_back(at);
    begin = end + 1;
  }
  return lines;
}

std::string text_between(const std::vector<CodeLine>& lines, CodePlace begin, CodePlace end) {
  const CodeLine& first = lines[begin.row];
  if (begin.row == end.row) return std::string(first.cut(begin.column, end.column));
  std::string text(first.cut(begin.column, first.text.size()));
  for (std::size_t row = begin.row + 1; row < end.row; ++row) text += lines[row].text;
  return text.append(lines[end.row].cut(0, end.column));
}

template <class T>
void sort_unique(std::vector<T>& values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

/// Adds `more` to `flow`, which is of the same token.
void merge_flow(NamedFlow& flow, const NamedFlow& more) {
  flow.from_names.insert(flow.from_names.end(), more.from_names.begin(), more.from_names.end());
  flow.from.insert(flow.from.end(), more.from.begin(), more.from.end());
  sort_unique(flow.from_names);
  sort_unique(flow.from);
}

void sort_by_place(NamedFlows& flows) { std::ranges::stable_sort(flows, {}, &NamedFlow::at); }

/// One flow for each name, place and kind: a loop was read twice.
NamedFlows merged_loop(const NamedFlows& flows) {
  std::map<std::tuple<std::string, std::size_t, FlowKind>, std::size_t> known;
  NamedFlows merged;
  merged.reserve(flows.size());
  for (const NamedFlow& flow : flows) {
    const auto [place, added] = known.try_emplace({flow.name, flow.at, flow.kind}, merged.size());
    if (added)
      merged.push_back(flow);
    else
      merge_flow(merged[place->second], flow);
  }
  sort_by_place(merged);
  return merged;
}

class FlowReader {
 public:
  FlowReader(const CodeTree& tree, std::string_view code) : tree_(tree) { add_tokens(0, lines_of(code)); }
  /// Nothing when the tree lacks a part that a statement needs.
  NamedFlows read() {
    VariableStates states;
    NamedFlows flows = read_node(0, states);
    return failed_ ? NamedFlows{} : flows;
  }

 private:
  using Index = std::uint32_t;
  using Children = std::vector<Index>;

  void add_tokens(Index index, const std::vector<CodeLine>& lines);
  NamedFlows read_node(Index index, VariableStates& states);
  NamedFlows read_leaf(const CodeNode& node, VariableStates& states);
  NamedFlows read_default(const CodeNode& node, VariableStates& states);
  NamedFlows read_assignment(const CodeNode& node, VariableStates& states);
  NamedFlows read_if(const CodeNode& node, VariableStates& states);
  NamedFlows read_for(const CodeNode& node, VariableStates& states);
  NamedFlows read_while(const CodeNode& node, VariableStates& states);
  NamedFlows read_children(const CodeNode& node, VariableStates& states);
  void assign(const Children& left, const Children& right, NamedFlows& flows, VariableStates& states);
  std::optional<std::pair<Children, Children>> sides_of(const CodeNode& node);
  void add_variables(Index index, std::vector<const FlowToken*>& variables) const;
  std::vector<const FlowToken*> variables_of(Index index) const {
    std::vector<const FlowToken*> variables;
    add_variables(index, variables);
    return variables;
  }
  const FlowToken& token_of(const CodeNode& leaf) const { return tokens_.at({leaf.begin, leaf.end}); }
  void append(NamedFlows& flows, NamedFlows more) const {
    flows.insert(flows.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }

  static constexpr std::size_t max_steps = 200'000;
  const CodeTree& tree_;
  FlowTokens tokens_;
  std::size_t token_count_ = 0, steps_ = 0;
  bool failed_ = false;
};

void FlowReader::add_tokens(Index index, const std::vector<CodeLine>& lines) {
  const CodeNode& node = tree_.nodes[index];
  if (!is_leaf(node)) {
    for (const Index child : node.children) add_tokens(child, lines);
    return;
  }
  tokens_[{node.begin, node.end}] = {token_count_++, text_between(lines, node.begin, node.end)};
}

// Leaves except operators, punctuation and keywords, whose type is their text.
void FlowReader::add_variables(Index index, std::vector<const FlowToken*>& variables) const {
  const CodeNode& node = tree_.nodes[index];
  if (!is_leaf(node)) {
    for (const Index child : node.children) add_variables(child, variables);
  } else if (const FlowToken& token = token_of(node); node.type != token.text) {
    variables.push_back(&token);
  }
}

NamedFlows FlowReader::read_node(Index index, VariableStates& states) {
  if (++steps_ > max_steps) failed_ = true;
  if (failed_) return {};
  const CodeNode& node = tree_.nodes[index];
  NamedFlows flows;
  if (is_leaf(node))
    flows = read_leaf(node, states);
  else if (node.type == "default_parameter")
    flows = read_default(node, states);
  else if (node.type == "assignment" || node.type == "augmented_assignment" || node.type == "for_in_clause")
    flows = read_assignment(node, states);
  else if (node.type == "if_statement")
    flows = read_if(node, states);
  else if (node.type == "for_statement")
    flows = read_for(node, states);
  else if (node.type == "while_statement")
    flows = read_while(node, states);
  else
    flows = read_children(node, states);
  sort_by_place(flows);
  return flows;
}

NamedFlows FlowReader::read_leaf(const CodeNode& node, VariableStates& states) {
  const FlowToken& token = token_of(node);
  if (node.type == token.text) return {};
  if (const auto known = states.find(token.text); known != states.end())
    return {{token.text, token.at, FlowKind::comes_from, {token.text}, known->second}};
  if (node.type == "identifier") states[token.text] = {token.at};
  return {{token.text, token.at, FlowKind::comes_from}};
}

NamedFlows FlowReader::read_default(const CodeNode& node, VariableStates& states) {
  const auto name = node.field(CodeField::name), value = node.field(CodeField::value);
  if (!name) {
    failed_ = true;
    return {};
  }
  NamedFlows flows;
  const auto values = value ? variables_of(*value) : std::vector<const FlowToken*>{};
  if (value) flows = read_node(*value, states);
  for (const FlowToken* token : variables_of(*name)) {
    if (!value) flows.push_back({token->text, token->at, FlowKind::comes_from});
    for (const FlowToken* from : values)
      flows.push_back({token->text, token->at, FlowKind::comes_from, {from->text}, {from->at}});
    states[token->text] = {token->at};
  }
  return flows;
}

// The parts of both sides, pair by pair where there are as many, else each side as a whole.
std::optional<std::pair<FlowReader::Children, FlowReader::Children>> FlowReader::sides_of(const CodeNode& node) {
  const auto left = node.field(CodeField::left), right = node.field(CodeField::right);
  if (!left || !right) {
    failed_ = true;
    return std::nullopt;
  }
  const auto parts_of = [&](Index side) {
    Children parts;
    std::ranges::copy_if(tree_.nodes[side].children, std::back_inserter(parts),
                         [&](Index child) { return tree_.nodes[child].type != ","; });
    return parts;
  };
  auto sides = std::pair(parts_of(*left), parts_of(*right));
  if (sides.first.size() == sides.second.size() && !sides.first.empty()) return sides;
  return std::pair(Children{*left}, Children{*right});
}

void FlowReader::assign(const Children& left, const Children& right, NamedFlows& flows, VariableStates& states) {
  for (const Index side : right) append(flows, read_node(side, states));
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    const auto from = variables_of(right[i]);
    for (const FlowToken* to : variables_of(left[i])) {
      NamedFlow flow{to->text, to->at, FlowKind::computed_from};
      flow.from_names.reserve(from.size());
      flow.from.reserve(from.size());
      for (const FlowToken* token : from) {
        flow.from_names.push_back(token->text);
        flow.from.push_back(token->at);
      }
      flows.push_back(std::move(flow));
      states[to->text] = {to->at};
    }
  }
}

NamedFlows FlowReader::read_assignment(const CodeNode& node, VariableStates& states) {
  NamedFlows flows;
  if (node.type == "for_in_clause") {
    const auto left = node.field(CodeField::left);
    if (left)
      assign({*left}, {node.children.back()}, flows, states);
    else
      failed_ = true;
    return flows;
  }
  if (!node.field(CodeField::right)) return {};
  if (const auto sides = sides_of(node)) assign(sides->first, sides->second, flows, states);
  return flows;
}

// What follows may come from any of the branches, and from before where there is no else.
NamedFlows FlowReader::read_if(const CodeNode& node, VariableStates& states) {
  NamedFlows flows;
  VariableStates current = states;
  std::vector<VariableStates> others;
  bool has_else = false;
  for (const Index child : node.children) {
    const std::string_view type = tree_.nodes[child].type;
    has_else = has_else || type.find("else") != std::string_view::npos;
    if (type != "elif_clause" && type != "else_clause") {
      append(flows, read_node(child, current));
    } else {
      others.push_back(states);
      append(flows, read_node(child, others.back()));
    }
  }
  others.push_back(std::move(current));
  if (!has_else) others.push_back(states);
  VariableStates merged;
  for (const VariableStates& other : others)
    for (const auto& [name, places] : other) {
      auto& all = merged[name];
      all.insert(all.end(), places.begin(), places.end());
    }
  for (auto& [name, places] : merged) sort_unique(places);
  states = std::move(merged);
  return flows;
}

NamedFlows FlowReader::read_for(const CodeNode& node, VariableStates& states) {
  NamedFlows flows;
  for (int round = 0; round < 2 && !failed_; ++round) {
    const auto sides = sides_of(node);
    if (!sides) return {};
    assign(sides->first, sides->second, flows, states);
    if (tree_.nodes[node.children.back()].type == "block") append(flows, read_node(node.children.back(), states));
  }
  return merged_loop(flows);
}

NamedFlows FlowReader::read_while(const CodeNode& node, VariableStates& states) {
  NamedFlows flows;
  for (int round = 0; round < 2; ++round)
    for (const Index child : node.children) append(flows, read_node(child, states));
  return merged_loop(flows);
}

// What a comprehension goes through comes before what it makes of it.
NamedFlows FlowReader::read_children(const CodeNode& node, VariableStates& states) {
  NamedFlows flows;
  for (const bool clauses : {true, false})
    for (const Index child : node.children)
      if ((tree_.nodes[child].type == "for_in_clause") == clauses) append(flows, read_node(child, states));
  return flows;
}

/// Those that something comes from or goes to, one for each token.
NamedFlows connected(NamedFlows flows) {
  sort_by_place(flows);
  std::set<std::size_t> used;
  for (const NamedFlow& flow : flows) {
    if (!flow.from.empty()) used.insert(flow.at);
    used.insert(flow.from.begin(), flow.from.end());
  }
  std::map<std::size_t, std::size_t> known;
  NamedFlows kept;
  kept.reserve(flows.size());
  for (NamedFlow& flow : flows) {
    if (!used.contains(flow.at)) continue;
    const auto [place, added] = known.try_emplace(flow.at, kept.size());
    if (!added) {
      merge_flow(flow, kept[place->second]);
      kept[place->second] = std::move(flow);
    } else {
      kept.push_back(std::move(flow));
    }
  }
  return kept;
}

}  // namespace

std::vector<DataFlow> data_flow_of(const CodeTree& tree, std::string_view code) {
  if (tree.nodes.empty()) return {};
  std::map<std::string, std::size_t> numbers;
  const auto number_of = [&](const std::string& name) {
    return numbers.try_emplace(name, numbers.size()).first->second;
  };
  const NamedFlows named = connected(FlowReader(tree, code).read());
  std::vector<DataFlow> flows;
  flows.reserve(named.size());
  for (const NamedFlow& flow : named) {
    DataFlow numbered{.kind = flow.kind};
    numbered.from.reserve(flow.from_names.size());
    for (const std::string& name : flow.from_names) numbered.from.push_back(number_of(name));
    numbered.value = number_of(flow.name);
    flows.push_back(std::move(numbered));
  }
  return flows;
}

double dataflow_match(const std::vector<DataFlow>& answer, const std::vector<DataFlow>& reference) {
  std::vector<DataFlow> left = answer;
  std::size_t matches = 0;
  for (const DataFlow& flow : reference)
    if (const auto found = std::ranges::find(left, flow); found != left.end()) {
      left.erase(found);
      ++matches;
    }
  return reference.empty() ? 0 : static_cast<double>(matches) / static_cast<double>(reference.size());
}

}  // namespace kvantage::inline code_quality
