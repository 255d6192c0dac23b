#include "ui/pictures/documentation_scenes.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "ui/ask/ask_page.h"
#include "ui/charts/heat_map.h"
#include "ui/live/contexts/sensitivity_dock.h"
#include "ui/live/frontier/frontier_page.h"
#include "ui/live/pool/pool_dock.h"
#include "ui/live/requests/pipeline_dock.h"
#include "ui/papers/figures_page.h"
#include "ui/pictures/picture_stage.h"
#include "ui/runs/runs_dock.h"
#include "ui/text/words.h"
#include "ui/tokens/keep_map_dock.h"
#include "ui/window/window_part.h"

namespace kvantage {
namespace {

class DocumentationScenes {
 public:
  explicit DocumentationScenes(const PictureStage& stage) : stage_(stage) {}

  std::vector<ScreenshotScene> all() {
    add(QStringLiteral("window"), [this] { overview(); }, {});
    sensitivity();
    why_here();
    explain();
    pipeline();
    ask();
    keep_map();
    pool();
    compare();
    reproduce();
    lesson();  // the last: it brings its own settings
    return std::move(scenes_);
  }

 private:
  /// `ready`: asked again and again after `prepare`, until it is true; empty: at once.
  void add(const QString& name, std::function<void()> prepare, std::function<bool()> ready,
           std::function<void()> clean = {}) {
    ScreenshotScene scene{name, std::move(prepare), std::move(clean), 2};
    scene.ready = std::move(ready);
    scenes_.push_back(std::move(scene));
  }
  void overview() {
    stage_.views.layouts().begin_with(Layouts::built_in().front());
    stage_.models.run.selection.clear();
  }
  void bring_up(const QString& dock) {
    overview();
    stage_.views.docks().bring_up(dock);
  }
  /// More room for a dock with a table than the layout gives it.
  void enlarge(const QString& dock) {
    stage_.window.resizeDocks({stage_.views.docks().dock(dock)}, {stage_.window.height() / 2}, Qt::Vertical);
  }
  void let_go() { stage_.models.run.selection.clear(); }

  /// A stored context that meets the condition: the largest, as it shows the most.
  std::optional<QString> stored_context(const std::function<bool(const ContextState&)>& meets) {
    const auto snapshot = stage_.models.run.snapshot();
    const ContextState* found = nullptr;
    for (const ContextState& context : snapshot ? snapshot->contexts : std::vector<ContextState>())
      if (context.stored_bytes > 0 && meets(context) && (!found || context.stored_bytes > found->stored_bytes))
        found = &context;
    return found ? std::optional(to_q(found->id)) : std::nullopt;
  }

  void sensitivity() {
    auto& dock = *stage_.views.body<SensitivityDock>(QStringLiteral("sensitivity"));
    QTabWidget& pages = dock.tabs();
    add(
        QStringLiteral("sensitivity"),
        [this, &dock, &pages] {
          bring_up(QStringLiteral("sensitivity"));
          for (int page = 0; page < pages.count(); ++page)
            if (pages.widget(page)->isAncestorOf(&dock.heat_map()) || pages.widget(page) == &dock.heat_map())
              pages.setCurrentIndex(page);
        },
        [this] { return stage_.models.run.profiled_contexts() > 0; }, [&pages] { pages.setCurrentIndex(0); });
    scenes_.back().theme = ThemeKind::dark;
  }

  // Not in the first tier, compressed, and with tokens removed: there is a reason for each.
  void why_here() {
    add(
        QStringLiteral("why-here"),
        [this] {
          bring_up(QStringLiteral("contexts"));
          enlarge(QStringLiteral("contexts"));
        },
        [this] {
          if (!stage_.models.run.selection.context().isEmpty()) return true;
          if (const auto displaced = stored_context([](const ContextState& context) {
                return context.placement.tier > 0 && context.placement.removed_fraction > 0;
              }))
            stage_.models.run.selection.choose_context(*displaced);
          return false;
        },
        [this] { let_go(); });
  }

  void explain() {
    QToolButton& button = part_of<FrontierPage>(stage_.window).explain_button();
    add(
        QStringLiteral("explain"),
        [this, &button] {
          overview();
          button.setChecked(true);
        },
        {}, [&button] { button.setChecked(false); });
    scenes_.back().settles = 6;
  }

  // A request whose later layers were still being read while the first were computed.
  void pipeline() {
    auto& dock = *stage_.views.body<PipelineDock>(QStringLiteral("pipeline"));
    add(
        QStringLiteral("pipeline"), [this] { bring_up(QStringLiteral("pipeline")); },
        [this, &dock] {
          if (stage_.models.run.selection.request() != 0)
            return dock.model().spans() && dock.model().record().id == stage_.models.run.selection.request();
          const RequestsModel& requests = stage_.models.run.requests;
          const std::string& slowest = stage_.models.run.snapshot()->tiers.back().name;
          for (int row = requests.rowCount() - 1; row >= 0; --row) {
            const RequestsModel::Row& one = *requests.row(row);
            if (one.running || one.record.source != slowest) continue;
            stage_.models.run.selection.choose_request(one.record.id, to_q(one.record.context_id));
            break;
          }
          return false;
        },
        [this] { let_go(); });
  }

