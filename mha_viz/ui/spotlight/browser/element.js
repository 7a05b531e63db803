/** A new last child of `parent`. */
export function element(parent, tag, className = "") {
    const child = document.createElement(tag);
    child.className = className;
    return parent.appendChild(child);
}

/** Where a pointer is in an element, in the element's own pixels: the page may be enlarged for a projector. */
export function pointIn(element, { clientX, clientY }) {
    const box = element.getBoundingClientRect();
    const scale = box.width / element.offsetWidth || 1;
    return [(clientX - box.left) / scale, (clientY - box.top) / scale];
}
