// The lesson's page: draws what the file holds, as text and shapes only. Nothing is fetched.
"use strict";
const lesson = JSON.parse(document.getElementById("lesson").textContent);
const find = (id) => document.getElementById(id);
const notes = new Map(lesson.notes.map((note) => [note.id, note]));
const last = lesson.frames.length - 1;
const HEIGHT = 22;
const LETTER = 6.9;
const PLAY_MS = 700;
const state = { at: 0, note: "", said: null, timer: null };

function make(tag, text = "", attributes = {}) {
  const made = document.createElement(tag);
  made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function shape(tag, attributes, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  return made;
}

const number = (value) => (value > 0 && value < 1e-4 ? value.toExponential(1) : Number(value.toPrecision(4)).toString());
const percent = (value) => `${(100 * value).toFixed(1)}%`;
const radius = (mass) => 2 + lesson.unit_radius * Math.sqrt(Math.max(mass, 0));

// --- the graph ---------------------------------------------------------------------------------------------------------

const discs = [];
const ghosts = [];
const groups = new Map();

function drawGraph() {
  const graph = find("graph");
  lesson.nodes.forEach(measure);
  const xs = lesson.nodes.flatMap((node) => [node.x - node.width / 2 - 40, node.x + node.width / 2 + 10]);
  const ys = [...lesson.nodes.map((node) => node.y), ...lesson.captions.map((caption) => caption[2])];
  const [left, top] = [Math.min(...xs), Math.min(...ys) - 20];
  graph.setAttribute("viewBox", `${left} ${top} ${Math.max(...xs) - left} ${Math.max(...ys) + 30 - top}`);
  for (const edge of lesson.edges) graph.append(drawEdge(edge));
  for (const [text, x, y] of lesson.captions) graph.append(shape("text", { class: "caption", x, y }, text));
  lesson.nodes.forEach((node, place) => graph.append(drawNode(node, place)));
  const hidden = lesson.nodes_in_case - lesson.nodes.length;
  find("legend").textContent =
    `${lesson.nodes.length} of ${lesson.nodes_in_case} nodes, ${hidden} with less mass are hidden · ▶ where the walk starts · ` +
    "★ gold, evidence of the answer · area: mass now · outline: mass in the end";
}

function drawEdge(edge) {
  const [a, b] = [lesson.nodes[edge.source], lesson.nodes[edge.target]].sort((one, other) => one.x - other.x);
  const is_beside = a.kind === b.kind;
  const end = is_beside ? b.right : b.left;
  const bend = is_beside ? Math.max(a.right, b.right) + 22 : (a.right + b.left) / 2;
  const path = `M${a.right},${a.y} C${bend},${a.y} ${bend},${b.y} ${end},${b.y}`;
  const made = shape("path", { class: "edge", d: path, stroke: `var(--edge-${edge.kind})` });
  if (edge.kind === "chronological") made.setAttribute("stroke-dasharray", "2 4");
  return made;
}

// The words in a node's box, and where the box begins and ends.
function measure(node) {
  const sign = `${node.seed > 0 ? "▶ " : ""}${node.is_gold ? "★ gold " : ""}`;
  const room = Math.floor((node.width - 14) / LETTER) - sign.length;
  let words = node.kind === "ontology" ? node.label.split("/").pop() : node.label;
  // Of a path the end tells more than the beginning.
  while (node.kind !== "file" && words.length > room && words.replace("…/", "").includes("/")) {
    words = `…/${words.replace("…/", "").split("/").slice(1).join("/")}`;
  }
  node.words = sign + (words.length > room ? `${words.slice(0, room - 1)}…` : words);
  node.left = node.x - node.width / 2;
  // Concepts are indented by their depth: a box no wider than its words leaves room for the next column.
  node.right = node.left + (node.kind === "ontology" ? Math.min(node.width, 16 + LETTER * node.words.length) : node.width);
}

function drawNode(node, place) {
  const marks = `${node.seed > 0 ? " seed" : ""}${node.is_gold ? " gold" : ""}`;
  const group = shape("g", { class: `node ${node.kind}${marks}` });
  const { left, right, words } = node;
  const centre = { cx: left - 14, cy: node.y };
  const look = { fill: `var(--${node.kind}-fill)`, stroke: `var(--${node.kind})`, rx: node.kind === "tag" ? 10 : 3 };
  discs[place] = shape("circle", { class: "disc", ...centre, fill: `var(--${node.kind})` });
  ghosts[place] = shape("circle", { class: "ghost", ...centre });
  group.append(
    shape("title", {}, `${node.kind === "file" ? "note" : node.kind}: ${node.name}`),
    shape("rect", { class: "box", x: left, y: node.y - HEIGHT / 2, width: right - left, height: HEIGHT, ...look }),
    shape("text", { x: left + 8, y: node.y }, words),
    discs[place],
    ghosts[place],
  );
  const note = node.kind === "file" ? node.id.slice("file:".length) : "";
  if (notes.has(note)) {
    for (const [name, value] of Object.entries({ tabindex: 0, role: "button", "aria-label": `Read: ${node.name}` })) {
      group.setAttribute(name, value);
    }
    group.addEventListener("click", () => choose(note));
    group.addEventListener("keydown", (event) => event.key === "Enter" && choose(note));
    groups.set(note, group);
  }
  return group;
}

// --- the steps ---------------------------------------------------------------------------------------------------------

function go(at) {
  state.at = state.said === null ? 0 : Math.min(Math.max(at, 0), last);
  if (state.at === last) pause();
  show();
}

function pause() {
  clearInterval(state.timer);
  state.timer = null;
  find("play").textContent = "Play";
}

function play() {
  if (state.timer !== null) return pause();
  if (state.said === null) return undefined;
  if (state.at === last) go(0);
  state.timer = setInterval(() => go(state.at + 1), PLAY_MS);
  find("play").textContent = "Pause";
  return undefined;
}

function show() {
  const frame = lesson.frames[state.at];
  const final = lesson.frames[last];
  frame.mass.forEach((mass, place) => {
    discs[place].setAttribute("r", radius(mass));
    ghosts[place].setAttribute("r", state.said === null ? 0 : radius(final.mass[place]));
  });
  const is_locked = state.said === null;
  for (const id of ["first", "back"]) find(id).disabled = is_locked || state.at === 0;
  for (const id of ["forward", "last"]) find(id).disabled = is_locked || state.at === last;
  for (const id of ["play", "slider"]) find(id).disabled = is_locked;
  find("slider").value = state.at;
  find("iteration").textContent = `step ${frame.iteration} of ${final.iteration}`;
  const residual = frame.residual === null ? "" : ` · moved by this step ${number(frame.residual)}`;
  const sent = frame.iteration ? ` · ${percent(frame.teleport)} went back to the start` : "";
  find("line").textContent = `${percent(frame.hidden)} of the mass is on hidden nodes${sent}${residual}`;
  showRanks(frame, state.at ? lesson.frames[state.at - 1] : frame);
  showPredict();
  showNote();
}

function showRanks(frame, before) {
  const places = new Map(before.top.map((each, at) => [each.note, at]));
  find("top").replaceChildren(...frame.top.map((each, at) => {
    const note = notes.get(each.note);
    const was = places.get(each.note);
    const move = was === undefined ? "new" : was > at ? `▲${was - at}` : was < at ? `▼${at - was}` : "";
    const line = make("button", "", { type: "button", class: `${note.is_gold ? "gold" : ""} ${each.note === state.note ? "chosen" : ""}` });
    line.append(make("span", `${each.is_tied ? "=" : ""}${at + 1} ${move}`, { class: "rank" }));
    if (note.is_gold) line.append(make("span", "★ gold", { class: "goldword" }));
    line.append(make("span", note.title));
    line.addEventListener("click", () => choose(each.note));
    const item = make("li");
    item.append(line);
    return item;
  }));
  const has_gold = lesson.notes.some((note) => note.is_gold);
  const rank = frame.gold_rank === null ? `not among the ${frame.ranked} ranked` : `at rank ${frame.gold_rank} of ${frame.ranked}`;
  find("goldrank").textContent = has_gold ? `★ gold is ${rank}` : "";
}

// --- predict, then reveal ----------------------------------------------------------------------------------------------

function showPredict() {
  const { asked, options, answer } = lesson.predict;
  const box = find("predict");
  if (state.said === null) {
    if (box.childElementCount) return;
    const row = make("div", "", { class: "options" });
    options.forEach((option, at) => {
      const button = make("button", option, { type: "button" });
      button.addEventListener("click", () => predict(at));
      row.append(button);
    });
    box.append(make("strong", `Predict. ${asked}`), row);
    return;
  }
  const is_over = box.dataset.over === "yes" || state.at === last;
  if (is_over) box.dataset.over = "yes";
  const verdict = state.said === answer ? `As you predicted: ${options[answer]}.` : `It is otherwise: ${options[answer]}.`;
  const wait = "Step on, or play, to the last step to see.";
  box.replaceChildren(
    make("span", asked, { class: "muted" }),
    make("div", `You said: ${options[state.said]}. ${is_over ? verdict : wait}`),
  );
  find("answer").hidden = !(is_over && lesson.answer);
  find("events").hidden = !is_over; // they name the rank that was to be predicted
}

function predict(at) {
  state.said = at;
  show();
  find("forward").focus();
}

// --- the chosen note ---------------------------------------------------------------------------------------------------

function choose(note) {
  state.note = note;
  show();
}

function showNote() {
  groups.forEach((group, id) => group.classList.toggle("chosen", id === state.note));
  const note = notes.get(state.note);
  const box = find("note");
  if (box.dataset.note === state.note && find("parts").dataset.said === String(state.said)) return;
  box.dataset.note = state.note;
  find("parts").dataset.said = String(state.said);
  if (!note) {
    box.replaceChildren(make("p", "Choose a note in the picture or the list to read it.", { class: "muted" }));
    find("parts").replaceChildren();
    return;
  }
  const body = make("div", "", { class: "scroll" });
  for (const turn of note.turns) {
    const made = make("div", "", { class: `turn ${turn.is_evidence ? "evidence" : ""}`, dir: "auto" });
    made.append(make("div", turn.speaker + (turn.is_evidence ? " · ★ evidence" : ""), { class: "muted" }), make("div", turn.text));
    body.append(made);
  }
  for (const [category, path] of note.tags) body.append(make("div", `${category}: ${path}`, { class: "muted" }));
  box.replaceChildren(make("h2", note.title), make("p", (note.is_gold ? "★ gold · " : "") + note.when, { class: "muted" }), body);
  showParts(note);
}

function showParts(note) {
  const box = find("parts");
  if (state.said === null) {
    box.replaceChildren(make("p", "What brings this note its score is shown after the prediction.", { class: "muted" }));
    return;
  }
  box.replaceChildren(make("h2", `What brought it ${number(note.score)} in the end`));
  if (!note.score) box.append(make("p", "Nothing: no mass reaches this note.", { class: "muted" }));
  for (const [title, parts] of [["From where it started", note.seeds], ["Over which last edge it came", note.edges]]) {
    if (!parts.length) continue;
    box.append(make("p", `${title}; the parts sum to the score`, { class: "muted" }));
    const list = make("div", "", { class: "scroll" });
    list.append(...parts.map((part) => bar(part, parts[0].value, note.score)));
    box.append(list);
  }
}

function bar(part, widest, score) {
  const made = make("div", "", { class: "part" });
  const track = make("span", "", { class: "track" });
  const fill = make("span", "", { class: "fill" });
  fill.style.width = `${widest > 0 ? Math.min(100, (100 * part.value) / widest) : 0}%`;
  track.append(fill);
  const name = make("span", part.name + (part.detail ? ` (${part.detail})` : ""));
  const share = (100 * part.value) / score;
  const said = share > 0 && share < 1 ? "<1%" : `${Math.round(share)}%`;
  made.append(name, make("span", `${number(part.value)} · ${said}`, { class: "value" }), track);
  return made;
}

// --- begin -------------------------------------------------------------------------------------------------------------

function onKey(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || /^(INPUT|SELECT)$/.test(event.target.tagName)) return;
  const is_button = event.target.tagName === "BUTTON";
  if (event.key === "ArrowRight") go(state.at + 1);
  else if (event.key === "ArrowLeft") go(state.at - 1);
  else if (event.key === " " && !is_button) play();
  else return;
  event.preventDefault();
}

