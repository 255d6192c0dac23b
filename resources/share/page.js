
// The page: what it shows of the run, and the time of its slider, which moves everything.

const data = JSON.parse(byId("run-data").textContent);
const { duration_seconds: duration } = data.run;
const rowsPerPage = 50;
const shownAnnotations = 200;
const canceledFlag = 2;  // bit of a request's flags; 1: warm-up, 4: not held out

const state = { time: -1, playing: false, stamp: null };
/// Each is called with the new time.
const movers = [];

function seekTo(seconds) {
  const time = Math.min(duration, Math.max(0, seconds));
  if (time === state.time || Number.isNaN(time)) return;
  state.time = time;
  for (const move of movers) move(time);
}

// Head, and what is known of the run.

function showHead() {
  byId("title").append(named(data.title));
  byId("claim").append(named(data.claim));
  const notes = [...data.notes, `${data.marks}.`];
  notes.push(data.texts === null
    ? "Questions and answers are not in this file; names of contexts, settings and the command are."
    : "Questions and answers of the run are in this file.");
  for (const { what, kept, of } of data.reduced)
    notes.push(`Reduced: ${what}, ${whole(kept)} of ${whole(of)}.`);
  if (data.reduced.length > 0)
    notes.push("Where reduced, occupancy, budgets and hit rates keep the smallest, the largest and the last value of " +
      "each period; settings are the first by name, questions and answers those of the first requests shown; all " +
      "else is spread evenly.");
  for (const note of notes) byId("notes").append(element("p", {}, named(note)));
}

function showAbout() {
  const { run } = data;
  const started = run.started_utc_ms > 0 ? new Date(run.started_utc_ms).toISOString() : missing;
  byId("about").append(facts([
    ["run", named(run.run_id)], ["policy", named(run.policy)], ["outcome", named(run.outcome)], ["started", started],
    ["duration", clockText(duration)], ["requests", whole(run.requests)],
    ...data.environment.map(({ name, value }) => [name, named(value)]),
  ]));
  for (const command of data.commands) byId("about").append(element("pre", { class: "text" }, command));
}

function showSettings() {
  const { same, differ } = data.settings;
  const columns = [{ text: "setting", name: true }];
  for (const segment of data.segments) columns.push({ text: named(segment.name), name: true });
  if (differ.length > 0)
    byId("settings").append(table("Settings that differ between segments of the run", columns,
      differ.map(({ name, values }) => [named(name), ...values.map((value) => named(value ?? missing))])));
  const all = table("", [{ text: "setting", name: true }, { text: "value", name: true }],
    same.map(({ name, value }) => [named(name), named(value)]));
  const several = data.segments.length > 1;
  byId("settings").append(element("details", several ? {} : { open: "" },
    element("summary", {}, several ? "Settings that are the same in all segments" : "All settings"), all));
}

// Charts.

function showFrontier() {
  const chart = frontierChart(data);
  byId("frontier").append(chart.node);
  byId("frontier-note").append("Means with 95 % intervals (bootstrap over contexts), held-out questions only, ",
    "without the warm-up. Up and to the left is better. ",
    data.plans.t.length === 0 ? "No plan recorded a prediction."
      : "Diamonds: predictions of the plans so far, by alpha.");
  movers.push(chart.move);
}

