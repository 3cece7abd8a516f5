// Draws a graph built by pyvis with the vis-network script that pyvis ships, inside a Streamlit component.
// The network lives on the component's own element: a rerun patches it, and only another `version` builds it anew.
// Python hears of a selection when, and only when, a user made it.

const LEGIBLE = 0.72; // zoom under which a label of 14 px can't be read
const CAPTION = "caption:";
const DISC = "disc:";
const GHOST = "ghost:";

export default function (component) {
  const { data, parentElement, setStateValue } = component;
  const root = parentElement.querySelector(".graph");
  const drawing = (root.drawing ??= new Drawing(root));
  drawing.report = (selection) => setStateValue("selection", selection);
  drawing.reportStep = (step) => setStateValue("step", { at: step, moment: Date.now() });
  drawing.show(data);
  return () => {
    drawing.close();
    delete root.drawing;
  };
}

class Drawing {
  constructor(root) {
    this.root = root;
    this.canvas = root.querySelector(".canvas");
    this.sent = new Map(); // id -> JSON of the node or edge as last given
    this.moved = false; // whether the user chose the section of the graph that is seen
    this.resized = new ResizeObserver(() => this.onResize());
    this.resized.observe(root);
    // The root's background is a theme variable with a transition, so the end of a transition tells that the theme changed.
    root.addEventListener("transitionend", (event) => event.target === root && this.paint());
    for (const button of root.querySelectorAll("button")) button.onclick = () => this[button.dataset.do]();
    this.canvas.tabIndex = 0;
    this.canvas.addEventListener("keydown", (event) => this.onKey(event));
    this.canvas.addEventListener("wheel", (event) => this.onWheel(event), { capture: true });
  }

  show(data) {
    this.data = data;
    this.root.style.height = `${data.height}px`;
    this.root.querySelector(".count").textContent = data.count;
    this.canvas.setAttribute("aria-label", `${data.count}. The table below the graph lists the same nodes.`);
    const isNew = this.version !== data.version;
    if (isNew) this.build();
    else this.patch();
    this.paint();
    if (isNew) this.frame();
    this.select(data.selected);
    if (data.stepper) {
      this.stepper ??= new Stepper(this.root, (ids, sizes) => this.size(ids, sizes), (step) => this.reportStep(step));
      this.stepper.show(data.stepper);
    }
  }

  // Sizes between two reruns; what was sent for these nodes no longer tells what is drawn.
  size(ids, sizes) {
    for (const id of ids) this.sent.delete(id);
    this.nodes.update(ids.map((id, at) => ({ id, size: sizes[at] })));
  }

  build() {
    this.network?.destroy();
    this.version = this.data.version;
    this.sent = new Map([...this.data.nodes, ...this.data.edges].map((item) => [item.id, JSON.stringify(item)]));
    this.nodes = new vis.DataSet(this.data.nodes);
    this.edges = new vis.DataSet(this.data.edges);
    this.theme = undefined;
    this.network = new vis.Network(this.canvas, { nodes: this.nodes, edges: this.edges }, this.options());
    this.canvas.firstElementChild.tabIndex = -1; // vis-network would put itself first of all in the tab order
    this.network.on("select", (event) => this.onSelect(event));
    this.network.on("zoom", () => (this.moved = true));
    this.network.on("dragEnd", (event) => event.nodes.length || (this.moved = true));
    this.moved = false;
  }

  // Only what changed, and never a position: the user may have moved the node.
  patch() {
    const changed = (items) => items.filter((item) => this.sent.get(item.id) !== JSON.stringify(item));
    const nodes = changed(this.data.nodes);
    const edges = changed(this.data.edges);
    for (const item of [...nodes, ...edges]) this.sent.set(item.id, JSON.stringify(item));
    if (nodes.length) {
      this.network.setOptions({ groups: this.options().groups });
      this.nodes.update(nodes.map(({ x, y, ...rest }) => rest));
    }
    if (edges.length) this.theme = undefined;
    this.edges.update(edges);
  }

  themeName() {
    const [r, g, b] = getComputedStyle(this.root).backgroundColor.match(/[\d.]+/g).map(Number);
    return 0.299 * r + 0.587 * g + 0.114 * b < 128 ? "dark" : "light";
  }

  options() {
    return this.data.themes[this.themeName()].options;
  }

  paint() {
    const name = this.themeName();
    if (!this.network || this.theme === name) return;
    this.theme = name;
    const { options, edges, marks } = this.data.themes[name];
    this.network.setOptions({ groups: options.groups });
    this.nodes.update(this.nodes.map(({ id, group }) => ({ id, group })));
    this.edges.update(this.edges.map(({ id, kind }) => ({ id, color: edges[kind] })));
    const legend = this.root.querySelector(".legend");
    legend.replaceChildren(
      ...this.data.legend.map(([mark, words]) => {
        const row = document.createElement("li");
        const swatch = document.createElement("i");
        swatch.style.borderColor = marks[mark].border;
        swatch.style.background = marks[mark].background;
        row.append(swatch, document.createTextNode(words));
        return row;
      })
    );
  }

