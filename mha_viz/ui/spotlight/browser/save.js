/** Saves a figure as a picture file: in the browser, without the server. */

import { plotly } from "./plotly.js";

const saved = new Set();

/** A component without a look: each new `nonce` in its data saves one file. */
export async function mountSave({ data }) {
    if (!data || saved.has(data.nonce)) {
        return;
    }
    saved.add(data.nonce);
    const { figure, format, name: filename, width, height } = data;
    const scale = format === "png" ? 2 : 1;
    const Plotly = await plotly();
    await Plotly.downloadImage(figure, { format, filename, width, height, scale });
}
