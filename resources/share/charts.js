
// Axes, and charts over time: lines that are pale beyond the time of the slider.

function roundStep(raw) {
  const power = 10 ** Math.floor(Math.log10(raw));
  for (const factor of [1, 2, 5]) if (raw / power * 0.999 <= factor) return factor * power;
  return 10 * power;
}
/// Round positions that cover [low, high].
function ticksOf(low, high, wanted) {
  if (!(high > low)) high = low + (low === 0 ? 1 : Math.abs(low) * 0.1);
  const step = roundStep((high - low) / wanted);
  const ticks = [];
  for (let i = Math.floor(low / step + 1e-9); ticks.length < 50; ++i) {
    ticks.push(i * step);
    if (i * step >= high - step * 1e-9) break;
  }
  return ticks;
}
function decimalsOf(step) {
  return step >= 1 || !(step > 0) ? 0 : Math.min(6, Math.ceil(-Math.log10(step) - 1e-9));
}
/// From a quantity to a place between `from` and `to`.
function linearScale(low, high, from, to, wanted) {
  const ticks = ticksOf(low > 0 && low < 0.7 * high ? 0 : low, high, wanted);
  const first = ticks[0];
  const last = ticks[ticks.length - 1];
  return {
    ticks,
    at: (value) => from + (value - first) / (last - first) * (to - from),
    label: (tick) => tick.toFixed(decimalsOf(ticks[1] - ticks[0])),
  };
}
/// Of a positive range: ticks at 1, 2 and 5 times powers of ten.
function logScale(low, high, from, to) {
  const all = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power)
    for (const factor of [1, 2, 5]) all.push(factor * 10 ** power);
  const begin = Math.max(0, all.findIndex((tick) => tick > low * 1.000001) - 1);
  const end = all.findIndex((tick) => tick >= high * 0.999999);
  const ticks = all.slice(begin, end < begin + 1 ? begin + 2 : end + 1);
  const first = Math.log10(ticks[0]);
  const last = Math.log10(ticks[ticks.length - 1]);
  return {
    ticks,
    at: (value) => from + (Math.log10(Math.max(value, 1e-12)) - first) / (last - first) * (to - from),
    label: (tick) => tick.toFixed(decimalsOf(tick)),
  };
}

const box = { width: 640, height: 230, left: 58, right: 14, top: 12, bottom: 40 };

/// Grid, ticks and titles of both axes.
function axes(x, y, titles) {
  const bottom = box.height - box.bottom;
  const group = drawn("g", { "aria-hidden": "true" });
  let grid = `M${box.left} ${box.top}V${bottom}H${box.width - box.right}`;
  for (const tick of y.ticks) {
    const at = y.at(tick).toFixed(2);
    grid += `M${box.left} ${at}H${box.width - box.right}`;
    group.append(drawn("text", { x: box.left - 6, y: at, dy: "0.35em", "text-anchor": "end" }, y.label(tick)));
  }
  for (const tick of x.ticks)
    group.append(drawn("text", { x: x.at(tick).toFixed(2), y: bottom + 15, "text-anchor": "middle" }, x.label(tick)));
  const middle = (box.top + bottom) / 2;
  group.append(
    drawn("text", { x: (box.left + box.width - box.right) / 2, y: box.height - 6, "text-anchor": "middle" }, titles.x),
    drawn("text", { x: 14, y: middle, "text-anchor": "middle", transform: `rotate(-90 14 ${middle})` }, titles.y));
  group.prepend(drawn("path", { class: "grid", d: grid }));
  return group;
}

/// `series`: {t, v}. With `steps` a value holds until the next, and the last until `until`.
function linePath(series, x, y, steps, until) {
  let path = "";
  for (let i = 0; i < series.t.length; ++i) {
    const across = x.at(series.t[i]).toFixed(2);
    const down = y.at(series.v[i]).toFixed(2);
    if (path === "") path = `M${across} ${down}`;
    else path += steps ? `H${across}V${down}` : `L${across} ${down}`;
  }
  return steps && path !== "" ? `${path}H${x.at(until).toFixed(2)}` : path;
}

let clips = 0;

/// A box that clips what is drawn, from the left edge of the plot.
function clipBox(width) {
  const id = `clip${clips++}`;
  const rectangle = drawn("rect", { x: box.left, y: 0, width, height: box.height });
  return { node: drawn("clipPath", { id }, rectangle), use: `url(#${id})`, rectangle };
}

function showTip(event, text) {
  const tip = byId("tip");
  tip.textContent = text;
  tip.hidden = false;
  const right = event.clientX + 14 + tip.offsetWidth > window.innerWidth;
  tip.style.left = `${Math.max(0, right ? event.clientX - 14 - tip.offsetWidth : event.clientX + 14)}px`;
  tip.style.top = `${Math.min(event.clientY + 14, window.innerHeight - tip.offsetHeight - 4)}px`;
}
function hideTip() {
  byId("tip").hidden = true;
}

/// A chart over time. `lines`: {t, v, color, aside, steps}; `title`: of y, with `factor` to its unit; `label`: its
/// accessible name; `marks`: times of annotations; `describe(seconds)`: what its tip says; `seek(seconds)`: on a click.
function timeChart(options) {
  const { lines, duration } = options;
  const end = duration > 0 ? duration : 1;
  let high = 0;
  for (const line of lines) for (const value of line.v) high = Math.max(high, value);
  const bottom = box.height - box.bottom;
  const x = linearScale(0, end, box.left, box.width - box.right, 8);
  const y = linearScale(0, (high || 1) * options.factor, bottom, box.top, 4);
  const scaled = { at: (value) => y.at(value * options.factor) };
  const past = clipBox(0);
  const pale = drawn("g", { class: "future" });
  const strong = drawn("g", { "clip-path": past.use });
  for (const line of lines) {
    const d = linePath(line, x, scaled, line.steps, end);
    if (d === "") continue;
    const classes = `line s${line.color}${line.aside ? " aside" : ""}`;
    pale.append(drawn("path", { class: classes, d }));
    strong.append(drawn("path", { class: classes, d }));
  }
  let ticks = "";
  for (const seconds of options.marks) ticks += `M${x.at(seconds).toFixed(2)} ${bottom}v-7`;
  const now = drawn("path", { class: "now", d: "" });
  const svg = drawn("svg", { class: "seek", viewBox: `0 0 ${box.width} ${box.height}`, role: "img",
    "aria-label": options.label }, past.node, axes(x, y, { x: "time since the first event, s", y: options.title }),
    pale, strong, drawn("path", { class: "marks", d: ticks }), now);
  const secondsOf = (event) => {
    const frame = svg.getBoundingClientRect();
    const last = x.ticks[x.ticks.length - 1];
    const across = (event.clientX - frame.left) / frame.width * box.width;
    return Math.min(duration, Math.max(0, (across - box.left) / (box.width - box.right - box.left) * last));
  };
  svg.addEventListener("pointermove", (event) => showTip(event, options.describe(secondsOf(event))));
  svg.addEventListener("pointerleave", hideTip);
  svg.addEventListener("click", (event) => options.seek(secondsOf(event)));
  return {
    node: svg,
    move(seconds) {
      const across = x.at(seconds);
      past.rectangle.setAttribute("width", Math.max(0, across - box.left).toFixed(2));
      now.setAttribute("d", `M${across.toFixed(2)} ${box.top}V${bottom}`);
    },
  };
}
