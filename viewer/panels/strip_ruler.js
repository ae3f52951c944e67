// What tells the time beneath the cells: when they were saved, and how long nothing was.

import { duration } from "./strip_axis.js";

/** How tall the ruler is. */
export const RULER = 16;
const TO_SECONDS = { hour: "2-digit", minute: "2-digit", second: "2-digit" };
const hours = new Intl.DateTimeFormat(undefined, TO_SECONDS);
const tenths = new Intl.DateTimeFormat(undefined, { ...TO_SECONDS, fractionalSecondDigits: 1 });
// Where so many milliseconds are all that is in sight, seconds would repeat themselves.
const SHORT_SPAN = 20_000;
const days = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });

/** Draw each folded idle gap as a torn edge across the rows. */
export function paintBreaks(pen, layout, colors, axis) {
  const top = layout.overview + 8;
  const bottom = layout.height - RULER - 2;
  pen.strokeStyle = colors.text;
  pen.globalAlpha = 0.6;
  pen.lineWidth = 1;
  for (const gap of axis.breaks) {
    const x = (gap.left + gap.right) / 2 - layout.look.gap / 2;
    for (const side of gap.right - gap.left > 12 ? [-3, 3] : [0]) {
      pen.beginPath();
      for (let y = top, turn = 1; y <= bottom; y += 4, turn = -turn) pen.lineTo(x + side + 2 * turn, y);
      pen.stroke();
    }
  }
  pen.globalAlpha = 1;
}

/** Draw under the cells how long the gaps are and, where there is room, when cells were saved. */
export function paintRuler(pen, chain, layout, colors, axis) {
  const y = layout.height - RULER / 2;
  const taken = [];
  const place = (text, middle) => {
    const wide = pen.measureText(text).width;
    const from = Math.max(0, Math.min(layout.width - wide, middle - wide / 2));
    if (taken.some(([left, right]) => from < right + 8 && from + wide > left - 8)) return;
    taken.push([from, from + wide]);
    pen.fillText(text, from, y);
  };
  pen.textBaseline = "middle";
  pen.textAlign = "left";
  pen.fillStyle = colors.text;
  pen.font = `600 10.5px ${colors.font}`;
  for (const gap of axis.breaks) place(`idle ${duration(gap.ms)}`, (gap.left + gap.right) / 2);
  pen.font = `10.5px ${colors.font}`;
  const known = chain.time.slice(axis.first, axis.last).filter((time) => time !== null);
  const clock = known.at(-1) - known[0] < SHORT_SPAN ? tenths : hours;
  let day = null;
  let free = -Infinity;
  for (let index = axis.first; index < axis.last; index += 1) {
    const time = chain.time[index];
    const x = axis.right(index) - layout.look.gap;
    if (time === null || x < free) continue;
    const when = new Date(time);
    const today = days.format(when);
    const count = taken.length;
    place(day === today ? clock.format(when) : `${today}, ${clock.format(when)}`, x - 26);
    if (taken.length === count) continue;
    day = today;
    free = x + 70;
    pen.globalAlpha = 0.5;
    pen.fillRect(x - 0.5, layout.height - RULER - 1, 1, 4);
    pen.globalAlpha = 1;
  }
}