function showTiers() {
  const marks = data.annotations.map((one) => one.t);
  data.tiers.forEach((tier, i) => {
    const color = segmentColors[i % segmentColors.length];
    const limited = tier.budget.v.some((bytes) => bytes > 0);
    const budgetLine = { ...tier.budget, color, aside: true, steps: true };
    const textAt = (seconds) => {
      const used = valueAt(tier.used, seconds);
      const budget = valueAt(tier.budget, seconds);
      if (used === null) return missing;
      return bytesText(used) + (budget > 0 ? ` of ${bytesText(budget)}` : "");
    };
    const chart = timeChart({
      lines: [{ ...tier.used, color, steps: true }, ...(limited ? [budgetLine] : [])],
      duration, factor: 1 / 1048576, title: "in use, MiB", marks, seek: seekTo,
      label: `Occupancy of ${tier.name} over time`,
      describe: (seconds) => `${clockText(seconds)}\n${tier.name}: ${textAt(seconds)}`,
    });
    const reading = element("span", { class: "reading" });
    const faults = Object.entries(tier.injected_faults).map(([kind, n]) => `${kind} ${whole(n)}`).join(", ");
    const figure = element("figure", { "data-tier": tier.name },
      element("figcaption", {}, named(tier.name), tier.throttled ? " (throttled): " : ": ", reading), chart.node,
      faults ? element("p", { class: "note" }, "Injected faults over the run: ", named(faults)) : null);
    byId("tiers").append(figure);
    movers.push((now) => {
      chart.move(now);
      reading.textContent = textAt(now);
      figure.dataset.used = valueAt(tier.used, now) ?? "";
      figure.dataset.budget = valueAt(tier.budget, now) ?? "";
    });
  });
}

function showHits() {
  const { window: last, answers, sources } = data.hits;
  byId("hits-note").append(`Share of requests that a tier served, over the last ${last} answers; dashed: since the ` +
    `beginning. n = ${whole(answers)} answers, warm-up excluded.`);
  const lines = [];
  const items = sources.map((source, i) => {
    const place = data.tiers.findIndex((tier) => tier.name === source.name);
    const color = segmentColors[(place < 0 ? data.tiers.length + i : place) % segmentColors.length];
    lines.push({ ...source.recent, color }, { ...source.all, color, aside: true });
    const values = element("span", {});
    return { source, values, item: element("li", { class: `s${color}`, "data-source": source.name }, values) };
  });
  const percent = (series, now) => `${fixed(valueAt(series, now) ?? NaN, 1)} %`;
  const textAt = (source, now) => `${percent(source.recent, now)}, since the beginning ${percent(source.all, now)}`;
  const describe = (seconds) =>
    [clockText(seconds), ...sources.map((one) => `${one.name}: ${textAt(one, seconds)}`)].join("\n");
  const chart = timeChart({
    lines, duration, factor: 1, title: "served, %", marks: data.annotations.map((one) => one.t), seek: seekTo,
    label: "Hit rates over time; the list below has the values", describe,
  });
  byId("hits").append(element("figure", {}, chart.node,
    element("ul", { class: "legend" }, ...items.map(({ item }) => item))));
  movers.push((now) => {
    chart.move(now);
    for (const { source, values, item } of items) {
      values.replaceChildren(named(source.name), `: ${textAt(source, now)}`);
      item.dataset.recent = valueAt(source.recent, now) ?? "";
      item.dataset.all = valueAt(source.all, now) ?? "";
    }
  });
}

// Lists.

function timeButton(seconds) {
  const attributes = { type: "button", class: "link", title: "Move the slider here" };
  const button = element("button", attributes, clockText(seconds));
  button.addEventListener("click", () => seekTo(seconds));
  return button;
}

function showAnnotations() {
  const kinds = { setting: "setting changed", drift: "drift", profile: "re-profiled", fault: "fault" };
  const times = data.annotations.map((one) => one.t);
  let shown = -1;
  movers.push((now) => {
    const count = countUntil(times, now);
    if (count === shown) return;
    shown = count;
    const rows = data.annotations.slice(Math.max(0, count - shownAnnotations), count).reverse();
    byId("annotations").dataset.count = count;
    byId("annotations").replaceChildren(rows.length === 0 ? "None so far." : table(
      count > shownAnnotations ? `The newest ${shownAnnotations} of ${whole(count)}` : "",
      [{ text: "time" }, { text: "kind", name: true }, { text: "what", name: true }],
      rows.map(({ t, kind, text }) => [timeButton(t), kinds[kind] || kind, named(text)])));
  });
}

const requestTimes = [["queue", "queue"], ["lookup", "lookup"], ["load", "load"], ["unpack", "unpack"],
  ["context_prefill", "context prefill"], ["question_prefill", "question prefill"]];

