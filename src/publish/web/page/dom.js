// What this page needs of elements: what it has in common with the public page, and its menus.

export { $, fill, h, isTextField, keyed, setAttribute, setText } from "./public/dom.js";

/**
 * Makes a key open a menu that has the focus. Otherwise arrow keys and letters choose at once, so that whoever looks for an entry takes
 * each that is passed.
 */
export function openOnKey(select) {
  select.addEventListener("keydown", (event) => {
    const isChoice = /^(Arrow|Page|Home|End)/.test(event.key) || (event.key.length === 1 && !event.ctrlKey && !event.metaKey);
    if (!isChoice || event.altKey || !select.showPicker) return;
    event.preventDefault();
    // A picker that is open stays so.
    select.showPicker();
  });
}
