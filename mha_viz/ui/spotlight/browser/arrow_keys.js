const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** Rows down and columns to the right that an arrow key asks for; undefined for any other key. */
export function arrowStep({ key, altKey, ctrlKey, metaKey }) {
    return altKey || ctrlKey || metaKey ? undefined : STEPS[key];
}