  // The rectangle that nodes and their labels fill, on the canvas.
  extent(ids) {
    const boxes = ids.map((id) => this.network.getBoundingBox(id));
    const edge = (side, of) => of(...boxes.map((box) => box[side]));
    return { left: edge("left", Math.min), right: edge("right", Math.max), top: edge("top", Math.min), bottom: edge("bottom", Math.max) };
  }

  // The whole graph if that can be read, else as wide as it is and as high as its important part allows.
  frame(readable = true) {
    const { clientWidth, clientHeight } = this.canvas;
    const ids = this.nodes.getIds();
    if (!clientWidth || !clientHeight || !ids.length) return;
    this.network.setSize("100%", "100%");
    this.network.redraw();
    const all = this.extent(ids);
    const wide = (clientWidth - 24) / (all.right - all.left);
    const foot = this.root.querySelector(".legend").offsetHeight + 12; // the legend lies over the canvas
    const high = (clientHeight - foot - 24) / (all.bottom - all.top);
    const focus = this.data.focus.filter((id) => this.nodes.get(id));
    let scale = Math.min(1.1, wide, high);
    let middle = all;
    if (readable && this.data.boxed && focus.length && scale < LEGIBLE && high < wide) {
      scale = Math.min(LEGIBLE, wide);
      middle = this.extent(focus);
    }
    const position = { x: (all.left + all.right) / 2, y: (middle.top + middle.bottom + foot / scale) / 2 };
    this.network.moveTo({ position, scale, animation: false });
  }

  select(ids) {
    const wanted = ids.filter((id) => this.nodes.get(id));
    if (String(wanted) === String(this.network.getSelectedNodes())) return;
    this.network.selectNodes(wanted);
    this.reported = undefined; // chosen elsewhere: a click on what was clicked last is news again
  }

  onSelect({ nodes, edges }) {
    const selection = {
      nodes: nodes.filter((id) => !id.startsWith(CAPTION)).map((id) => [DISC, GHOST].reduce((of, mark) => (of.startsWith(mark) ? of.slice(mark.length) : of), id)),
      // Selecting a node selects its edges too; those the user did not choose.
      edges: nodes.length ? [] : edges,
    };
    if (JSON.stringify(selection) === this.reported) return;
    this.reported = JSON.stringify(selection);
    this.report({ ...selection, moment: Date.now() });
  }

  onResize() {
    if (this.network && !this.moved) this.frame();
  }

  // A wheel over the graph scrolls the page; with Ctrl, or on a full screen, it zooms.
  onWheel(event) {
    if (event.ctrlKey || event.metaKey || document.fullscreenElement) return;
    event.stopPropagation();
    const hint = this.root.querySelector(".hint");
    hint.classList.add("on");
    clearTimeout(this.hinting);
    this.hinting = setTimeout(() => hint.classList.remove("on"), 900);
  }

  onKey(event) {
    if (this.data.stepper && event.key.match(/Arrow(Left|Right)/) && !event.shiftKey) return; // those step; with Shift they pan
    const step = 60 / this.network.getScale();
    const pan = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
    const act = { "+": "closer", "-": "farther", 0: "all" }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey || !(pan || act)) return;
    event.preventDefault();
    if (act) return this[act]();
    const { x, y } = this.network.getViewPosition();
    this.moved = true;
    this.network.moveTo({ position: { x: x + pan[0], y: y + pan[1] } });
  }

  zoom(factor) {
    this.moved = true;
    this.network.moveTo({ scale: this.network.getScale() * factor, animation: { duration: 120 } });
  }

  closer() {
    this.zoom(1.3);
  }

  farther() {
    this.zoom(1 / 1.3);
  }

  all() {
    this.moved = false;
    this.frame(false);
  }

  full() {
    this.moved = false;
    if (document.fullscreenElement) document.exitFullscreen();
    else this.root.requestFullscreen();
  }

  png() {
    const seen = this.canvas.querySelector("canvas");
    const picture = document.createElement("canvas");
    [picture.width, picture.height] = [seen.width, seen.height];
    const brush = picture.getContext("2d");
    brush.fillStyle = getComputedStyle(this.root).backgroundColor;
    brush.fillRect(0, 0, picture.width, picture.height);
    brush.drawImage(seen, 0, 0);
    const link = document.createElement("a");
    link.href = picture.toDataURL("image/png");
    link.download = "graph.png";
    link.click();
  }

  close() {
    this.resized.disconnect();
    this.stepper?.close();
    clearTimeout(this.hinting);
    this.network?.destroy();
  }
}
