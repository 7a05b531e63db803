/** What all parts of the page share: what is shown, what the weights say about it, and which word is hovered or pinned. */

export * from "./readings.js";
export * from "./state.js";
