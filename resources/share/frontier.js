
// The frontier: mean TTFT against mean quality of each segment of settings, of the answers up to the time of the
// slider, and of all of them with 95 % intervals. Predictions are those that plans recorded.

const segmentColors = [0, 1, 2, 3, 4, 5, 7];
const trailPoints = 300;

function own(object, key) {
  return Object.prototype.hasOwnProperty.call(object, key) ? object[key] : null;
}

/// Every k-th element of `list`, and the last.
function everyFew(list, most) {
  const step = Math.ceil(list.length / most);
  return list.filter((_, i) => i % step === 0 || i === list.length - 1);
}

class SegmentView {
  constructor(segment, place, metric) {
    this.segment = segment;
    this.color = segmentColors[place % segmentColors.length];
    this.quality = own(segment.quality, metric);
    const { t, ttft, quality } = segment.running;
    this.moments = t.map((seconds, i) => ({ seconds, ttft: ttft[i], quality: quality[i] }));
    this.trail = everyFew(this.moments.filter((one) => one.ttft !== null && one.quality !== null), trailPoints);
    this.trailPath = drawn("path", { class: `line future s${this.color}` });
    this.cross = drawn("path", { class: `line s${this.color}` });
    this.dot = drawn("circle", { class: `dot s${this.color}`, r: 5, visibility: "hidden" });
    this.dot.addEventListener("pointermove", (event) => showTip(event, this.text));
    this.dot.addEventListener("pointerleave", hideTip);
    this.values = element("span", {});
    this.item = element("li", { class: `s${this.color}`, "data-segment": segment.name }, this.values);
    this.metric = metric;
  }
  /// Numbers of both axes: {x, y}, x in ms. The means of the first few answers are left out.
  ranges() {
    const settled = this.moments.slice(Math.min(5, Math.max(0, this.moments.length - 1)));
    const x = settled.map((one) => one.ttft).filter((value) => value !== null);
    const y = settled.map((one) => one.quality).filter((value) => value !== null);
    for (const [list, of] of [[x, this.segment.ttft], [y, this.quality]])
      if (of) list.push(...[of.mean, of.low, of.high].filter((value) => value !== null));
    return { x: x.map((value) => value * 1000), y };
  }
  /// What is known `now`: the means of the answers so far, with intervals once all are there.
  stateAt(now) {
    const { running } = this.segment;
    const count = countUntil(running.t, now);
    if (count === 0) return { n: 0, ttft: null, quality: null, complete: false };
    if (count === running.t.length)
      return { n: running.n[count - 1], ttft: this.segment.ttft.mean, quality: this.quality ? this.quality.mean : null,
        complete: true };
    return { n: running.n[count - 1], ttft: running.ttft[count - 1], quality: running.quality[count - 1],
      complete: false };
  }
  textOf(state) {
    const { ttft } = this.segment;
    const mean = (value) => ({ mean: value, low: null });
    const time = meanText(state.complete ? ttft : mean(state.ttft), 1000, 1, " ms");
    const score = meanText(state.complete ? this.quality : mean(state.quality), 1, 3, "");
    return `mean TTFT (service) ${time}${markOf(ttft.provenance)}, ${this.metric} ${score}, ` +
      `n = ${whole(state.n)}${state.complete ? "" : " so far"}`;
  }
  move(now, x, y) {
    const state = this.stateAt(now);
    this.text = `${this.segment.name}: ${this.textOf(state)}`;
    this.values.replaceChildren(named(this.segment.name), `: ${this.textOf(state)}`);
    Object.assign(this.item.dataset, { n: state.n, ttft: state.ttft ?? "", quality: state.quality ?? "",
      complete: state.complete });
    if (!x) return;
    const known = state.ttft !== null && state.quality !== null;
    this.dot.setAttribute("visibility", known ? "visible" : "hidden");
    if (known) {
      this.dot.setAttribute("cx", x.at(state.ttft * 1000).toFixed(2));
      this.dot.setAttribute("cy", y.at(state.quality).toFixed(2));
    }
    const passed = this.trail.filter((one) => one.seconds <= now);
    this.trailPath.setAttribute("d", passed.map((one, i) =>
      `${i === 0 ? "M" : "L"}${x.at(one.ttft * 1000).toFixed(2)} ${y.at(one.quality).toFixed(2)}`).join(""));
    this.cross.setAttribute("class", `line s${this.color}${state.complete ? "" : " future"}`);
  }
  /// The intervals of both means.
  drawCross(x, y) {
    const { ttft } = this.segment;
    if (ttft.mean === null || !this.quality || this.quality.mean === null) return;
    const across = x.at(ttft.mean * 1000).toFixed(2);
    const down = y.at(this.quality.mean).toFixed(2);
    let path = `M${across} ${down}h0`;
    if (ttft.low !== null) path += `M${x.at(ttft.low * 1000).toFixed(2)} ${down}H${x.at(ttft.high * 1000).toFixed(2)}`;
    if (this.quality.low !== null)
      path += `M${across} ${y.at(this.quality.low).toFixed(2)}V${y.at(this.quality.high).toFixed(2)}`;
    this.cross.setAttribute("d", path);
  }
}

