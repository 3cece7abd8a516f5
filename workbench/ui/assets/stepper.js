// The bar under a graph that steps through iterates of its mass: first, back, play, forward, last, a slider, speed and events.
// Frames were sent beforehand, so play runs here; Python hears of the step on which it comes to rest.

const FRAMES_PER_SECOND = 4;
const SPEEDS = [0.5, 1, 2, 4];
const REST = 150; // milliseconds without another step after which Python is told
// Signs as paths in a box of 16: a font that has them all is not on every machine.
const SIGNS = {
  first: "M3 3h2v10H3zM13 3v10L6 8z",
  back: "M11 3v10L4 8z",
  play: "M4 2.5v11L13 8z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  forward: "M5 3v10l7-5z",
  last: "M11 3h2v10h-2zM3 3v10l7-5z",
};

class Stepper {
  constructor(root, resize, report) {
    this.root = root;
    this.resize = resize;
    this.report = report;
    this.speed = 1;
    this.bar = this.make("div", "stepper", { role: "toolbar", "aria-label": "Steps of the diffusion" });
    this.buttons = {};
    this.button("first", "First step: the seeds (Home)", () => this.go(0));
    this.button("back", "One step back (←)", () => this.go(this.step - 1));
    this.button("play", "Play, and pause (Space)", () => this.toggle());
    this.button("forward", "One step forward (→)", () => this.go(this.step + 1));
    this.button("last", "Last step (End)", () => this.go(this.data.last));
    this.range = this.bar.appendChild(this.make("input", "", { type: "range", min: 0, step: 1, "aria-label": "Iteration" }));
    this.range.oninput = () => this.go(Number(this.range.value));
    this.count = this.bar.appendChild(this.make("output", "iteration"));
    this.rates = this.bar.appendChild(this.make("select", "", { "aria-label": "Speed", title: "Speed of play" }));
    for (const speed of SPEEDS) this.rates.add(new Option(`${speed}×`, speed, speed === 1, speed === 1));
    this.rates.onchange = () => {
      this.speed = Number(this.rates.value);
      if (this.timer) this.play();
    };
    this.jumps = this.bar.appendChild(this.make("select", "events", { "aria-label": "Jump to an event" }));
    this.jumps.onchange = () => this.go(Number(this.jumps.value));
    this.line = this.make("div", "stepline", { role: "status" });
    root.classList.add("stepped");
    root.append(this.bar, this.line);
    this.onKey = (event) => this.key(event);
    document.addEventListener("keydown", this.onKey);
  }

  make(tag, className, attributes = {}) {
    const made = document.createElement(tag);
    made.className = className;
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  }

  button(name, words, act) {
    const made = this.make("button", "", { type: "button", title: words, "aria-label": words.replace(/ \(.*/, ""), "data-step": name });
    const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    for (const [key, value] of Object.entries({ viewBox: "0 0 16 16", width: 14, height: 14, fill: "currentColor", "aria-hidden": true }))
      picture.setAttribute(key, value);
    picture.append(document.createElementNS(picture.namespaceURI, "path"));
    made.append(picture);
    made.onclick = act;
    this.buttons[name] = this.bar.appendChild(made);
    this.draws(name, name);
  }

  draws(name, sign) {
    this.buttons[name].querySelector("path").setAttribute("d", SIGNS[sign]);
  }

  // What Python says; a step that the user has left meanwhile is old news.
  show(data) {
    const isOld = this.pending !== undefined && data.run === this.data.run && data.step !== this.pending;
    const isNew = data.run !== this.data?.run;
    this.data = data;
    this.range.max = data.last;
    for (const control of [this.range, ...Object.values(this.buttons)]) control.disabled = data.last === 0;
    this.jumps.replaceChildren(
      new Option("Jump to …", "", true, true),
      ...data.events.map(([iteration, words]) => new Option(`${iteration}: ${words}`, iteration))
    );
    this.jumps.options[0].disabled = true;
    if (isNew) this.pause();
    if (!isOld && !this.timer) {
      this.pending = undefined;
      this.step = data.step;
    }
    if (this.step !== data.step) this.draw();
    else this.tell(data.frames.indexOf(data.step));
  }

  go(step) {
    this.pause();
    this.move(step);
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.rest(), REST);
  }

  move(step) {
    this.step = Math.max(0, Math.min(step, this.data.last));
    this.pending = this.step;
    this.draw();
  }

  rest() {
    if (this.pending !== undefined && this.pending !== this.data.step) this.report(this.pending);
    else this.pending = undefined;
  }

  toggle() {
    if (!this.timer) return this.play();
    this.pause();
    this.rest();
  }

  play() {
    clearInterval(this.timer);
    clearTimeout(this.resting);
    if (this.step >= this.data.last) this.move(0);
    this.timer = setInterval(() => this.advance(), 1000 / (FRAMES_PER_SECOND * this.speed));
    this.sign();
  }

  advance() {
    const next = this.data.frames.find((iteration) => iteration > this.step);
    if (next !== undefined) this.move(next);
    if (this.step >= this.data.last) this.toggle();
  }

  pause() {
    clearInterval(this.timer);
    this.timer = undefined;
    this.sign();
  }

  sign() {
    this.draws("play", this.timer ? "pause" : "play");
    this.buttons.play.setAttribute("aria-pressed", Boolean(this.timer));
  }

  // The last frame sent up to the step: every early step is one, later ones are some steps apart.
  draw() {
    const at = this.data.frames.findLastIndex((iteration) => iteration <= this.step);
    this.resize(this.data.nodes, this.data.sizes[at]);
    this.tell(this.data.frames[at] === this.step ? at : -1);
  }

  tell(at) {
    this.range.value = this.step;
    this.count.textContent = `iteration ${this.step} of ${this.data.last}`;
    this.line.textContent = at < 0 ? "" : this.data.lines[at];
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.defaultPrevented || !this.data?.last) return;
    const target = event.composedPath()[0];
    const isHere = this.root.contains(target);
    const isIdle = target === document.body || target.matches?.("main, section"); // what has the focus after a click on plain text
    const isButton = target.matches?.("button, a");
    if (!(isHere || isIdle || isButton) || target.matches?.("input, select")) return;
    const act = { ArrowLeft: "back", ArrowRight: "forward" }[event.key];
    const jump = isHere && { Home: "first", End: "last" }[event.key];
    const toggle = event.key === " " && !isButton && "play";
    const name = act || jump || toggle;
    if (!name) return;
    event.preventDefault();
    event.stopPropagation();
    this.buttons[name].click();
  }

  close() {
    this.pause();
    clearTimeout(this.resting);
    document.removeEventListener("keydown", this.onKey);
  }
}
