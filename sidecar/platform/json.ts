/** @returns `undefined` for text that is not JSON, so that the schema that reads the value reports it */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The codes of jsonc-parser. */
const messages: Readonly<Record<string, string>> = {
  InvalidSymbol: 'this is not valid JSON: enclose strings in "',
  InvalidNumberFormat: 'this is not a valid number',
  PropertyNameExpected: 'a quoted name is expected here',
  ValueExpected: 'a value is expected here',
  ColonExpected: 'a colon is expected here',
  CommaExpected: 'a comma is expected here',
  CloseBraceExpected: 'a } is missing',
  CloseBracketExpected: 'a ] is missing',
  EndOfFileExpected: 'nothing is allowed after the last }',
  UnexpectedEndOfComment: 'a comment is not closed',
  UnexpectedEndOfString: 'a string is not closed',
  InvalidUnicode: 'this is not a valid Unicode escape',
  InvalidEscapeCharacter: 'this is not a valid escape',
  InvalidCharacter: 'this character is not allowed here',
};

/** What a person is told of a syntax error. */
export const syntaxMessage = (code: string): string => messages[code] ?? 'this is not valid JSON';
