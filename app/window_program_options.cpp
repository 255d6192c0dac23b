// What a window gets from its session: checks of what it may open, and the services of the engine and of this machine.
#include <algorithm>
#include <array>
#include <utility>

#include "app/cli/figures/figure_request.h"
#include "app/experiment_thread.h"
#include "app/figure_thread.h"
#include "app/window_program.h"
#include "app/wiring/data_import.h"
#include "app/wiring/default_database.h"
#include "app/wiring/gpu_module.h"
#include "app/wiring/kept_question.h"
#include "app/wiring/method_files.h"
#include "app/wiring/model_facts_reader.h"
#include "app/wiring/parquet_module.h"
#include "app/wiring/resources.h"
#include "app/wiring/samples.h"
#include "app/wiring/serving_import.h"
#include "core/base/files.h"
#include "core/compress/method.h"
#include "core/engine/settings_check.h"
#include "core/experiments/model/pool_walk.h"
#include "profiles/run_library.h"
#include "ui/text/core_text.h"
#include "ui/text/language.h"

namespace kvantage {
namespace {

/// engine: may be null; outlives the offer.
MethodOffer method_offer(const Engine* engine) {
  MethodOffer offer;
  const auto add = [&offer](const std::string& text, std::string_view summary) {
    offer.known.push_back({QString::fromStdString(text), core_text(std::string(summary))});
  };
  for (const MethodInfo& method : known_methods())
    if (method.removes_tokens) add(method.text, method.summary);
  for (const CodecInfo& codec : known_codecs())
    if (const auto made = parse_codec(codec.name); made && !(*made)->is_identity())
      add(std::string(codec.name), codec.summary);
  for (const BudgetInfo& budget : known_budgets())
    if (parse_method(budget.name + "(snapkv)")) add(budget.name + "(snapkv)", budget.summary);
  offer.read = [engine](const QString& text) -> Expected<QString> {
    KV_ASSIGN(const auto method, parse_method(text.toStdString()));
    // Settings that the engine refuses would take the user's undo steps with them.
    if (engine != nullptr) {
      SessionSettings settings;
      settings.methods = {method->text()};
      KV_TRY(check_layer_inputs(settings, engine->info().layer_inputs_refusal));
    }
    return QString::fromStdString(method->text());
  };
  if (engine != nullptr)
    offer.read_file = [](const QString& path) -> Expected<MethodOffer::Known> {
      KV_ASSIGN(const auto opened, open_method_file(path.toStdString(), true));
      return MethodOffer::Known{QString::fromStdString(opened.name), core_text(opened.summary)};
    };
  return offer;
}

/// Whether this session's model multiplies so, and with it one that is opened in its place.
bool has_batch_invariant_products(const SessionOptions& options, const LiveSession& live) {
  return (live.engine ? live.engine->settings().products : options.products.value_or("")) == batch_invariant_products;
}

/// Experiments open sessions as this one was opened; what was changed since is theirs to name.
ExperimentThread::Setup experiment_setup(const SessionOptions& options, const LiveSession& live) {
  SweepPlan base;
  base.workload = named_workload(options.workload).string();
  if (options.model != default_model_directory()) base.model = options.model.string();
  base.prompt_form = options.prompt_form.value_or("");
  base.max_model_len = options.max_model_len;
  if (has_batch_invariant_products(options, live)) base.products = batch_invariant_products;
  base.tiers = options.tiers;
  base.methods = options.methods;
  base.removed_fractions = options.removed_fractions;
  base.quality_metric = options.quality_metric.value_or("");
  base.max_batch = options.max_batch.value_or(0);
  return {std::move(base), live.database, options.store.empty() ? cache_directory() / "stores" : options.store,
          options.remotes.allowed, live.engine ? live.engine->workload().arrivals.requests : 0};
}

/// How the session's model is read, as options of a figure.
QStringList reading_words(const SessionOptions& options) {
  QStringList words;
  if (options.prompt_form) words << QStringLiteral("--prompt-form") << QString::fromStdString(*options.prompt_form);
  if (options.max_model_len > 0) words << QStringLiteral("--max-model-len") << QString::number(options.max_model_len);
  return words;
}

}  // namespace

void WindowProgram::add_checks(WindowOptions& options) const {
  options.check_workload = [session = options_](const QString& path) {
    SessionOptions other = session;
    other.workload = path.toStdString();
    const Status openable = check_openable(other);
    return openable ? QString() : core_text(openable.error().message);
  };
  options.data_import = {[](const QString& path) { return preview_data_file(path.toStdString()); },
                         [model = options_.model](const QString& path, const FieldMap& map,
                                                  LongContextAction action) -> Expected<QString> {
                           KV_ASSIGN(const auto folder, import_data_file(path.toStdString(), map, action, model));
                           return text_of(folder);
                         }};
  options.read_serving = [session = options_](const QString& path) -> Expected<ServingFile> {
    SessionOptions other = session;
    KV_ASSIGN(const auto config, replace_by_serving(other, path.toStdString()));
    KV_TRY(check_openable(other));
    const auto lines = [](const std::vector<std::string>& texts) {
      QStringList list;
      for (const std::string& text : texts) list << QString::fromStdString(text);
      return list;
    };
    return ServingFile{QString::fromStdString(config.system), lines(config.taken), lines(config.unsaid)};
  };
  options.check_model = [session = options_](const QString& path) {
    SessionOptions other = session;
    other.model = path.toStdString();
    const Status loadable = check_loadable(other);
    return loadable ? QString() : core_text(loadable.error().message);
  };
}

void WindowProgram::add_services(WindowOptions& options, Opened& opened) const {
  const auto fact = [this](const char* name) {
    const auto found = options_.environment.find(name);
    return found != options_.environment.end() && found->is_string() ? QString::fromStdString(found->get<std::string>())
                                                                     : QString();
  };
  options.program = {fact("version"), fact("commit"), options_.environment.value("dirty", false), fact("hardware"),
                     [] { return QString::fromStdString(device_line(open_accelerator())); }};
  LiveSession& live = opened.live;
  options.methods = method_offer(live.engine.get());
  if (!opened.simulated) {
    if (auto library = open_run_library(live.database, machine_clock()))
      options.runs = std::move(*library);
    else if (!opened.failed)
      live.notes.push_back(
          tr("Recorded runs cannot be listed: %1").arg(core_text(library.error().message)).toStdString());
  }
  for (const SampleWorkload& sample : sample_workloads())
    options.samples.push_back(
        {QString::fromStdString(sample.name), text_of(sample.folder), QString::fromStdString(sample.description)});
  const std::array<QString, shipped_models.size()> summaries{
      tr("Grouped-query attention, texts of up to 2,688 tokens: many methods differ on it"),
      tr("Multi-head attention, texts of up to 8,192 tokens: key norms tell which tokens get attention, so eviction by "
         "norms works on it by construction")};
  for (std::size_t i = 0; i < shipped_models.size(); ++i)
    options.shipped_models.push_back({QString::fromStdString(std::string(shipped_models[i].name)),
                                      text_of(directory_of(shipped_models[i])), summaries[i]});
  const Status in_language = translate_samples(options.samples, text_of(samples_directory()), installed_language());
  if (!in_language) live.notes.push_back(in_language.error().message);
  if (opened.failed)
    options.store_failed = [session = options_, error = opened.failed->error()] {
      return is_about_store(session, error);
    };
  else if (live.engine)
    options.store_failed = [session = options_, engine = live.engine.get()] {
      return is_about_store(session, engine->failure());
    };
  options.inspector = live.engine.get();  // null without an engine
  options.asker = live.engine.get();
  if (!arguments_.listen.empty()) options.connections = [this] { return socket_ ? socket_->clients() : 0; };
  if (live.engine)
    options.keep_question = [engine = live.engine.get(), opened = options_.workload](
                                const KeptQuestion& asked, const QString& below) -> Expected<QString> {
      KV_ASSIGN(const auto folder, write_kept_question(engine->workload(), asked, opened, below.toStdString()));
      return text_of(folder);
    };
  options.spans = live.engine.get();
  options.walk_pool = walk_pool;
  options.figures = std::make_shared<FigureThread>(FigureThread::Setup{
      text_of(options_.model), text_of(live.database),
      text_of(options_.store.empty() ? cache_directory() / "stores" : options_.store), reading_words(options_)});
  if (!opened.simulated) options.experiments = std::make_shared<ExperimentThread>(experiment_setup(options_, live));
  options.experiments_folder = text_of(live.database.parent_path() / "experiments");
  if (auto claims = cli::shipped_claims())
    options.claims = std::move(*claims);
  else
    live.notes.push_back(claims.error().message);
  options.figure_results = text_of(live.database.parent_path() / "figures");
  options.choose_alpha = live.own_text_defaults && for_a_user();
  options.encode_parquet = parquet_on_demand();
  options.model_catalog = make_model_catalog(has_batch_invariant_products(options_, live));
  if (live.engine)
    options.text_of = [&workload = live.engine->workload()](const std::string& id) -> std::string_view {
      const auto context = std::ranges::find(workload.contexts, id, &WorkloadContext::id);
      return context == workload.contexts.end() ? std::string_view() : context->text;
    };
}

WindowOptions WindowProgram::window_options(Opened& opened) {
  WindowOptions options;
  add_checks(options);
  options.tour_at_first_start = for_a_user();
  if (!for_a_user())
    options.settings_file = QString::fromStdString(arguments_.screenshots) + QStringLiteral("/window.ini");
  if (opened.failed) opened.live.database = options_.database.empty() ? default_database(options_) : options_.database;
  // What cannot be opened is not what the next start should open.
  options.workload_path = opened.failed ? QString() : text_of(named_workload(options_.workload));
  if (!opened.simulated && !opened.failed)
    options.model_path = options_.model == default_model_directory() ? QString() : text_of(options_.model);
  options.help_folder = text_of(documentation_directory());
  options.lessons_folder = text_of(program_home() / "resources" / "lessons");
  options.presets_folder = text_of(program_home() / "resources" / "presets");
  if (!opened.failed) options.begin = std::exchange(beginning_, {});
  if (kind_ == PathKind::run && !handed_over_) options.run_without_engine = clicked_;
  options.start_at_once = opened.simulated && !arguments_.wait;
  add_services(options, opened);
  return options;
}

}  // namespace kvantage
