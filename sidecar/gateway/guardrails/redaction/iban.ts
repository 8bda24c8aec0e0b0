/** How many characters an IBAN of each country has (ISO 13616, the SWIFT registry). */
const lengths = new Map(
  Object.entries({
    15: 'NO',
    16: 'BE',
    18: 'DK FI FK FO GL NL SD',
    19: 'MK SI',
    20: 'AT BA EE KZ LT LU MN XK',
    21: 'CH CR HR LI LV',
    22: 'BG BH DE GB GE IE ME RS VA',
    23: 'AE GI IL IQ OM SO TL',
    24: 'AD CZ ES MD PK RO SA SE SK TN VG',
    25: 'LY PT ST',
    26: 'IS TR',
    27: 'BI DJ FR GR IT MC MR SM',
    28: 'AL AZ BY CY DO GT HN HU LB NI PL SV',
    29: 'BR EG PS QA UA',
    30: 'JO KW MU YE',
    31: 'MT SC',
    32: 'LC',
    33: 'RU',
  }).flatMap(([length, countries]) => countries.split(' ').map((it) => [it, Number(length)] as const)),
);

/** Where the IBAN that begins at `start` ends; `undefined` where its length or checksum is wrong. */
export function endOfIban(text: string, start: number): number | undefined {
  const length = lengths.get(text.slice(start, start + 2).toUpperCase());
  if (length === undefined) return undefined;
  let compact = '';
  let at = start;
  while (compact.length < length) {
    const character = text[at];
    if (character === undefined) return undefined;
    if (/[A-Za-z0-9]/.test(character)) compact += character;
    else if (!/[ -]/.test(character) || /[ -]/.test(text[at - 1] ?? '')) return undefined;
    at += 1;
  }
  const isWhole = !/[A-Za-z0-9]/.test(text[at] ?? '');
  return isWhole && remainder(compact.toUpperCase()) === 1 ? at : undefined;
}

/** ISO 7064, mod 97-10: the first four characters last, letters as 10 to 35. */
function remainder(iban: string): number {
  let rest = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest;
}
