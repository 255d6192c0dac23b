#include "core/imported/ttft_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "core/base/digest.h"
#include "core/base/files.h"

namespace kvantage::inline imported {
namespace {

using Powers = std::array<bool, 3>;  // which of 1, x, x^2 are fitted

/// Least squares over these powers of x in [0, 1]; nothing where they do not determine it. Gauss with pivots.
std::optional<std::array<double, 3>> least_squares(const std::vector<TimedTokens>& rows, double longest,
                                                   Powers powers) {
  std::array<std::array<double, 4>, 3> system{};
  for (const TimedTokens& row : rows) {
    const double x = row.tokens / longest;
    const std::array<double, 3> terms{1, x, x * x};
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) system[i][j] += terms[i] * terms[j];
      system[i][3] += terms[i] * row.seconds;
    }
  }
  for (std::size_t i = 0; i < 3; ++i)
    if (!powers[i]) {
      for (std::size_t j = 0; j < 4; ++j) system[i][j] = i == j ? 1 : 0;
      for (std::size_t k = 0; k < 3; ++k)
        if (k != i) system[k][i] = 0;
    }
  for (std::size_t i = 0; i < 3; ++i) {
    std::size_t pivot = i;
    for (std::size_t k = i + 1; k < 3; ++k)
      if (std::fabs(system[k][i]) > std::fabs(system[pivot][i])) pivot = k;
    std::swap(system[i], system[pivot]);
    if (std::fabs(system[i][i]) < 1e-12 * static_cast<double>(rows.size())) return std::nullopt;
    for (std::size_t k = 0; k < 3; ++k) {
      if (k == i) continue;
      const double factor = system[k][i] / system[i][i];
      for (std::size_t j = i; j < 4; ++j) system[k][j] -= factor * system[i][j];
    }
  }
  std::array<double, 3> found{};
  for (std::size_t i = 0; i < 3; ++i) found[i] = powers[i] ? system[i][3] / system[i][i] : 0;
  return found;
}

double residual_of(const std::vector<TimedTokens>& rows, const PrefillModel& curve) {
  double sum = 0;
  for (const TimedTokens& row : rows) {
    const double miss = row.seconds - curve.seconds(row.tokens);
    sum += miss * miss;
  }
  return std::sqrt(sum / static_cast<double>(rows.size()));
}

bool is_computing(const std::string& tier) {
  return tier.empty() || tier == "prefill" || tier == "compute" || tier == "recompute";
}

Status read_rows(const TextTable& table, const std::vector<WantedColumn>& wanted, std::vector<std::string>& order,
                 std::map<std::string, std::vector<TimedTokens>>& rows) {
  const auto column = [&](std::string_view key) { return std::ranges::find(wanted, key, &WantedColumn::key)->column; };
  const bool in_seconds = column("seconds").has_value();
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    TimedTokens timed;
    KV_ASSIGN(timed.tokens, number_of(table, row, *column("tokens")));
    KV_ASSIGN(timed.seconds, number_of(table, row, in_seconds ? *column("seconds") : *column("milliseconds")));
    if (!in_seconds) timed.seconds /= 1000;
    constexpr double max_tokens = 1e9, max_seconds = 1e6;
    if (!(timed.tokens > 0 && timed.tokens <= max_tokens && timed.seconds >= 0 && timed.seconds <= max_seconds))
      return fail(ErrorCode::rejected_input,
                  table.where[row] + ": tokens or seconds are out of range; give tokens from 1 and seconds from 0");
    std::string tier = column("tier") ? table.rows[row][*column("tier")] : std::string();
    if (is_computing(tier)) tier.clear();
    auto& of_tier = rows[tier];
    if (of_tier.empty()) order.push_back(tier);
    of_tier.push_back(timed);
    constexpr std::size_t max_tiers = 32;
    if (order.size() > max_tiers)
      return fail(ErrorCode::rejected_input, table.where[row] + ": the table has more than 32 tiers; give fewer");
  }
  return {};
}

}  // namespace

Expected<TtftFit> fit_ttft(const std::vector<TimedTokens>& rows, bool quadratic, const std::string& name) {
  std::set<double> lengths;
  for (const TimedTokens& row : rows) lengths.insert(row.tokens);
  if (lengths.size() < 2)
    return fail(ErrorCode::rejected_input,
                name + ": has times of fewer than two lengths; give at least two numbers of tokens");
  TtftFit fit;
  fit.rows = rows.size();
  fit.min_tokens = *lengths.begin();
  fit.max_tokens = *lengths.rbegin();
  std::vector<Powers> forms{{true, true, false}};
  constexpr std::size_t lengths_of_a_curve = 4;
  if (quadratic && lengths.size() >= lengths_of_a_curve) {
    forms.push_back({true, true, true});
    forms.push_back({true, false, true});
  }
  bool found = false;
  for (const Powers& form : forms) {
    const auto solved = least_squares(rows, fit.max_tokens, form);
    if (!solved || (*solved)[1] < 0 || (*solved)[2] < 0 || (*solved)[1] + (*solved)[2] <= 0) continue;
    const PrefillModel curve{(*solved)[0], (*solved)[1] / fit.max_tokens,
                             (*solved)[2] / (fit.max_tokens * fit.max_tokens)};
    const double residual = residual_of(rows, curve);
    if (found && residual >= fit.residual_seconds) continue;
    found = true;
    fit.curve = curve;
    fit.residual_seconds = residual;
  }
  if (!found) return fail(ErrorCode::rejected_input, name + ": times do not rise with tokens; correct the table");
  return fit;
}

std::vector<WantedColumn> ttft_columns() {
  return {{"tokens", {"input_tokens", "prompt_tokens", "context_tokens", "length", "context_length"}},
          {"seconds", {"ttft", "ttft_seconds", "time", "ttft_s", "latency", "time_to_first_token"}},
          {"milliseconds", {"ms", "ttft_ms", "latency_ms"}},
          {"tier", {"source", "device", "from"}}};
}

Expected<TtftTable> read_ttft_table(const std::filesystem::path& path, const ColumnMap& columns,
                                    const std::string& date) {
  const std::string name = path.string();
  KV_ASSIGN(const auto text, read_text_file(path, max_table_bytes));
  KV_ASSIGN(const auto table, table_of_text(text, name));
  std::vector<WantedColumn> wanted = ttft_columns();
  KV_TRY(find_columns(table, columns, wanted, name));
  std::string missing;
  const auto lacks = [&](const std::string& key) { missing += (missing.empty() ? "" : ", ") + key; };
  if (!wanted[0].column) lacks("tokens");
  if (!wanted[1].column && !wanted[2].column) lacks("seconds");
  if (!missing.empty())
    return fail(ErrorCode::rejected_input, name + ": lacks " + missing + "; its columns are " +
                                               column_list(table.columns) + "; name columns so in its first line");
  TtftTable made{.source = {name, digest_of(text).hex(), date, "table"}, .compute = {}, .tiers = {}};
  std::map<std::string, std::vector<TimedTokens>> rows;
  std::vector<std::string> order;
  KV_TRY(read_rows(table, wanted, order, rows));
  for (const std::string& tier : order) {
    const std::string of = name + (tier.empty() ? "" : ": tier " + printable(tier));
    KV_ASSIGN(auto fit, fit_ttft(rows[tier], tier.empty(), of));
    fit.tier = tier;
    if (tier.empty())
      made.compute = std::move(fit);
    else
      made.tiers.push_back(std::move(fit));
  }
  return made;
}

}  // namespace kvantage::inline imported
