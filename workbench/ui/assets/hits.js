// Draws rankings side by side. All text comes from notes and is set as text, never as HTML.
// Python hears of a hit when, and only when, a user clicks it.

export default function (component) {
  const { data, parentElement, setStateValue } = component;
  const root = parentElement.querySelector(".hits");
  const place = root.querySelector(".columns")?.scrollLeft ?? 0;
  for (const [name, colour] of Object.entries(data.colours)) root.style.setProperty(`--${name}`, colour);
  const columns = make("div", "columns");
  columns.append(...data.columns.map((column, at) => drawColumn(column, at, data, setStateValue)));
  const more = [-1, 1].map((way) => drawMore(columns, way));
  root.replaceChildren(columns, ...more);
  columns.scrollLeft = place; // a rerun must not throw the reader back to the first column
  linkEqualNotes(columns);
  const count = () => more.forEach((button) => countOutside(columns, button));
  columns.onscroll = count;
  root.watcher?.disconnect();
  root.watcher = new ResizeObserver(count);
  root.watcher.observe(columns);
  return () => root.watcher?.disconnect();
}

// A button at the side where columns are out of sight: how many, and a way to them.
function drawMore(columns, way) {
  const button = make("button", `more ${way < 0 ? "before" : "after"}`);
  button.type = "button";
  button.way = way;
  button.onclick = () => columns.scrollBy({ left: way * columns.clientWidth * 0.8, behavior: "smooth" });
  return button;
}

function countOutside(columns, button) {
  const { left, right } = columns.getBoundingClientRect();
  const boxes = [...columns.children].map((column) => column.getBoundingClientRect());
  const outside = boxes.filter((box) => (button.way < 0 ? box.left < left - 12 : box.right > right + 12)).length;
  button.hidden = !outside;
  const methods = `${outside} ${outside === 1 ? "method" : "methods"}`;
  button.textContent = button.way < 0 ? `‹ ${outside} more` : `${outside} more ›`;
  button.title = `${methods} more at the ${button.way < 0 ? "left" : "right"}: scroll sideways`;
}

function make(tag, className, text) {
  const element = document.createElement(tag);
  element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

function drawColumn(column, at, data, setStateValue) {
  const section = make("section", "column");
  section.setAttribute("aria-label", `${column.method}, ${column.count}`);
  section.style.setProperty("--method", column.colour);
  const head = make("header", "head");
  const remarks = make("div", "remarks", column.remarks.join(" · "));
  remarks.title = column.remarks.join("\n");
  head.append(make("div", "method", column.method), make("div", "count", column.count), remarks);
  const list = make("ol", "list");
  list.append(...column.hits.map((hit) => drawHit(hit, column, at, data, setStateValue)));
  column.hits.forEach((hit, i) => list.children[i].classList.toggle("jump", i > 0 && hit.rank > column.hits[i - 1].rank + 1));
  if (!column.hits.length) list.append(make("li", "nothing", "nothing ranked"));
  section.append(head, list, drawFoot(column, data));
  return section;
}

function drawHit(hit, column, at, data, setStateValue) {
  const item = make("li", "item");
  const button = make("button", "hit");
  button.type = "button";
  button.dataset.note = hit.note;
  button.classList.toggle("gold", hit.gold);
  button.classList.toggle("selected", hit.note === data.selected);
  button.setAttribute("aria-pressed", String(hit.note === data.selected));
  button.title = `${hit.title}\n${hit.when}\n${hit.why}`;
  if (hit.tie) {
    item.classList.add("tied");
    item.classList.toggle("tie-first", hit.rank === hit.tie[0]);
    item.classList.toggle("tie-last", hit.rank === hit.tie[1]);
  }
  const rank = make("span", "rank", hit.tie ? `=${hit.tie[0]}` : String(hit.rank));
  if (hit.tie) rank.title = `tied: ranks ${hit.tie[0]} to ${hit.tie[1]} have the same score`;
  const left = make("span", "left");
  left.append(rank);
  if (at > 0) left.append(drawMove(hit.move, data.columns[0].method));
  const title = make("span", "title");
  if (hit.gold) title.append(make("span", "mark", `${data.mark} gold `));
  title.append(make("bdi", "", hit.title));
  const body = make("span", "body");
  body.append(title, make("bdi", "when", hit.when), drawScore(hit));
  button.append(left, body);
  button.onclick = () => setStateValue("hit", { method: column.method, note: hit.note, at: Date.now() });
  item.append(button);
  return item;
}

function drawScore(hit) {
  const line = make("span", "why");
  line.append(make("b", "score", hit.score), ` · ${hit.why}`);
  return line;
}

function drawMove(move, base) {
  const text = move === null ? "new" : move > 0 ? `▲${move}` : move < 0 ? `▼${-move}` : "–";
  const element = make("span", `move ${move === null ? "new" : move > 0 ? "up" : move < 0 ? "down" : ""}`, text);
  element.title = move === null ? `not ranked by ${base}` : move ? `ranks against ${base}` : `where ${base} has it, or tied with that rank`;
  return element;
}

function drawFoot(column, data) {
  const foot = make("footer", "foot");
  if (column.first_gold) {
    foot.append(fact(`${data.mark} first gold note`, column.first_gold), fact(`hit@5 (${column.unit})`, column.hit));
  }
  foot.append(fact("time", column.ms));
  return foot;
}

function fact(name, value) {
  const row = make("div", "fact");
  row.append(make("span", "name", name), make("span", "value", value));
  return row;
}

// Pointing at a hit shows where the other methods have the same note.
function linkEqualNotes(columns) {
  const buttons = [...columns.querySelectorAll(".hit")];
  for (const button of buttons) {
    const mark = (on) => buttons.filter((b) => b.dataset.note === button.dataset.note).forEach((b) => b.classList.toggle("same", on));
    button.onmouseenter = button.onfocus = () => mark(true);
    button.onmouseleave = button.onblur = () => mark(false);
  }
}