function begin() {
  find("question").textContent = lesson.question;
  find("about").textContent = [`${lesson.case} · AdaptiveGraph, alpha ${lesson.alpha}`, ...lesson.remarks].join(" · ");
  find("answer").textContent = `The expected answer: ${lesson.answer}`;
  const events = lesson.events.map(([at, text]) => make("option", `step ${at}: ${text}`, { value: at }));
  find("events").append(make("option", "Jump to …", { value: "" }), ...events);
  find("events").addEventListener("change", (event) => {
    const wanted = Number(event.target.value);
    if (event.target.value !== "") go(lesson.frames.findIndex((frame) => frame.iteration === wanted));
    event.target.value = "";
  });
  find("slider").max = last;
  find("slider").addEventListener("input", (event) => go(Number(event.target.value)));
  const moves = { first: () => go(0), back: () => go(state.at - 1), play, forward: () => go(state.at + 1), last: () => go(last) };
  for (const [id, move] of Object.entries(moves)) find(id).addEventListener("click", move);
  document.addEventListener("keydown", onKey);
  drawGraph();
  const gold = lesson.notes.find((note) => note.is_gold);
  state.note = gold ? gold.id : lesson.frames[0].top.length ? lesson.frames[0].top[0].note : "";
  show();
}

begin();
