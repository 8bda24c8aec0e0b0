const shortest = 13;
const longest = 19;

/** Numbers as the schemes give them out: Visa, Mastercard, American Express, Diners, Discover, JCB, UnionPay, Maestro. */
const schemes: readonly RegExp[] = [
  /^4(?:\d{12}|\d{15}|\d{18})$/,
  /^(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}$/,
  /^3[47]\d{13}$/,
  /^3(?:0[0-5]|[689]\d)\d{11}$/,
  /^(?:6011|65\d\d|64[4-9]\d)\d{12,15}$/,
  /^35(?:2[89]|[3-8]\d)\d{12,15}$/,
  /^62\d{14,17}$/,
  /^(?:50|5[6-9]|6[0-9])\d{11,17}$/,
];

/**
 * Where the card number that begins at `start` ends: digits, between them at most one space or hyphen at a time.
 * The longest that a scheme gives out and whose check digit is right; `undefined` where there is none.
 */
export function endOfCard(text: string, start: number): number | undefined {
  let end: number | undefined;
  let count = 0;
  // Luhn (ISO/IEC 7812-1) doubles every second digit from the right: which ones those are depends on the length.
  const sums: [evenDoubled: number, oddDoubled: number] = [0, 0];
  for (let at = start; count < longest; at += 1) {
    const digit = digitAt(text, at);
    if (digit !== undefined) {
      const doubled = digit > 4 ? digit * 2 - 9 : digit * 2;
      sums[0] += count % 2 === 0 ? doubled : digit;
      sums[1] += count % 2 === 0 ? digit : doubled;
      count += 1;
      const isWhole = count >= shortest && digitAt(text, at + 1) === undefined;
      if (isWhole && sums[count % 2 === 0 ? 0 : 1] % 10 === 0 && isGivenOut(text.slice(start, at + 1))) end = at + 1;
    } else if ((text[at] !== ' ' && text[at] !== '-') || digitAt(text, at - 1) === undefined) {
      return end;
    }
  }
  return end;
}

function digitAt(text: string, at: number): number | undefined {
  const digit = text.charCodeAt(at) - 48;
  return digit >= 0 && digit <= 9 ? digit : undefined;
}

function isGivenOut(written: string): boolean {
  const number = written.replace(/[ -]/g, '');
  return schemes.some((it) => it.test(number));
}
