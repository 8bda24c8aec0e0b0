/**
 * Makes a font with only some characters of a TrueType font. The new font has what browsers require
 * (https://learn.microsoft.com/typography/opentype/spec/otff): outlines, widths, the map of characters, and no names of glyphs.
 */
export function subsetFont(font, characters) {
  const tables = readTables(font);
  const { head, hhea, maxp, loca, glyf, hmtx } = tables;
  const isLong = head.readInt16BE(50) === 1;
  const offsetOf = (glyph) => (isLong ? loca.readUInt32BE(glyph * 4) : loca.readUInt16BE(glyph * 2) * 2);
  const glyphOf = characterMap(tables.cmap);
  const metrics = hhea.readUInt16BE(34);

  const kept = [0];
  const mapped = [];
  for (const character of [...characters].sort((a, b) => a - b)) {
    const glyph = glyphOf(character);
    if (!glyph) throw new Error(`the font of icons has no character ${character.toString(16)}`);
    mapped.push([character, kept.length]);
    kept.push(glyph);
  }
  const outlines = kept.map((glyph) => {
    const outline = glyf.subarray(offsetOf(glyph), offsetOf(glyph + 1));
    if (outline.length > 0 && outline.readInt16BE(0) < 0) throw new Error('an icon is made of other icons');
    return Buffer.concat([outline, Buffer.alloc((4 - (outline.length % 4)) % 4)]);
  });
  const places = Buffer.alloc((kept.length + 1) * 4);
  let end = 0;
  for (const [index, outline] of outlines.entries()) {
    end += outline.length;
    places.writeUInt32BE(end, (index + 1) * 4);
  }
  const widths = Buffer.concat(
    kept.map((glyph) => {
      const width = Math.min(glyph, metrics - 1) * 4;
      const bearing = glyph < metrics ? glyph * 4 + 2 : metrics * 4 + (glyph - metrics) * 2;
      return Buffer.concat([hmtx.subarray(width, width + 2), hmtx.subarray(bearing, bearing + 2)]);
    }),
  );
  const post = Buffer.from(tables.post.subarray(0, 32));
  post.writeUInt32BE(0x00030000, 0);
  return writeFont({
    'OS/2': tables['OS/2'],
    cmap: toCharacterMap(mapped),
    glyf: Buffer.concat(outlines),
    head: changed(head, (it) => it.writeInt16BE(1, 50)),
    hhea: changed(hhea, (it) => it.writeUInt16BE(kept.length, 34)),
    hmtx: widths,
    loca: places,
    maxp: changed(maxp, (it) => it.writeUInt16BE(kept.length, 4)),
    name: tables.name,
    post,
  });
}

function readTables(font) {
  const tables = {};
  for (let n = 0; n < font.readUInt16BE(4); n += 1) {
    const at = 12 + n * 16;
    const from = font.readUInt32BE(at + 8);
    tables[font.toString('latin1', at, at + 4)] = font.subarray(from, from + font.readUInt32BE(at + 12));
  }
  return tables;
}

/** Reads the segment map (format 4), which every font has for the plane that contains the icons. */
function characterMap(cmap) {
  const subtables = Array.from({ length: cmap.readUInt16BE(2) }, (_, n) => cmap.readUInt32BE(4 + n * 8 + 4));
  const at = subtables.find((it) => cmap.readUInt16BE(it) === 4);
  if (at === undefined) throw new Error('the font of icons has no map of segments');
  const twice = cmap.readUInt16BE(at + 6);
  const [ends, starts] = [at + 14, at + 16 + twice];
  const [deltas, offsets] = [starts + twice, starts + 2 * twice];
  return (character) => {
    for (let n = 0; n < twice; n += 2) {
      if (cmap.readUInt16BE(ends + n) < character) continue;
      const start = cmap.readUInt16BE(starts + n);
      if (start > character) return 0;
      const delta = cmap.readUInt16BE(deltas + n);
      const offset = cmap.readUInt16BE(offsets + n);
      if (offset === 0) return (character + delta) & 0xffff;
      const glyph = cmap.readUInt16BE(offsets + n + offset + (character - start) * 2);
      return glyph === 0 ? 0 : (glyph + delta) & 0xffff;
    }
    return 0;
  };
}

/** One segment for each character, and the final segment that the format requires. */
function toCharacterMap(mapped) {
  const segments = [...mapped, [0xffff, 0]];
  const count = segments.length;
  const log = Math.floor(Math.log2(count));
  const table = Buffer.alloc(12 + 16 + count * 8);
  const words = [
    ...[0, 1, 3, 1, 0, 12],
    ...[4, table.length - 12, 0, count * 2, 2 ** (log + 1), log, count * 2 - 2 ** (log + 1)],
    ...segments.map(([character]) => character),
    0,
    ...segments.map(([character]) => character),
    ...segments.map(([character, glyph]) => (character === 0xffff ? 1 : (glyph - character) & 0xffff)),
    ...segments.map(() => 0),
  ];
  for (const [index, word] of words.entries()) table.writeUInt16BE(word, index * 2);
  return table;
}

function changed(table, change) {
  const copy = Buffer.from(table);
  change(copy);
  return copy;
}

function writeFont(tables) {
  const names = Object.keys(tables).sort();
  const log = Math.floor(Math.log2(names.length));
  const header = Buffer.alloc(12 + names.length * 16);
  header.writeUInt32BE(0x00010000, 0);
  for (const [index, word] of [names.length, 16 * 2 ** log, log, (names.length - 2 ** log) * 16].entries())
    header.writeUInt16BE(word, 4 + index * 2);
  const parts = [header];
  let at = header.length;
  for (const [index, name] of names.entries()) {
    const table = name === 'head' ? changed(tables[name], (it) => it.writeUInt32BE(0, 8)) : tables[name];
    const padded = Buffer.concat([table, Buffer.alloc((4 - (table.length % 4)) % 4)]);
    const entry = 12 + index * 16;
    header.write(name, entry, 'latin1');
    header.writeUInt32BE(sumOf(padded), entry + 4);
    header.writeUInt32BE(at, entry + 8);
    header.writeUInt32BE(table.length, entry + 12);
    parts.push(padded);
    at += padded.length;
  }
  const font = Buffer.concat(parts);
  const head = font.readUInt32BE(12 + names.indexOf('head') * 16 + 8);
  font.writeUInt32BE((0xb1b0afba - sumOf(font)) >>> 0, head + 8);
  return font;
}

function sumOf(bytes) {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 4) sum = (sum + bytes.readUInt32BE(at)) >>> 0;
  return sum;
}
