/** A new last child of `parent`. */
export function element(parent, tag, className = "") {
    const child = document.createElement(tag);
    child.className = className;
    return parent.appendChild(child);
}
