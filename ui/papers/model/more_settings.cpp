#include "ui/papers/model/more_settings.h"

#include <QCoreApplication>
#include <algorithm>
#include <optional>

#include "ui/text/words.h"

namespace kvantage {
namespace {

struct MoreSettingsText {
  Q_DECLARE_TR_FUNCTIONS(MoreSettingsText)
};

/// Nothing: it is another spelling of a setting, or has no texts.
std::optional<MoreSetting> text_of(const QString& option) {
  if (option == QStringLiteral("--profile-questions"))
    return MoreSetting{option, MoreSettingsText::tr("Profile questions"), MoreSettingsText::tr("all of the workload"),
                       MoreSettingsText::tr("Number of profile questions per context; 0: all")};
  if (option == QStringLiteral("--seed"))
    return MoreSetting{
        option, MoreSettingsText::tr("Seed"), QStringLiteral("1"),
        MoreSettingsText::tr("Seed of what is drawn at random; further request sequences have the next ones")};
  if (option == QStringLiteral("--max-batch"))
    return MoreSetting{option, MoreSettingsText::tr("Max concurrency"), MoreSettingsText::tr("as in the workload"),
                       MoreSettingsText::tr("Maximum concurrent requests")};
  if (option == QStringLiteral("--cadence"))
    return MoreSetting{option, MoreSettingsText::tr("Eviction interval (steps)"),
                       MoreSettingsText::tr("each method's own"),
                       MoreSettingsText::tr("Decoding steps between evictions; 0: each method's own")};
  if (option == QStringLiteral("--shared-heads"))
    return MoreSetting{option,
                       MoreSettingsText::tr("Shared heads"),
                       {},
                       MoreSettingsText::tr(
                           "Drop the same tokens in all KV heads of a layer, as a shared block table (vLLM) requires"),
                       true};
  return std::nullopt;
}

bool has_setting(const PaperFigure& figure, const char* option) {
  return std::ranges::find(figure.settings, option, &FigureSetting::option) != figure.settings.end();
}

}  // namespace

std::vector<MoreSetting> more_settings(const PaperFigure& figure) {
  std::vector<MoreSetting> all;
  for (const std::string& option : figure.more)
    if (auto one = text_of(to_q(option))) all.push_back(std::move(*one));
  if (!reads_model(figure)) return all;
  if (!has_setting(figure, "--model"))
    all.push_back(
        {QStringLiteral("--model"), MoreSettingsText::tr("Model"),
         uses_model(figure) ? MoreSettingsText::tr("that of the window") : MoreSettingsText::tr("random weights"),
         MoreSettingsText::tr("Hugging Face model folder or GGUF file, or reference-mha")});
  all.push_back({QStringLiteral("--models"), MoreSettingsText::tr("Models to compare"),
                 MoreSettingsText::tr("one model"),
                 MoreSettingsText::tr(
                     "Models, comma-separated (folders, GGUF files, reference-mha, default): the figure once on each, "
                     "then their verdicts side by side. Leave Model empty.")});
  return all;
}

bool is_figure_flag(const QString& option) {
  const auto setting = text_of(option);
  return setting && setting->is_flag;
}

}  // namespace kvantage
