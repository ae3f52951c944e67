// How the strip shows phases and marks: by colour and by pattern or shape, never by colour alone.

// Colour and pattern of each phase, in the order of viewer.model.PHASES; never colour alone.
const LOOKS = [
  ["blue", "solid"],
  ["orange", "diagonal"],
  ["green", "horizontal"],
  ["red", "cross"],
  ["violet", "vertical"],
  ["gray", "dots"],
  ["gray", "hollow"],
];

export const VIOLATION = 1;
export const INTERRUPT = 2;
export const ERROR = 4;
export const DECISION = 8;
export const FORK = 16;
export const GAP = 32;
export const STATELESS = 64;
export const FINDING = 128;
export const SHAPES = [VIOLATION, ERROR, FINDING, INTERRUPT, DECISION]; // What stands above a cell, worst first.

/** Read the theme's colours from `host`. */
export function palette(host) {
  const style = getComputedStyle(host);
  const color = (name) => style.getPropertyValue(`--st-${name}`).trim();
  const named = {};
  for (const name of ["blue", "orange", "green", "red", "violet", "gray"]) {
    named[name] = color(`${name}-color`);
  }
  return {
    ...named,
    background: color("background-color"),
    surface: color("secondary-background-color"),
    text: color("text-color"),
    primary: color("primary-color"),
    line: color("border-color"),
    font: color("font"),
    patterns: new Map(),
  };
}

/** Return a fill for `phase`: its pattern in its colour, `strength` of 1 for the overview. */
export function phaseFill(context, colors, phase) {
  const known = colors.patterns.get(phase);
  if (known) return known;
  const [name, pattern] = LOOKS[phase] ?? LOOKS[6];
  const size = 6;
  const tile = document.createElement("canvas");
  tile.width = size;
  tile.height = size;
  const pen = tile.getContext("2d");
  pen.fillStyle = colors[name];
  pen.strokeStyle = colors[name];
  pen.globalAlpha = pattern === "solid" ? 0.85 : 0.3;
  if (pattern === "hollow") pen.globalAlpha = 0.42;
  pen.fillRect(0, 0, size, size);
  pen.globalAlpha = 1;
  pen.lineWidth = 1.6;
  pen.beginPath();
  const line = (x1, y1, x2, y2) => {
    pen.moveTo(x1, y1);
    pen.lineTo(x2, y2);
  };
  if (pattern === "diagonal" || pattern === "cross") {
    line(-1, size + 1, size + 1, -1);
    line(-1, 1, 1, -1);
    line(size - 1, size + 1, size + 1, size - 1);
  }
  if (pattern === "cross") {
    line(-1, -1, size + 1, size + 1);
    line(size - 1, -1, size + 1, 1);
    line(-1, size - 1, 1, size + 1);
  }
  if (pattern === "horizontal") line(0, 1.5, size, 1.5), line(0, 4.5, size, 4.5);
  if (pattern === "vertical") line(1.5, 0, 1.5, size), line(4.5, 0, 4.5, size);
  pen.stroke();
  if (pattern === "dots") pen.fillRect(1, 1, 2, 2), pen.fillRect(4, 4, 2, 2);
  const fill = context.createPattern(tile, "repeat");
  colors.patterns.set(phase, fill);
  return fill;
}

/** Return the solid colour of `phase`. */
export function phaseColor(colors, phase) {
  return colors[(LOOKS[phase] ?? LOOKS[6])[0]];
}

/** Draw the shape of one mark centred at `x, y`; each has its own outline. */
export function drawMark(pen, colors, mark, x, y, radius = 4) {
  pen.lineWidth = 1.5;
  pen.beginPath();
  if (mark === VIOLATION) {
    pen.fillStyle = colors.red;
    pen.moveTo(x, y - radius);
    pen.lineTo(x + radius, y + radius * 0.8);
    pen.lineTo(x - radius, y + radius * 0.8);
    pen.fill();
  } else if (mark === INTERRUPT) {
    pen.fillStyle = colors.orange;
    pen.fillRect(x - radius * 0.8, y - radius * 0.9, radius * 0.6, radius * 1.8);
    pen.fillRect(x + radius * 0.2, y - radius * 0.9, radius * 0.6, radius * 1.8);
  } else if (mark === ERROR) {
    pen.strokeStyle = colors.red;
    pen.lineWidth = 2;
    pen.moveTo(x - radius * 0.8, y - radius * 0.8);
    pen.lineTo(x + radius * 0.8, y + radius * 0.8);
    pen.moveTo(x + radius * 0.8, y - radius * 0.8);
    pen.lineTo(x - radius * 0.8, y + radius * 0.8);
    pen.stroke();
  } else if (mark === DECISION) {
    pen.fillStyle = colors.green;
    pen.moveTo(x, y - radius);
    pen.lineTo(x + radius, y);
    pen.lineTo(x, y + radius);
    pen.lineTo(x - radius, y);
    pen.fill();
  } else if (mark === FINDING) {
    pen.strokeStyle = colors.orange;
    pen.fillStyle = colors.orange;
    pen.arc(x, y, radius * 0.85, 0, 2 * Math.PI);
    pen.stroke();
    pen.fillRect(x - 0.75, y - radius * 0.5, 1.5, radius);
  } else if (mark === FORK) {
    pen.strokeStyle = colors.text;
    pen.moveTo(x - radius, y - radius * 0.6);
    pen.lineTo(x + radius, y - radius * 0.6);
    pen.moveTo(x - radius * 0.4, y - radius * 0.6);
    pen.lineTo(x + radius * 0.4, y + radius * 0.8);
    pen.lineTo(x + radius, y + radius * 0.8);
    pen.stroke();
  } else if (mark === GAP) {
    pen.strokeStyle = colors.orange;
    pen.setLineDash([2, 2]);
    pen.moveTo(x, y - radius);
    pen.lineTo(x, y + radius);
    pen.stroke();
    pen.setLineDash([]);
  } else {
    pen.strokeStyle = colors.gray;
    pen.strokeRect(x - radius * 0.8, y - radius * 0.8, radius * 1.6, radius * 1.6);
    pen.moveTo(x - radius * 0.8, y + radius * 0.8);
    pen.lineTo(x + radius * 0.8, y - radius * 0.8);
    pen.stroke();
  }
}
