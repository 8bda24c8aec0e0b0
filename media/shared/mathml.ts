import temml from 'temml';

/** The types of this package do not include `ParseError`. */
const { ParseError } = temml as unknown as { readonly ParseError: new () => object };

/** @returns MathML, which the browser draws by itself, or `undefined` for what is no formula */
export function toMathml(tex: string, isBlock: boolean): string | undefined {
  try {
    const mathml = temml.renderToString(tex, {
      displayMode: isBlock,
      throwOnError: true,
      // Formulas come from agents: they link nowhere, load nothing, and define nothing without end.
      trust: false,
      maxExpand: 200,
      maxSize: [50, 50],
    });
    // The page's policy forbids style attributes and reports each one. Quotation marks in text are escaped, so only tags match.
    return mathml.replace(/ style="[^"]*"/g, '');
  } catch (thrown) {
    if (thrown instanceof ParseError) return undefined;
    throw thrown;
  }
}