class RequestTable {
  constructor() {
    const { requests } = data;
    this.requests = requests;
    this.page = 0;
    this.shown = "";
    this.matching = requests.t.map((_, i) => i);
    this.filter = element("input", { type: "search", "aria-label": "Filter by context, tier or form of the KV cache",
      placeholder: "Filter: context, tier, form", title: "Filter by context, tier or form of the KV cache" });
    this.filter.addEventListener("input", () => this.match());
    this.newer = element("button", { type: "button", title: "Show newer requests" }, "Newer");
    this.older = element("button", { type: "button", title: "Show older requests" }, "Older");
    this.newer.addEventListener("click", () => this.turn(-1));
    this.older.addEventListener("click", () => this.turn(1));
    this.range = element("span", { class: "reading" });
    byId("requests-tools").append(this.filter, this.newer, this.older, this.range);
    byId("requests-note").append("One row per request up to the time of the slider, newest first, times in ms. ",
      "TTFT excludes queueing; it is the sum of lookup to question prefill and of what is between them. ",
      "Gray: warm-up, canceled, or not held out.");
  }
  name(column, i) {
    return this.requests.names[column][this.requests[column][i]];
  }
  match() {
    const wanted = this.filter.value.toLowerCase();
    const fits = (i) =>
      ["context", "source", "kv"].some((column) => this.name(column, i).toLowerCase().includes(wanted));
    this.matching = this.requests.t.map((_, i) => i).filter(fits);
    this.page = 0;
    this.show(state.time);
  }
  turn(pages) {
    this.page += pages;
    this.show(state.time);
  }
  show(now) {
    const answered = countUntil(this.requests.t, now);
    const count = countUntil(this.matching, answered, true);
    const pages = Math.max(1, Math.ceil(count / rowsPerPage));
    this.page = Math.min(pages - 1, Math.max(0, this.page));
    const end = count - this.page * rowsPerPage;
    const begin = Math.max(0, end - rowsPerPage);
    const key = `${begin} ${end} ${this.filter.value}`;
    byId("run").dataset.answered = answered;
    this.newer.disabled = this.page === 0;
    this.older.disabled = this.page === pages - 1;
    this.range.textContent = count === 0 ? "No request" : `${whole(begin + 1)} to ${whole(end)} of ${whole(count)}`;
    if (key === this.shown) return;
    this.shown = key;
    const places = this.matching.slice(begin, end).reverse();
    byId("requests").replaceChildren(table("", this.columns(), places.map((i) => this.row(i))));
  }
  columns() {
    const columns = [{ text: "answered" }, { text: "context", name: true }];
    if (data.segments.length > 1) columns.push({ text: "settings", name: true });
    columns.push({ text: "source", name: true }, { text: "KV cache", name: true }, { text: "TTFT" });
    for (const [, text] of requestTimes) columns.push({ text });
    columns.push({ text: data.metric || "quality" });
    if (data.texts !== null) columns.push({ text: "texts", name: true });
    return columns;
  }
  row(i) {
    const { requests } = this;
    const ms = (value) => fixed(value === null ? NaN : value * 1000, 1);
    const miss = this.name("miss", i);
    const cells = [timeButton(requests.t[i]), named(this.name("context", i))];
    if (data.segments.length > 1) cells.push(named(data.segments[requests.segment[i]].name));
    cells.push(named(this.name("source", i) + (miss ? ` (${miss})` : "")), named(this.name("kv", i)));
    const provenance = requests.provenance[i];
    cells.push(element("td", { class: provenance, title: provenance }, ms(requests.ttft[i]) + markOf(provenance)));
    for (const [column] of requestTimes) cells.push(ms(requests[column][i]));
    const { quality } = requests;
    cells.push(fixed(quality[i] === null ? NaN : quality[i], 3));
    if (data.texts !== null) cells.push(this.texts(i));
    return { cells, class: requests.flags[i] === 0 ? null : "aside" };
  }
  texts(i) {
    const { question, answer, reference, full } = data.texts;
    const text = (value) => element("span", { class: "text" }, value);
    const canceled = (this.requests.flags[i] & canceledFlag) !== 0;
    return element("details", {}, element("summary", {}, canceled ? "Canceled" : "Answer"),
      facts([["Question", text(question[i])], ["Answer", text(answer[i])], ["Reference answer", text(reference[i])],
        ["Full KV cache", text(full[i])]]));
  }
}

