/** What the server packs: a zlib stream of a header's length, a JSON header and the arrays that it describes. */

const KINDS = { u1: Uint8Array, u2: Uint16Array, f4: Float32Array };

/** The weight that each code stands for: codes are 255 times the root, so that small weights keep their digits. */
export const weightOf = Float32Array.from({ length: 256 }, (_, code) => (code / 255) ** 2);

/**
 * @param {Uint8Array} bytes as packed by the server
 * @returns {Promise<{header: object, arrays: Object<string, Uint8Array|Uint16Array|Float32Array>}>} arrays carry their `shape`
 */
export async function unpack(bytes) {
    const inflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    const buffer = await new Response(inflated).arrayBuffer();
    const body = 4 + new DataView(buffer).getUint32(0, true);
    const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, body - 4)));
    const arrays = {};
    for (const [name, { dtype, shape, at }] of Object.entries(header.arrays)) {
        const size = shape.reduce((product, length) => product * length, 1);
        arrays[name] = Object.assign(new KINDS[dtype](buffer, body + at, size), { shape });
    }
    return { header, arrays };
}