  // A question that a request asked, from four caches; really answered.
  void ask() {
    auto& page = *stage_.views.body<AskPage>(QStringLiteral("ask"));
    add(
        QStringLiteral("ask"), [this] { stage_.views.show(QStringLiteral("ask")); },
        [this, &page] {
          if (page.model().shown() != nullptr) return page.model().shown()->complete;
          const RequestsModel& requests = stage_.models.run.requests;
          if (page.model().busy() || requests.rowCount() == 0) return false;
          const RequestRecord& asked = requests.row(0)->record;
          page.model().set_context(to_q(asked.context_id));
          page.question().setText(to_q(asked.question));
          page.model().ask();
          return false;
        },
        [this] { stage_.views.modes().leave(); });
  }

  // What a method of the session that removes tokens keeps of a context.
  void keep_map() {
    auto& dock = *stage_.views.body<KeepMapDock>(QStringLiteral("tokens"));
    add(
        QStringLiteral("keep-map"),
        [this, &dock] {
          stage_.views.show(QStringLiteral("tokens"));
          if (const auto any = stored_context([](const ContextState&) { return true; }))
            stage_.models.run.selection.choose_context(*any);
        },
        [this, &dock] {
          // After the context, which brings the method that it is stored with.
          const QStringList known = dock.model().known_methods();  // those of the session first
          const auto removing = std::ranges::find_if(known, [](const QString& name) {
            return name != QStringLiteral("none") && !name.contains(QStringLiteral("kivi"));
          });
          if (removing == known.end()) return false;
          if (dock.model().methods() != QStringList{*removing}) {
            dock.model().set_methods({*removing});
            return false;
          }
          return dock.model().complete();
        },
        [this] {
          stage_.views.modes().leave();
          let_go();
        });
  }

  // KeyDiff evicts one token at a time, in whatever block it is: at the end every block has dead entries.
  void pool() {
    auto& dock = *stage_.views.body<PoolDock>(QStringLiteral("pool"));
    add(
        QStringLiteral("pool"),
        [this, &dock] {
          bring_up(QStringLiteral("pool"));
          dock.show_walk_page();
          const auto& eviction_methods = PoolWalkModel::eviction_methods();
          const auto keydiff =
              std::ranges::find(eviction_methods, QStringLiteral("keydiff"), &PoolWalkModel::Choice::value);
          dock.eviction_method().setCurrentIndex(static_cast<int>(keydiff - eviction_methods.begin()));
        },
        [&dock] {
          if (dock.model().size() < 2) return false;
          dock.model().go_to(dock.model().size() - 1);
          return true;
        },
        [&dock] { dock.model().go_to(0); });
  }

  void compare() {
    auto& runs = *stage_.views.body<RunsDock>(QStringLiteral("runs"));
    add(
        QStringLiteral("compare"), [this] { stage_.views.show(QStringLiteral("runs")); },
        [this, &runs] {
          if (runs.comparing()) return !runs.comparison().busy() && runs.comparison().rowCount() > 0;
          QStringList ids;  // of all but the live one
          for (int row = 0; row < runs.model().rowCount(); ++row)
            ids << runs.model().index(row, 0).data(RunsModel::run_id_role).toString();
          ids.removeAll(to_q(stage_.models.run.info().run_id));
          if (ids.size() < 2) return false;
          runs.choose(ids);
          runs.compare_chosen();
          return false;
        },
        [this, &runs] {
          emit runs.compare_page().backRequested();
          stage_.views.modes().leave();
        });
  }

  // Figure 3, as it takes seconds; really run.
  void reproduce() {
    FiguresPage& page = *stage_.views.body<FiguresPage>(QStringLiteral("papers"));
    const QString figure = to_q(paper_figures()[1].name);
    add(
        QStringLiteral("reproduce"),
        [this, &page, figure] {
          stage_.views.show(QStringLiteral("papers"));
          page.results().load();
          page.choose(figure);
          if (!page.results().newest(figure)) page.start();
        },
        [this, &page, figure] {
          if (!page.results().newest(figure)) return false;
          if (page.tabs().indexOf(&page.result()) >= 0) page.tabs().setCurrentWidget(&page.result());
          stage_.banner.dismiss();  // it reports the result, too
          return !stage_.banner.isVisible();
        },
        [this] { stage_.views.modes().leave(); });
  }

  // "Both ends of alpha", at the step that has alpha moved to quality. The steps before it are really done.
  void lesson() {
    Lessons& lessons = stage_.lessons;
    add(
        QStringLiteral("lesson"),
        [this, &lessons] {
          overview();
          const auto found =
              std::ranges::find_if(lessons.all(), [](const Lesson& one) { return one.path.endsWith("alpha.lesson"); });
          if (found != lessons.all().end()) lessons.start(found->path);
        },
        [this, &lessons] {
          if (!lessons.running()) return false;
          const auto step = static_cast<std::size_t>(lessons.step());
          if (lessons.lesson()->steps[step].act.kind == LessonAct::Kind::highest) return true;
          if (lessons.card().show_me().isHidden())
            lessons.card().next().click();
          else if (std::exchange(shown_step_, step) != step)
            lessons.card().show_me().click();
          return false;
        },
        [&lessons] { lessons.close(); });
  }

  const PictureStage stage_;
  std::optional<std::size_t> shown_step_;  // of the lesson: what it asks for is being done
  std::vector<ScreenshotScene> scenes_;
};

}  // namespace

std::vector<ScreenshotScene> documentation_scenes(const PictureStage& stage) {
  auto made = std::make_shared<DocumentationScenes>(stage);
  std::vector<ScreenshotScene> scenes = made->all();
  for (ScreenshotScene& scene : scenes) {  // which ask it for more when they are taken
    scene.prepare = [made, prepare = std::move(scene.prepare)] { prepare(); };
    if (!scene.theme) scene.theme = ThemeKind::light;
  }
  return scenes;
}

}  // namespace kvantage