/// Predicted means by policy and alpha: the latest plan of each up to `now`, in the order of alpha.
function plansAt(plans, now) {
  const policies = new Map();
  const count = countUntil(plans.t, now);
  for (let i = 0; i < count; ++i) {
    if (plans.ttft[i] === null || plans.quality[i] === null) continue;
    if (!policies.has(plans.policy[i])) policies.set(plans.policy[i], new Map());
    policies.get(plans.policy[i]).set(plans.alpha[i],
      { policy: plans.policy[i], alpha: plans.alpha[i], ttft: plans.ttft[i] * 1000, quality: plans.quality[i] });
  }
  return [...policies.values()].map((plan) => [...plan.values()].sort((a, b) => a.alpha - b.alpha));
}

function drawPlans(group, plans, x, y) {
  group.replaceChildren();
  for (const line of plans) {
    const places = line.map((plan) => [x.at(plan.ttft).toFixed(2), y.at(plan.quality).toFixed(2)]);
    const d = places.map(([across, down], i) => `${i === 0 ? "M" : "L"}${across} ${down}`).join("");
    group.append(drawn("path", { class: "line aside s6", d }));
    line.forEach((plan, i) => {
      const mark = drawn("path", { class: "predicted s6", d: `M${places[i][0]} ${places[i][1]}m0 -5l5 5l-5 5l-5 -5z` });
      const text = `${plan.policy}, alpha ${plan.alpha}: predicted mean TTFT (service) ${fixed(plan.ttft, 1)} ms, ` +
        `quality ${fixed(plan.quality, 3)}`;
      mark.addEventListener("pointermove", (event) => showTip(event, text));
      mark.addEventListener("pointerleave", hideTip);
      group.append(mark);
    });
  }
}

/// {node, move(seconds)}
function frontierChart(data) {
  const views = data.segments.map((segment, i) => new SegmentView(segment, i, data.metric));
  const xs = [];
  const ys = [];
  for (const view of views) {
    const { x, y } = view.ranges();
    for (const value of x) xs.push(value);
    for (const value of y) ys.push(value);
  }
  for (const line of plansAt(data.plans, Infinity))
    for (const plan of line) {
      xs.push(plan.ttft);
      ys.push(plan.quality);
    }
  const legend = element("ul", { class: "legend" }, ...views.map((view) => view.item));
  const node = element("figure", { id: "frontier-chart" });
  let x = null;
  let y = null;
  const plans = drawn("g", {});
  let plannedCount = -1;
  if (xs.length > 0 && ys.length > 0) {
    const low = (list) => list.reduce((a, b) => Math.min(a, b), Infinity);
    const high = (list) => list.reduce((a, b) => Math.max(a, b), -Infinity);
    const logarithmic = low(xs) > 0 && high(xs) > 3 * low(xs);
    const bottom = box.height - box.bottom;
    x = logarithmic ? logScale(low(xs), high(xs), box.left, box.width - box.right)
      : linearScale(low(xs), high(xs), box.left, box.width - box.right, 6);
    y = linearScale(low(ys), high(ys), bottom, box.top, 5);
    const inside = clipBox(box.width - box.right - box.left);
    for (const view of views) view.drawCross(x, y);
    node.append(drawn("svg", { viewBox: `0 0 ${box.width} ${box.height}`, role: "img",
      "aria-label": "Mean TTFT against mean quality of each segment of settings; the list below has the values" },
      inside.node,
      axes(x, y, { x: `mean TTFT (service), ms${logarithmic ? " (logarithmic)" : ""}`, y: data.metric }),
      drawn("g", { "clip-path": inside.use }, plans, ...views.map((view) => view.trailPath),
        ...views.map((view) => view.cross), ...views.map((view) => view.dot))));
  }
  node.append(legend);
  return {
    node,
    move(now) {
      for (const view of views) view.move(now, x, y);
      const count = countUntil(data.plans.t, now);
      if (x === null || count === plannedCount) return;
      plannedCount = count;
      const lines = plansAt(data.plans, now);
      drawPlans(plans, lines, x, y);
      node.dataset.predicted = lines.reduce((sum, line) => sum + line.length, 0);
    },
  };
}
