// Scripts of the browser's test, apart from its class: moc reads no class behind a raw string with quotes.
#pragma once

namespace kvantage::test {

/// What a test's own script leaves in the page: JSON, as a component of an address so that no letter is markup.
inline constexpr const char* probe_script = R"js(
const probed = {};
function note(name) {
  const figures = [...document.querySelectorAll("[data-tier]")];
  const hits = [...document.querySelectorAll("[data-source]")];
  const segments = [...document.querySelectorAll("[data-segment]")];
  probed[name] = { time: byId("run").dataset.time, answered: byId("run").dataset.answered,
    slider: byId("time").value, play: byId("play").textContent, marks: byId("annotations").dataset.count,
    rows: document.querySelectorAll("#requests tbody tr").length, charts: document.querySelectorAll("svg").length,
    foreign: document.querySelectorAll("img, b, [onload], [onerror]").length,
    tiers: figures.map((one) => ({ ...one.dataset })), hits: hits.map((one) => ({ ...one.dataset })),
    segments: segments.map((one) => ({ ...one.dataset })) };
}
function move(seconds) {
  byId("time").value = String(seconds);
  byId("time").dispatchEvent(new Event("input", { bubbles: true }));
}
function press(key, shiftKey) {
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey, bubbles: true, cancelable: true }));
}
)js";
inline constexpr const char* probe_tail = R"js(
const probe = document.createElement("pre");
probe.id = "probe";
probe.textContent = encodeURIComponent(JSON.stringify(probed));
document.body.append(probe);
)js";
inline constexpr const char* keyboard_steps = R"js(
move(2.525);
press("ArrowRight"); note("right");
press("ArrowRight"); note("right again");
press("ArrowLeft"); note("left");
press("ArrowRight", true); note("annotation");
press("ArrowLeft", true); note("annotation before");
byId("next").click(); note("next");
byId("back").click(); note("back");
press(" "); note("playing");
press(" "); note("paused");
document.querySelector("#annotations button").click(); note("chosen");
document.querySelector("#requests-tools input").value = "no such context";
document.querySelector("#requests-tools input").dispatchEvent(new Event("input")); note("filtered");
)js";

}  // namespace kvantage::test
