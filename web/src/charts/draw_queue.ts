// Charts are drawn in frames, the newest state of each, and as many in a frame as its time allows: an answer
// that changes all charts of a view holds up no slider.

const BUDGET = 10; // ms of a frame that are spent on drawing; one chart is always drawn

const waiting = new Map<object, () => void>(); // by chart, in the order in which they were first asked
let asked = false;

function frame() {
  asked = false;
  const started = performance.now();
  for (const [chart, draw] of waiting) {
    waiting.delete(chart);
    draw();
    if (performance.now() - started > BUDGET) break;
  }
  if (waiting.size > 0) ask();
}

function ask() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(frame);
}

export function drawSoon(chart: object, draw: () => void): void {
  waiting.set(chart, draw);
  ask();
}

export function forget(chart: object): void {
  waiting.delete(chart);
}
