// Creates and changes elements. Nothing here sets a style attribute or parses HTML: the page's policy allows neither.

/** An element: `h("button", {class: "x", onclick: f, "aria-label": "…"}, child, "text", …)`. What is null or false is left out. */
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

/** The element of this id, or within `root` the first that fits. */
export const $ = (selector, root = document) => root.querySelector(selector);

/** Sets the text if it is another: what stands is neither drawn nor read aloud again. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Sets or removes an attribute if it is another. */
export function set(element, name, value) {
  const now = value === true ? "" : value;
  if (now === null || now === undefined || now === false) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
  } else if (element.getAttribute(name) !== String(now)) {
    element.setAttribute(name, now);
  }
}

/** Makes these the children of an element; what is null or false is left out. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
}

/**
 * Makes the children of `parent` those of `items`, in this order: an element is kept as long as there is an item of its key, so that
 * the focus stays where it is.
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
  elements.forEach((element, index) => {
    if (parent.children[index] !== element) {
      // Moving an element removes its focus.
      const focused = element.contains(document.activeElement) ? document.activeElement : null;
      parent.insertBefore(element, parent.children[index] ?? null);
      focused?.focus({ preventScroll: true });
    }
  });
}

/** Whether keys are being typed into something. */
export function typing(target) {
  return target instanceof HTMLElement && (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName));
}
