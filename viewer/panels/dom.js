// Building DOM from untrusted values: elements are created, text is set as text, never as markup.

/** Return a new element; children are nodes or strings, `props` are attributes or `on…` handlers. */
export function element(tag, props = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// Controls, zero-width and direction-changing characters, half surrogate pairs, and spaces that
// look like nothing: a change made of these must be seen, and must not turn the page around it.
const UNSEEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/gu;
const SHORT = { 9: "\\t", 10: "\\n", 13: "\\r", 0: "\\0" };

/** Return how one unseen character is written: `\n`, or its code point as `U+202E`. */
export function unseenName(character) {
  const code = character.codePointAt(0);
  return SHORT[code] ?? `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/**
 * Append `text` to `parent`, each unseen character as a small label. A joiner inside an emoji stays
 * as it is. With `lines`, line breaks and tabs stay, for places that wrap.
 */
export function appendText(parent, text, lines = false) {
  let from = 0;
  for (const match of text.matchAll(UNSEEN)) {
    const character = match[0];
    if (lines && (character === "\n" || character === "\t" || character === "\r")) continue;
    if (character === "\u200d" && joinsEmoji(text, match.index)) continue;
    if (match.index > from) parent.append(text.slice(from, match.index));
    parent.append(element("span", { class: "unseen" }, unseenName(character)));
    from = match.index + character.length;
  }
  if (from < text.length) parent.append(text.slice(from));
  return parent;
}

function joinsEmoji(text, at) {
  const after = text.codePointAt(at + 1);
  return after !== undefined && /\p{Extended_Pictographic}/u.test(String.fromCodePoint(after));
}

/**
 * Append `[text, changed, hidden]` parts to `node`: changed ones inside `tag`, and in the place of
 * `hidden` characters a button that calls `unfold`.
 */
export function appendParts(node, parts, { tag = "mark", lines = false, unfold = null } = {}) {
  for (const [text, changed, hidden = 0] of parts) {
    if (hidden) {
      const label = `⋯ ${hidden.toLocaleString("en")} equal characters ⋯`;
      node.append(element("button", { type: "button", class: "hidden-part", onclick: unfold }, label));
    } else if (changed) node.append(appendText(element(tag), text, lines));
    else appendText(node, text, lines);
  }
  return node;
}

/** Copy `text`, also where the clipboard API is refused; resolves to whether it worked. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const box = element("textarea", { style: "position:fixed;opacity:0", "aria-hidden": "true" });
    box.value = text;
    document.body.append(box);
    box.select();
    const done = document.execCommand("copy");
    box.remove();
    return done;
  }
}

/** A button that copies what `produce()` returns, or promises, and says so. */
export function copyButton(label, produce) {
  const button = element("button", { type: "button", class: "copy" }, label);
  button.addEventListener("click", async (event) => {
    event.stopPropagation();
    const done = await copyText(await produce());
    button.textContent = done ? "copied" : "not allowed";
    button.dataset.copied = done;
    setTimeout(() => (button.textContent = label), 900);
  });
  return button;
}

// Where a key press belongs to something else than the strip: text being typed, an open dialog.
const TYPING = [
  "input:not([type=radio]):not([type=checkbox])",
  "textarea",
  "select",
  "[contenteditable=true]",
  "[role=dialog]",
  "[role=listbox]",
  "[role=combobox]",
  "[role=menu]",
  "[data-testid=stDataFrame]",
].join(",");
// Widgets with arrow keys of their own; letters mean nothing to them. Our tree and diff share keys:
// they stop those that they use, so `j` steps on while the tree has the focus, `→` while the diff has.
const ARROWS = [
  "input",
  "[role=tree]:not([data-shares-keys])",
  "[role=grid]:not([data-shares-keys])",
  "[role=radiogroup]",
  "[role=tablist]",
  "[role=slider]:not([data-strip])",
].join(",");

/** Whether the key press `event` must be left to the element it happened in. */
export function belongsElsewhere(event) {
  if (event.defaultPrevented || event.isComposing) return true;
  const own = event.key.length === 1 ? TYPING : `${TYPING},${ARROWS}`;
  return event
    .composedPath()
    .some((node) => node instanceof Element && (node.isContentEditable || node.matches(own)));
}

/** Return `call` delayed until `wait` ms passed without another call. */
export function afterQuiet(call, wait) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...given), wait);
  };
}

/** Return `call` at most once a frame. */
export function oncePerFrame(call) {
  let frame = 0;
  return () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      call();
    });
  };
}

// `/` pressed anywhere: the strip says so, and the first tree or diff of the page listens.
export const SEARCH = "checkpoint-viewer:search";
