// Creates and changes elements, for both pages. Nothing here sets a style attribute or parses HTML: the pages' policies allow neither.

/**
 * Creates an element: `h("button", {class: "x", onclick: f, "aria-label": "…"}, child, "text", …)`. Children and attributes that are
 * null or false are left out.
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** The first element within `root` that matches the selector. */
export const $ = (selector, root = document) => root.querySelector(selector);

/** Sets the text if it differs: an unchanged text is neither drawn nor read aloud again. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Sets or removes an attribute if it differs. */
export function setAttribute(element, name, value) {
  const now = value === true ? "" : value;
  if (now === null || now === undefined || now === false) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
  } else if (element.getAttribute(name) !== String(now)) {
    element.setAttribute(name, now);
  }
}

/** Replaces the children of an element; children that are null or false are left out. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
}

/**
 * Makes the children of `parent` match `items`, in this order. An element is kept while an item with its key exists, so that it does
 * not lose the focus.
 */
export function keyed(parent, items, key, make, update) {
  const old = new Map([...parent.children].map((element) => [element.dataset.key, element]));
  const elements = items.map((item) => {
    const name = String(key(item));
    const element = old.get(name) ?? make(item);
    element.dataset.key = name;
    old.delete(name);
    update(element, item);
    return element;
  });
  for (const element of old.values()) element.remove();
  let next = parent.firstElementChild;
  for (const element of elements) {
    if (element === next) {
      next = next.nextElementSibling;
      continue;
    }
    // Moving an element removes its focus.
    const focused = element.contains(document.activeElement) ? document.activeElement : null;
    parent.insertBefore(element, next);
    focused?.focus({ preventScroll: true });
  }
}

/** Returns whether this element receives typed text. */
export function isTextField(target) {
  return target instanceof HTMLElement && (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName));
}
