/** @type {{[code: string]: new (buffer: ArrayBufferLike, offset: number, length: number) => ArrayBufferView}} */
const ARRAYS = { f64: Float64Array, f32: Float32Array, i32: Int32Array, i16: Int16Array, u8: Uint8Array };

/**
 * Decodes a message from Python to a scene: the fields of the header, and `arrays[name]` as typed arrays.
 * @param {Uint8Array} bytes  copied if their offset in the buffer would misalign the arrays
 */
export function decode(bytes) {
  const aligned = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
  const { buffer, byteOffset } = aligned;
  const length = new DataView(buffer, byteOffset).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(aligned.subarray(4, 4 + length)));
  const start = byteOffset + 4 + length;
  /** @type {{[name: string]: ArrayBufferView}} */
  const arrays = {};
  for (const [name, { offset, length: items, dtype }] of Object.entries(header.arrays ?? {})) {
    arrays[name] = new ARRAYS[dtype](buffer, start + offset, items);
  }
  return Object.freeze({ ...header, arrays });
}

/**
 * Returns a message with the arrays that were not sent again, as they are those of the picture before.
 * @param {Message} message @param {Scene | null} before @returns {Message}
 */
export function completed(message, before) {
  if (!before || !message.kept?.length) return message;
  const [all, old] = /** @type {{[name: string]: ArrayBufferView}[]} */ ([message.arrays, before.arrays]);
  const kept = Object.fromEntries(message.kept.map((name) => [name, old[name]]));
  return Object.freeze({ ...message, arrays: /** @type {any} */ ({ ...kept, ...all }) });
}