function showRequests() {
  const requests = new RequestTable();
  movers.push((now) => requests.show(now));
}

// Playback.

/// Seconds of the run per second.
function playbackSpeed() {
  const chosen = Number(byId("speed").value);
  return chosen > 0 ? chosen : Math.max(duration, 1) / 30;
}

function setPlaying(playing) {
  if (playing && state.time >= duration) seekTo(data.run.first_request_seconds);
  state.playing = playing && duration > 0;
  state.stamp = null;
  byId("play").textContent = state.playing ? "Pause" : "Play";
  byId("play").setAttribute("aria-pressed", String(state.playing));
  if (state.playing) requestAnimationFrame(playFrame);
}
function playFrame(stamp) {
  if (!state.playing) return;
  const passed = state.stamp === null ? 0 : (stamp - state.stamp) / 1000;
  state.stamp = stamp;
  seekTo(state.time + passed * playbackSpeed());
  if (state.time >= duration) setPlaying(false);
  else requestAnimationFrame(playFrame);
}

/// To the next of `times` in a direction, else to the end of the run there.
function stepAlong(times, forward) {
  const place = forward ? countUntil(times, state.time) : countUntil(times, state.time, true) - 1;
  seekTo(place < 0 ? 0 : place >= times.length ? duration : times[place]);
}

function onKey(event) {
  const { target } = event;
  const slider = target === byId("time");
  const takesKeys = !slider && target instanceof Element && target.closest("input, select, textarea") !== null;
  const takesSpace = target instanceof Element && target.closest("button, summary") !== null;
  if (takesKeys || event.ctrlKey || event.altKey || event.metaKey) return;
  const times = event.shiftKey ? data.annotations.map((one) => one.t) : data.requests.t;
  const actions = {
    " ": takesSpace ? null : () => setPlaying(!state.playing),
    ArrowLeft: () => stepAlong(times, false),
    ArrowRight: () => stepAlong(times, true),
    Home: slider ? () => seekTo(0) : null,
    End: slider ? () => seekTo(duration) : null,
  };
  const action = own(actions, event.key);
  if (action === null) return;
  event.preventDefault();
  action();
}

function connectTransport() {
  const slider = byId("time");
  slider.max = String(duration);
  const fixedSpeeds = [1, 2, 5, 10, 50, 100].map((speed) => [String(speed), `${speed}\u00d7`]);
  const speeds = [["0", "whole run in 30 s"], ...fixedSpeeds];
  byId("speed").append(...speeds.map(([value, text]) => element("option", { value }, text)));
  slider.addEventListener("input", () => seekTo(Number(slider.value)));
  byId("play").addEventListener("click", () => setPlaying(!state.playing));
  byId("back").addEventListener("click", () => stepAlong(data.requests.t, false));
  byId("next").addEventListener("click", () => stepAlong(data.requests.t, true));
  document.addEventListener("keydown", onKey);
  movers.push((now) => {
    slider.value = String(now);
    const text = `${clockText(now)} of ${clockText(duration)}`;
    byId("clock").textContent = text;
    slider.setAttribute("aria-valuetext", text);
    byId("run").dataset.time = now;
  });
}

/// "#t=12.5": the page opens at that second of the run; else at its end.
function timeOfAddress() {
  const given = /^#t=([0-9.]+)$/.exec(window.location.hash);
  return given === null ? duration : Number(given[1]);
}

showHead();
showFrontier();
showTiers();
showHits();
showAnnotations();
showRequests();
showSettings();
showAbout();
connectTransport();
seekTo(timeOfAddress());
window.addEventListener("hashchange", () => seekTo(timeOfAddress()));
document.documentElement.dataset.ready = "true";
